" Running what may ask a question when nobody has been told to expect one: the
" question is declined instead of stopping the editor.

let s:period = 20
let s:declined = 0

" Call a:Function without arguments. A question that it asks is answered by `n`,
" and if that does not end it by CTRL-C. Returns how many answers that took.
function! vim_mcp#unattended#call(Function) abort
  let s:declined = 0
  let l:lua = has('nvim')
  let l:timer = l:lua ? 0 : timer_start(s:period, function('s:look'), {'repeat': -1})
  if l:lua
    call v:lua.require'vim_mcp.unattended'.start(s:period)
  endif
  try
    call a:Function()
  finally
    if l:lua
      let s:declined = v:lua.require'vim_mcp.unattended'.stop()
    else
      call timer_stop(l:timer)
    endif
    if s:declined
      redraw
    endif
  endtry
  return s:declined
endfunction

function! s:look(timer) abort
  if mode(1) =~# '^r'
    call feedkeys(s:declined ? "\<C-c>" : 'n', 'L')
    let s:declined += 1
  endif
endfunction
