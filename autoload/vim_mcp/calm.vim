" Whether something has only just come up: what the person types in that moment is meant for what they saw before. Of a
" command that they type it is the moment that counts in which they have begun it.

let s:save_cpo = &cpo
set cpo&vim

" How soon after it that is so, in ms.
let s:calm = 700

" When the command line that is being typed or run was begun, a reltime(): [] where there is none.
let s:begun = []
" What stands for any time before it is watched.
let s:before = [0, 0]

" Begins to watch command lines, one that is there already too.
function! vim_mcp#calm#watch() abort
  if !exists('#vim_mcp_calm')
    augroup vim_mcp_calm
      autocmd CmdlineEnter : let s:begun = reltime()
      autocmd CmdlineLeave : call timer_start(0, function('s:end', [s:begun]))
    augroup END
    let s:begun = mode() ==# 'c' ? s:before : []
  endif
endfunction

" Watches no more.
function! vim_mcp#calm#forget() abort
  if exists('#vim_mcp_calm')
    autocmd! vim_mcp_calm
    augroup! vim_mcp_calm
  endif
  let s:begun = []
endfunction

" The command is over, and perhaps the next one has been begun.
function! s:end(begun, timer) abort
  let s:begun = s:begun is a:begun ? [] : s:begun
endfunction

" Whether a:since, a reltime() or [] for never, is so short a time ago, or later than the command that is being run.
function! vim_mcp#calm#is_new(since) abort
  if empty(a:since)
    return 0
  endif
  let passed = empty(s:begun) ? reltime(a:since) : reltime(a:since, s:begun)
  return 1000 * reltimefloat(passed) < vim_mcp#setting('ask_calm', s:calm)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
