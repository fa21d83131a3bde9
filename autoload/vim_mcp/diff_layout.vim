" Making a diff's two windows (diff_close.vim closes them), from within a window that is not the person's current one
" wherever there is such a window: to leave the current one, even for a moment, ends Visual mode and splits an
" insertion's undo.

let s:save_cpo = &cpo
set cpo&vim

" The least columns that a side must have to be readable.
let s:columns = 35

" Window options that come from the window that was split and that a diff must not have from there.
let s:foreign = ['winfixwidth', 'winfixheight', 'winfixbuf', 'previewwindow', 'diff', 'scrollbind', 'cursorbind']
" And those that are the person's taste: as `:set` has them.
let s:taste = ['number', 'relativenumber', 'numberwidth', 'wrap', 'linebreak', 'breakindent', 'showbreak', 'list',
      \ 'listchars', 'fillchars', 'cursorline', 'cursorlineopt', 'cursorcolumn', 'colorcolumn', 'signcolumn', 'spell',
      \ 'conceallevel', 'concealcursor', 'statusline', 'winbar', 'winhighlight', 'wincolor', 'winblend', 'statuscolumn',
      \ 'foldcolumn', 'foldtext', 'foldexpr', 'foldminlines', 'foldnestmax', 'foldignore', 'foldmarker', 'scrolloff',
      \ 'sidescrolloff', 'rightleft', 'virtualedit']

