" Telling the user something without ever leaving the editor at a hit-enter prompt.

" How many cells a message may take before the editor asks for Enter.
function! s:room() abort
  return exists('v:echospace') ? v:echospace : &columns - 30
endfunction

" `text` if it fits `room` cells, else as much of its beginning as leaves room for `cut`.
function! s:fitting(text, room, cut) abort
  if strdisplaywidth(a:text) <= a:room
    return a:text
  endif
  return a:room > len(a:cut) ? vim_mcp#text#fitting(a:text, a:room - len(a:cut)) . a:cut : ''
endfunction

" Whether a text would be shown whole.
function! vim_mcp#notice#fits(text) abort
  return s:shown(s:whole(a:text)) ==# s:whole(a:text)
endfunction

" Answers a command that the user has typed, on one line. Of what is too long for it the message history has all.
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

function! s:whole(text) abort
  return substitute('vim-mcp: ' . a:text, '[[:cntrl:]]\+', ' ', 'g')
endfunction

function! s:put(text, highlight) abort
  let whole = s:whole(a:text)
  let shown = s:shown(whole)
  execute 'echohl' a:highlight
  if shown !=# whole
    call s:keep(whole)
  endif
  redraw
  execute shown !=# whole ? 'echo' : 'echomsg' 'shown'
  echohl None
endfunction

" As much of a text as has room. To be asked for before anything is said, since it may load a script: what that has
" redrawn would wipe the message off where 'cmdheight' is 0.
function! s:shown(whole) abort
  let room = s:room()
  return s:fitting(a:whole, room, room > 40 ? '... (:messages)' : '...')
endfunction

" One line for several messages, which would wipe each other off the screen: the last one, and the history has them, one
" behind the other.
function! s:put_together(texts) abort
  let line = s:shown(s:whole(printf('%d messages (:messages has all): %s', len(a:texts), a:texts[-1])))
  echohl WarningMsg
  for text in a:texts
    call s:keep(s:whole(text))
    redraw
  endfor
  echo line
  echohl None
endfunction

" Puts a text that does not fit into the history, which takes only what is shown. A typed command's is drawn over before
" it ends, so nobody is asked for Enter; in a callback they would be at once, but there, by the flag T, the editor
" itself shows no more than fits.
"
" Without a command line Neovim asks for Enter in any case where more is said than fits: there it is said in pieces.
function! s:keep(text) abort
  for piece in &cmdheight ? [] : s:pieces(a:text, max([10, s:room()]))
    redraw
    echomsg piece
  endfor
  if &cmdheight
    call s:keep_whole(a:text)
  endif
endfunction

" A text in lines of at most so many cells, cut between words where it has any.
function! s:pieces(text, room) abort
  let [pieces, rest] = [[], a:text]
  while strdisplaywidth(rest) > a:room
    let piece = vim_mcp#text#fitting(rest, a:room)
    let words = matchstr(piece, '^.*\S\ze ')
    call add(pieces, words ==# '' ? piece : words)
    let rest = '  ' . substitute(strpart(rest, len(pieces[-1])), '^ ', '', '')
  endwhile
  return add(pieces, rest)
endfunction

function! s:keep_whole(text) abort
  let [more, shortmess] = [&more, &shortmess]
  noautocmd set nomore shortmess+=T
  try
    echomsg a:text
  finally
    let [&more, &shortmess] = [more, shortmess]
  endtry
endfunction

let s:untold = []
let s:timer = -1

" While the editor starts, or its user types a command, a message would be wiped off the screen or be in the way. The
" moment is right when two looks, so many ms apart, find none of that.
let s:step = 250
let s:quiet = 0

" Tells what nobody asked for, when the moment is right; what has come together by then on one line.
function! vim_mcp#notice#unasked(text) abort
  if index(s:untold, a:text) < 0
    call add(s:untold, a:text)
  endif
  let s:quiet = 0
  if empty(timer_info(s:timer))
    let s:timer = timer_start(s:step, function('s:tell'), {'repeat': -1})
  endif
endfunction

" Does not tell one thing any more that was not told yet.
function! vim_mcp#notice#withdraw(text) abort
  call filter(s:untold, 'v:val !=# a:text')
  if empty(s:untold)
    call timer_stop(s:timer)
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
  call timer_stop(s:timer)
  let [texts, s:untold] = [s:untold, []]
  if len(texts) == 1
    call s:put(texts[0], 'WarningMsg')
  else
    call s:put_together(texts)
  endif
endfunction
