" What the person's windows were like before a diff, and where the person was.

let s:save_cpo = &cpo
set cpo&vim

" The places of the diffs that are open.
let s:places = []

" The option 'scrollopt' before the first of them, and what `:diffthis` has made of it.
let s:scrollopt = ['', '']

" Where the person was last outside of diffs: the window, the one before it, and the current one of the tab page before.
let s:outside = {'window': 0, 'previous': 0, 'tab': 0}
" The window that they are in is being closed, so that where they arrive next is not of their choice.
let s:pushed = 0
" The window that they are about to leave, its place, and whether it is being closed.
let s:leaving = {}

" The place of the diff a side of which a window shows, or {}.
function! vim_mcp#diff_return#place(window) abort
  let bufnr = a:window ? winbufnr(a:window) : 0
  return get(filter(copy(s:places), 'v:val.left == bufnr || v:val.right == bufnr'), 0, {})
endfunction

" Whether a window shows a side of a diff.
function! vim_mcp#diff_return#is_diff(window) abort
  return !empty(vim_mcp#diff_return#place(a:window))
endfunction

" Whether the person is in a window of this place.
function! vim_mcp#diff_return#is_inside(place) abort
  return bufnr('%') == a:place.left || bufnr('%') == a:place.right
endfunction

" Remember how the current tab page is, before a diff comes.
function! vim_mcp#diff_return#save(place) abort
  call vim_mcp#diff_return#note()
  let a:place.before = {'layout': winlayout(), 'sizes': winrestcmd(), 'views': s:views(),
        \ 'tabs': tabpagenr('$'), 'lines': &lines, 'columns': &columns, 'previous': win_getid(winnr('#'))}
  let [a:place.gone, a:place.apart] = [0, 0]
  if empty(s:places)
    let s:scrollopt = [&scrollopt, &scrollopt]
  endif
  call add(s:places, a:place)
  call s:listen()
endfunction

" The diff's windows are there. The others show what they have shown as far as they are high enough, and what has moved
" all the same will be put back.
function! vim_mcp#diff_return#opened(place) abort
  let before = a:place.before
  let a:place.apart = win_id2tabwin(a:place.windows[0])[0] != tabpagenr()
  if !a:place.apart
    call s:restore_previous(before.previous)
  endif
  let now = s:views()
  for [window, view] in items(before.views)
    call s:restore_view(+window, view, now[window], now[window])
  endfor
  let [before.moved, s:scrollopt[1]] = [s:views(), &scrollopt]
endfunction

function! s:listen() abort
  augroup vim_mcp_diff_windows
    autocmd!
    autocmd WinLeave * call s:note_left()
    autocmd WinEnter * call s:arrive()
    autocmd WinClosed * call s:note_closed(+expand('<amatch>'))
    autocmd VimResized,TabEnter * call s:even_out()
  augroup END
  call vim_mcp#diff_title#watch()
endfunction

function! s:forget(place) abort
  call filter(s:places, 'v:val isnot a:place')
  if empty(s:places) && exists('#vim_mcp_diff_windows')
    if &scrollopt ==# s:scrollopt[1]
      noautocmd let &scrollopt = s:scrollopt[0]
    endif
    autocmd! vim_mcp_diff_windows
    augroup! vim_mcp_diff_windows
    call vim_mcp#diff_title#forget()
  endif
endfunction

" The editor may have got another size, which it gives to the right side alone.
function! s:even_out() abort
  for place in s:places
    let sides = map(copy(place.windows), 'get(getwininfo(v:val), 0, {})')
    if len(sides) == 2 && index(sides, {}) < 0 && sides[0].tabnr == tabpagenr() && s:are_beside(sides[0], sides[1])
      call s:in_window(sides[0].winid, {-> execute('vertical resize ' . (sides[0].width + sides[1].width) / 2)})
    endif
  endfor
endfunction

function! s:are_beside(left, right) abort
  return a:left.tabnr == a:right.tabnr && [a:left.winrow, a:left.height] == [a:right.winrow, a:right.height]
        \ && a:left.wincol + a:left.width + 1 == a:right.wincol
endfunction

" The person closes the window that they are in: Vim will take them to a neighbour of it. (From the last one of a tab
" page it has taken them already when it tells of that.)
function! s:note_closed(window) abort
  if a:window != get(s:leaving, 'window')
    return
  endif
  let s:leaving.closes = 1
  for place in s:places
    let place.gone = place is s:leaving.place
    let s:pushed = s:pushed || place.gone
  endfor
endfunction

function! s:note_left() abort
  let s:leaving = {'window': win_getid(), 'place': vim_mcp#diff_return#place(win_getid()), 'closes': 0}
endfunction

function! s:arrive() abort
  call s:note_arrival(vim_mcp#diff_return#place(win_getid()))
  if s:pushed && !vim_mcp#diff_return#is_diff(win_getid())
    let s:pushed = 0
    return
  endif
  let s:pushed = 0
  for place in s:places
    let place.gone = 0
  endfor
  call vim_mcp#diff_return#note()
endfunction

" Who arrives in a diff because they have closed another window has not asked for it.
function! s:note_arrival(place) abort
  if get(s:leaving, 'closes') && !empty(a:place) && a:place isnot s:leaving.place
    let a:place.led = reltime()
  endif
  let s:leaving = {}
endfunction

" Note where the person is, if it is not in a diff.
function! vim_mcp#diff_return#note() abort
  if vim_mcp#diff_return#is_diff(win_getid())
    return
  endif
  let [previous, tab] = [win_getid(winnr('#')), tabpagenr('#')]
  if !winnr('#') || vim_mcp#diff_return#is_diff(previous)
    let previous = s:outside.window == win_getid() ? s:outside.previous : s:outside.window
  endif
  let window = tab ? win_getid(tabpagewinnr(tab), tab) : 0
  let s:outside = {'window': win_getid(), 'previous': previous,
        \ 'tab': window && vim_mcp#diff_return#is_diff(window) ? s:outside.tab : window}
endfunction

" Take the person out of a place's windows, to where they were before.
function! vim_mcp#diff_return#leave(place) abort
  if !vim_mcp#diff_return#is_inside(a:place) && !a:place.gone
    return
  endif
  for window in [s:outside.tab, s:outside.previous, s:outside.window]
    if win_id2tabwin(window)[0]
      noautocmd call win_gotoid(window)
    endif
  endfor
endfunction

" The windows of the place are gone: the others are again as they were, unless the person has arranged them anew.
function! vim_mcp#diff_return#restore(place) abort
  call s:forget(a:place)
  let before = a:place.before
  let tab = s:tab_of(before)
  if !tab || winlayout(tab) !=# before.layout || [&lines, &columns] != [before.lines, before.columns]
        \ || a:place.apart && [before.tabs, tabpagenr('$')] != [1, 1]
    return
  elseif tab == tabpagenr() && win_id2win(win_getid())
    call s:put_back(before)
  else
    call win_execute(win_getid(tabpagewinnr(tab), tab), 'noautocmd call s:put_back(before)')
  endif
endfunction

" The number of the tab page of which a:before tells, 0 if it has gone.
function! s:tab_of(before) abort
  return max(map(keys(a:before.views), 'win_id2tabwin(+v:val)[0]'))
endfunction

function! s:put_back(before) abort
  let previous = win_getid(winnr('#'))
  let wanted = previous && !vim_mcp#diff_return#is_diff(previous) ? previous : a:before.previous
  call s:restore_previous(wanted)
  execute a:before.sizes
  let now = s:views()
  for [window, view] in items(a:before.views)
    if has_key(now, window)
      call s:restore_view(+window, view, get(get(a:before, 'moved', {}), window, view), now[window])
    endif
  endfor
endfunction

" What the person has moved since stays: their cursor.
function! s:restore_view(window, before, moved, now) abort
  let view = copy(a:before)
  if [a:now.lnum, a:now.col] != [a:moved.lnum, a:moved.col]
    call extend(view, {'lnum': a:now.lnum, 'col': a:now.col, 'coladd': a:now.coladd, 'curswant': a:now.curswant})
  endif
  if view !=# a:now
    call s:in_window(a:window, {-> winrestview(view)})
  endif
endfunction

" The views of the windows of this tab page.
function! s:views() abort
  let views = {}
  for window in gettabinfo(tabpagenr())[0].windows
    call s:in_window(window, {-> extend(views, {window : winsaveview()})})
  endfor
  return views
endfunction

" Not even win_execute() leaves the current window alone: Visual mode would end.
function! s:in_window(window, Function) abort
  if a:window == win_getid()
    call a:Function()
  else
    let s:Function = a:Function
    call win_execute(a:window, 'noautocmd call s:Function()')
  endif
endfunction

" Make a window the previous one without leaving the current one: a window that is split is the previous one of its
" half.
function! s:restore_previous(window) abort
  if !a:window || a:window == win_getid() || win_getid(winnr('#')) == a:window || !win_id2win(a:window)
    return
  endif
  let direction = &eadirection
  try
    call win_execute(a:window, 'noautocmd call s:split_and_close()')
  finally
    noautocmd let &eadirection = direction
  endtry
endfunction

" Split the current window, if there is room, and close the half. 'eadirection' keeps the other windows' sizes.
function! s:split_and_close() abort
  let view = winsaveview()
  for [direction, command] in [['hor', '1split'], ['ver', 'vertical 1split']]
    try
      let &eadirection = direction
      execute command
      close
      break
    catch /:E36:/
    endtry
  endfor
  call winrestview(view)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