" Make the windows of a:place and put them into it as `windows`: [left, right], or [right] where there is no room for
" two. Throws `vim-mcp-window: ` and Vim's error; no window is left over then.
function! vim_mcp#diff_layout#make(place) abort
  let [beside, windows] = [vim_mcp#diff_where#beside(), gettabinfo(tabpagenr())[0].windows]
  try
    return empty(beside) ? s:make_tab(a:place) : s:from(beside.window, {-> s:split(a:place, beside)})
  catch
    call s:discard(a:place, windows)
    if empty(beside) || v:exception !~# ':E36:'
      throw v:exception
    endif
  endtry
  call s:make_tab(a:place)
endfunction

" Close the windows of this tab page that are not among a:windows.
function! s:discard(place, windows) abort
  let a:place.windows = []
  for window in filter(copy(gettabinfo(tabpagenr())[0].windows), 'index(a:windows, v:val) < 0')
    call vim_mcp#diff_close#window(tabpagenr(), window)
  endfor
endfunction

function! s:setting() abort
  return vim_mcp#setting('diff_layout', 'vertical')
endfunction

" Call a:Function from within a:window. What it throws is carried over, since Neovim would show it as well.
function! s:from(window, Function) abort
  let [s:Function, s:thrown] = [a:Function, '']
  call win_execute(a:window, 'noautocmd call s:catch()')
  if s:thrown !=# ''
    throw 'vim-mcp-window: ' . s:thrown
  endif
endfunction

function! s:catch() abort
  try
    call s:Function()
  catch
    let s:thrown = v:exception
  endtry
endfunction

" Both sides in what a split in this direction and of this size (lines or columns) gives of the current window.
function! s:split(place, beside) abort
  execute a:beside.direction max([1, a:beside.size]) . 'split'
  call s:fill(a:place)
endfunction

" A tab page of their own, the last one. The tab line that it may bring is there before it, so that it covers nothing.
function! s:make_tab(place) abort
  let [showtabline, tabs] = [&showtabline, tabpagenr('$')]
  if showtabline == 1 && &lines > 4
    noautocmd set showtabline=2
  endif
  try
    call s:aside({home -> s:tab(a:place, home)})
  catch
    if tabpagenr('$') > tabs
      noautocmd $tabclose!
    endif
    throw v:exception =~# '^Vim' ? 'vim-mcp-window: ' . v:exception : v:exception
  finally
    noautocmd let &showtabline = showtabline
  endtry
endfunction

" Back to a:home, the person's tab page, by way of the tab page that is the previous one there, so that it stays that.
" (win_execute() could go back by itself, as it does to another tab page, but an old Neovim would not keep the new one's
" windows in order then.)
function! s:tab(place, home) abort
  let [tab, window] = [tabpagenr('#'), win_getid()]
  let before = tab ? win_getid(tabpagewinnr(tab), tab) : 0
  let is_home = tabpagenr() == a:home
  try
    $tab split
    call s:fill(a:place)
  finally
    if is_home
      call win_gotoid(before)
      call win_gotoid(window)
    endif
  endtry
endfunction

" The current window, which is new, and another one split from it become the two sides. Where there is no room for two,
" or the person has deleted the left buffer, it shows the proposal alone.
function! s:fill(place) abort
  let left = win_getid()
  let a:place.unified = vim_mcp#diff_unified#is_wanted()
  if a:place.unified
    call add(a:place.windows, left)
    call s:show(a:place.right)
    diffoff
    return
  elseif bufloaded(a:place.left) && s:halve()
    call win_execute(left, 'call s:show(a:place.left)')
    call add(a:place.windows, left)
  endif
  call add(a:place.windows, win_getid())
  call s:show(a:place.right)
endfunction

" Split the current window, side by side if that is wanted and gives room enough, else one above the other; else however
" it can be done. Returns whether it can.
function! s:halve() abort
  let vertical = ['rightbelow vertical', winwidth(0) / 2]
  let horizontal = ['rightbelow', winheight(0) / 2]
  let ways = s:setting() ==# 'horizontal' || vertical[1] < s:columns ? [horizontal, vertical] : [vertical, horizontal]
  for [direction, size] in ways
    try
      execute direction max([1, size]) . 'split'
      return 1
    catch /:E36:/
    endtry
  endfor
  return 0
endfunction

function! s:show(bufnr) abort
  for option in s:foreign
    call s:local(option, 'no' . option)
  endfor
  execute 'buffer' a:bufnr
  for option in s:taste
    call s:local(option, option . '<')
  endfor
  diffthis
endfunction

function! s:local(option, setting) abort
  if exists('+' . a:option)
    execute 'setlocal' a:setting
  endif
endfunction

" Call a:Function with the number of this tab page, in a window that it may leave.
function! s:aside(Function) abort
  let [window, helper] = [s:other_window(), 0]
  if !window && has('nvim')
    noautocmd let helper = s:helper()
    let window = helper
  endif
  try
    let home = tabpagenr()
    call {window ? 's:from' : 's:and_back'}(window, {-> a:Function(home)})
  finally
    if helper
      noautocmd call nvim_win_close(helper, v:true)
    endif
  endtry
endfunction

" A window that is not the current one, of this tab page; in Vim, which has no helper, else of the previous one or any.
" 0 if there is none.
function! s:other_window() abort
  let windows = filter(getwininfo(), 'v:val.winid != win_getid() && vim_mcp#windows#type(v:val) !~# "popup\\|command"')
  let near = filter(copy(windows), 'v:val.tabnr == tabpagenr()')
  let before = filter(copy(windows), 'v:val.tabnr == tabpagenr("#")')
  return get(get(has('nvim') ? near : near + before + windows, 0, {}), 'winid')
endfunction

" A float that nobody sees.
function! s:helper() abort
  let bufnr = nvim_create_buf(v:false, v:true)
  call nvim_buf_set_option(bufnr, 'bufhidden', 'wipe')
  return nvim_open_win(bufnr, v:false, {'relative': 'editor', 'row': 0, 'col': 0, 'width': 1, 'height': 1,
        \ 'focusable': v:false, 'style': 'minimal', 'noautocmd': v:true})
endfunction

" Vim's only window has to be left; Visual mode is begun anew.
function! s:and_back(window, Function) abort
  let [mode, view] = [mode(1), winsaveview()]
  try
    noautocmd call a:Function()
  finally
    if mode =~# "^[vV\<C-V>]"
      noautocmd normal! gv
      call winrestview(view)
    endif
  endtry
endfunction

" Syntax and the first change, once the windows are made. a:line is the first change's on the right side, or 0.
function! vim_mcp#diff_layout#look(place, line) abort
  for window in a:place.windows
    call win_execute(window, 'call s:highlight()')
  endfor
  if a:place.unified
    call vim_mcp#diff_unified#draw(a:place)
  endif
  let line = a:place.unified ? vim_mcp#diff_unified#first(a:place) : a:line
  call win_execute(a:place.windows[-1], 'noautocmd call s:to_change(line)')
  if a:place.unified
    call win_execute(a:place.windows[-1], 'noautocmd call vim_mcp#diff_unified#reveal(a:place)')
  endif
endfunction

function! s:highlight() abort
  if exists('g:syntax_on') && &l:syntax ==# '' && &filetype !=# ''
    let &l:syntax = &filetype
  endif
endfunction

" Without the key `]c`: keys that are typed for the person are not always theirs alone.
function! s:to_change(line) abort
  let line = a:line ? a:line : s:first_change()
  call cursor(line, 1)
  call winrestview({'topline': foldclosed(1) > 0 && winheight(0) > 14 ? 1 : max([1, line - winheight(0) / 4])})
  syncbind
endfunction

" The lines before the first change are folded, all but a few.
function! s:first_change() abort
  let start = max([1, foldclosedend(1) + 1])
  for line in range(start, min([line('$'), start + 200]))
    if diff_hlID(line, 1) || diff_filler(line)
      return line
    endif
  endfor
  return 1
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
