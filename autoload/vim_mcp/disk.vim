" Buffers and the files on disk that they were read from.

let s:save_cpo = &cpo
set cpo&vim

" What looking at a file has found: `reason` as v:fcs_reason, and `places` (see
" change.vim) where it was read again.
let s:found = {}

let s:told = ''

" Read the file of a loaded buffer again if it has changed on disk and the
" buffer has no changes of its own; no question is asked, and everybody's place in
" the text is kept. Returns 1 when the file has changed and the buffer has been
" changed too. Throws `busy` where a place cannot be kept.
function! vim_mcp#disk#refresh(bufnr) abort
  return vim_mcp#disk#is_file(a:bufnr) && s:may_look(a:bufnr) && vim_mcp#disk#look(a:bufnr) ==# 'conflict'
endfunction

" The same, whose reason it returns: '' (nothing has changed), 'conflict', 'deleted',
" or 'changed', 'mode' and the like, when it was read again. The buffer holds a
" file, and is loaded.
function! vim_mcp#disk#look(bufnr) abort
  if !getbufvar(a:bufnr, '&modified')
    call vim_mcp#change#check(a:bufnr)
  endif
  if s:is_new(a:bufnr)
    return s:look_at_new(a:bufnr)
  endif
  let l:folds = vim_mcp#folds#remember(a:bufnr)
  let s:found = {'reason': ''}
  call s:check_time(a:bufnr)
  call setbufvar(a:bufnr, 'vim_mcp_looked', s:stamp(a:bufnr))
  if s:found.reason ==# 'conflict'
    call setbufvar(a:bufnr, 'vim_mcp_conflict', s:stamp(a:bufnr))
  elseif has_key(s:found, 'places')
    call vim_mcp#change#follow(a:bufnr, s:found.places, l:folds)
  endif
  return s:found.reason
endfunction

" Whether a buffer stands for a file that was not there: of such a file Vim asks, by no
" event, once it is there. Only `:file` tells, in the person's language: `[New]` is one
" flag more than those that are known. (What is neither empty nor modified was read.)
function! s:is_new(bufnr) abort
  let l:modified = getbufvar(a:bufnr, '&modified')
  if getbufvar(a:bufnr, 'vim_mcp_read', 0) || !l:modified && getbufline(a:bufnr, 1, 2) !=# ['']
    return 0
  endif
  call vim_mcp#within#buffer(a:bufnr, {-> execute('let s:told = execute("file", "silent!")')})
  let l:flags = count(strpart(s:told, strridx(s:told, '"')), '[')
  let l:is_new = l:flags > l:modified + getbufvar(a:bufnr, '&readonly') && s:told !~# '\[Read errors\]'
  call setbufvar(a:bufnr, 'vim_mcp_read', !l:is_new)
  return l:is_new
endfunction

