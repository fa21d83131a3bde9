" Telling the user something without ever leaving the editor at a hit-enter prompt.

" How many cells a message may take before the editor asks for Enter.
function! s:room() abort
  return exists('v:echospace') ? v:echospace : &columns - 30
endfunction

" `text` on one line that fits `room` cells: line breaks become blanks, and what is too long loses its tail.
function! s:one_line(text, room) abort
  let text = substitute(a:text, '[[:cntrl:]]\+', ' ', 'g')
  if strdisplaywidth(text) <= a:room
    return text
  endif
  return a:room > 3 ? vim_mcp#text#fitting(text, a:room - 3) . '...' : ''
endfunction

" Answers a command that the user has typed; the message history gets it too.
function! vim_mcp#notice#echo(text) abort
  call s:say(a:text, 'None')
endfunction

" The same for what went wrong.
function! vim_mcp#notice#error(text) abort
  call s:say(a:text, 'ErrorMsg')
endfunction

" Where 'cmdheight' is 0 whatever a command says waits for a key, what is said after it does not.
function! s:say(text, highlight) abort
  if &cmdheight
    call s:put(a:text, a:highlight)
  else
    call timer_start(0, {timer -> s:put(a:text, a:highlight)})
  endif
endfunction

function! s:put(text, highlight) abort
  " First, since it may load a script: what that has redrawn would wipe the message off where 'cmdheight' is 0.
  let text = s:one_line('vim-mcp: ' . a:text, s:room())
  redraw
  execute 'echohl' a:highlight
  echomsg text
  echohl None
endfunction

let s:untold = []
let s:timer = -1

" While the editor starts, or its user types a command, a message would be wiped off the screen or be in the way. The
" moment is right when two looks, so many ms apart, find none of that.
let s:step = 250
let s:quiet = 0

" Tells what nobody asked for, when the moment is right; one thing after the other.
function! vim_mcp#notice#unasked(text) abort
  call add(s:untold, a:text)
  let s:quiet = 0
  if empty(timer_info(s:timer))
    let s:timer = timer_start(s:step, function('s:tell'), {'repeat': -1})
  endif
endfunction

" Does not tell any more what was not told yet.
function! vim_mcp#notice#forget() abort
  call timer_stop(s:timer)
  let s:untold = []
endfunction

function! s:tell(timer) abort
  let s:quiet = mode(1) =~# '^[cr!]' ? 0 : s:quiet + 1
  if s:quiet < 2
    return
  endif
  let [text, s:quiet] = [remove(s:untold, 0), 0]
  if empty(s:untold)
    call timer_stop(s:timer)
  endif
  call s:put(text, 'WarningMsg')
endfunction
