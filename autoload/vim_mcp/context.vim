" What stands at the cursor: the lines around it, and what is selected.

let s:save_cpo = &cpo
set cpo&vim

" Lines before and after the cursor's, and of a selection, at most.
let s:around = 3
let s:max_selected = 200

" The most text of a selection that is given, in bytes.
let s:max_bytes = 10485760

" The section `context` of `get_state`: see docs/protocol.md.
function! vim_mcp#context#context() abort
  if vim_mcp#buffers#ignored(bufnr('%'))
    return v:null
  endif
  let l:line = line('.')
  return {'line_text': getline(l:line), 'before': getline(max([1, l:line - s:around]), l:line - 1),
        \ 'after': getline(l:line + 1, l:line + s:around), 'selection': s:selection()}
endfunction

" What is marked now, or null.
function! s:selection() abort
  let l:area = vim_mcp#visual#area()
  return empty(l:area) ? v:null : {'mode': l:area.mode, 'start': l:area.start, 'end': l:area.end,
        \ 'text': vim_mcp#visual#text(l:area, s:max_selected, s:max_bytes)}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
