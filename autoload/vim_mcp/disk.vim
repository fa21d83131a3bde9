" Buffers and the files on disk that they were read from.

let s:save_cpo = &cpo
set cpo&vim

let s:reason = ''

" Read the file of a loaded buffer again if it has changed on disk and the
" buffer has no changes of its own; no question is asked, and everybody's place in
" the text is kept. Returns 1 when the file has changed and the buffer has been
" changed too. Throws `busy` where a place cannot be kept.
function! vim_mcp#disk#refresh(bufnr) abort
  if getbufvar(a:bufnr, '&buftype') !=# '' || vim_mcp#buffers#name(a:bufnr) ==# ''
    return 0
  endif
  let [s:reason, l:stamp] = ['', s:stamp(a:bufnr)]
  let l:known = getbufvar(a:bufnr, 'vim_mcp_looked', '') ==# l:stamp
  if !getbufvar(a:bufnr, '&modified') && !l:known
    call vim_mcp#change#around(a:bufnr, function('s:look', [a:bufnr]))
  elseif !l:known || !vim_mcp#change#is_pending(a:bufnr)
    " The stamp tells no change within a second: Vim knows better.
    call s:look(a:bufnr)
  endif
  call setbufvar(a:bufnr, 'vim_mcp_looked', l:stamp)
  return s:reason ==# 'conflict'
endfunction

function! s:look(bufnr) abort
  let l:undoreload = &undoreload
  set undoreload=-1
  augroup vim_mcp_disk
    autocmd!
    execute 'autocmd FileChangedShell <buffer=' . a:bufnr . '> call s:choose(' . a:bufnr . ')'
  augroup END
  try
    execute 'silent checktime' a:bufnr
  catch /:E\%(11\|523\|565\):/
    call vim_mcp#methods#busy('the command-line window, or an expression that locks the text')
  finally
    let &undoreload = l:undoreload
    autocmd! vim_mcp_disk
    augroup! vim_mcp_disk
  endtry
endfunction

" Whether the file has changed on disk although the buffer has changes that were
" made to what it held before. Vim tells that once only, so it is kept in mind.
function! vim_mcp#disk#conflict(bufnr) abort
  if vim_mcp#disk#refresh(a:bufnr)
    call setbufvar(a:bufnr, 'vim_mcp_conflict', s:stamp(a:bufnr))
  endif
  return getbufvar(a:bufnr, '&modified') && getbufvar(a:bufnr, 'vim_mcp_conflict', '') ==# s:stamp(a:bufnr)
endfunction

function! s:stamp(bufnr) abort
  let l:name = vim_mcp#buffers#name(a:bufnr)
  return getftime(l:name) . ' ' . getfsize(l:name)
endfunction

function! s:choose(bufnr) abort
  let s:reason = v:fcs_reason
  let v:fcs_choice = v:fcs_reason =~# '^\%(changed\|time\|mode\)$' ? 'reload' : ''
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
