" The method `show`: bringing a file before the person's eyes.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

" Windows that show something else than text to work on.
let s:trees = ['nerdtree', 'NvimTree', 'neo-tree', 'netrw', 'fern', 'oil', 'CHADTree', 'defx', 'dirvish', 'vaffle',
      \ 'tagbar', 'vista', 'aerial', 'Outline', 'undotree', 'minimap', 'Trouble', 'trouble', 'qf', 'help', 'man',
      \ 'fugitive', 'gitcommit_preview', 'startify', 'dashboard', 'alpha']

" See docs/protocol.md. The person's typing stays where it is when they type
" into a terminal; else the file's window becomes the current one.
function! vim_mcp#show#show(params) abort
  call vim_mcp#files#require()
  let l:file = vim_mcp#files#checked(vim_mcp#params#string(a:params, 'file'))
  let l:line = vim_mcp#params#number(a:params, 'line', 0)
  let l:column = vim_mcp#params#number(a:params, 'column', 0)
  call vim_mcp#files#loadable(l:file)
  let l:known = vim_mcp#buffers#find(l:file)
  let l:bufnr = l:known < 0 ? bufadd(l:file) : l:known
  call setbufvar(l:bufnr, '&buflisted', 1)
  let l:done = 0
  try
    let l:position = vim_mcp#show#buffer(l:bufnr, l:line, l:column)
    let l:done = 1
  finally
    if !l:done && l:known < 0
      call vim_mcp#files#discard(l:bufnr, 'bwipeout')
    endif
  endtry
  return l:position
endfunction

" Show a buffer, with the cursor at a place in it (line 0: where it was), and
" return what `show` returns.
function! vim_mcp#show#buffer(bufnr, line, column) abort
  return s:place(s:open(a:bufnr), a:bufnr, a:line, a:column)
endfunction

" Show a buffer in a window and return the window's id. A file that has changed on
" disk is looked at first: Vim would ask what to do about it when it is entered.
function! s:open(bufnr) abort
  if bufloaded(a:bufnr)
    call vim_mcp#disk#conflict(a:bufnr)
  elseif &eventignore =~? '\<\%(all\|SwapExists\)\>'
    " The guard below would not hear of a swap file.
    call vim_mcp#files#load(a:bufnr)
  endif
  let l:window = s:window(a:bufnr)
  let l:commands = s:commands(l:window, a:bufnr)
  call s:guard_swap(a:bufnr, bufloaded(a:bufnr))
  try
    return s:run(l:window, l:commands)
  catch /:E36:/
    return s:run(l:window, 'tab ' . l:commands)
  finally
    call s:end_guard()
  endtry
endfunction

function! s:run(window, commands) abort
  if mode() !=# 't'
    call win_gotoid(a:window)
    silent execute a:commands
    return win_getid()
  endif
  let s:shown = 0
  call win_execute(a:window, a:commands . ' | let s:shown = win_getid()', 'silent')
  if !s:shown
    call vim_mcp#methods#fail('vim', 'the file could not be shown beside the terminal; nothing was changed')
  endif
  return s:shown
endfunction

" The window to show a buffer in: one that shows it, the current one, the one
" before, any other; with none that will do, one that can be split.
function! s:window(bufnr) abort
  let l:windows = [win_getid(), win_getid(winnr('#'))] + map(range(1, winnr('$')), 'win_getid(v:val)')
  let l:ordinary = filter(copy(l:windows), 'v:val > 0 && vim_mcp#show#is_ordinary(v:val)')
  let l:showing = filter(copy(l:ordinary), 'winbufnr(v:val) == a:bufnr')
  let l:free = filter(copy(l:ordinary), '!getwinvar(v:val, "&winfixbuf")')
  let l:solid = filter(l:windows, 'v:val > 0 && s:type(v:val) !=# "popup"')
  return (l:showing + l:free + l:ordinary + l:solid)[0]
