" What Visual or Select mode marks: where it lies, and its text.
"
" An area is a dictionary:
"   mode   "v", "V" or CTRL-V
"   start, end    [line, column] in the order of the text; columns are bytes,
"                 the last one is included; column 0: nothing of that line
"   left, right   of a block: the columns of the screen that it covers

let s:save_cpo = &cpo
set cpo&vim

let s:endless = 2147483647

" The most lines of a block that are cut where that is not so.
let s:max_cut = 200

" The most bytes that are matched against a pattern.
let s:max_pattern = 65536

" More bytes than any character has, with what combines with it.
let s:max_char = 1024

" What is marked now, or {}.
function! vim_mcp#visual#area() abort
  let l:mode = tr(mode(), "sS\<C-S>", "vV\<C-V>")
  return l:mode =~# "^[vV\<C-V>]$" ? s:area(l:mode, getpos('v')[1:3], getpos('.')[1:3]) : {}
endfunction

" What was marked last in the current buffer.
function! vim_mcp#visual#last() abort
  return s:area(visualmode(), getpos("'<")[1:3], getpos("'>")[1:3])
endfunction

" The text of an area as a list of lines: at most so many of them, and so many
" bytes (line ends are counted). It is gathered no further than that, and no
" character is cut. Of a block with tabs or other than ASCII characters there are
" at most 200 lines, since each takes time.
function! vim_mcp#visual#text(area, max_lines, max_bytes) abort
  let l:last = min([a:area.end[0], a:area.start[0] + a:max_lines - 1])
  if a:area.mode ==# "\<C-V>"
    return s:capped(s:block(a:area, l:last), a:max_bytes)
  endif
  " The line that holds the last byte allowed: its number costs no walk.
  let l:beyond = byte2line(line2byte(a:area.start[0]) + a:area.start[1] - 1 + a:max_bytes)
  let l:last = l:beyond > 0 ? min([l:last, l:beyond]) : l:last
  let l:lines = getline(a:area.start[0], l:last)
  if l:last == a:area.end[0]
    let l:lines[-1] = strpart(l:lines[-1], 0, a:area.end[1])
  endif
  let l:lines[0] = strpart(l:lines[0], a:area.start[1] - 1)
  return s:capped(l:lines, a:max_bytes)
endfunction

" How many bytes stand before an area in its first line, and up to its end in
" its last one.
function! vim_mcp#visual#edges(area) abort
  if a:area.mode !=# "\<C-V>"
    return [a:area.start[1] - 1, min([a:area.end[1], strlen(getline(a:area.end[0]))])]
  endif
  let [l:first, l:last] = s:heads([getline(a:area.start[0]), getline(a:area.end[0])], a:area.right)
  let [l:until, l:width] = s:reach(l:last, a:area.right)
  let l:cut = l:width < a:area.right ? strlen(s:char(l:last, l:until)) : 0
  return [s:reach(l:first, a:area.left - 1)[0], l:until + l:cut]
endfunction

function! s:area(mode, one, other) abort
  let [l:first, l:second] = s:is_before(a:one, a:other) ? [a:one, a:other] : [a:other, a:one]
  let l:area = {'mode': a:mode, 'start': l:first[:1], 'end': s:end(a:mode, l:second)}
  if a:mode ==# 'V'
    let [l:area.start[1], l:area.end[1]] = [1, max([1, strlen(getline(l:area.end[0]))])]
  elseif a:mode ==# "\<C-V>"
    let [l:area.left, l:area.right] = s:columns(s:cells(l:first), s:cells(l:second))
  endif
  return l:area
endfunction

function! s:is_before(one, other) abort
  return a:one[0] == a:other[0] ? a:one[1] <= a:other[1] : a:one[0] < a:other[0]
endfunction

function! s:is_exclusive(mode) abort
  return &selection ==# 'exclusive' && a:mode !=# 'V'
endfunction

" The last byte of the character that an area ends at.
function! s:end(mode, position) abort
  let [l:line, l:column] = a:position[:1]
  if s:is_exclusive(a:mode)
    return [l:line, l:column - 1]
  endif
  return [l:line, l:column + max([1, strlen(s:char(getline(l:line), l:column - 1))]) - 1]
endfunction

" The first and the last column of the screen of the character at a position.
function! s:cells(position) abort
  let l:text = getline(a:position[0])
  let l:before = strdisplaywidth(strpart(l:text, 0, a:position[1] - 1))
  let l:width = strdisplaywidth(s:char(l:text, a:position[1] - 1), l:before)
  " Behind the end, and within a tab, a position is one column ('virtualedit').
  let l:first = l:before + 1 + a:position[2]
  return [l:first, a:position[2] ? l:first : l:before + max([1, l:width])]
endfunction

