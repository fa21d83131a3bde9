" Whether a command runs below :global, which has it run for each line that matches.

let s:save_cpo = &cpo
set cpo&vim

" Of a command without lines :global means its line, which looks like none: <range> is 0. No variable tells of it. But
" :global takes no lines below another :global, and says so before it does anything. Where its lines are all that there
" are, it looks, and does not say there that it finds nothing. (The pattern never matches, and is tried at the line's
" beginning alone.)
function! vim_mcp#global#runs() abort
  try
    return execute('keepjumps keeppatterns .global/^\%$\_.\%^/', 'silent') ==# ''
  catch /^Vim/
    return v:exception =~# ':E147:'
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
