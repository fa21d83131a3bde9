" Telling the hub what is selected, or where the cursor is (docs/protocol.md,
" "selection"): when it has been still for a while, and nothing twice.

let s:save_cpo = &cpo
set cpo&vim

" How long it must have been still, in ms.
let s:debounce = 300

" The most text that is told, in bytes; and the most lines of a block, each of
" which has to be cut.
let s:max_bytes = 65536
let s:max_block = 1000

let s:origin = {'line': 0, 'character': 0}
let s:nothing = {'file': '', 'lines': [], 'start': s:origin, 'end': s:origin, 'empty': v:true}

" What was told last, and what was selected when the user was last in a window
" with a file.
let s:told = s:nothing
let s:latest = s:nothing

" When the last event came, and whether a timer runs.
let s:changed = reltime()
let s:pending = 0
let s:timer = -1

" Visual mode has just ended at this [window, buffer, changedtick, line].
let s:ended = []
" The user went from there straight to another window: the [window, buffer] that
" they left, and where they arrived.
let s:left = []
let s:arrived = []

" Tell what is selected now, and from now on what changes.
function! vim_mcp#selection#start() abort
  augroup vim_mcp_selection
    autocmd!
    " These come with every key: no function is called for most of them.
    autocmd CursorMoved,CursorMovedI * let s:changed = reltime() | if !s:pending | call s:arm(s:debounce) | endif
    autocmd BufFilePost * call s:note()
    autocmd BufLeave,WinLeave * call s:leave()
    autocmd BufEnter,WinEnter * call s:arrive()
    if exists('##ModeChanged')
      autocmd ModeChanged * call s:change_mode(v:event.old_mode, v:event.new_mode)
    endif
  augroup END
  " Each hub hears once what is selected, be it nothing; but not where it may not be told.
  let s:told = s:allowed() ? {} : s:nothing
  if s:latest.file ==# '' && s:is_special() && s:allowed()
    call s:look_back()
  endif
  call s:tell()
endfunction

" The user has gone to where nothing can be selected before there was a connection: what counts is where they came from.
function! s:look_back() abort
  let l:window = win_getid(winnr('#'))
  if l:window
    call win_execute(l:window, 'if !s:is_special() && s:file() !=# "" | let s:latest = s:at_cursor() | endif', 'silent')
  endif
endfunction

function! vim_mcp#selection#stop() abort
  call timer_stop(s:timer)
  let [s:pending, s:ended, s:left] = [0, [], []]
  if exists('#vim_mcp_selection')
    autocmd! vim_mcp_selection
    augroup! vim_mcp_selection
  endif
endfunction

" What may be told has changed: tell it at once.
function! vim_mcp#selection#refresh() abort
  if exists('#vim_mcp_selection')
    call s:tell()
  endif
endfunction

" The method `get_selection`: see docs/protocol.md.
function! vim_mcp#selection#get_selection(params) abort
  return {'selection': s:current()}
endfunction

" :VimMCPSelection: a:wanted is 'on', 'off', or '' to change from one to the
" other.
function! vim_mcp#selection#command(wanted) abort
  if a:wanted !~# '^\%(on\|off\)\=$'
    call vim_mcp#notice#error(':VimMCPSelection takes "on" or "off", not "' . a:wanted . '"')
    return
  endif
  let g:vim_mcp_selection = a:wanted ==# '' ? !s:is_on() : a:wanted ==# 'on'
  call vim_mcp#selection#refresh()
  call vim_mcp#notice#echo(s:is_on() ? 'Claude is told what you select' : 'Claude is not told what you select')
endfunction

function! s:is_on() abort
  return vim_mcp#setting('selection', 1) != 0
endfunction

function! s:allowed() abort
  return s:is_on() && vim_mcp#methods#access() !=# 'off'
endfunction

function! s:note() abort
  let s:changed = reltime()
  if !s:pending
    call s:arm(s:debounce)
  endif
endfunction

function! s:arm(delay) abort
  let s:pending = 1
  let s:timer = timer_start(a:delay, function('s:wake'))
endfunction

" An event costs less when it starts no timer: the timer looks how old the last
" one is.
function! s:wake(timer) abort
  let l:left = s:debounce - float2nr(reltimefloat(reltime(s:changed)) * 1000)
  if l:left > 0
    call s:arm(l:left)
  else
    call s:tell()
  endif
endfunction

function! s:tell() abort
  call timer_stop(s:timer)
  let s:pending = 0
  let l:selection = s:current()
  if l:selection !=# s:told
    let s:told = l:selection
    call vim_mcp#transport#send({'type': 'selection', 'selection': l:selection})
  endif
endfunction

" The windows. Vim ends Visual mode before it leaves one, so that its end, a
" departure and an arrival in one go mean that the user went straight on: then
" what was selected stays so, until the cursor moves elsewhere or they come back.

