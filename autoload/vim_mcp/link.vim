" The editor's connection to the hub as a whole: dialling, registering, redialling, saying goodbye.
"
" States: stopped, dialling, starting (a hub), registering, connected, waiting (for the next try), refused.

" Pauses between the tries after a loss, in ms; then g:vim_mcp_reconnect_interval.
let s:pauses = [100, 300, 1000]

" A try to start a hub that failed is not repeated with every look at the socket.
let s:start_again = 60.0

let s:state = 'stopped'
let s:socket = ''
let s:reason = ''
" Why no hub runs, as far as it is known.
let s:obstacle = ''
let s:timer = -1
let s:tries = 0
let s:told = 0
" Whether the user has asked for the connection and is told when it is there; else it comes and goes unseen.
let s:asked = 0
let s:farewell = ''
let s:no_start_before = 0.0
let s:epoch = reltime()

function! s:now() abort
  return reltimefloat(reltime(s:epoch))
endfunction

" Registers this editor and stays registered: dials, starting a hub if there is none, and redials after each loss.
function! vim_mcp#link#start() abort
  if s:state !=# 'stopped'
    return
  endif
  augroup vim_mcp_link
    autocmd!
    autocmd VimLeavePre * call vim_mcp#link#leave()
  augroup END
  let s:told = 0
  call s:outage(s:now())
endfunction

" The user has asked for the connection: they are told of it, now or when it is there. (Of a failure they are anyway.)
function! vim_mcp#link#announce() abort
  let s:asked = 1
  if s:state ==# 'connected'
    call s:tell_connected()
  endif
endfunction

function! s:tell_connected() abort
  if s:asked
    let s:asked = 0
    call vim_mcp#notice#unasked('connected as ' . vim_mcp#identity#id())
  endif
endfunction

" Says goodbye and hangs up. It waits for nothing, since it runs at the editor's end too.
function! vim_mcp#link#leave() abort
  call vim_mcp#loaded#tell('vim_mcp#diff#leave')
  if s:state ==# 'connected' || s:state ==# 'registering'
    call vim_mcp#transport#send({'type': 'bye'})
  endif
  call s:disconnect('stopped', '')
endfunction

" Leaves and removes what registering made.
function! vim_mcp#link#stop() abort
  let s:asked = 0
  call vim_mcp#loaded#tell('vim_mcp#diff#stop')
  call vim_mcp#link#leave()
  call vim_mcp#environment#restore()
  call vim_mcp#notice#forget()
  if exists('#vim_mcp_link')
    autocmd! vim_mcp_link
    augroup! vim_mcp_link
  endif
endfunction