" The columns of a block between the cells of its two corners.
function! s:columns(first, second) abort
  let l:left = min([a:first[0], a:second[0]])
  if getcurpos()[4] >= s:endless
    return [l:left, s:endless]
  elseif s:is_exclusive("\<C-V>") && a:second[1] > a:first[1] && a:second[0] - 1 >= a:first[1]
    return [l:left, a:second[0] - 1]
  endif
  return [l:left, max([a:first[1], a:second[1]])]
endfunction

" What each line has in the columns of the screen that a block covers.
function! s:block(area, last) abort
  let [l:left, l:right] = [a:area.left, a:area.right]
  let l:lines = s:heads(getline(a:area.start[0], a:last), l:right)
  let l:part = printf('strpart(v:val, %d, %d)', l:left - 1, l:right - l:left + 1)
  if s:is_plain(join(l:lines, ''))
    return map(l:lines, l:part)
  endif
  return map(l:lines[: s:max_cut - 1], 's:is_plain(v:val) ? ' . l:part . ' : s:cut(v:val, l:left, l:right)')
endfunction

" Lines, and where there is much of them only as much as lies in so many columns and one more: no character takes less
" than one, and what stands behind is only copied over and over.
function! s:heads(lines, column) abort
  let l:is_much = a:column < s:endless && strlen(join(a:lines, '')) > s:max_pattern
  return l:is_much ? map(a:lines, 's:head(v:val, a:column + 1)') : a:lines
endfunction

" Whether a text's columns on the screen are its bytes. Patterns do not see what
" combines with a character. They take seconds for megabytes, of which the width
" tells the same (and where 'showbreak' adds to it, no is the safe answer).
function! s:is_plain(text) abort
  if strlen(a:text) != strchars(a:text)
    return 0
  elseif strlen(a:text) <= s:max_pattern
    return a:text !~# '[^ -~]'
  endif
  return stridx(a:text, "\t") < 0 && strdisplaywidth(a:text) == strlen(a:text)
endfunction

" Characters that the block covers in part count as spaces.
function! s:cut(line, left, right) abort
  let [l:from, l:before] = s:reach(a:line, a:left - 1)
  let l:text = ''
  if l:before < a:left - 1
    let l:char = s:char(a:line, l:from)
    let l:end = l:before + strdisplaywidth(l:char, l:before)
    let l:text = repeat(' ', min([l:end, a:right]) - a:left + 1)
    let [l:from, l:before] = [l:from + strlen(l:char), l:end]
  endif
  if a:right == s:endless
    return l:text . strpart(a:line, l:from)
  elseif l:before >= a:right
    return l:text
  endif
  let [l:until, l:width] = s:reach(a:line, a:right)
  let l:rest = l:until < strlen(a:line) ? a:right - l:width : 0
  return l:text . strpart(a:line, l:from, l:until - l:from) . repeat(' ', l:rest)
endfunction

" How many bytes of a line end at a column of the screen or before, and the
" columns that they take.
function! s:reach(line, column) abort
  if a:column <= 0
    return [0, 0]
  endif
  let l:head = strpart(a:line, 0, a:column)
  if s:is_plain(l:head) && strlen(s:char(a:line, strlen(l:head) - 1)) == 1
    return [strlen(l:head), strlen(l:head)]
  elseif a:column == s:endless
    return [strlen(a:line), s:endless]
  endif
  " Of the characters that may end in time half are looked at, from where those end that do: none takes less than a
  " column.
  let [l:from, l:width, l:left] = [0, 0, min([strchars(a:line, 1), a:column])]
  while l:left > 0
    let l:half = (l:left + 1) / 2
    let l:part = s:head(strpart(a:line, l:from), l:half)
    let l:until = l:width + strdisplaywidth(l:part, l:width)
    let l:fits = l:until <= a:column
    let l:left = l:fits ? l:left - l:half : l:half - 1
    let [l:from, l:width] = l:fits ? [l:from + strlen(l:part), l:until] : [l:from, l:width]
  endwhile
  return [l:from, l:width]
endfunction

" The first characters of a line, each with what combines with it.
function! s:head(line, chars) abort
  let l:end = byteidx(a:line, a:chars)
  return l:end < 0 ? a:line : strpart(a:line, 0, l:end)
endfunction

" The character that begins at a byte, with what combines with it; '' at the end.
function! s:char(line, byte) abort
  return matchstr(strpart(a:line, a:byte, s:max_char), '^\_.')
endfunction

" Lines, at most so many bytes of them.
function! s:capped(lines, max_bytes) abort
  let l:excess = strlen(join(a:lines, "\n")) - a:max_bytes
  while l:excess > strlen(a:lines[-1])
    let l:excess -= strlen(remove(a:lines, -1)) + 1
  endwhile
  if l:excess > 0
    let a:lines[-1] = s:beginning(a:lines[-1], strlen(a:lines[-1]) - l:excess)
  endif
  return a:lines
endfunction

" The characters that lie wholly in the first bytes of a text.
function! s:beginning(text, bytes) abort
  return strpart(a:text, 0, byteidx(a:text, charidx(a:text, a:bytes)))
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
