" What Visual or Select mode marks: where it lies, and its text.
"
" An area is a dictionary:
"   mode   "v", "V" or CTRL-V
"   start, end    [line, column] in the order of the text; columns are bytes,
"                 the last one is included; column 0: nothing of that line
"   left, right   of a block: the columns of the screen that it covers
"   known  of a block: by line, the places [bytes, columns] that were come by in
"          finding these: how many columns of the screen the line's first bytes take

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
" character is cut. Of a block with tabs, other than ASCII characters or long lines
" there are at most 200 lines, since each takes time.
function! vim_mcp#visual#text(area, max_lines, max_bytes) abort
  let l:last = min([a:area.end[0], a:area.start[0] + a:max_lines - 1])
  if a:area.mode ==# "\<C-V>"
    return s:capped(s:unbroken({-> s:block(a:area, l:last)}), a:max_bytes)
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
  return s:unbroken({-> s:block_edges(a:area)})
endfunction

function! s:block_edges(area) abort
  let [l:first, l:last] = [getline(a:area.start[0]), getline(a:area.end[0])]
  let [l:until, l:width] = s:reach(l:last, a:area.right, s:known(a:area, a:area.end[0]))
  let l:cut = l:width < a:area.right ? strlen(s:char(l:last, l:until)) : 0
  return [s:reach(l:first, a:area.left - 1, s:known(a:area, a:area.start[0]))[0], l:until + l:cut]
endfunction

" What a:Measure() returns without 'linebreak', which the editor too leaves out of account in blocks.
function! s:unbroken(Measure) abort
  if !&linebreak
    return a:Measure()
  endif
  noautocmd setlocal nolinebreak
  try
    return a:Measure()
  finally
    noautocmd setlocal linebreak
  endtry
endfunction

function! s:area(mode, one, other) abort
  let [l:first, l:second] = s:is_before(a:one, a:other) ? [a:one, a:other] : [a:other, a:one]
  let l:area = {'mode': a:mode, 'start': l:first[:1], 'end': s:end(a:mode, l:second)}
  if a:mode ==# 'V'
    let [l:area.start[1], l:area.end[1]] = [1, max([1, strlen(getline(l:area.end[0]))])]
  elseif a:mode ==# "\<C-V>"
    let l:area.known = {}
    let l:cells = s:unbroken({-> [s:cells(l:first, l:area.known), s:cells(l:second, l:area.known)]})
    let [l:area.left, l:area.right] = s:columns(l:cells[0], l:cells[1])
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

" The first and the last column of the screen of the character at a position;
" what was come by is put into a:known.
function! s:cells(position, known) abort
  let [l:text, l:bytes] = [getline(a:position[0]), a:position[1] - 1]
  let l:places = get(a:known, a:position[0], [])
  let a:known[a:position[0]] = l:places
  for l:byte in s:stops(l:text, l:bytes)
    let l:from = get(filter(copy(l:places), 'v:val[0] <= l:byte'), -1, [0, 0])
    let l:part = strpart(l:text, l:from[0], l:byte - l:from[0])
    call add(l:places, [l:byte, l:from[1] + strdisplaywidth(l:part, l:from[1])])
  endfor
  let l:before = l:places[-1][1]
  let l:width = strdisplaywidth(s:char(l:text, l:bytes), l:before)
  " Behind the end, and within a tab, a position is one column ('virtualedit').
  let l:first = l:before + 1 + a:position[2]
  return [l:first, a:position[2] ? l:first : l:before + max([1, l:width])]
endfunction

" Where to stop on the way to a byte of a line: some way before it too, where that
" is far, since a block's other side is often not.
function! s:stops(text, bytes) abort
  let [l:near, l:back] = [a:bytes - s:max_pattern, 0]
  if l:near <= s:max_char
    return [a:bytes]
  endif
  let l:around = strpart(a:text, l:near - s:max_char, 2 * s:max_char)
  while l:back < s:max_char && !s:begins(l:around, s:max_char - l:back)
    let l:back += 1
  endwhile
  return l:back < s:max_char ? [l:near - l:back, a:bytes] : [a:bytes]
