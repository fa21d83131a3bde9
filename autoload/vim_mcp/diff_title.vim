" The line that says whose diff a window shows, and how to answer: the winbar where there is one, else the status line.

let s:save_cpo = &cpo
set cpo&vim

let s:option = exists('+winbar') ? '&winbar' : '&statusline'
let s:line = '%{vim_mcp#diff_title#text(winwidth(0))}'
let s:looking = 0
let s:dots = &encoding ==# 'utf-8' ? "\u2026" : '>'
let s:hints = [[''], [':w accepts, :q rejects', ':w yes, :q no', '']]

" Give a window the title a:title; a:side is 0 for the file, 1 for the proposal.
function! vim_mcp#diff_title#set(window, title, side) abort
  let [tab, number] = win_id2tabwin(a:window)
  call settabwinvar(tab, number, 'vim_mcp_diff_title', [a:title, a:side])
  call s:show(tab, number)
endfunction

" A window of one line has no room for a winbar.
function! s:show(tab, number) abort
  silent! noautocmd call settabwinvar(a:tab, a:number, s:option, s:line)
endfunction

" Begins to see to it that titles stay: plugins for status lines write them into every window, whenever one is entered,
" or at the next move of the cursor; and within their autocommands nobody is told that an option was set.
function! vim_mcp#diff_title#watch() abort
  augroup vim_mcp_diff_title
    autocmd!
    autocmd WinEnter,BufEnter,FileType,CursorMoved,CursorHold,CmdlineLeave * call s:look_soon()
    execute 'autocmd OptionSet' s:option[1:] 'call s:look_soon()'
  augroup END
endfunction

" Ends that.
function! vim_mcp#diff_title#forget() abort
  if exists('#vim_mcp_diff_title')
    autocmd! vim_mcp_diff_title
    augroup! vim_mcp_diff_title
  endif
endfunction

function! s:look_soon() abort
  if !s:looking
    let s:looking = 1
    call timer_start(0, function('s:look'))
  endif
endfunction

function! s:look(timer) abort
  let s:looking = 0
  for window in filter(getwininfo(), 'vim_mcp#diff_return#is_diff(v:val.winid)')
    if gettabwinvar(window.tabnr, window.winnr, s:option) !=# s:line
      call s:show(window.tabnr, window.winnr)
    endif
  endfor
endfunction

" Whether the title of a window can be seen, and has room for how to answer.
function! vim_mcp#diff_title#tells_how(window) abort
  let visible = exists('+winbar') || &laststatus > 1 || &laststatus && winnr('$') > 1
  let title = getwinvar(a:window, 'vim_mcp_diff_title', ['', 0])
  return visible && s:text(title, winwidth(a:window)) =~# '\[:w [^[]*]$'
endfunction

" How to answer, in words.
function! vim_mcp#diff_title#hint() abort
  return s:hints[1][0]
endfunction

" Take the title of the current window away.
function! vim_mcp#diff_title#clear() abort
  if exists('w:vim_mcp_diff_title')
    unlet w:vim_mcp_diff_title
    execute 'setlocal' s:option[1:] . '<'
  endif
endfunction

" The current window's title in at most so many cells: the answer's keys are the last to go.
function! vim_mcp#diff_title#text(width) abort
  return s:text(get(w:, 'vim_mcp_diff_title', ['', 0]), a:width)
endfunction

function! s:text(title, width) abort
  let [title, side] = a:title
  let room = a:width - 2
  for hint in s:hints[side]
    let text = ' ' . title . (hint ==# '' ? '' : '  [' . hint . ']')
    if strdisplaywidth(text) <= room
      return text
    endif
  endfor
  let hint = side ? ' [' . s:hints[1][1] . ']' : ''
  return s:cut(' ' . title, room - strdisplaywidth(hint)) . hint
endfunction

function! s:cut(text, room) abort
  return a:room > 1 ? vim_mcp#text#fitting(a:text, a:room - 1) . s:dots : ''
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
