" Where a diff has its room beside the terminal that Claude runs in.

let s:save_cpo = &cpo
set cpo&vim

" The least that a side must have to be readable: columns, lines.
let s:columns = 35
let s:lines = 6

" How Claude Code begins the title of a terminal, also of one whose shell it was started from.
let s:claude = "^\\%(Claude\\|[\u2722\u2733\u2736\u273b\u273d\u2800-\u28ff] \\)"

" Of the window above which a diff opens so many percent stay.
let s:left_over = 20

" Where beside Claude's terminal in this tab page a diff has its room: {window, direction, size}, or {}.
function! vim_mcp#diff_where#beside() abort
  let windows = gettabinfo(tabpagenr())[0].windows
  let popups = exists('*popup_list') ? popup_list() : []
  let terminals = filter(windows + popups, 's:is_claude(winbufnr(v:val))')
  let bound = filter(copy(windows), 's:is_bound(v:val)')
  if empty(terminals) || !empty(bound) || vim_mcp#setting('diff_layout', 'vertical') ==# 'tab'
    return {}
  endif
  return s:above(filter(copy(windows), 'vim_mcp#show#is_ordinary(v:val)'), s:beside_terminal(terminals[0]))
endfunction

" Windows of one tab page that are diffed or scroll together do so with all others that are.
function! s:is_bound(window) abort
  return getwinvar(a:window, '&diff') || getwinvar(a:window, '&scrollbind') || getwinvar(a:window, '&cursorbind')
endfunction

function! s:is_claude(bufnr) abort
  return getbufvar(a:bufnr, '&buftype') ==# 'terminal'
        \ && (getbufvar(a:bufnr, 'vim_mcp_claude') || s:command(a:bufnr) =~? 'claude' || s:title(a:bufnr) =~# s:claude)
endfunction

" The tail of the program that a terminal was opened for.
function! s:command(bufnr) abort
  if has('nvim')
    return fnamemodify(matchstr(bufname(a:bufnr), '//\d\+:\zs\S*'), ':t')
  endif
  let job = term_getjob(a:bufnr)
  return type(job) == v:t_job ? fnamemodify(get(job_info(job).cmd, 0, ''), ':t') : ''
endfunction

" What the program that runs in it now has set as the terminal's title.
function! s:title(bufnr) abort
  let title = has('nvim') ? getbufvar(a:bufnr, 'term_title', '') : term_gettitle(a:bufnr)
  return title =~# '^term://' ? '' : title
endfunction

" Above the largest of these windows, which keeps a few lines; else a:other.
function! s:above(windows, other) abort
  call filter(a:windows, 's:may_split(v:val) && winwidth(v:val) > s:columns')
  call sort(a:windows, {one, two -> winheight(two) * winwidth(two) - winheight(one) * winwidth(one)})
  let window = get(a:windows, 0)
  let size = window ? winheight(window) * (100 - s:left_over) / 100 : 0
  return size >= s:lines * 2
        \ ? {'window': window, 'direction': 'aboveleft', 'size': size} : a:other
endfunction

" To the left of the terminal, or above it where it has not the width for both; {} where it has room for neither.
function! s:beside_terminal(window) abort
  let [width, height] = [winwidth(a:window) * 3 / 5, winheight(a:window) * 3 / 5]
  if win_gettype(a:window) ==# 'popup' || !s:may_split(a:window)
    return {}
  elseif width >= s:columns * 2
    return {'window': a:window, 'direction': 'vertical leftabove', 'size': width}
  endif
  return height >= s:lines * 2 && winwidth(a:window) >= s:columns
        \ ? {'window': a:window, 'direction': 'leftabove', 'size': height} : {}
endfunction

" Whether a window can be split without disturbing the person in it.
function! s:may_split(window) abort
  return a:window != win_getid() || mode(1) =~# '^nt\=$\|^t'
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
