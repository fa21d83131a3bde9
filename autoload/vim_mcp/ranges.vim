" The ranges of diagnostics as IDEs count: lines and characters from 0, the end
" just behind, characters in units of UTF-16.

let s:save_cpo = &cpo
set cpo&vim

" The largest file that is read for it, where its buffer is not loaded, in bytes.
let s:max_size = 1048576

" Give each Diagnostic (docs/protocol.md) a `range`, and a `line_hash` of the text of
" the line that it begins in. One without an end ends where it begins.
function! vim_mcp#ranges#add(diagnostics) abort
  let l:files = {}
  for l:diagnostic in a:diagnostics
    let l:start = s:position(l:diagnostic, l:diagnostic.line, l:diagnostic.column, l:files)
    let l:end = has_key(l:diagnostic, 'end_line') ? s:position(l:diagnostic, l:diagnostic.end_line,
          \ get(l:diagnostic, 'end_column', l:diagnostic.column), l:files) : copy(l:start)
    let l:diagnostic.line_hash = s:hash(s:line(l:diagnostic, l:diagnostic.line, l:files))
    let l:diagnostic.range = {'start': l:start, 'end': s:is_before(l:end, l:start) ? copy(l:start) : l:end}
  endfor
endfunction

" A Vim may be made without sha256().
function! s:hash(text) abort
  return exists('*sha256') ? strpart(sha256(a:text), 0, 16) : string(strlen(a:text))
endfunction

function! s:position(diagnostic, line, column, files) abort
  let l:text = s:line(a:diagnostic, a:line, a:files)
  return {'line': a:line - 1, 'character': vim_mcp#utf16#length(strpart(l:text, 0, max([0, a:column - 1])))}
endfunction

function! s:is_before(one, other) abort
  return a:one.line < a:other.line || a:one.line == a:other.line && a:one.character < a:other.character
endfunction

" The text of a line, '' where there is none any more.
function! s:line(diagnostic, line, files) abort
  let l:bufnr = a:diagnostic.buffer
  if bufloaded(l:bufnr)
    return get(getbufline(l:bufnr, a:line), 0, '')
  elseif !has_key(a:files, l:bufnr)
    let a:files[l:bufnr] = s:is_small(a:diagnostic.name) ? readfile(a:diagnostic.name) : []
  endif
  return get(a:files[l:bufnr], a:line - 1, '')
endfunction

function! s:is_small(name) abort
  return getftype(resolve(a:name)) ==# 'file' && filereadable(a:name) && getfsize(a:name) <= s:max_size
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
