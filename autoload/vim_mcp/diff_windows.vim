" Where a diff under review is seen: its two windows, from their opening to the moment when all is as it was before.
"
" diff_layout makes the windows, diff_close closes them, diff_return remembers what the person's windows were like and
" puts it back, diff_focus knows whether the person may be led to a diff, diff_title writes the line above or below each
" side.
"
" A place is a dictionary:
"   left, right    the buffers, and `review`, whose they are
"   windows        the windows made for it: both sides, or one where it is `unified`, which has its `hunks` then
"   front          whether it came to the front
"   led            since when the person is led to it, a reltime(); [] where they have asked for it
"   hinted         the command line tells how to answer it
"   before         the windows there were (diff_return.vim); `apart`: it has a tab page of its own
"   gone           the person has just left it by closing its window

let s:save_cpo = &cpo
set cpo&vim

" What the editor says when windows cannot be changed at this moment, or there is no room for one.
let s:locked = '\<E\%(11\|36\|242\|523\|565\|788\|814\|855\|863\|994\|1155\|1159\|1312\):'

" Show the diff of a:review: a dictionary with `left` and `right` (numbers of loaded buffers), `title_left`,
" `title_right` (text for their windows), and if they are known `file` (for messages) and `line` (of the first change on
" the right side, 1-based). Returns its place, in which `front` says whether the person is in it, and `led` since when
" (a reltime()) it is there or they are in it if they have not asked for that. Throws `vim-mcp-later` where windows
" cannot be changed at this moment; nothing has been changed then.
function! vim_mcp#diff_windows#open(review) abort
  call s:check_unlocked()
  let place = {'left': a:review.left, 'right': a:review.right, 'review': a:review, 'windows': [], 'front': 0,
        \ 'led': []}
  let front = get(a:review, 'called') || vim_mcp#diff_focus#may_lead()
  call vim_mcp#diff_return#save(place)
  try
    call vim_mcp#diff_layout#make(place)
  catch
    call vim_mcp#diff_return#restore(place)
    throw s:kind(v:exception) . v:exception
  endtry
  call vim_mcp#diff_return#opened(place)
  call vim_mcp#diff_windows#update(a:review, place)
  call vim_mcp#diff_layout#look(place, get(a:review, 'line', 0))
  call s:bring(a:review, place, front)
  return place
endfunction

" Text in the title lines has changed.
function! vim_mcp#diff_windows#update(review, place) abort
  let titles = [a:review.title_left, a:review.title_right]
  for side in [0, 1]
    for window in win_findbuf([a:place.left, a:place.right][side])
      call vim_mcp#diff_title#set(window, titles[side], side)
    endfor
  endfor
endfunction

" Take the person to the right side, and tell them how to answer. Returns whether it is shown anywhere.
function! vim_mcp#diff_windows#goto(place) abort
  let windows = win_findbuf(a:place.right)
  let window = get(filter(copy(windows), 'index(a:place.windows, v:val) >= 0'), 0, get(windows, 0))
  let arrived = window && (window == win_getid() || vim_mcp#diff_focus#enter(window))
  if arrived
    call s:tell_how(a:place, window)
  endif
  return arrived
endfunction

" Where the title has no room for it.
function! s:tell_how(place, window) abort
  if !vim_mcp#diff_title#tells_how(a:window)
    let a:place.hinted = 1
    call vim_mcp#notice#echo(printf('%s (%s)', vim_mcp#diff_title#hint(), a:place.review.title_right))
  endif
endfunction

" Close what is left of the diff's windows, and put tab page, windows, sizes, views and cursor back. Never called from
" within an autocommand of those windows. Throws `vim-mcp-later` while windows are locked or the person types in one of
" these: it is to be called again then, and the buffers are to stay.
function! vim_mcp#diff_windows#close(place) abort
  call s:check_unlocked()
  if vim_mcp#diff_return#is_inside(a:place) && !s:is_done(a:place.review)
    throw 'vim-mcp-later: the person types in the diff'
  endif
  let window = win_getid()
  try
    call vim_mcp#diff_return#leave(a:place)
    call vim_mcp#diff_close#all(a:place)
    call vim_mcp#diff_return#restore(a:place)
  catch
    throw s:kind(v:exception) . v:exception
  finally
    call vim_mcp#events#note('WinClosed')
  endtry
  call s:note_pushed(window)
  call vim_mcp#diff_focus#redraw()
  if get(a:place, 'hinted') && &cmdheight && mode() !=# 'c'
    " How to answer it is on the command line still.
    echo ''
  endif
endfunction

" Where only other diffs are left, the person arrives in one of these.
function! s:note_pushed(window) abort
  let place = vim_mcp#diff_return#place(win_getid())
  if win_getid() != a:window && !empty(place)
    let place.led = reltime()
  endif
endfunction

" Windows cannot be changed in the command-line window; Select mode ends when they are; a prompt would be wiped off.
function! s:check_unlocked() abort
  if getcmdwintype() !=# '' || mode(1) =~# "^[sS\<C-S>r!]" || mode(1) =~# '^c[ve]'
    throw 'vim-mcp-later: windows cannot be changed in mode ' . mode(1)
  endif
endfunction

" Whether the person in a diff may be taken out of it: at once when they have called for it anew or have answered, else
" when they rest, since what they are typing is meant for it.
function! s:is_done(review) abort
  if get(a:review, 'called')
    return 1
  endif
  return get(a:review, 'verdict', '') =~# '^\%(accept\|reject\)ed$'
        \ ? vim_mcp#diff_focus#is_idle() : vim_mcp#diff_focus#resting()
endfunction

function! s:bring(review, place, front) abort
  let a:place.front = a:front && vim_mcp#diff_focus#enter(a:place.windows[-1])
  let a:place.led = get(a:review, 'called') ? [] : reltime()
  if !a:place.front
    call vim_mcp#diff_focus#tell(a:review, a:place)
    call vim_mcp#diff_focus#lead_later(a:place)
  endif
  call vim_mcp#events#note('WinNew')
  call vim_mcp#diff_focus#redraw()
  " Who is led to it rests, so that the line is free.
  if a:place.front
    call s:tell_how(a:place, a:place.windows[-1])
  endif
endfunction

function! s:kind(exception) abort
  return a:exception =~# s:locked ? 'vim-mcp-later: ' : 'vim-mcp-diff: '
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
