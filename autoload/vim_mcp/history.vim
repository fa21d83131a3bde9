" What clients have done in this editor.

function! vim_mcp#history#record(method, params, answer) abort
endfunction

function! vim_mcp#history#before(bufnr, hunks) abort
  return {}
endfunction

function! vim_mcp#history#note(note) abort
endfunction
