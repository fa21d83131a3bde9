" Vim's regular expressions: what searchpos() does not tell about a match.

let s:save_cpo = &cpo
set cpo&vim

" The pattern with the cursor's place a:cursor ([line, column], [] for no place)
" instead of `\%#`, `\%.l` and so on: a search moves the cursor.
function! vim_mcp#pattern#without_cursor(pattern, cursor) abort
  if a:pattern !~# '%[<>]\=[#.]'
    return a:pattern
  endif
  " Under \v these atoms have no backslash; with one they stand for themselves.
  let l:escape = a:pattern =~# '\\v' ? '' : '\'
  let l:atom = '\%(^\|[^\\]\)\%(\\\\\)*\zs' . escape(l:escape, '\')
  let l:place = empty(a:cursor) ? '%(a' . l:escape . '&b' . l:escape . ')'
        \ : '%' . a:cursor[0] . 'l' . l:escape . '%' . a:cursor[1] . 'c'
  let l:pattern = substitute(a:pattern, l:atom . '%#=\@!', '\=l:escape . l:place', 'g')
  for [l:letter, l:number] in empty(a:cursor) ? [] : [['l', a:cursor[0]], ['c', a:cursor[1]], ['v', virtcol('.')]]
    let l:pattern = substitute(l:pattern, l:atom . '\(%[<>]\=\)\.' . l:letter,
          \ '\=l:escape . submatch(1) . l:number . l:letter', 'g')
  endfor
  return l:pattern
endfunction

" How to go on from a match at the cursor: in its line from there, and not from the line's beginning over all that was
" found before, which takes seconds in a line of megabytes. But a match that says by \zs where it begins has begun
" before that.
function! vim_mcp#pattern#flags(pattern) abort
  return a:pattern =~# '\\zs' ? 'W' : 'Wz'
endfunction

" Where the match that begins at a:start, and at the cursor, ends: [line, column]
" just behind it. It may take a:timeout ms.
function! vim_mcp#pattern#end(pattern, start, timeout) abort
  " \zs and \ze say themselves what counts, and a lone backslash at the end would
  " swallow what is added.
  if a:pattern =~# '\\z[se]\|\%(^\|[^\\]\)\%(\\\\\)*\\$'
    return s:last_character(a:pattern, a:start, a:timeout)
  endif
  let [l:engine, l:rest] = matchlist(a:pattern, '^\(\%(\\%#=\d\)\=\)\(\_.*\)$')[1:2]
  let l:match = l:engine . '\%' . a:start[0] . 'l\%' . a:start[1] . 'c\%(' . l:rest . '\m\)'
  let l:end = searchpos(l:match . '\zs', 'cnWz', 0, max([1, a:timeout]))
  " There is no place behind the last line break: searchpos() gives the one before.
  let l:behind = line('$') + 1
  if l:end[0] == l:behind - 1 && a:pattern =~# '\\n\|\\_' && search(l:match . '\%' . l:behind . 'l', 'cnW')
    return [l:behind, 1]
  endif
  return l:end[0] == 0 ? a:start : l:end
endfunction

" The place behind the last character of the first match that does not end
" before a:start; an empty match has none, and then that is a later one's.
function! s:last_character(pattern, start, timeout) abort
  let l:last = searchpos(a:pattern, 'cenW', 0, max([1, a:timeout]))
  let l:next = searchpos(a:pattern, 'nW', 0, max([1, a:timeout]))
  if l:last[0] == 0 || l:next[0] > 0 && !s:is_before(l:last, l:next)
    return a:start
  endif
  let l:line = getline(l:last[0])
  return l:last[1] > strlen(l:line) ? [l:last[0] + 1, 1]
        \ : [l:last[0], l:last[1] + strlen(matchstr(strpart(l:line, l:last[1] - 1), '^.'))]
endfunction

function! s:is_before(place, other) abort
  return a:place[0] < a:other[0] || a:place[0] == a:other[0] && a:place[1] < a:other[1]
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
