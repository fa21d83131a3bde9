" Finding the one place of a piece of text in a buffer.

let s:save_cpo = &cpo
set cpo&vim

" Lines that an error names at most.
let s:max_named = 10

" Where a:old_lines (text that may begin and end within a line) is, once and
" only once, and what is there with a:new_lines in its place: [first line, last
" line, lines]. Throws `not_found` and `ambiguous`.
function! vim_mcp#substitute#place(bufnr, old_lines, new_lines) abort
  let l:lines = getbufline(a:bufnr, 1, '$')
  " Text that ends in a line end also matches at the end of the last line.
  let l:closed = getbufvar(a:bufnr, '&endofline')
        \ || !getbufvar(a:bufnr, '&binary') && getbufvar(a:bufnr, '&fixendofline')
  let l:text = l:lines + (l:closed ? [''] : [])
  let l:mark = vim_mcp#joined#mark(l:text + a:old_lines)
  let [l:haystack, l:needle] = [vim_mcp#joined#join(l:text, l:mark), vim_mcp#joined#join(a:old_lines, l:mark)]
  let l:offsets = s:offsets(l:haystack, l:needle)
  if len(l:offsets) != 1
    call s:refuse(l:haystack, l:offsets, vim_mcp#joined#join([s:longest(a:old_lines)], l:mark))
  endif
  let [l:first, l:column] = vim_mcp#joined#position(l:haystack, l:offsets[0], l:mark)
  let l:last = l:first + len(a:old_lines) - 1
  return [l:first, min([l:last, len(l:lines)]),
        \ s:spliced(l:text, l:first, l:last, a:old_lines, empty(a:new_lines) ? [''] : a:new_lines,
        \   l:column - 1, l:last > len(l:lines))]
endfunction

" The lines first..last of a:text with a:old, which begins at byte a:column of
" the first, replaced by a:new.
function! s:spliced(text, first, last, old, new, column, past_end) abort
  let l:head = strpart(a:text[a:first - 1], 0, a:column)
  let l:tail_at = (len(a:old) == 1 ? a:column : 0) + strlen(a:old[-1])
  let l:lines = copy(a:new)
  let l:lines[0] = l:head . l:lines[0]
  let l:lines[-1] .= strpart(a:text[a:last - 1], l:tail_at)
  return a:past_end && l:lines[-1] ==# '' ? l:lines[:-2] : l:lines
endfunction

" Where a:needle begins in a:haystack, overlapping places too, a few beyond what
" an error names.
function! s:offsets(haystack, needle) abort
  let l:offsets = []
  let l:offset = stridx(a:haystack, a:needle)
  while l:offset >= 0 && len(l:offsets) < 1000
    call add(l:offsets, l:offset)
    let l:offset = stridx(a:haystack, a:needle, l:offset + 1)
  endwhile
  return l:offsets
endfunction

function! s:longest(lines) abort
  let l:longest = a:lines[0]
  for l:line in a:lines
    let l:longest = strlen(l:line) > strlen(l:longest) ? l:line : l:longest
  endfor
  return l:longest
endfunction

function! s:refuse(haystack, offsets, longest) abort
  if empty(a:offsets)
    let l:near = a:longest =~# '\S' ? s:line_numbers(a:haystack, s:offsets(a:haystack, a:longest)) : []
    call vim_mcp#methods#fail('not_found', 'the text to replace does not occur in the buffer, nothing was changed'
          \ . (empty(l:near) ? '' : '; its longest line alone does, at ' . s:named(l:near)), {'lines': l:near})
  endif
  let l:lines = s:line_numbers(a:haystack, a:offsets)
  call vim_mcp#methods#fail('ambiguous', 'the text to replace occurs ' . len(a:offsets)
        \ . (len(a:offsets) < 1000 ? '' : ' or more') . ' times, at ' . s:named(l:lines)
        \ . '; nothing was changed: give more of the text around it', {'count': len(a:offsets), 'lines': l:lines})
endfunction

function! s:line_numbers(haystack, offsets) abort
  return map(a:offsets[: s:max_named - 1], 'count(strpart(a:haystack, 0, v:val), "\n") + 1')
endfunction

function! s:named(lines) abort
  return (len(a:lines) == 1 ? 'line ' : 'lines ') . join(a:lines, ', ') . (len(a:lines) < s:max_named ? '' : ' …')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
