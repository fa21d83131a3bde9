" A passage of a buffer that a client names by its first and its last words.

let s:save_cpo = &cpo
set cpo&vim

" More bytes than any character has, with what combines with it.
let s:max_char = 1024

" What was marked last for a client: see s:marked().
let s:ours = []

" Where the passage is that begins with a:start and ends with the first a:end
" after it: [[line, column], [line, column]], both from 1, columns in bytes, the
" second one just behind its last byte. [] where either does not occur. a:start
" and a:end are lines of plain text that may begin and end within a line; an
" empty list is no text: without a:end the passage is a:start, and the other way
" round. With a:to_end_of_line it goes on to the end of its last line.
function! vim_mcp#passage#find(bufnr, start, end, to_end_of_line) abort
  let l:lines = getbufline(a:bufnr, 1, '$')
  " Text that ends in a line end also matches at the end of the last line.
  let l:mark = vim_mcp#joined#mark(l:lines + a:start + a:end)
  let l:text = vim_mcp#joined#join(l:lines + [''], l:mark)
  let l:from = s:match(l:text, empty(a:start) ? a:end : a:start, l:mark, 0)
  let l:to = empty(l:from) || empty(a:start) || empty(a:end) ? l:from : s:match(l:text, a:end, l:mark, l:from[1])
  if empty(l:to)
    return []
  endif
  let l:behind = vim_mcp#joined#position(l:text, l:to[1], l:mark)
  if a:to_end_of_line && l:behind[1] > 1
    let l:behind[1] = strlen(l:lines[l:behind[0] - 1]) + 1
  endif
  return [vim_mcp#joined#position(l:text, l:from[0], l:mark), l:behind]
endfunction

" The offsets at which the lines first occur from an offset on, and just behind.
function! s:match(text, lines, mark, from) abort
  let l:wanted = vim_mcp#joined#join(a:lines, a:mark)
  let l:offset = stridx(a:text, l:wanted, a:from)
  return l:offset < 0 ? [] : [l:offset, l:offset + strlen(l:wanted)]
endfunction

" Begin Visual mode on a passage of the current buffer; Normal mode must be on.
function! vim_mcp#passage#select(passage) abort
  let [l:start, l:behind] = a:passage
  let l:selectmode = &selectmode
  noautocmd set selectmode=
  try
    call cursor(l:start)
    normal! v
    " Only in Visual mode can the cursor stand on a line break.
    call cursor(l:start)
    normal! o
    call cursor(&selection ==# 'exclusive' && l:behind[0] <= line('$') ? l:behind : s:last(l:behind))
    silent! normal! zv
  finally
    noautocmd let &selectmode = l:selectmode
  endtry
  call vim_mcp#passage#keep()
endfunction

" Whether Visual mode is on because a client has marked something, and the person
" has not touched that since.
function! vim_mcp#passage#is_ours() abort
  return mode(1) ==# 'v' && s:ours ==# s:marked()
endfunction

" To be called when something else than the person has moved what is marked. The
" cursor goes to the beginning of its character, as it would with the next redraw.
function! vim_mcp#passage#keep() abort
  call cursor(line('.'), col('.'))
  let s:ours = s:marked()
endfunction

" Leave Visual mode where it is a client's: the person still rests in Normal mode,
" and the next client need not wait.
function! vim_mcp#passage#release() abort
  if vim_mcp#passage#is_ours() && !vim_mcp#methods#half_typed()
    execute "normal! \<Esc>"
  endif
endfunction

function! s:marked() abort
  return [bufnr('%'), b:changedtick, getpos('v'), getpos('.')]
endfunction

" The place of the character before a place; a line break's is behind its line.
function! s:last(behind) abort
  let [l:line, l:column] = a:behind
  if l:column == 1
    return [l:line - 1, strlen(getline(l:line - 1)) + 1]
  endif
  " From no further back, since a pattern is tried at each byte, and a line may have megabytes.
  let l:from = max([0, l:column - 1 - s:max_char])
  return [l:line, l:column - strlen(matchstr(strpart(getline(l:line), l:from, l:column - 1 - l:from), '.$'))]
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
