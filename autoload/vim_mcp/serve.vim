" Serving the hub's requests: one at a time, each answered once and on the connection that it came by.

let s:queue = []
let s:open = {}
let s:current = {}
let s:serving = 0
let s:stalled = -1

" How long a request may lie behind another before the hub hears that it waits for the person.
let s:patience = 150

" Serves the decoded request `message` ({id, method, params}). Both editors come back here while a method waits
" (`:sleep`, input()): what arrives then stands in line. What has arrived by then is taken in first, since it may
" withdraw this request.
function! vim_mcp#serve#request(message) abort
  let request = {'id': get(a:message, 'id', v:null), 'message': a:message, 'open': 1}
  let request.connection = vim_mcp#transport#number()
  let s:open[string(request.id)] = request
  call add(s:queue, request)
  if s:serving
    call s:watch()
  else
    call s:serve_all(0)
  endif
endfunction

" The hub has given up the request `id`: it is not begun any more, and not answered.
function! vim_mcp#serve#cancel(id) abort
  if has_key(s:open, string(a:id))
    call s:close(s:open[string(a:id)])
  endif
endfunction

" The request that is being served: a dictionary whose `open` says whether an answer is still wanted. A method that
" does its work later looks there first.
function! vim_mcp#serve#current() abort
  return s:current
endfunction

" The work of `request` begins: from now on the hub cannot say that nothing was done.
function! vim_mcp#serve#begin(request) abort
  if get(a:request, 'open') && a:request.connection == vim_mcp#transport#number()
    call vim_mcp#transport#send({'type': 'begun', 'request': a:request.id})
  endif
endfunction

" Forgets the requests of a lost connection.
function! vim_mcp#serve#forget() abort
  call map(values(s:open), 's:close(v:val)')
  let s:queue = []
  call timer_stop(s:stalled)
endfunction

function! s:close(request) abort
  let a:request.open = 0
  if has_key(s:open, string(a:request.id))
    call remove(s:open, string(a:request.id))
  endif
endfunction

" Whether the hub still waits: a request that lay too long (a shell command was running) has been given up.
function! s:wanted(request) abort
  return a:request.open && localtime() <= get(a:request.message, 'expires', localtime())
endfunction

function! s:serve_all(timer) abort
  let s:serving = 1
  try
    call vim_mcp#transport#drain()
    while !empty(s:queue)
      let request = remove(s:queue, 0)
      if s:wanted(request)
        call s:serve(request)
      else
        call s:close(request)
      endif
    endwhile
  finally
    let [s:serving, s:current] = [0, {}]
    if !empty(s:queue)
      " CTRL-C between two requests ends the loop, not the requests.
      call timer_start(0, function('s:serve_all'))
    endif
  endtry
endfunction

function! s:serve(request) abort
  let s:current = a:request
  try
    let params = get(a:request.message, 'params', {})
    call vim_mcp#methods#call(a:request.message.method, params, function('s:reply', [a:request]))
  catch
    call s:reply(a:request, {'error': s:error(v:exception, v:throwpoint)})
  endtry
  call vim_mcp#events#served(a:request.message.method)
endfunction

" Sends `answer` ({result} or {error}) to `request`, unless it has been answered or its connection is gone.
function! s:reply(request, answer) abort
  if !a:request.open || a:request.connection != vim_mcp#transport#number()
    return
  endif
  call s:close(a:request)
  try
    call vim_mcp#transport#send(extend({'id': a:request.id}, a:answer))
  catch
    let error = {'code': -32603, 'message': 'The answer cannot be put into JSON: ' . v:exception}
    call vim_mcp#transport#send({'id': a:request.id, 'error': error})
  endtry
endfunction

" An exception as the wire's error: what a method threw on purpose is JSON behind `vim-mcp:`, anything else is Vim's.
function! s:error(exception, throwpoint) abort
  if a:exception =~# '^vim-mcp:'
    try
      return json_decode(strpart(a:exception, len('vim-mcp:')))
    catch
    endtry
  endif
  let number = matchstr(a:exception, '\<E\d\+\ze:')
  let data = {'kind': 'vim', 'vim_error': number, 'throwpoint': a:throwpoint}
  return {'code': -32603, 'message': 'The editor met an error: ' . a:exception, 'data': data}
endfunction

function! s:watch() abort
  if empty(timer_info(s:stalled))
    let s:stalled = timer_start(s:patience, function('s:tell_waiting'))
  endif
endfunction

" Tells the hub when the request that is being served asks the person something, so that those behind it must wait.
function! s:tell_waiting(timer) abort
  let mode = mode(1)
  if s:serving && !empty(s:queue) && mode =~# '^[cr]'
    let waiting_for = mode[0] ==# 'c' ? 'an answer on the command line' : 'an answer (prompt)'
    call vim_mcp#transport#send({'type': 'waiting', 'mode': mode, 'waiting_for': waiting_for})
  endif
endfunction