" The same as look() for the buffer of a file that was not there: what the person has
" typed for it is a conflict once it is.
function! s:look_at_new(bufnr) abort
  let l:stamp = s:stamp(a:bufnr)
  if getftype(vim_mcp#buffers#name(a:bufnr)) !=# 'file' || getbufvar(a:bufnr, 'vim_mcp_conflict', '') ==# l:stamp
    return ''
  elseif getbufvar(a:bufnr, '&modified')
    call setbufvar(a:bufnr, 'vim_mcp_conflict', l:stamp)
    return 'conflict'
  elseif a:bufnr == bufnr('%') && mode(1) !~# '^n\=t\=$'
    call vim_mcp#methods#busy('the end of what is being typed')
  endif
  let l:shortmess = &shortmess
  noautocmd set shortmess+=A
  try
    call vim_mcp#within#buffer(a:bufnr, {-> execute('silent keepalt keepjumps edit')})
  finally
    noautocmd let &shortmess = l:shortmess
  endtry
  return 'changed'
endfunction

" Whether a buffer is that of a file.
function! vim_mcp#disk#is_file(bufnr) abort
  return vim_mcp#buffers#type(a:bufnr) ==# '' && vim_mcp#buffers#name(a:bufnr) !=# ''
endfunction

" Whether there is a need to look now. The stamp tells no change within a second,
" Vim does; but where lines must not move it has to do.
function! s:may_look(bufnr) abort
  let l:known = getbufvar(a:bufnr, 'vim_mcp_looked', '') ==# s:stamp(a:bufnr)
  return !l:known || !vim_mcp#change#is_pending(a:bufnr)
endfunction

" What is read is told by an event, which comes before it, unless 'autoread' is on, or an
" autocommand runs: then Vim would ask.
function! s:check_time(bufnr) abort
  if exists('*state') && state('x') !=# ''
    call vim_mcp#methods#busy('an autocommand')
  endif
  let l:options = [&undoreload, &eventignore]
  let l:autoread = getbufvar(a:bufnr, '&l:autoread')
  noautocmd set undoreload=-1
  noautocmd call setbufvar(a:bufnr, '&autoread', 0)
  let &eventignore = s:without_ours(&eventignore)
  augroup vim_mcp_disk
    autocmd!
    execute 'autocmd FileChangedShell <buffer=' . a:bufnr . '> call s:choose(' . a:bufnr . ')'
  augroup END
  try
    execute 'silent checktime' a:bufnr
  catch /:E\%(11\|523\|565\):/
    call vim_mcp#methods#busy('the command-line window, or an expression that locks the text')
  finally
    let [l:undoreload, &eventignore] = l:options
    noautocmd let &undoreload = l:undoreload
    noautocmd call setbufvar(a:bufnr, '&autoread', l:autoread)
    autocmd! vim_mcp_disk
    augroup! vim_mcp_disk
  endtry
endfunction

" 'eventignore' without the event that we need: without it Vim would ask its person.
function! s:without_ours(ignored) abort
  let l:names = split(a:ignored, ',')
  if index(l:names, 'all', 0, 1) >= 0
    let l:names = getcompletion('', 'event')
  endif
  return join(filter(l:names, 'v:val !=? "FileChangedShell"'), ',')
endfunction

" Whether the file has changed on disk although the buffer has changes that were
" made to what it held before. Vim tells that once only, so it is kept in mind.
function! vim_mcp#disk#conflict(bufnr) abort
  call vim_mcp#disk#refresh(a:bufnr)
  return getbufvar(a:bufnr, '&modified') && getbufvar(a:bufnr, 'vim_mcp_conflict', '') ==# s:stamp(a:bufnr)
endfunction

function! s:stamp(bufnr) abort
  let l:name = vim_mcp#buffers#name(a:bufnr)
  return getftime(l:name) . ' ' . getfsize(l:name)
endfunction

" A file that was only touched is not read; Vim takes note of its new time where it
" is to ask, and does not ask.
function! s:choose(bufnr) abort
  let s:found.reason = v:fcs_reason
  let l:choices = {'mode': 'reload', 'time': 'ask'}
  let v:fcs_choice = v:fcs_reason ==# 'changed' ? s:how(a:bufnr) : get(l:choices, v:fcs_reason, '')
  if v:fcs_choice =~# 'reload\|edit'
    let s:found.places = vim_mcp#change#places(a:bufnr)
    call vim_mcp#turn#reading(a:bufnr, s:found.places.lines)
  endif
endfunction

" What the person has set for a file, such as its encoding, stays ('reload') unless it has other line ends now.
function! s:how(bufnr) abort
  let l:first = get(readfile(vim_mcp#buffers#name(a:bufnr), 'b', 1), 0, '')
  let l:dos = l:first =~# '\r$'
  let l:was_dos = getbufvar(a:bufnr, '&fileformat') ==# 'dos' || getbufline(a:bufnr, 1)[0] =~# '\r$'
  return l:dos == l:was_dos ? 'reload' : 'edit'
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