endfunction

" Whether a character begins at a byte, and not one that combines with what stands
" before it.
function! s:begins(text, byte) abort
  let l:number = char2nr(a:text[a:byte])
  return (l:number < 0x80 || l:number >= 0xC0) && strchars('a' . s:char(a:text, a:byte), 1) == 2
endfunction

" The places that are known of a line.
function! s:known(area, line) abort
  return get(a:area.known, a:line, [])
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
  let [l:left, l:right, l:first] = [a:area.left, a:area.right, a:area.start[0]]
  let l:lines = getline(l:first, a:last)
  let l:part = printf('strpart(v:val, %d, %d)', l:left - 1, l:right - l:left + 1)
  let l:short = max(map(copy(l:lines), 'strlen(v:val)')) <= s:max_pattern
  if l:short && s:is_plain(join(map(copy(l:lines), 's:head(v:val, l:right)'), ''))
    return map(l:lines, l:part)
  endif
  let l:lines = l:lines[: s:max_cut - 1]
  return map(l:lines, 's:cut(v:val, l:left, l:right, s:known(a:area, l:first + v:key))')
endfunction

" Whether a text's columns on the screen are its bytes. Patterns do not see what
" combines with a character. They take seconds for megabytes, of which the width
" tells the same.
function! s:is_plain(text) abort
  if strlen(a:text) != strchars(a:text) || &wrap && (&showbreak !=# '' || &breakindent)
    return 0
  elseif strlen(a:text) <= s:max_pattern
    return a:text !~# '[^ -~]'
  endif
  return stridx(a:text, "\t") < 0 && strdisplaywidth(a:text) == strlen(a:text)
endfunction

" Characters that the block covers in part count as spaces. a:known: see s:area().
function! s:cut(line, left, right, known) abort
  let [l:from, l:before] = s:reach(a:line, a:left - 1, a:known)
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
  let [l:until, l:width] = s:reach(a:line, a:right, a:known + [[l:from, l:before]])
  let l:rest = l:until < strlen(a:line) ? a:right - l:width : 0
  return l:text . strpart(a:line, l:from, l:until - l:from) . repeat(' ', l:rest)
endfunction

" How many bytes of a line end at a column of the screen or before, and the
" columns that they take. It is found from the nearest of the places that are known.
function! s:reach(line, column, known) abort
  if a:column <= 0
    return [0, 0]
  elseif a:column == s:endless
    return [strlen(a:line), s:endless]
  endif
  let l:places = filter(copy(a:known), 'v:val[1] <= a:column')
  let l:width = max([0] + map(copy(l:places), 'v:val[1]'))
  let l:from = max([0] + map(filter(l:places, 'v:val[1] == l:width'), 'v:val[0]'))
  " Only as much as may lie before the column, and a character more: none takes
  " less than a column, and what stands behind would be copied over and over.
  let l:head = s:head(strpart(a:line, l:from), a:column - l:width + 1)
  if s:is_plain(l:head)
    let l:bytes = min([strlen(l:head), a:column - l:width])
    return [l:from + l:bytes, l:width + l:bytes]
  endif
  return s:reach_from(l:from, l:width, l:head, a:column)
endfunction

" The same where a:head stands behind so many bytes, which take so many columns:
" of the characters that may end in time half are looked at, from where those end
" that do.
function! s:reach_from(bytes, width, head, column) abort
  let [l:from, l:width, l:left] = [0, a:width, min([strchars(a:head, 1), a:column - a:width])]
  while l:left > 0
    let l:half = (l:left + 1) / 2
    let l:part = s:head(strpart(a:head, l:from), l:half)
    let l:until = l:width + strdisplaywidth(l:part, l:width)
    let l:fits = l:until <= a:column
    let l:left = l:fits ? l:left - l:half : l:half - 1
    let [l:from, l:width] = l:fits ? [l:from + strlen(l:part), l:until] : [l:from, l:width]
  endwhile
  return [a:bytes + l:from, l:width]
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
