" :ClaudeCodeFollow: a window that shows each place which Claude reads or changes. It never becomes the current one by
" itself, and while its person is in it, it stays as it is.

let s:save_cpo = &cpo
set cpo&vim

highlight default link VimMCPFollow Visual

" The window's id; following ends when it is closed.
let s:window = 0

" The place that was told last: `file` or `bufnr`, and `lines` (first, last; [] for all).
let s:place = {}

" The place that could not be shown when it was told is tried again, in ms.
let s:step = 100
let s:timer = -1

" What marks the lines.
let s:match = -1

" Open the window, as a:mods say, or close it.
function! vim_mcp#follow#toggle(mods) abort
  if !exists('*win_execute') || !exists('*bufload')
    call vim_mcp#notice#error('this Vim is too old to follow Claude: 8.2 and later can')
  elseif getcmdwintype() !=# ''
    call vim_mcp#notice#error('leave the command-line window first')
  elseif s:is_there()
    call s:close()
  else
    call s:open(vim_mcp#place#mods(a:mods))
  endif
endfunction

function! s:is_there() abort
  return s:window && win_id2tabwin(s:window) != [0, 0]
endfunction

" By its number and from the tab page's current window, so that the previous one stays that.
function! s:close() abort
  let [l:tab, l:number] = win_id2tabwin(s:window)
  try
    if l:tab == tabpagenr()
      execute l:number . 'close'
    else
      call win_execute(win_getid(tabpagewinnr(l:tab), l:tab), l:number . 'close')
    endif
  catch /:E444:/
    call vim_mcp#notice#error('it is the last window: open another one first')
  endtry
endfunction

" It is split from a window that shows text, and the person is where they were before, also for CTRL-W p.
function! s:open(mods) abort
  let [l:home, l:previous] = [win_getid(), win_getid(winnr('#'))]
  let l:windows = [l:home] + gettabinfo(tabpagenr())[0].windows
  try
    call win_gotoid(get(filter(copy(l:windows), 'vim_mcp#show#is_ordinary(v:val)'), 0, l:home))
    execute (a:mods ==# '' ? 'belowright' : a:mods) 'split'
  catch /:E36:/
    call win_gotoid(l:home)
    call vim_mcp#notice#error('there is no room for another window')
    return
  endtry
  let s:window = win_getid()
  let [w:vim_mcp_follow, s:match] = [1, -1]
  setlocal nodiff noscrollbind nocursorbind nopreviewwindow
  call win_gotoid(l:previous)
  call win_gotoid(l:home)
  call s:show(0)
  call vim_mcp#notice#echo('follows Claude; the same command ends it')
endfunction

" The hub's message `place`.
function! vim_mcp#follow#take(message) abort
  let l:lines = get(a:message, 'lines', [])
  call s:go({'file': get(a:message, 'file', ''), 'lines': type(l:lines) == type([]) ? l:lines : []})
endfunction

" A client has been answered: where it has changed text. (The hub reads text for itself, too: that is no place.)
function! vim_mcp#follow#served(method, answer) abort
  let l:result = get(a:answer, 'result', {})
  if a:method ==# 'edit' && !empty(l:result)
    call s:go({'bufnr': l:result.buffer.id, 'lines': [l:result.line, max([l:result.line, l:result.end_line])]})
  endif
endfunction

function! s:go(place) abort
  let s:place = a:place
  if s:is_there()
    call s:show(0)
  endif
endfunction

" Show the place, now or when it can be.
function! s:show(timer) abort
  call timer_stop(s:timer)
  if empty(s:place) || !s:is_there() || win_getid() == s:window
    return
  elseif s:can_show()
    try
      call s:put()
      return
    catch /:E\%(11\|523\|565\|788\|5555\):\|"busy"/
      " The command-line window, or an expression or autocommand that runs, forbids it just now.
    catch
      " It is no file that can be loaded.
      return
    endtry
  endif
  let s:timer = timer_start(s:step, function('s:show'))
endfunction

function! s:can_show() abort
  return vim_mcp#methods#waiting_for('no prompt') ==# '' && getcmdwintype() ==# '' && !vim_mcp#methods#half_typed()
endfunction

function! s:put() abort
  let l:bufnr = has_key(s:place, 'bufnr') ? s:place.bufnr : vim_mcp#buffers#find(vim_mcp#files#checked(s:place.file))
  let l:is_new = l:bufnr < 0 || !bufloaded(l:bufnr) && !buflisted(l:bufnr)
  if l:bufnr < 0
    let l:bufnr = bufadd(vim_mcp#files#checked(s:place.file))
  endif
  call vim_mcp#files#load(l:bufnr)
  let l:autochdir = &autochdir
  if l:autochdir
    noautocmd set noautochdir
  endif
  try
    call win_execute(s:window, 'call s:fill(l:bufnr, s:place.lines)')
  finally
    if l:autochdir
      noautocmd set autochdir
    endif
  endtry
  if l:is_new
    call vim_mcp#preview#begin(l:bufnr)
  endif
  if mode() !=# 'c'
    redraw
  endif
endfunction

" Within the window. Nothing is typed here (:normal): the person may be half way through a command.
function! s:fill(bufnr, lines) abort
  if bufnr('%') != a:bufnr
    execute 'noautocmd keepjumps hide buffer' a:bufnr
  endif
  if s:match > 0
    silent! call matchdelete(s:match)
  endif
  let s:match = -1
  let l:first = max([1, min([get(a:lines, 0, 1), line('$')])])
  let l:last = min([get(a:lines, 1, l:first), line('$')])
  if !empty(a:lines)
    let s:match = matchadd('VimMCPFollow', printf('\%%>%dl\%%<%dl.*', l:first - 1, l:last + 1))
  endif
  let l:above = max([0, (winheight(0) - (l:last - l:first + 1)) / 2])
  call winrestview({'lnum': l:first, 'col': 0, 'curswant': 0, 'leftcol': 0, 'topline': max([1, l:first - l:above])})
  if foldclosed('.') > 0
    foldopen!
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
