" Running commands with a buffer as the current one, shown or not, without
" moving the person.

let s:save_cpo = &cpo
set cpo&vim

let s:Function = 0

" Call a:Function without arguments while a:bufnr, a loaded buffer, is current.
function! vim_mcp#within#buffer(bufnr, Function) abort
  let l:windows = win_findbuf(a:bufnr)
  if a:bufnr == bufnr('%')
    call a:Function()
  elseif !empty(l:windows)
    let s:Function = a:Function
    call win_execute(l:windows[0], 'call s:call()')
  else
    call s:unseen(a:bufnr, a:Function)
  endif
endfunction

" `:doautoall` makes each loaded buffer current in turn, in a window that is not
" seen; an autocommand for this buffer alone does the work.
function! s:unseen(bufnr, Function) abort
  let [s:Function, l:ignored] = [a:Function, &eventignore]
  augroup vim_mcp_within
    autocmd!
    execute 'autocmd User <buffer=' . a:bufnr . '> nested call s:call_with(' . string(l:ignored) . ')'
  augroup END
  try
    let &eventignore = ''
    doautoall <nomodeline> vim_mcp_within User
  finally
    let &eventignore = l:ignored
    autocmd! vim_mcp_within
    augroup! vim_mcp_within
  endtry
endfunction

" Events that the person ignores are ignored again in what is called.
function! s:call_with(ignored) abort
  let &eventignore = a:ignored
  call s:call()
endfunction

function! s:call() abort
  call s:Function()
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
