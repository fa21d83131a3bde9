" The text of buffers: how much it is, and handing it over by file.

let s:save_cpo = &cpo
set cpo&vim

" Lines that are counted at once where Vim keeps no count of bytes.
let s:chunk = 20000

let s:nvim = has('nvim')
let s:counts = has('byte_offset')

" The bytes of the lines a:first to a:last of a loaded buffer, line ends
" included; where it has to count, it stops soon after a:enough.
function! vim_mcp#text#bytes(bufnr, first, last, enough) abort
  if s:nvim
    return nvim_buf_get_offset(a:bufnr, a:last) - nvim_buf_get_offset(a:bufnr, a:first - 1)
  elseif a:bufnr == bufnr('%') && s:counts
    return max([0, line2byte(a:last + 1)]) - max([0, line2byte(a:first)])
  endif
  let l:bytes = 0
  let l:first = a:first
  while l:first <= a:last && l:bytes <= a:enough
    let l:bytes += strlen(join(getbufline(a:bufnr, l:first, min([a:last, l:first + s:chunk - 1])), "\n")) + 1
    let l:first += s:chunk
  endwhile
  return l:bytes
endfunction

" So many bytes of a line of the current buffer from a byte (from 0) on. Neovim does not copy all of the line for it.
function! vim_mcp#text#part(line, byte, bytes) abort
  let l:end = min([a:byte + a:bytes, col([a:line, '$']) - 1])
  if l:end <= a:byte
    return ''
  endif
  return has('nvim') ? nvim_buf_get_text(0, a:line - 1, a:byte, a:line - 1, l:end, {})[0]
        \ : strpart(getline(a:line), a:byte, l:end - a:byte)
endfunction

" The longest beginning of a:text that takes at most a:room cells of the screen.
function! vim_mcp#text#fitting(text, room) abort
  let l:text = a:text
  while l:text !=# '' && strdisplaywidth(l:text) > a:room
    let l:text = strcharpart(l:text, 0, strchars(l:text) - 1)
  endwhile
  return l:text
endfunction

" a:text in pieces that take at most a:width cells each, and all of it.
function! vim_mcp#text#pieces(text, width) abort
  " A character takes two cells at most.
  let l:length = max([1, strlen(a:text) == strchars(a:text) ? a:width : a:width / 2])
  return a:text ==# '' ? [''] : split(a:text, '.\{' . l:length . '}\zs')
endfunction

" How many lines a loaded buffer has.
function! vim_mcp#text#line_count(bufnr) abort
  return getbufinfo(a:bufnr)[0].linecount
endfunction

" Whether a loaded buffer has no text at all (and not one empty line, as far as
" that can be told).
function! vim_mcp#text#is_empty(bufnr) abort
  let l:info = getbufinfo(a:bufnr)[0]
  return l:info.linecount == 1 && getbufline(a:bufnr, 1) ==# ['']
        \ && (l:info.changed || getfsize(l:info.name) <= 0)
endfunction

" Write lines to a file as docs/protocol.md describes it, and say so.
function! vim_mcp#text#to_file(lines, path) abort
  if writefile(a:lines, a:path, 'bS') != 0
    call vim_mcp#methods#fail('vim', 'the text could not be written to ' . a:path, {'vim_error': v:errmsg})
  endif
  return {'text_file': a:path, 'text_encoding': &encoding}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
