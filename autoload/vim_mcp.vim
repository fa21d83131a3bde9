" What the user's commands do: starting, stopping, pausing, telling.

let s:version = '0.1.0'
let s:decided = 0
let s:complained = {}
let s:types = ['number', 'string', 'function', 'list', 'dictionary', 'float', 'boolean', 'null']
let s:types += ['job', 'channel', 'blob']

" The plugin's version, the same as the Python package's.
function! vim_mcp#version() abort
  return s:version
endfunction

" Registers this editor unless it is one that should not be seen. Takes a timer's id, which it ignores.
" An editor without a user interface stays undecided: one may be attached to it later (UIEnter).
function! vim_mcp#autostart(...) abort
  if s:decided || !vim_mcp#identity#visible()
    return
  endif
  let s:decided = 1
  if get(g:, 'vim_mcp_enabled', 1)
    call vim_mcp#choices#check()
    call vim_mcp#diff_session#watch()
    call vim_mcp#link#start()
  endif
endfunction

" :VimMCPStart: registers this editor, whatever the settings say. One that waits for a hub tries again at once.
function! vim_mcp#start() abort
  let s:decided = 1
  if index(['waiting', 'refused'], vim_mcp#link#info().state) >= 0
    call vim_mcp#link#stop()
  endif
  call vim_mcp#link#start()
  call vim_mcp#link#announce()
endfunction

" :VimMCPStop: says goodbye and removes every autocommand, timer and channel that registering made.
function! vim_mcp#stop() abort
  let s:decided = 1
  call vim_mcp#link#stop()
  call vim_mcp#notice#echo('disconnected; :VimMCPStart connects again')
endfunction

" :VimMCPReconnect: hangs up if need be and dials again, starting a hub if there is none.
function! vim_mcp#reconnect() abort
  call vim_mcp#link#stop()
  call vim_mcp#start()
endfunction

" The setting g:vim_mcp_{name}. One whose type is not that of `default` counts as not set, and the user is told.
function! vim_mcp#setting(name, default) abort
  let value = get(g:, 'vim_mcp_' . a:name, a:default)
  if type(value) == type(a:default)
    return value
  elseif type(value) == type(v:true) && vim_mcp#settings#is_switch(a:name)
    return value ? 1 : 0
  endif
  if !has_key(s:complained, a:name)
    let s:complained[a:name] = 1
    let [wanted, got] = [s:types[type(a:default)], s:types[type(value)]]
    call vim_mcp#notice#unasked(printf('g:vim_mcp_%s must be a %s, not a %s', a:name, wanted, got))
  endif
  return a:default
endfunction

" Whether clients are kept out of this editor for now (:VimMCPPause).
function! vim_mcp#paused() abort
  return vim_mcp#methods#paused()
endfunction

" How many Claudes are connected to this editor, for status lines.
function! vim_mcp#ide_clients() abort
  return vim_mcp#ide#clients()
endfunction

" What they do, as far as it is known, for status lines: 'working', 'waiting' (for you), 'idle' or ''.
function! vim_mcp#activity() abort
  return vim_mcp#ide#activity()
endfunction

" How many diffs wait for your verdict, for status lines.
function! vim_mcp#diffs() abort
  return vim_mcp#statusline#diffs()
endfunction

" All of that in words, such as `Claude waiting, 1 diff`, for status lines; '' while no Claude is there.
function! vim_mcp#statusline() abort
  return vim_mcp#statusline#text()
endfunction

" Completion of :VimMCPPause and :VimMCPSelection.
function! vim_mcp#on_off(lead, line, position) abort
  return "on\noff"
endfunction

" :VimMCPPause: `wanted` is 'on', 'off', or '' to change from one to the other.
function! vim_mcp#pause(wanted) abort
  if a:wanted !~# '^\%(on\|off\)\=$'
    call vim_mcp#notice#error(':VimMCPPause takes "on" or "off", not "' . a:wanted . '"')
    return
  endif
  call vim_mcp#methods#pause(a:wanted ==# '' ? !vim_mcp#paused() : a:wanted ==# 'on')
  let paused = 'paused: clients can neither read nor change this editor'
  call vim_mcp#notice#echo(vim_mcp#paused() ? paused : 'clients may use this editor')
endfunction

" :VimMCPStatus: one line, as far as it fits, and all of it in :messages. What matters most stands first, since 80
" columns hold about 50 characters. Where a plugin manager has loaded the plugin for this very command, it is told when
" there is something to tell.
function! vim_mcp#status() abort
  if !s:decided && vim_mcp#link#coming()
    return vim_mcp#link#announce()
  endif
  let info = vim_mcp#link#info()
  let words = info.state ==# 'connected' ? s:connected() : [s:not_connected(info)]
  let words = vim_mcp#paused() ? ['paused'] + words : words + s:limited(info.access)
  let words += info.state ==# 'connected' ? ['as ' . info.instance_id] : s:is_missing(info) ? [] : [info.socket]
  call vim_mcp#notice#echo(join(filter(words, 'v:val !=# ""'), ', '))
endfunction

" What clients may do here, where that is not everything.
function! s:limited(access) abort
  return a:access ==# 'edit' ? [] : ['access: ' . a:access]
endfunction

function! s:connected() abort
  if vim_mcp#ide#obstacle() !=# ''
    return ['unreachable: ' . vim_mcp#ide#obstacle()]
  endif
  let clients = vim_mcp#ide#clients()
  return ['connected', (clients ? clients : 'no') . (clients > 1 ? ' Claudes' : ' Claude')]
endfunction

" With what helps before why, unless that says it; all of which has room.
function! s:not_connected(info) abort
  let stopped = s:decided ? 'stopped (:VimMCPStart starts it)' : 'not connected yet'
  let what = {'stopped': stopped, 'refused': 'refused by the hub'}
  let text = get(what, a:info.state, 'not connected')
  if a:info.reason ==# ''
    return text
  endif
  return s:is_missing(a:info) ? a:info.reason : text . ' (see :VimMCPDoctor): ' . a:info.reason
endfunction

function! s:is_missing(info) abort
  return a:info.reason =~# '^Python part missing'
endfunction

" :VimMCPLog: shows the hub's log, read-only, in a split or where it is open.
function! vim_mcp#log() abort
  call vim_mcp#paths#directories(function('s:show_log'))
endfunction

function! s:show_log(directories) abort
  let logs = filter(map(copy(a:directories), 'v:val . "/hub.log"'), 'filereadable(v:val)')
  if empty(logs)
    call vim_mcp#notice#error('the hub has written no log yet')
    return
  endif
  let there = vim_mcp#scratch#go(vim_mcp#buffers#find(logs[0]))
  let modeline = &modeline
  set nomodeline
  try
    execute 'noswapfile keepalt' (there ? 'view' : 'sview') fnameescape(logs[0])
  finally
    let &modeline = modeline
  endtry
  " It is none of the user's files: Claude is not told that they look at it.
  setlocal nomodifiable buftype=nowrite nobuflisted noundofile
  call vim_mcp#scratch#map('q', 'close')
  normal! G
endfunction
