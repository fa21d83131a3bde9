" Diagnostics that speak of the text that is on disk now: files are loaded, unseen,
" or read again, and whoever checks them is given time to answer.

let s:save_cpo = &cpo
set cpo&vim

" How often it is looked whether they have, in ms.
let s:step = 20

" The buffers that were loaded here, the oldest first, and how many may be.
let s:unseen = []
let s:most = 50

" Go on with bringing a:files, full names, up to date for a:patience ms, counted
" from the first call with this a:work, which is {} then. Returns 1 when it is done
" (files that cannot be loaded count as done), 0 when the time is up, and otherwise
" the wish to be called again: {'again': ms}.
function! vim_mcp#fresh#bring(work, files, patience) abort
  if empty(a:work)
    call extend(a:work, {'begun': reltime(), 'files': copy(a:files), 'buffers': []})
  endif
  call filter(a:work.files, '!s:is_brought(a:work, v:val)')
  " Each is asked, so that all are checked at the same time.
  let l:open = filter(copy(a:work.buffers), '!s:is_settled(v:val)')
  if empty(a:work.files) && empty(l:open)
    return 1
  endif
  return reltimefloat(reltime(a:work.begun)) * 1000 < a:patience ? {'again': s:step} : 0
endfunction

" Load a file or read it again, and return 1, if that can be done now; 0 when it is
" to be tried again.
function! s:is_brought(work, file) abort
  " While a prompt is shown a command may be half way through the text.
  if vim_mcp#methods#waiting_for('no prompt') !=# ''
    return 0
  endif
  try
    let l:bufnr = s:buffer(a:file)
  catch /^vim-mcp:.*"busy"/
    return 0
  catch
    return 1
  endtry
  call extend(a:work.buffers, l:bufnr > 0 ? [l:bufnr] : [])
  return 1
endfunction

" The buffer that holds a file as it is now, loaded if need be; 0 when there is no
" such file, or none that may be read.
function! s:buffer(file) abort
  let l:known = vim_mcp#buffers#find(a:file)
  if l:known > 0 && bufloaded(l:known)
    call s:read_again(l:known)
    return l:known
  elseif vim_mcp#ignore#matches(a:file) || getftype(resolve(a:file)) !=# 'file'
    return 0
  endif
  return s:load(vim_mcp#files#checked(a:file), l:known)
endfunction

" Who wants their buffers not to follow the disk has no others in mind.
function! s:read_again(bufnr) abort
  if vim_mcp#setting('autoread', 1) || !buflisted(a:bufnr)
    call vim_mcp#disk#refresh(a:bufnr)
  endif
endfunction

" The buffer is not listed, since its user has not asked for it, and has no swap
" file, which would keep other editors from the file, before somebody uses it.
function! s:load(file, known) abort
  let l:bufnr = a:known > 0 ? a:known : bufadd(a:file)
  let l:swapfile = getbufvar(l:bufnr, '&swapfile')
  call setbufvar(l:bufnr, '&swapfile', 0)
  try
    call vim_mcp#files#load(l:bufnr)
  finally
    if !bufloaded(l:bufnr)
      call vim_mcp#files#discard(l:bufnr, a:known > 0 ? 'bunload' : 'bwipeout')
    endif
  endtry
  if l:swapfile
    call s:swap_when_used(l:bufnr)
  endif
  if has('nvim')
    call luaeval('require("vim_mcp.servers").loaded(_A)', l:bufnr)
  endif
  if !buflisted(l:bufnr)
    call s:keep_few(l:bufnr)
  endif
  return l:bufnr
endfunction

" Whether a buffer was loaded here and is not used yet.
function! vim_mcp#fresh#is_unseen(bufnr) abort
  return index(s:unseen, a:bufnr) >= 0 && !buflisted(a:bufnr)
endfunction

function! s:swap_when_used(bufnr) abort
  augroup vim_mcp_fresh
    execute 'autocmd! * <buffer=' . a:bufnr . '>'
    execute 'autocmd BufWinEnter,BufAdd <buffer=' . a:bufnr . '> call s:swap(' . a:bufnr . ')'
  augroup END
endfunction

" Another editor may have the file by now: that is not asked here.
function! s:swap(bufnr) abort
  execute 'autocmd! vim_mcp_fresh * <buffer=' . a:bufnr . '>'
  let l:shortmess = &shortmess
  set shortmess+=A
  try
    call setbufvar(a:bufnr, '&swapfile', 1)
  finally
    let &shortmess = l:shortmess
  endtry
  call vim_mcp#swap#hold(a:bufnr, '')
endfunction

function! s:keep_few(bufnr) abort
  call add(s:unseen, a:bufnr)
  while len(s:unseen) > s:most
    call s:close(remove(s:unseen, 0))
  endwhile
endfunction

" Close the buffers that were loaded here, but for those that have come to be used.
function! vim_mcp#fresh#forget() abort
  while !empty(s:unseen)
    call s:close(remove(s:unseen, 0))
  endwhile
endfunction

" With autocommands, since what has come by them is to go by them.
function! s:close(bufnr) abort
  if bufexists(a:bufnr) && !buflisted(a:bufnr) && empty(win_findbuf(a:bufnr)) && !getbufvar(a:bufnr, '&modified')
    execute 'silent! bwipeout' a:bufnr
  endif
endfunction

function! s:is_settled(bufnr) abort
  if !bufloaded(a:bufnr)
    return 1
  endif
  return has('nvim') ? luaeval('require("vim_mcp.servers").settled(_A)', a:bufnr) : vim_mcp#ale#settled(a:bufnr)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