function! s:change_mode(old, new) abort
  call s:note()
  if a:old =~# "^[vVsS\<C-V>\<C-S>]"
    let s:ended = a:new =~# "^[vVsS\<C-V>\<C-S>]" ? [] : s:here()
  endif
  if !empty(s:ended) && a:new !~# '^c'
    " Runs before the next key is waited for, but after the rest of this command.
    call timer_start(0, {timer -> s:forget_end()})
  endif
endfunction

" A command line that was entered from Visual mode may still leave the window.
function! s:forget_end() abort
  if mode() !~# '^c'
    let s:ended = []
  endif
endfunction

function! s:leave() abort
  let l:here = s:here()
  let l:area = s:ended == l:here ? vim_mcp#visual#last() : vim_mcp#visual#area()
  let s:ended = []
  if !empty(l:area) && s:allowed() && !s:is_special() && s:file() !=# ''
    let s:latest = s:of_area(l:area)
    let s:left = s:latest.empty ? [] : l:here[:1]
  elseif s:pending && s:left != l:here[:1]
    " Where the user goes may have nothing of its own to tell.
    call s:current()
  endif
endfunction

function! s:arrive() abort
  call s:note()
  let s:arrived = s:place()
  if s:arrived[0] == get(s:left, 0)
    let s:left = []
  endif
endfunction

function! s:here() abort
  return [win_getid(), bufnr('%'), b:changedtick, line('.')]
endfunction

function! s:place() abort
  return [win_getid(), bufnr('%'), line('.'), col('.')]
endfunction

function! s:is_kept() abort
  if s:place() != s:arrived
    let s:left = []
  endif
  return !empty(s:left)
endfunction

" What is selected.

function! s:current() abort
  if !s:allowed()
    return s:nothing
  elseif s:is_special() || mode() =~# '^[cr!]'
    return s:latest
  endif
  let l:area = vim_mcp#visual#area()
  if s:file() ==# ''
    let s:latest = s:nothing
  elseif !empty(l:area)
    let s:latest = s:of_area(l:area)
  elseif !s:is_kept()
    let s:latest = s:at_cursor()
  endif
  return s:latest
endfunction

" Whether the current window shows something else than a file's text: a terminal,
" help, a quickfix list, a file tree, the command-line window, a diff under review.
function! s:is_special() abort
  return &buftype !=# '' && &buftype !=# 'acwrite' || exists('b:vim_mcp_diff')
        \ || isdirectory(vim_mcp#buffers#name(bufnr('%')))
endfunction

" The full name of the current buffer's file, '' where it has none or where
" nothing may be told of it.
function! s:file() abort
  let l:name = vim_mcp#buffers#name(bufnr('%'))
  return l:name =~# '^/' && !vim_mcp#ignore#matches(l:name) ? l:name : ''
endfunction

function! s:of_area(area) abort
  let l:max_lines = a:area.mode ==# "\<C-V>" ? s:max_block : s:max_bytes
  let l:lines = vim_mcp#visual#text(a:area, l:max_lines, s:max_bytes)
  if l:lines ==# ['']
    return s:at_cursor()
  endif
  let [l:before, l:until] = vim_mcp#visual#edges(a:area)
  let l:start = s:position(a:area.start[0], l:before)
  let l:end = a:area.start[0] == a:area.end[0] && l:until > l:before
        \ ? s:further(l:start, l:before, l:until) : s:end(a:area, l:until)
  return {'file': s:file(), 'lines': l:lines, 'empty': v:false, 'start': l:start, 'end': l:end}
endfunction

" A place further on in a line, counted from one that is known: the line may be long.
function! s:further(start, before, until) abort
  let l:between = strpart(getline(a:start.line + 1), a:before, a:until - a:before)
  return {'line': a:start.line, 'character': a:start.character + vim_mcp#utf16#length(l:between)}
endfunction

" An end at the beginning of a line leaves that line out, so the end of an empty
" one is where the next begins.
function! s:end(area, bytes) abort
  if a:area.end[0] > a:area.start[0] && getline(a:area.end[0]) ==# ''
    return {'line': a:area.end[0], 'character': 0}
  endif
  return s:position(a:area.end[0], a:bytes)
endfunction

function! s:at_cursor() abort
  let l:position = s:position(line('.'), col('.') - 1)
  return {'file': s:file(), 'lines': [], 'start': l:position, 'end': l:position, 'empty': v:true}
endfunction

" A place behind so many bytes of a line, as clients count: from 0, in UTF-16
" units.
function! s:position(line, bytes) abort
  return {'line': a:line - 1, 'character': vim_mcp#utf16#length(strpart(getline(a:line), 0, a:bytes))}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
