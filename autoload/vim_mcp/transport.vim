" One connection to the hub: Vim's channel, a relay as a job, or Neovim's pipe (lua/vim_mcp/link.lua), behind the same
" functions. Handlers, all called from the editor's event loop: `open()` once it stands, `request(dict)` for each
" message with a `method`, `message(dict)` for each other one, `close()` when it is lost or never came about.

let s:number = 0
let s:handlers = {}
let s:channel = 0
let s:dict = type({})
let s:nvim = has('nvim')
let s:can_drain = exists('*ch_canread')
let s:flush = {'timer': -1, 'fast': 0, 'slow': 0}
let s:piece = 50000

" Dials the unix socket `path`; what happens is told to `handlers`. A connection that was open before is closed.
function! vim_mcp#transport#open(path, handlers) abort
  call vim_mcp#transport#close()
  let s:handlers = a:handlers
  if getftype(a:path) !=# 'socket'
    call a:handlers.close()
  elseif has('nvim')
    call v:lua.require'vim_mcp.link'.open(s:number, a:path)
  else
    call s:open_vim(a:path)
  endif
endfunction

" Whether this Vim must reach the socket through a child process: ch_open() knows unix sockets since 8.2.4684.
function! vim_mcp#transport#by_job() abort
  return !has('nvim') && (get(g:, 'vim_mcp_transport', 'auto') ==# 'job' || !has('patch-8.2.4684'))
endfunction

function! s:open_vim(path) abort
  let options = {'mode': 'nl', 'close_cb': function('s:vim_closed', [s:number])}
  if has('patch-8.1.350')
    " A hub that does not read must not freeze the editor.
    let options.noblock = 1
  endif
  try
    let s:channel = vim_mcp#transport#by_job() ? s:open_job(a:path, options) : s:open_socket(a:path, options)
    let opened = ch_status(s:channel) ==# 'open'
  catch
    let opened = 0
  endtry
  call s:handlers[opened ? 'open' : 'close']()
endfunction

function! s:open_socket(path, options) abort
  return ch_open('unix:' . a:path, extend(a:options, {'callback': function('s:vim_line', [s:number])}))
endfunction

function! s:open_job(path, options) abort
  " Not stopped at the editor's end: it still has the goodbye to pass on, and the hub's hanging up ends it.
  if vim_mcp#hub#obstacle() !=# ''
    throw vim_mcp#hub#obstacle()
  endif
  let options = extend(a:options, {'err_io': 'null', 'stoponexit': ''})
  let options.out_cb = function('s:vim_line', [s:number])
  return job_getchannel(job_start(vim_mcp#hub#argv(a:path, ['pipe', '--no-start']), options))
endfunction

function! s:vim_line(number, channel, line) abort
  if a:number == s:number && a:line !=# ''
    try
      let message = json_decode(a:line)
    catch
      return
    endtry
    if type(message) == s:dict
      call s:handlers[has_key(message, 'method') ? 'request' : 'message'](message)
    endif
  endif
endfunction

" Takes in what has arrived but was not handed over yet. Neovim's pipe does so by itself.
function! vim_mcp#transport#drain() abort
  let number = s:number
  while s:can_drain && number == s:number && ch_canread(s:channel)
    let line = ch_read(s:channel, {'timeout': 0})
    if line ==# ''
      return
    endif
    call s:vim_line(number, s:channel, line)
  endwhile
endfunction

function! s:vim_closed(number, channel) abort
  call vim_mcp#transport#lost(a:number)
endfunction

" From Neovim's pipe: connection `number` stands.
function! vim_mcp#transport#opened(number) abort
  if a:number == s:number
    call s:handlers.open()
  endif
endfunction

" The same: connection `number` has brought the decoded `message`; what is not an object is no message.
function! vim_mcp#transport#received(number, message) abort
  if a:number == s:number && type(a:message) == s:dict
    call s:handlers[has_key(a:message, 'method') ? 'request' : 'message'](a:message)
  endif
endfunction

" Connection `number` is gone.
function! vim_mcp#transport#lost(number) abort
  if a:number == s:number
    call vim_mcp#transport#close()
    call s:handlers.close()
  endif
endfunction

" Sends the dictionary `message`. Throws when it cannot be put into JSON; a connection that is closed drops it, and one
" that is lost at this moment takes nothing: that it is lost is told by its close_cb.
function! vim_mcp#transport#send(message) abort
  if s:nvim
    " Not luaeval(), which marks empty dictionaries and floats in a way that the JSON encoder does not know.
    call v:lua.require'vim_mcp.link'.send(s:number, a:message)
    return
  endif
  let data = json_encode(a:message) . "\n"
  try
    call ch_sendraw(s:channel, data)
  catch
  endtry
  let s:flush.slow = 0
  if s:flush.timer == -1 || len(data) > s:piece
    let s:flush.fast += len(data) / s:piece
    call s:flush_later()
  endif
endfunction

" What the socket did not take at once waits in Vim's queue, and Vim writes from the queue of a socket only when it
" sends again. Nothing tells whether anything waits, so this sends nothing a few times: fast after much, ever slower.
function! s:flush_later() abort
  call timer_stop(s:flush.timer)
  let delay = s:flush.fast > 0 ? 2 : 40 * float2nr(pow(2, s:flush.slow))
  let s:flush[s:flush.fast > 0 ? 'fast' : 'slow'] += s:flush.fast > 0 ? -1 : 1
  let s:flush.timer = s:flush.slow > 6 ? -1 : timer_start(delay, function('s:flush_now'))
endfunction

function! s:flush_now(timer) abort
  try
    call ch_sendraw(s:channel, '')
  catch
  endtry
  call s:flush_later()
endfunction

" Hangs up; the handlers hear nothing more.
function! vim_mcp#transport#close() abort
  let s:number += 1
  call timer_stop(s:flush.timer)
  let s:flush = {'timer': -1, 'fast': 0, 'slow': 0}
  if has('nvim')
    call v:lua.require'vim_mcp.link'.close()
  elseif type(s:channel) != type(0)
    if ch_status(s:channel) !=# 'closed'
      call ch_close(s:channel)
    endif
    let s:channel = 0
  endif
endfunction
