" Working beside the terminal that the person types into, as they do in a terminal of Claude Code's: what is asked for
" is meant for the window that they were in before, and their typing stays where it is.

let s:save_cpo = &cpo
set cpo&vim

let s:running = 0

" Call the function named a:run with a:params in that window, and return its result. Throws `busy` where there is none.
function! vim_mcp#beside#call(run, params) abort
  let l:windows = filter([win_getid(winnr('#'))] + map(range(1, winnr('$')), 'win_getid(v:val)'),
        \ 'v:val > 0 && vim_mcp#show#is_ordinary(v:val)')
  if empty(l:windows)
    call vim_mcp#methods#busy('terminal mode')
  endif
  let s:running = 1
  try
    call win_execute(l:windows[0], 'let l:result = call(a:run, [a:params])')
  finally
    let s:running = 0
    redraw
  endtry
  return l:result
endfunction

" Whether what runs now was called by it.
function! vim_mcp#beside#is_running() abort
  return s:running
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
