" Writing a buffer to its file, through Vim, so that what the person has set up
" for writing happens.

let s:save_cpo = &cpo
set cpo&vim

let s:error = ''

" The method `save`: see docs/protocol.md.
function! vim_mcp#save#request(params) abort
  let l:file = vim_mcp#params#string(a:params, 'file')
  call vim_mcp#ignore#refuse(l:file)
  let l:bufnr = vim_mcp#buffers#find(vim_mcp#files#checked(l:file))
  if l:bufnr < 0 || !bufloaded(l:bufnr)
    call vim_mcp#methods#fail('not_found', l:file . ' is not open in this editor: nothing was saved')
  endif
  call vim_mcp#swap#refuse(l:bufnr)
  call vim_mcp#save#check(l:bufnr)
  call vim_mcp#save#check_text(l:bufnr, [])
  call vim_mcp#save#save(l:bufnr)
  return {'saved': v:true, 'buffer': l:bufnr}
endfunction

" Throw when the file cannot be written, before anything is changed.
function! vim_mcp#save#check(bufnr) abort
  let l:name = vim_mcp#buffers#name(a:bufnr)
  if l:name ==# '' || index(['', 'acwrite'], getbufvar(a:bufnr, '&buftype')) < 0
    call vim_mcp#methods#fail('refused', 'buffer ' . a:bufnr . ' belongs to no file: it cannot be saved, '
          \ . 'nothing was changed')
  elseif getbufvar(a:bufnr, '&buftype') ==# ''
    call s:check_file(a:bufnr, vim_mcp#files#checked(l:name))
  endif
endfunction

function! s:check_file(bufnr, name) abort
  if vim_mcp#disk#conflict(a:bufnr)
    call vim_mcp#methods#fail('changed', a:name . ' has changed on disk since the editor read it, and its buffer has '
          \ . 'unsaved changes too: it was not written, and nothing was changed')
  elseif getftype(a:name) !=# '' ? filewritable(a:name) != 1 : filewritable(s:home(a:name)) != 2
    call vim_mcp#methods#fail('refused', a:name . ' cannot be written (permission denied), nothing was changed')
  endif
endfunction

" Throw when the text that a:hunks will make of a buffer cannot be written in the
" file's encoding: Vim would write other characters in its place.
function! vim_mcp#save#check_text(bufnr, hunks) abort
  let l:encoding = getbufvar(a:bufnr, '&fileencoding')
  if l:encoding ==# '' || l:encoding ==# &encoding || l:encoding =~? '^u\%(tf\|cs\)'
    return
  endif
  let l:text = join(vim_mcp#hunks#applied(getbufline(a:bufnr, 1, '$'), a:hunks), "\n")
  let l:written = iconv(l:text, &encoding, l:encoding)
  if l:written !=# '' && iconv(l:written, l:encoding, &encoding) !=# l:text
    call vim_mcp#methods#fail('refused', vim_mcp#buffers#name(a:bufnr) . ' would hold characters that its encoding, '
          \ . l:encoding . ', cannot represent: it was not saved, nothing was changed')
  endif
endfunction

" Write a loaded buffer, if it has changes or its file is missing, and make the
" directories that its file needs. The text keeps a missing final line end.
function! vim_mcp#save#save(bufnr) abort
  let l:name = vim_mcp#buffers#name(a:bufnr)
  if !getbufvar(a:bufnr, '&modified') && getftype(l:name) !=# ''
    return
  endif
  let l:fixeol = getbufvar(a:bufnr, '&fixendofline')
  let [l:confirm, &confirm] = [&confirm, 0]
  call setbufvar(a:bufnr, '&fixendofline', 0)
  let [s:error, l:made, l:declined] = ['', s:missing_directories(l:name), 0]
  call vim_mcp#turn#ours(1)
  try
    if !empty(l:made)
      call mkdir(l:made[0], 'p')
    endif
    let l:declined = vim_mcp#unattended#call({-> vim_mcp#within#buffer(a:bufnr, function('s:write'))})
  catch
    let s:error = v:exception
  finally
    call vim_mcp#turn#ours(0)
    let &confirm = l:confirm
    call setbufvar(a:bufnr, '&fixendofline', l:fixeol)
  endtry
  if s:error !=# '' || getbufvar(a:bufnr, '&modified')
    call s:fail(l:name, l:made, l:declined)
  endif
endfunction

function! s:write() abort
  let l:marks = [getpos("'["), getpos("']")]
  try
    silent write
  catch
    let s:error = v:exception
  endtry
  call setpos("'[", l:marks[0])
  call setpos("']", l:marks[1])
endfunction

" The deepest directory above a file that is there.
function! s:home(name) abort
  return fnamemodify(get(s:missing_directories(a:name), -1, a:name), ':h')
endfunction

" The directories above a file that are not there, the deepest first.
function! s:missing_directories(name) abort
  let l:missing = []
  let l:directory = fnamemodify(a:name, ':h')
  while getftype(l:directory) ==# '' && l:directory !=# '/'
    call add(l:missing, l:directory)
    let l:directory = fnamemodify(l:directory, ':h')
  endwhile
  return l:missing
endfunction

function! s:fail(name, made, declined) abort
  for l:directory in a:made
    call delete(l:directory, 'd')
  endfor
  if a:declined
    call vim_mcp#methods#fail('changed', a:name . ' has changed on disk since the editor read it: it was not written. '
          \ . 'The change is in the buffer, unsaved')
  endif
  let l:message = s:error ==# '' ? 'it is still modified' : substitute(s:error, '^Vim\%((\w\+)\)\=:', '', '')
  call vim_mcp#methods#fail('vim', a:name . ' was not written: ' . l:message
        \ . '. The change is in the buffer, unsaved', {'vim_error': matchstr(s:error, 'E\d\+')})
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
