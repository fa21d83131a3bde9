" Serving the hub's requests: one at a time, each answered once and on the connection that it came by.

" What waits to be served, oldest first: [request, message]. A request is {id, open}: `open` while an answer is wanted.
let s:queue = []
" The requests by their ids; those that are not open any more are cleared out now and then.
let s:asked = {}
let s:current = {}
let s:serving = 0
let s:stalled = -1
let s:never = 0x7fffffff
let s:string = type('')

" How long a request may lie behind another before the hub hears that it waits for the person.
let s:patience = 150

" Serves the decoded request `message` ({id, method, params}). Both editors come back here while a method waits
" (`:sleep`, input()): what arrives then stands in line. What has arrived by then is taken in first, since it may
" withdraw this request.
function! vim_mcp#serve#request(message) abort
  let request = {'id': get(a:message, 'id', v:null), 'open': 1}
  let s:asked[string(request.id)] = request
  call add(s:queue, [request, a:message])
  if s:serving
    call s:watch()
  else
    call s:serve_all(0)
  endif
endfunction

" The hub has given up the request `id`: it is not begun any more, and not answered.
function! vim_mcp#serve#cancel(id) abort
  let request = get(s:asked, string(a:id), {})
  let request.open = 0
endfunction

" The request that is being served: a dictionary whose `open` says whether an answer is still wanted. A method that
" does its work later looks there first.
function! vim_mcp#serve#current() abort
  return s:current
endfunction

" The work of `request` begins: from now on the hub cannot say that nothing was done.
function! vim_mcp#serve#begin(request) abort
  if get(a:request, 'open')
    call vim_mcp#transport#send({'type': 'begun', 'request': a:request.id})
  endif
endfunction

" Forgets the requests of a lost connection.
function! vim_mcp#serve#forget() abort
  for request in values(s:asked)
    let request.open = 0
  endfor
  let [s:asked, s:queue] = [{}, []]
  call timer_stop(s:stalled)
endfunction

" Serves what waits. One that lay too long (a shell command was running) has been given up by the hub. These functions
" run for every request, so they have few lines.
function! s:serve_all(timer) abort
  let s:serving = 1
  call vim_mcp#methods#new_round()
  try
    call vim_mcp#transport#drain()
    while !empty(s:queue)
      let [s:current, message] = remove(s:queue, 0)
      let s:current.open = s:current.open && localtime() <= get(message, 'expires', s:never)
      if s:current.open
        try
          let method = type(message.method) == s:string ? message.method : string(message.method)
          call vim_mcp#methods#call(method, get(message, 'params', {}), s:current)
        catch
          call vim_mcp#serve#reply(s:current, {'error': s:error(v:exception, v:throwpoint)})
        endtry
      endif
    endwhile
  finally
    let [s:serving, s:current] = [0, {}]
    if len(s:asked) > 50 || !empty(s:queue)
      call s:tidy()
    endif
  endtry
endfunction

" Clears out the requests that are done. CTRL-C between two requests ends their loop, but not the requests.
function! s:tidy() abort
  call filter(s:asked, 'v:val.open')
  if !empty(s:queue)
    call timer_start(0, function('s:serve_all'))
  endif
endfunction

" Sends `answer` ({result} or {error}) to `request`, unless it has been answered, withdrawn or lost its connection.
function! vim_mcp#serve#reply(request, answer) abort
  if !a:request.open
    return
  endif
  let a:request.open = 0
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
