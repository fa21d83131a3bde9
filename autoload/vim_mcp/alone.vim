" Commands that take no argument: whoever gives them one is told so on one line. Editors' own error for that (E488) asks
" for Enter in a narrow window.

" Whether a command stands alone.
function! vim_mcp#alone#is(argument) abort
  if a:argument !=# ''
    call vim_mcp#notice#error('takes no argument, not "' . a:argument . '"')
  endif
  return a:argument ==# ''
endfunction

" Calls a function with what follows its name, if the command stands alone.
function! vim_mcp#alone#call(argument, name, ...) abort
  if vim_mcp#alone#is(a:argument)
    call call(a:name, a:000)
  endif
endfunction
