" Closing a diff's windows, which diff_layout.vim makes: the person's current window stays the current one, and the
" previous one the previous.

let s:save_cpo = &cpo
set cpo&vim

" Close every window that shows a side of a:place.
function! vim_mcp#diff_close#all(place) abort
  let shown = win_findbuf(a:place.left) + win_findbuf(a:place.right)
  for window in filter(copy(a:place.windows), 'index(shown, v:val) < 0')
    call win_execute(window, 'noautocmd call s:give_back()')
  endfor
  for tab in reverse(range(1, tabpagenr('$')))
    call s:close_in(tab, filter(copy(gettabinfo(tab)[0].windows), 'index(shown, v:val) >= 0'))
  endfor
  let a:place.windows = []
endfunction

" A window of the diff's in which the person has opened something else is theirs.
function! s:give_back() abort
  if &diff
    diffoff
  endif
  call vim_mcp#diff_title#clear()
endfunction

" Close some windows of a tab page: with it if it has no others.
function! s:close_in(tab, windows) abort
  let there = filter(getwininfo(), 'v:val.tabnr == a:tab && vim_mcp#windows#type(v:val) !~# "popup"')
  let others = len(there) - len(a:windows)
  if empty(a:windows)
    return
  elseif others
    for window in a:windows
      call vim_mcp#diff_close#window(a:tab, window)
    endfor
  elseif tabpagenr('$') > 1
    call vim_mcp#diff_close#run('noautocmd tabclose! ' . a:tab)
  else
    call s:replace_last(a:windows)
  endif
endfunction

" Close a window (its id) of the tab page a:tab, by its number and from that page's current window, so that this stays
" the current one. (win_execute() from within the window itself would forget which window was the previous one.
" In Neovim 0.7 it must not close the current one of another tab page: the editor would crash.)
function! vim_mcp#diff_close#window(tab, window) abort
  let command = 'noautocmd ' . win_id2tabwin(a:window)[1] . 'close!'
  let current = win_getid(tabpagewinnr(a:tab), a:tab)
  if a:tab == tabpagenr()
    call vim_mcp#diff_close#run(command)
  elseif has('nvim')
    noautocmd call nvim_win_close(a:window, v:true)
  else
    call win_execute(current, command)
  endif
endfunction

" Run a command that is about windows or buffers but not about the current one: from within a popup of Vim's, which has
" no number, it is not allowed.
function! vim_mcp#diff_close#run(command) abort
  if win_id2win(win_getid())
    execute a:command
  else
    call win_execute(win_getid(1), a:command)
  endif
endfunction

" The person has closed all else: the last window shows another buffer.
function! s:replace_last(windows) abort
  noautocmd call win_gotoid(a:windows[0])
  noautocmd only!
  call s:give_back()
  let listed = filter(getbufinfo({'buflisted': 1}), 'v:val.bufnr != bufnr("%")')
  let previous = filter(copy(listed), 'v:val.bufnr == bufnr("#")')
  execute empty(listed) ? 'enew!' : 'buffer! ' . get(previous, 0, listed[0]).bufnr
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
