" Windows on what is to be read only and has no file.

let s:save_cpo = &cpo
set cpo&vim

" Split a window by a:command, such as 'botright 12new', for a buffer called a:name that `q` closes and that is wiped or
" stays hidden then, as a:hidden says ('bufhidden'). It is the current one. Returns the buffer's number.
function! vim_mcp#scratch#new(command, name, hidden) abort
  execute 'noautocmd' a:command
  setlocal buftype=nofile nobuflisted noswapfile noundofile nospell nomodeline nomodifiable
  let &l:bufhidden = a:hidden
  execute 'silent noautocmd file' fnameescape(a:name)
  nnoremap <buffer> <silent> <nowait> q :<C-U>close<CR>
  return bufnr('%')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
