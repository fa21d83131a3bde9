" Where the window of a command goes.

let s:save_cpo = &cpo
set cpo&vim

let s:places = ['aboveleft', 'belowright', 'leftabove', 'rightbelow', 'topleft', 'botright', 'vertical', 'horizontal']

" Of the modifiers before a command (<q-mods>) those that say so: `:silent` and `:verbose` do not.
function! vim_mcp#place#mods(mods) abort
  return join(filter(split(a:mods), 'index(s:places, v:val) >= 0 || v:val =~# "^[-+]\\=\\d*tab$"'))
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
