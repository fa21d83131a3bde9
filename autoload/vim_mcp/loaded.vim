" Telling scripts of this plugin what has happened: one that nobody has needed yet has nothing to do with it, and is not
" loaded for that.

" Call the function of that name with the other arguments, if its script is loaded.
function! vim_mcp#loaded#tell(function, ...) abort
  if exists('*' . a:function)
    call call(a:function, a:000)
  endif
endfunction
