" What stands at the cursor: the lines around it, and what is selected.

let s:save_cpo = &cpo
set cpo&vim

" Lines before and after the cursor's, and of a selection, at most.
let s:around = 3
let s:max_selected = 200

" The section `context` of `get_state`: see docs/protocol.md.
function! vim_mcp#context#context() abort
  if vim_mcp#buffers#ignored(bufnr('%'))
    return v:null
  endif
  let l:line = line('.')
  return {'line_text': getline(l:line), 'before': getline(max([1, l:line - s:around]), l:line - 1),
        \ 'after': getline(l:line + 1, l:line + s:around), 'selection': s:selection()}
endfunction

" What Visual or Select mode has marked now, or null. Columns are bytes, the last
" one included.
function! s:selection() abort
  let l:mode = tr(mode(), "sS\<C-S>", "vV\<C-V>")
  if l:mode !~# "^[vV\<C-V>]$"
    return v:null
  endif
  let [l:start, l:end] = s:ends()
  let l:selection = {'mode': l:mode, 'start': l:start, 'end': l:end}
  if l:mode ==# "\<C-V>"
    return extend(l:selection, {'text': s:block(l:start, l:end)})
  elseif l:mode ==# 'V'
    let [l:start[1], l:end[1]] = [1, max([1, strlen(getline(l:end[0]))])]
  endif
  return extend(l:selection, {'text': s:text(l:start, l:end)})
endfunction

" The two ends in the order of the text; the second one's column is the last
" byte that is selected.
function! s:ends() abort
  let l:ends = sort([getpos('v')[1:2], getpos('.')[1:2]], {a, b -> a[0] == b[0] ? a[1] - b[1] : a[0] - b[0]})
  let l:line = getline(l:ends[1][0])
  if &selection ==# 'exclusive' && mode() !~# '^[VS]'
    let l:ends[1][1] = max([1, l:ends[1][1] - 1])
  else
    let l:ends[1][1] += max([1, strlen(matchstr(strpart(l:line, l:ends[1][1] - 1), '.'))]) - 1
  endif
  return l:ends
endfunction

function! s:text(start, end) abort
  let l:lines = getline(a:start[0], min([a:end[0], a:start[0] + s:max_selected - 1]))
  if len(l:lines) == a:end[0] - a:start[0] + 1
    let l:lines[-1] = strpart(l:lines[-1], 0, a:end[1])
  endif
  let l:lines[0] = strpart(l:lines[0], a:start[1] - 1)
  return l:lines
endfunction

" What each line has in the columns of the screen that a block covers.
function! s:block(start, end) abort
  let l:columns = [s:cells('v'), s:cells('.')]
  let l:left = min([l:columns[0][0], l:columns[1][0]])
  let l:right = getcurpos()[4] >= 2147483647 ? 2147483647 : max([l:columns[0][1], l:columns[1][1]])
  return map(getline(a:start[0], min([a:end[0], a:start[0] + s:max_selected - 1])), 's:cut(v:val, l:left, l:right)')
endfunction

" The first and the last column of the screen of the character at a position.
function! s:cells(position) abort
  let [l:line, l:column, l:offset] = getpos(a:position)[1:3]
  let l:text = getline(l:line)
  let l:before = strdisplaywidth(strpart(l:text, 0, l:column - 1))
  let l:width = strdisplaywidth(matchstr(strpart(l:text, l:column - 1), '.'), l:before)
  return [l:before + 1 + l:offset, l:before + max([1, l:width])]
endfunction

" Characters that the block covers in part count as spaces.
function! s:cut(line, left, right) abort
  let [l:text, l:end] = ['', 0]
  for l:char in split(a:line, '\zs')
    let l:start = l:end + 1
    let l:end += strdisplaywidth(l:char, l:end)
    if l:start > a:right
      break
    elseif l:start >= a:left && l:end <= a:right
      let l:text .= l:char
    elseif l:end >= a:left
      let l:text .= repeat(' ', min([l:end, a:right]) - max([l:start, a:left]) + 1)
    endif
  endfor
  return l:text
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
