" Lines of text that a request brings, in its JSON or in a file.

let s:save_cpo = &cpo
set cpo&vim

" The lines of a:params[a:name], or of the UTF-8 file that a:params[a:name .
" '_file'] names, in 'encoding'. Throws where they cannot all be represented.
function! vim_mcp#lines#given(params, name) abort
  if vim_mcp#params#given(a:params, a:name . '_file')
    return s:from_file(vim_mcp#params#string(a:params, a:name . '_file'), a:name)
  endif
  let l:lines = vim_mcp#params#strings(a:params, a:name)
  if &encoding !=# 'utf-8' && !empty(l:lines)
    " What 'encoding' lacks has been lost in decoding, without a trace.
    call vim_mcp#methods#invalid("this editor's 'encoding' is " . &encoding . ': `' . a:name . '` must come as `'
          \ . a:name . '_file`')
  endif
  return l:lines
endfunction

function! s:from_file(path, name) abort
  try
    let l:lines = readfile(a:path, 'b')
  catch /:E\%(484\|485\):/
    call vim_mcp#methods#invalid('`' . a:name . '_file` cannot be read: ' . a:path)
  endtry
  return &encoding ==# 'utf-8' ? l:lines : map(l:lines, 's:converted(v:val)')
endfunction

function! s:converted(line) abort
  let l:line = iconv(a:line, 'utf-8', &encoding)
  if iconv(l:line, &encoding, 'utf-8') !=# a:line
    call vim_mcp#methods#fail('refused', 'the text holds characters that cannot be represented in this editor, whose '
          \ . "'encoding' is " . &encoding . '; nothing was changed')
  endif
  return l:line
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
