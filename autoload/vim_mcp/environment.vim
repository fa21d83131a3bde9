" The variables by which programs that are started here find this editor.

let s:save_cpo = &cpo
set cpo&vim

" Traffic with this machine goes through no proxy.
let s:loopback = ['127.0.0.1', 'localhost']
let s:exceptions = ['no_proxy', 'NO_PROXY']

" What was set: name -> value; and what was there before, null where nothing was.
let s:set = {}
let s:before = {}

" Called when the variables are there.
let s:waiting = []

" The hub's message `environment`.
function! vim_mcp#environment#take(message) abort
  let l:variables = filter(copy(get(a:message, 'variables', {})), 's:is_variable(v:key, v:val)')
  for [l:name, l:value] in items(l:variables)
    call s:put(l:name, l:value)
  endfor
  let l:exceptions = map(copy(s:exceptions), 's:with_loopback(s:exception(v:val))')
  call s:put(s:exceptions[0], l:exceptions[0])
  call s:put(s:exceptions[1], l:exceptions[1])
  let [l:waiting, s:waiting] = [s:waiting, []]
  for l:Call in l:waiting
    call l:Call(1)
  endfor
  call vim_mcp#ide#reachable()
endfunction

" Call a:Call(1) when the variables are set, which may be now, and a:Call(0) if they
" are not after so many ms, or no hub is to come.
function! vim_mcp#environment#wait(Call, timeout) abort
  if !empty(s:set)
    call a:Call(1)
    return
  endif
  call add(s:waiting, a:Call)
  call timer_start(vim_mcp#link#coming() ? a:timeout : 0, {timer -> s:give_up(a:Call)})
endfunction

" No hub comes, as far as it is known.
function! vim_mcp#environment#lack() abort
  for l:Call in copy(s:waiting)
    call s:give_up(l:Call)
  endfor
endfunction

function! s:give_up(Call) abort
  let l:index = index(s:waiting, a:Call)
  if l:index >= 0
    call remove(s:waiting, l:index)
    call a:Call(0)
  endif
endfunction

" What was set, for programs that have their environment from elsewhere.
function! vim_mcp#environment#variables() abort
  return copy(s:set)
endfunction

" Put everything back, but for what somebody else has set since.
function! vim_mcp#environment#restore() abort
  for [l:name, l:value] in items(s:set)
    if s:get(l:name) is# l:value
      call s:assign(l:name, s:before[l:name])
    endif
  endfor
  let [s:set, s:before] = [{}, {}]
endfunction

function! s:is_variable(name, value) abort
  return a:name =~# '^\h\w*$' && type(a:value) == type('')
endfunction

function! s:get(name) abort
  return exists('$' . a:name) ? eval('$' . a:name) : v:null
endfunction

function! s:put(name, value) abort
  if !has_key(s:before, a:name)
    let s:before[a:name] = s:get(a:name)
  endif
  let s:set[a:name] = a:value
  call s:assign(a:name, a:value)
endfunction

" Old Vims cannot take a variable away.
function! s:assign(name, value) abort
  if exists('*setenv')
    call setenv(a:name, a:value)
  else
    execute 'let $' . a:name . ' = a:value is v:null ? "" : a:value'
  endif
endfunction

" What a variable excepts. Programs read the one or the other, so one that is not
" set must not hide the other.
function! s:exception(name) abort
  let l:values = filter(map([a:name] + s:exceptions, 's:get(v:val)'), 'type(v:val) == type("") && v:val !=# ""')
  return get(l:values, 0, '')
endfunction

function! s:with_loopback(exceptions) abort
  let l:present = split(a:exceptions, '[, ]\+')
  let l:missing = filter(copy(s:loopback), 'index(l:present, v:val) < 0')
  let l:kept = substitute(a:exceptions, '[, ]\+$', '', '')
  return join((l:kept ==# '' ? [] : [l:kept]) + l:missing, ',')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
