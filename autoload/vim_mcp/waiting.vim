" What is sent to Claude before any is connected: it waits in the hub, and here too, since a hub may go.

let s:save_cpo = &cpo
set cpo&vim

" Messages that no Claude can have heard yet, in their order; beyond so many the oldest are lost, as in the hub.
let s:messages = []
let s:most = 100
let s:timer = -1

" Send a message that is meant for a Claude: of several for the one in the terminal that was used last. Where none comes
" the user is told.
function! vim_mcp#waiting#send(message) abort
  " Where that script is not loaded, no terminal was opened here.
  let l:pid = len(vim_mcp#ide#listening()) > 1 && exists('*vim_mcp#terminal#hearer') ? vim_mcp#terminal#hearer() : 0
  if l:pid
    let a:message.pid = l:pid
  endif
  if empty(vim_mcp#ide#listening())
    call add(s:messages, a:message)
    let s:messages = s:messages[max([0, len(s:messages) - s:most]) :]
    call timer_stop(s:timer)
    let s:timer = timer_start(max([0, vim_mcp#setting('send_timeout', 20000)]), function('s:complain'))
  endif
  if vim_mcp#link#connected()
    call vim_mcp#transport#send(a:message)
  endif
endfunction

" A hub has registered this editor: it knows nothing of what waits.
function! vim_mcp#waiting#resend() abort
  for l:message in s:messages
    call vim_mcp#transport#send(l:message)
  endfor
endfunction

" A Claude has been told what waited.
function! vim_mcp#waiting#delivered() abort
  call timer_stop(s:timer)
  let s:messages = []
endfunction

function! s:complain(timer) abort
  if !empty(s:messages) && !vim_mcp#ide#clients()
    let l:what = len(s:messages) == 1 ? 'a mention still waits' : len(s:messages) . ' mentions still wait'
    let l:remedy = vim_mcp#link#connected() ? ':ClaudeCode' : ':VimMCPStatus'
    call vim_mcp#notice#unasked(l:what . ' for a Claude: ' . l:remedy)
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
