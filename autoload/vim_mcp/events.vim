" Pushing this editor's state to the hub when something has changed.

" The autocommands that are pushed unless g:vim_mcp_state_push_events names others.
let s:all = ['BufAdd', 'BufDelete', 'BufEnter', 'BufFilePost', 'BufModifiedSet', 'BufReadPost', 'BufWritePost']
let s:all += ['CursorMoved', 'CursorMovedI', 'DirChanged', 'FileChangedShellPost', 'FileType', 'InsertEnter']
let s:all += ['InsertLeave', 'LspAttach', 'LspDetach', 'ModeChanged', 'TabClosed', 'TabEnter', 'TextChanged']
let s:all += ['TextChangedI', 'TextChangedP', 'VimResized']
let s:all += ['WinClosed', 'WinEnter', 'WinNew', 'WinResized', 'WinScrolled']

" Those that come with every key. They are pushed at most every `s:slow` ms, the others every `s:fast` ms.
let s:frequent = {'TextChanged': 1, 'TextChangedI': 1, 'TextChangedP': 1, 'CursorMoved': 1, 'CursorMovedI': 1}
let s:frequent.WinScrolled = 1
let s:slow = 100
let s:fast = 20

" The events of the present span: name -> its place in the order of arrival.
let s:events = {}
let s:armed = 0
let s:watching = 0
let s:timer = -1
let s:pushed = {}
let s:block_insertion = 0

" On its way from blockwise Visual to Insert mode the editor may pass through Normal mode, but does not wait there for a
" key: a timer that fires, which it does only in waiting, ends that way.
let s:leaving_block = -1
let s:for_operator = 0

" Watches the events and pushes the present state.
function! vim_mcp#events#start() abort
  let wanted = copy(vim_mcp#setting('state_push_events', s:all))
  call filter(wanted, 'type(v:val) == type("") && v:val =~# "^\\a\\+$" && exists("##" . v:val)')
  let [s:pushed, s:watching] = [{}, !empty(wanted)]
  augroup vim_mcp_events
    autocmd!
    if exists('##ModeChanged')
      autocmd ModeChanged [\x16]:* call s:leave_block()
      autocmd ModeChanged *:i* let s:block_insertion = s:comes_from_block(v:event.old_mode)
      autocmd ModeChanged *:c* let s:for_operator = v:event.old_mode =~# '^no'
    endif
    for name in wanted
      " The condition stands here and not in the function: it is all that most events of a span cost.
      let call = printf("call s:note('%s', %d)", name, has_key(s:frequent, name) ? s:slow : s:fast)
      execute printf("autocmd %s * if !has_key(s:events, '%s') | %s | endif", name, name, call)
    endfor
  augroup END
  if s:watching
    call s:note('BufEnter', s:fast)
  endif
endfunction

function! s:comes_from_block(mode) abort
  return a:mode ==# "\<C-V>" || a:mode ==# 'n' && s:leaving_block >= 0
endfunction

function! s:leave_block() abort
  let s:leaving_block = timer_start(0, function('s:left_block'))
endfunction

function! s:left_block(timer) abort
  if a:timer == s:leaving_block
    let s:leaving_block = -1
  endif
endfunction

" Whether the insertion that goes on, if one does, began in blockwise Visual mode: it will be repeated in other lines.
function! vim_mcp#events#block_insertion() abort
  return s:block_insertion
endfunction

" Whether the command line that is typed, if one is, is to tell an operator how far it goes.
function! vim_mcp#events#command_line_for_operator() abort
  return exists('*state') ? state('o') !=# '' : s:for_operator
endfunction

" A request that may have changed something has been served: Vim notices that at the next key only.
function! vim_mcp#events#served(method) abort
  call s:note_own(a:method, s:slow)
endfunction

" Something that has no autocommand has changed what is told of this editor.
function! vim_mcp#events#note(name) abort
  call s:note_own(a:name, s:fast)
endfunction

function! s:note_own(name, delay) abort
  if s:watching
    call s:note(a:name, a:delay)
  endif
endfunction

" Watches nothing any more.
function! vim_mcp#events#stop() abort
  call timer_stop(s:timer)
  let [s:watching, s:armed, s:events] = [0, 0, {}]
  if exists('#vim_mcp_events')
    autocmd! vim_mcp_events
    augroup! vim_mcp_events
  endif
endfunction

" Remembers that `event` came and sees to it that the state is pushed after `delay` ms, or earlier if that is so
" already.
function! s:note(event, delay) abort
  let s:events[a:event] = get(s:events, a:event, len(s:events))
  if !s:armed || a:delay < s:armed
    call s:arm(a:delay)
  endif
endfunction

function! s:arm(delay) abort
  call timer_stop(s:timer)
  let s:armed = a:delay
  let s:timer = timer_start(a:delay, function('s:push'))
endfunction

function! s:push(timer) abort
  let names = sort(keys(s:events), {one, other -> s:events[one] - s:events[other]})
  let [s:armed, s:events] = [0, {}]
  let state = vim_mcp#link#connected() ? vim_mcp#buffers#state(names) : s:pushed
  if state !=# s:pushed
    let s:pushed = state
    call vim_mcp#transport#send({'type': 'event', 'event': names[0], 'events': names, 'state': state})
  endif
endfunction
