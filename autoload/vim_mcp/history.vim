" What clients have done in this editor.

function! vim_mcp#history#record(method, params, answer) abort
endfunction
