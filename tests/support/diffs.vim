" Two buffers to be diffed and all that can be told of windows, for tests of the windows that show them.

" Before there is a cursor: a script that is loaded sets 'cpoptions', by which Vim forgets the column that a cursor
" wants.
runtime! autoload/vim_mcp/diff*.vim

let g:diffs = []
let g:diff_count = 0
let s:waiting = {}

function! s:side(name, lines, buftype) abort
  let bufnr = bufadd('diff://' . g:diff_count . '/' . a:name)
  call setbufvar(bufnr, '&swapfile', 0)
  call bufload(bufnr)
  call setbufline(bufnr, 1, a:lines)
  for [option, value] in [['buftype', a:buftype], ['bufhidden', 'hide'], ['modified', a:buftype ==# 'acwrite']]
    call setbufvar(bufnr, '&' . option, value)
  endfor
  return bufnr
endfunction

" Open the windows of a diff of 40 lines, of which the 20th and the 25th differ; whether it was brought to the front.
" After `vim-mcp-later` the next call tries the same one again.
function! DiffOpen() abort
  call DiffMade()
  let place = vim_mcp#diff_windows#open(s:waiting)
  call add(g:diffs, [s:waiting, place])
  let s:waiting = {}
  return place.front
endfunction

" Make its buffers.
function! DiffMade() abort
  let s:waiting = empty(s:waiting) ? s:made() : s:waiting
endfunction

function! s:made() abort
  let g:diff_count += 1
  let old = map(range(1, 40), '"line " . v:val')
  let new = map(copy(old), 'v:val =~# "2[05]$" ? v:val . " new" : v:val')
  return {'title_left': 'calc.py as it is', 'title_right': 'Claude: calc.py', 'file': '/x/calc.py',
        \ 'left': s:side('old', old, 'nofile'), 'right': s:side('new', new, 'acwrite')}
endfunction

" Close the one opened last, or the one of the index a:1, as if the person had accepted it, or with the verdict a:2.
function! DiffClose(...) abort
  let [review, place] = g:diffs[a:0 ? a:1 : -1]
  let review.verdict = a:0 > 1 ? a:2 : 'accepted'
  call vim_mcp#diff_windows#close(place)
  call filter(g:diffs, 'v:val[1] isnot place')
  call vim_mcp#diff_close#run('silent noautocmd bwipeout! ' . review.left . ' ' . review.right)
  return win_getid()
endfunction

" Everything of windows and tab pages that a diff must leave as it was, except for the options (DiffOptions()).
function! DiffShape() abort
  let tabs = map(range(1, tabpagenr('$')), 's:tab(v:val)')
  return {'tabs': tabs, 'tab': [tabpagenr(), tabpagenr('#')], 'mode': mode(1), 'buffers': s:buffers(),
        \ 'commands': execute('autocmd WinEnter') . execute('autocmd WinClosed'),
        \ 'registers': map(['"', '-', '/'], 'getreg(v:val)')}
endfunction

function! s:tab(tab) abort
  let windows = filter(getwininfo(), 'v:val.tabnr == a:tab')
  return {'layout': winlayout(a:tab), 'current': [tabpagewinnr(a:tab), tabpagewinnr(a:tab, '#')],
        \ 'windows': map(windows, 's:window(v:val)')}
endfunction

function! s:window(info) abort
  let told = {'id': a:info.winid, 'size': [a:info.width, a:info.height], 'at': [a:info.winrow, a:info.wincol],
        \ 'buffer': a:info.bufnr}
  let options = gettabwinvar(a:info.tabnr, a:info.winnr, '&')
  let g:told = []
  if a:info.winid == win_getid()
    let g:told = s:inner()
  else
    call win_execute(a:info.winid, 'let g:told = s:inner()')
  endif
  return extend(told, {'inner': g:told, 'options': options})
endfunction

function! s:inner() abort
  return [&buftype ==# 'terminal' ? 0 : [winsaveview(), getcurpos()], getjumplist()[0], bufnr('#')]
endfunction

function! s:buffers() abort
  return map(getbufinfo(), '[v:val.bufnr, v:val.listed, v:val.hidden, v:val.changed]')
endfunction

" The global options, those whose text has no blanks.
function! DiffOptions() abort
  let options = {}
  for text in filter(split(execute('set all'), '\_s\+'), 'v:val !~# "^\\%(lines\\|window\\|scroll\\)="')
    let options[text] = 1
  endfor
  return options
endfunction
