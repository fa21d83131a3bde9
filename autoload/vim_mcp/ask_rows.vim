" The rows of a text of which nothing is to be hidden: what is too long for a row goes on in the next, and what could
" hide anything (control characters, marks that turn the direction of writing) is spelt out.
"
" However long the text is, nobody waits for it: it is laid out as far as it is needed, a slice of a line at a time.

let s:save_cpo = &cpo
set cpo&vim

" Characters of which nothing is seen, or that change how others are seen, or that look like a blank and are none:
" Unicode's formats, separators and what it calls ignorable. First and last ones; strtrans() spells some, another set in
" each editor.
let s:unseen = [[0xa0, 0xa0], [0xad, 0xad], [0x034f, 0x034f], [0x0600, 0x0605], [0x061c, 0x061c], [0x06dd, 0x06dd],
      \ [0x070f, 0x070f], [0x0890, 0x0891], [0x08e2, 0x08e2], [0x115f, 0x1160], [0x1680, 0x1680], [0x17b4, 0x17b5],
      \ [0x180b, 0x180f], [0x2000, 0x200f], [0x2028, 0x202f], [0x205f, 0x206f], [0x2800, 0x2800], [0x3164, 0x3164],
      \ [0xfe00, 0xfe0f], [0xfeff, 0xfeff], [0xffa0, 0xffa0], [0xfff0, 0xfffb], [0x110bd, 0x110cd], [0x13430, 0x1345f],
      \ [0x1bca0, 0x1bca3], [0x1d159, 0x1d159], [0x1d173, 0x1d17a], [0xe0000, 0xe0fff]]

" The bytes of a slice, about.
let s:bytes = 4000

" A layout of lines for rows of a:width cells; of several lines each has its number. Its `rows` are those that have been
" laid out, and all when it is `done`.
function! vim_mcp#ask_rows#new(lines, width) abort
  let digits = len(a:lines) > 1 ? len(len(a:lines)) + 1 : 0
  return {'lines': a:lines, 'width': a:width, 'digits': digits, 'rows': [], 'done': empty(a:lines),
        \ 'line': 0, 'offset': 0, 'rest': '', 'lead': ''}
endfunction

" Lay out until there are a:count rows (-1: all), or for so many ms (-1: as long as it takes).
function! vim_mcp#ask_rows#lay(layout, count, ms) abort
  let begun = reltime()
  while !a:layout.done && (a:count < 0 || len(a:layout.rows) < a:count)
        \ && (a:ms < 0 || reltimefloat(reltime(begun)) * 1000 < a:ms)
    call s:lay_slice(a:layout)
  endwhile
endfunction

" The next slice of a line. Its last row may go on in the slice behind it.
function! s:lay_slice(layout) abort
  let [layout, line] = [a:layout, a:layout.lines[a:layout.line]]
  if layout.offset == 0 && layout.digits
    let layout.lead = printf('%*d ', layout.digits - 1, layout.line + 1)
  endif
  let slice = s:slice(line, layout.offset)
  let layout.offset += strlen(slice)
  let pieces = vim_mcp#text#pieces(layout.rest . s:visible(slice), layout.width - layout.digits)
  let ended = layout.offset >= strlen(line)
  let layout.rest = ended ? '' : remove(pieces, -1)
  for piece in pieces
    call add(layout.rows, layout.lead . piece)
    let layout.lead = repeat(' ', layout.digits)
  endfor
  if ended
    let [layout.line, layout.offset] = [layout.line + 1, 0]
    let layout.done = layout.line == len(layout.lines)
  endif
endfunction

" Some bytes of a line, and what belongs to their last character.
function! s:slice(line, start) abort
  let end = a:start + s:bytes
  while end < strlen(a:line) && and(char2nr(strpart(a:line, end, 1)), 0xc0) == 0x80
    let end += 1
  endwhile
  return strpart(a:line, a:start, end - a:start)
endfunction

" A line with everything in it spelt out that would not be seen, or would change how the rest is seen.
function! vim_mcp#ask_rows#visible(line) abort
  if strlen(a:line) <= s:bytes
    return s:visible(a:line)
  endif
  let [parts, start] = [[], 0]
  while start < strlen(a:line)
    let slice = s:slice(a:line, start)
    let start += strlen(slice)
    call add(parts, s:visible(slice))
  endwhile
  return join(parts, '')
endfunction

function! s:visible(slice) abort
  let text = strtrans(substitute(a:slice, "\t", '    ', 'g'))
  if strlen(text) == strchars(text)
    return text
  endif
  " Not by a pattern: it takes a character of ASCII and what is combined with it for that character alone.
  let numbers = str2list(text)
  for number in uniq(sort(filter(copy(numbers), '!has_key(s:known, v:val)'), 'n'))
    let s:known[number] = s:spelt(number)
  endfor
  return join(map(numbers, 's:known[v:val]'), '')
endfunction

" How those characters are spelt that have been met.
let s:known = {}

function! s:spelt(number) abort
  for [first, last] in a:number > 0x7f ? s:unseen : []
    if a:number >= first && a:number <= last
      return printf('<%04x>', a:number)
    endif
  endfor
  return nr2char(a:number)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
