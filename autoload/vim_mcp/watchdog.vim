" A watch over a command that a client runs: what waits for an answer is
" interrupted at once, what takes too long when its time is over.
"
" Neovim: a raw timer does both, in loops and shell commands too. Vim runs no
" timer there: the hub, which is told when the watch begins, sends Vim the
" signal that CTRL-C would be.

let s:save_cpo = &cpo
set cpo&vim

" How often it looks for a prompt, in ms.
let s:step = 20

let s:watch = {}

" Begin: what runs longer than a:timeout ms is to be interrupted.
function! vim_mcp#watchdog#start(timeout) abort
  let s:watch = {'since': reltime(), 'timeout': a:timeout, 'interrupted': '', 'timer': -1, 'told': 0}
  if has('nvim')
    call v:lua.require'vim_mcp.watchdog'.start(s:step, a:timeout)
  else
    let s:watch.timer = timer_start(s:step, function('s:look'), {'repeat': -1})
    call s:tell(a:timeout)
  endif
endfunction

" End. What has been interrupted: '' (nothing), 'time' (what took too long), or
" the mode(1) of a prompt.
function! vim_mcp#watchdog#stop() abort
  if has('nvim')
    let s:watch.interrupted = v:lua.require'vim_mcp.watchdog'.stop()
  else
    call s:tell(0)
    call timer_stop(s:watch.timer)
    let s:watch.interrupted = s:to_interrupt()
  endif
  if s:watch.interrupted !=# ''
    call s:swallow()
  endif
  return s:watch.interrupted
endfunction

" Tell the hub after how many ms to interrupt; after 0, not at all.
function! s:tell(timeout) abort
  if a:timeout != s:watch.told
    call vim_mcp#transport#send({'type': 'running', 'timeout': a:timeout})
    let s:watch.told = a:timeout
  endif
endfunction

" Runs in prompts, and in what serves timers while it waits (:sleep, term_wait()).
" 'L' reaches confirm() too; 't' makes it an interrupt, so that the command does
" not go on to its next question.
function! s:look(timer) abort
  let s:watch.interrupted = s:to_interrupt()
  if s:watch.interrupted !=# ''
    call feedkeys("\<C-c>", 'Lt')
  endif
endfunction

function! s:to_interrupt() abort
  let l:late = reltimefloat(reltime(s:watch.since)) * 1000 >= s:watch.timeout
  return mode(1) =~# '^[cr]' ? mode(1) : s:watch.interrupted !=# '' ? s:watch.interrupted : l:late ? 'time' : ''
endfunction

" A CTRL-C that came when there was nothing left to interrupt.
function! s:swallow() abort
  while getchar(1) == 3
    call getchar(0)
  endwhile
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
