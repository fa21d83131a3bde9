" A review's text, byte by byte: from a file into a buffer, from a buffer into a file.
"
" A text is {'lines', 'eol', 'cr'}: lines as readfile(…, 'b') gives them, without the empty one that stands for a
" final line end (`eol`), and without the CR that stood at every line's end (`cr`).

" The text of the file `path`; one that is not there has none.
function! vim_mcp#diff_text#read(path) abort
  let lines = filereadable(a:path) ? readfile(a:path, 'b') : []
  let eol = len(lines) > 1 && lines[-1] ==# ''
  return {'lines': eol ? lines[:-2] : lines, 'eol': eol, 'cr': 0}
endfunction

" Fills the loaded, empty buffer `bufnr` with `text`. There is nothing to undo in it then.
function! vim_mcp#diff_text#fill(bufnr, text) abort
  call setbufvar(a:bufnr, '&undolevels', -1)
  call setbufline(a:bufnr, 1, a:text.lines)
  call setbufvar(a:bufnr, '&undolevels', &g:undolevels)
  call setbufvar(a:bufnr, '&fixendofline', 0)
  call setbufvar(a:bufnr, '&endofline', a:text.eol)
  call setbufvar(a:bufnr, '&modified', 0)
endfunction

" Writes the buffer's text into the file `path`. Throws what writefile() does.
function! vim_mcp#diff_text#write(bufnr, path) abort
  let lines = getbufline(a:bufnr, 1, '$')
  if getbufvar(a:bufnr, '&endofline') && !vim_mcp#text#is_empty(a:bufnr)
    call add(lines, '')
  endif
  if writefile(lines, a:path, 'b') != 0
    throw 'the answer could not be written to ' . a:path
  endif
endfunction
