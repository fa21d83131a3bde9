" Whether something has only just come up: what the person types in that moment is meant for what they saw before.

let s:save_cpo = &cpo
set cpo&vim

" How soon after it that is so, in ms.
let s:calm = 700

" Whether a:since, a reltime() or [] for never, is so short a time ago.
function! vim_mcp#calm#is_new(since) abort
  return !empty(a:since) && 1000 * reltimefloat(reltime(a:since)) < vim_mcp#setting('ask_calm', s:calm)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
