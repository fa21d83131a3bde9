" Bringing into sight what is shown below a line without being text.

let s:save_cpo = &cpo
set cpo&vim

" Scroll the current window, if need be, so that so many rows below a:line are seen, and its cursor still is. a:below
" says how many rows there are below other lines: {line: rows}.
function! vim_mcp#reveal#below(line, rows, below) abort
  let room = winheight(0) - a:rows - s:height(a:line, {})
  let top = a:line
  while top > 1 && room >= s:height(top - 1, a:below)
    let top -= 1
    let room -= s:height(top, a:below)
  endwhile
  let top = min([top, max([1, line('.') - &scrolloff])])
  " In Neovim there may be something above the first line, too.
  if top > line('w0') || top == line('w0') && get(winsaveview(), 'topfill', 0) > 0
    call winrestview({'topline': top, 'topfill': 0})
  endif
endfunction

" The rows that a line takes; of a closed fold its first line takes the one for all.
function! s:height(line, below) abort
  if foldclosed(a:line) > 0
    return foldclosed(a:line) == a:line
  endif
  let info = getwininfo(win_getid())[0]
  let width = max([1, info.width - get(info, 'textoff', 0)])
  let cells = &wrap ? strdisplaywidth(getline(a:line)) : 1
  return max([1, (cells + width - 1) / width]) + get(a:below, a:line, 0)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
