" What a session file that was made during a review brings back of it: empty windows that nobody waits for.

let s:save_cpo = &cpo
set cpo&vim

" Clear away what sessions bring back, the one that has been loaded and those that will be.
function! vim_mcp#diff_session#watch() abort
  augroup vim_mcp_session
    autocmd!
    " It comes for each buffer, in a window of its own if need be, where nothing can be closed.
    autocmd SessionLoadPost * call timer_start(0, function('s:clear'))
  augroup END
  if v:this_session !=# ''
    call s:clear(0)
  endif
endfunction

function! s:clear(timer) abort
  for buffer in filter(getbufinfo(), {_, buffer -> vim_mcp#diff_buffers#is_named(buffer.name)})
    if empty(vim_mcp#diff#of(buffer.bufnr))
      execute 'silent! bwipeout!' buffer.bufnr
    endif
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
