" Lines as one string, to find text in that may begin and end within a line.
"
" A NUL in a line is a "\n" in Vim, and so would be the joint between lines. So
" NULs stand as a mark while lines are joined, one that occurs nowhere else.

let s:save_cpo = &cpo
set cpo&vim

" The mark for these lines, '' where there is no NUL in them.
function! vim_mcp#joined#mark(lines) abort
  if match(a:lines, "\n") < 0
    return ''
  endif
  let [l:all, l:number] = [join(a:lines, ''), 0]
  while stridx(l:all, "\x01" . l:number . "\x02") >= 0
    let l:number += 1
  endwhile
  return "\x01" . l:number . "\x02"
endfunction

" The lines as one string.
function! vim_mcp#joined#join(lines, mark) abort
  return join(a:mark ==# '' ? a:lines : map(copy(a:lines), 'join(split(v:val, "\n", 1), a:mark)'), "\n")
endfunction

" Where the byte a:offset (from 0) of the joined lines is: [line, column], both
" from 1, the column in bytes.
function! vim_mcp#joined#position(text, offset, mark) abort
  let l:before = strpart(a:text, 0, a:offset)
  let l:head = strpart(l:before, strridx(l:before, "\n") + 1)
  let l:head = a:mark ==# '' ? l:head : join(split(l:head, a:mark, 1), "\n")
  return [count(l:before, "\n") + 1, strlen(l:head) + 1]
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