endfunction

" Whether a window shows text to work on, and no diff that waits for a verdict.
function! vim_mcp#show#is_ordinary(window) abort
  let l:bufnr = winbufnr(a:window)
  return l:bufnr > 0 && s:type(a:window) ==# ''
        \ && index(['', 'acwrite'], getbufvar(l:bufnr, '&buftype')) >= 0
        \ && index(s:trees, getbufvar(l:bufnr, '&filetype')) < 0 && !getwinvar(a:window, '&previewwindow')
        \ && getbufvar(l:bufnr, 'vim_mcp_diff') ==# '' && !getwinvar(a:window, 'vim_mcp_follow')
endfunction

function! s:type(window) abort
  return vim_mcp#windows#type(getwininfo(a:window)[0])
endfunction

" What shows the buffer there: commands that a bar ends. Names are not part of
" it, so that no character of theirs can be taken for anything else.
function! s:commands(window, bufnr) abort
  if winbufnr(a:window) == a:bufnr
    return "mark '"
  elseif vim_mcp#show#is_ordinary(a:window) && s:may_leave(a:window)
    return 'buffer ' . a:bufnr
  endif
  return 'aboveleft split | setlocal nowinfixheight nowinfixwidth' . (exists('+winfixbuf') ? ' nowinfixbuf' : '')
        \ . (getwinvar(a:window, '&diff') ? ' | diffoff' : '') . ' | buffer ' . a:bufnr
endfunction

" Whether the window's buffer loses nothing, and writes nothing, when another
" one takes its place.
function! s:may_leave(window) abort
  let l:bufnr = winbufnr(a:window)
  let l:bufhidden = getbufvar(l:bufnr, '&bufhidden')
  let l:kept = l:bufhidden ==# 'hide' || l:bufhidden ==# '' && &hidden
  return !getwinvar(a:window, '&winfixbuf') && (l:kept || !getbufvar(l:bufnr, '&modified')
        \ || len(win_findbuf(l:bufnr)) > 1)
endfunction

" A file that has a swap file is opened read-only, without a question.
function! s:guard_swap(bufnr, loaded) abort
  if a:loaded
    return
  endif
  augroup vim_mcp_show
    autocmd!
    autocmd SwapExists * let [s:swap, v:swapchoice] = [v:swapname, 'o']
  augroup END
  let s:swap = ''
  let s:swap_buffer = a:bufnr
endfunction

function! s:end_guard() abort
  if !exists('#vim_mcp_show')
    return
  endif
  autocmd! vim_mcp_show
  augroup! vim_mcp_show
  if s:swap !=# '' && bufloaded(s:swap_buffer)
    call vim_mcp#swap#hold(s:swap_buffer, s:swap)
  endif
endfunction

" Put the window's cursor to the place and describe it.
function! s:place(window, bufnr, line, column) abort
  if a:line > 0 && a:window == win_getid()
    call s:cursor(a:line, a:column)
  elseif a:line > 0
    call win_execute(a:window, 'call s:cursor(a:line, a:column)')
  endif
  return s:position(a:window, a:bufnr)
endfunction

function! s:cursor(line, column) abort
  call cursor(min([a:line, line('$')]), max([1, a:column]))
  silent! normal! zv
endfunction

function! s:position(window, bufnr) abort
  let [l:line, l:column] = vim_mcp#windows#cursor(getwininfo(a:window)[0])
  let l:swap = vim_mcp#swap#state(a:bufnr)
  return {'buffer': a:bufnr, 'name': vim_mcp#buffers#name(a:bufnr), 'line': l:line, 'column': l:column,
        \ 'text': vim_mcp#buffers#ignored(a:bufnr) ? '' : get(getbufline(a:bufnr, l:line), 0, ''),
        \ 'readonly': s:bool[getbufvar(a:bufnr, '&readonly')], 'swap': empty(l:swap) ? v:null : l:swap}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