" What is known: state, instance_id, socket, reason (why it is not connected), tries since the loss, access.
function! vim_mcp#link#info() abort
  let info = {'state': s:state, 'socket': s:socket, 'reason': s:reason, 'instance_id': vim_mcp#identity#id()}
  return extend(info, {'tries': s:tries, 'access': vim_mcp#methods#access()})
endfunction

" Whether the hub hears what is sent.
function! vim_mcp#link#connected() abort
  return s:state ==# 'connected'
endfunction

" Whether it does, or is about to, as far as can be known: an editor that has only started, or lost its hub just now.
function! vim_mcp#link#coming() abort
  call vim_mcp#autostart()
  let waits = s:state ==# 'waiting' && s:obstacle ==# '' && s:farewell !=# 'stop'
  return waits || index(['connected', 'dialling', 'starting', 'registering'], s:state) >= 0
endfunction

function! s:disconnect(state, reason) abort
  let [s:state, s:reason] = [a:state, a:reason]
  call timer_stop(s:timer)
  call vim_mcp#events#stop()
  call vim_mcp#ide#stop()
  call vim_mcp#serve#forget()
  call vim_mcp#transport#close()
endfunction

" The beginning of a time without a hub; none is started before `no_start_before`.
function! s:outage(no_start_before) abort
  let [s:tries, s:farewell, s:obstacle, s:no_start_before] = [0, '', '', a:no_start_before]
  call s:dial(0)
endfunction

function! s:dial(timer) abort
  let s:state = 'dialling'
  call vim_mcp#paths#sockets(function('s:try'))
endfunction

" Dials the sockets one after the other until one answers.
function! s:try(sockets) abort
  if s:state !=# 'dialling'
    return
  elseif empty(a:sockets)
    call s:absent()
    return
  endif
  let s:socket = a:sockets[0]
  let handlers = {'open': function('s:register'), 'message': function('s:receive')}
  let handlers.request = function('vim_mcp#serve#request')
  let handlers.close = function('s:closed', [a:sockets[1:]])
  call vim_mcp#transport#open(s:socket, handlers)
endfunction

function! s:closed(other_sockets) abort
  if s:state ==# 'connected'
    call s:lost()
    return
  endif
  call timer_stop(s:timer)
  let s:state = 'dialling'
  call s:try(a:other_sockets)
endfunction

" Nobody listens. Whoever needs the hub first starts it.
function! s:absent() abort
  if s:now() < s:no_start_before
    call s:later(s:obstacle ==# '' ? 'no hub runs' : s:obstacle)
    return
  endif
  let s:no_start_before = s:now() + s:start_again
  let s:state = 'starting'
  call vim_mcp#hub#start(function('s:started'))
endfunction

function! s:started(reason) abort
  if s:state !=# 'starting'
    return
  elseif a:reason ==# ''
    call s:dial(0)
    return
  endif
  let s:obstacle = a:reason
  call s:later(a:reason)
  call vim_mcp#loaded#tell('vim_mcp#environment#lack')
  call s:tell(a:reason . (a:reason =~# ':VimMCP' ? '' : ' (:VimMCPReconnect tries again)'))
endfunction

" Once an outage, so that an editor without a hub is not an editor that nags.
function! s:tell(text) abort
  if !s:told
    let s:told = 1
    call vim_mcp#notice#unasked(a:text)
  endif
endfunction

function! s:later(reason) abort
  call s:disconnect('waiting', a:reason)
  let pause = s:farewell ==# 'stop' ? s:interval() : get(s:pauses, s:tries, s:interval())
  let s:tries += 1
  let s:timer = timer_start(pause, function('s:dial'))
endfunction

function! s:interval() abort
  return max([100, vim_mcp#setting('reconnect_interval', 5000)])
endfunction

function! s:register() abort
  let s:state = 'registering'
  let s:timer = timer_start(5000, {timer -> s:later('the hub did not answer')})
  let info = vim_mcp#identity#info()
  call vim_mcp#transport#send({'type': 'register', 'instance_id': vim_mcp#identity#id(), 'info': info})
endfunction

function! s:receive(message) abort
  let type = get(a:message, 'type', '')
  if has_key(a:message, 'cancel')
    call vim_mcp#serve#cancel(a:message.cancel)
  elseif type(type) == type('') && has_key(s:handlers, type)
    call s:handlers[type](a:message)
  endif
endfunction

function! s:registered(message) abort
  call timer_stop(s:timer)
  let [s:state, s:reason, s:farewell, s:told, s:tries] = ['connected', '', '', 0, 0]
  call vim_mcp#identity#keep(get(a:message, 'instance_id', vim_mcp#identity#id()))
  call vim_mcp#events#start()
  call vim_mcp#ide#start()
  call s:tell_connected()
endfunction

" The hub cannot take this editor: that is for the user to change.
function! s:refused(message) abort
  let reason = get(a:message, 'message', 'the hub refused this editor')
  call s:disconnect('refused', reason)
  call vim_mcp#loaded#tell('vim_mcp#environment#lack')
  call vim_mcp#notice#unasked(reason)
endfunction

" The hub leaves: 'stop' and 'idle' mean that nobody needs one, 'upgrade' that another comes.
function! s:bye(message) abort
  let s:farewell = get(a:message, 'reason', '') ==# 'upgrade' ? 'upgrade' : 'stop'
endfunction

function! s:lost() abort
  let farewell = s:farewell
  call s:disconnect('dialling', '')
  if farewell ==# 'stop'
    let [s:no_start_before, s:tries, s:obstacle] = [1.0e9, 0, 'the hub was stopped']
    call s:later(s:obstacle)
  else
    call s:outage(s:now() + (farewell ==# 'upgrade' ? 1.0 : 0.0))
  endif
endfunction

let s:handlers = {'registered': function('s:registered'), 'refused': function('s:refused'), 'bye': function('s:bye')}
let s:handlers.environment = function('vim_mcp#environment#take')
let s:handlers.unreachable = function('vim_mcp#ide#unreachable')
let s:handlers.ide = function('vim_mcp#ide#take')
let s:handlers.listening = function('vim_mcp#ide#hear')
let s:handlers.place = function('vim_mcp#follow#take')
let s:handlers.disk = function('vim_mcp#autoread#take')
let s:handlers.turn = function('vim_mcp#turn#take')
let s:handlers.kernel = function('vim_mcp#kernel#take')
let s:handlers.kernel_cell = function('vim_mcp#cell#take')
let s:handlers.kernel_output = function('vim_mcp#kernel_output#take')
let s:handlers.expect = function('vim_mcp#turn#expect')
