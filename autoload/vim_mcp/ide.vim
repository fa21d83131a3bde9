" What Claude Code has from this editor as from an IDE: what is told it unasked,
" and how many of it are there.

let s:save_cpo = &cpo
set cpo&vim

let s:clients = 0
let s:activity = ''
let s:listening = []
let s:obstacle = ''

" The editor has registered.
function! vim_mcp#ide#start() abort
  call vim_mcp#selection#start()
  call vim_mcp#diagnostics_watch#start()
  call vim_mcp#loaded#tell('vim_mcp#waiting#resend')
  call vim_mcp#loaded#tell('vim_mcp#kernel_output#watch')
  call vim_mcp#loaded#tell('vim_mcp#kernel#resume')
endfunction

" The connection has ended.
function! vim_mcp#ide#stop() abort
  call vim_mcp#selection#stop()
  call vim_mcp#diagnostics_watch#stop()
  call vim_mcp#autoread#stop()
  call vim_mcp#loaded#tell('vim_mcp#ask#forget')
  call vim_mcp#loaded#tell('vim_mcp#diff#lost')
  call vim_mcp#loaded#tell('vim_mcp#cell#lost')
  call s:count(0, '')
  let s:listening = []
endfunction

" The hub's message `ide`: how many Claudes are connected to this editor, and what they do.
function! vim_mcp#ide#take(message) abort
  call s:count(get(a:message, 'clients', 0), get(a:message, 'activity', ''))
endfunction

" The hub's message `unreachable`. What is told once holds until `reachable`, whichever hub says that.
function! vim_mcp#ide#unreachable(message) abort
  let l:known = s:obstacle !=# ''
  let s:obstacle = get(a:message, 'reason', 'the hub does not say why')
  if !l:known
    call vim_mcp#notice#unasked('Claude Code cannot find this editor: ' . s:obstacle
          \ . ' (it is tried again; :VimMCPStatus)')
  endif
endfunction

" Claude Code can find this editor.
function! vim_mcp#ide#reachable() abort
  if s:obstacle !=# ''
    let s:obstacle = ''
    call vim_mcp#notice#unasked('Claude Code can find this editor now')
  endif
endfunction

" Why it cannot, or ''.
function! vim_mcp#ide#obstacle() abort
  return s:obstacle
endfunction

" The hub's message `listening`: the processes of the Claudes that hear what is sent to them; null is one that has not
" told its own.
function! vim_mcp#ide#hear(message) abort
  let s:listening = get(a:message, 'pids', [])
  call vim_mcp#signs#session(s:listening)
  if !empty(s:listening)
    call vim_mcp#loaded#tell('vim_mcp#waiting#delivered')
  endif
  call vim_mcp#loaded#tell('vim_mcp#prompt#go_on')
endfunction

" These processes.
function! vim_mcp#ide#listening() abort
  return s:listening
endfunction

" How many Claudes are connected to this editor.
function! vim_mcp#ide#clients() abort
  return s:clients
endfunction

" What they do, as far as it is known: 'working', 'waiting' (for the person), 'idle' or ''.
function! vim_mcp#ide#activity() abort
  return s:activity
endfunction

function! s:count(clients, activity) abort
  let [l:clients, l:activity] = [s:clients, s:activity]
  let [s:clients, s:activity] = [a:clients, a:activity]
  if a:clients != l:clients
    call vim_mcp#diff_focus#watch(a:clients > 0)
    if a:clients == 0
      call vim_mcp#fresh#forget()
    endif
  endif
  if [a:clients, a:activity] != [l:clients, l:activity]
    call vim_mcp#statusline#refresh()
  endif
  if a:activity !=# l:activity
    call vim_mcp#attention#changed(a:activity)
  endif
endfunction

" Tell the clients that something was done here: a name, never text.
function! vim_mcp#ide#log(name) abort
  if vim_mcp#link#connected()
    call vim_mcp#transport#send({'type': 'log', 'name': a:name, 'data': {}})
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
