" Windows on what is to be read only and has no file.

let s:save_cpo = &cpo
set cpo&vim

" Split a window by a:command, such as 'botright 12new', for a buffer called a:name that `q` closes and that is wiped or
" stays hidden then, as a:hidden says ('bufhidden'). It is the current one. Returns the buffer's number.
function! vim_mcp#scratch#new(command, name, hidden) abort
  execute 'noautocmd' a:command
  setlocal buftype=nofile nobuflisted noswapfile noundofile nospell nomodeline nomodifiable
  let &l:bufhidden = a:hidden
  " A session that was loaded may have left a buffer of that name.
  execute 'silent noautocmd file' fnameescape(bufexists(a:name) ? a:name . ' ' . bufnr('%') : a:name)
  call vim_mcp#scratch#map('q', 'call vim_mcp#scratch#close()')
  return bufnr('%')
endfunction

" The key `q`: close the window; the last one shows another buffer instead.
function! vim_mcp#scratch#close() abort
  if winlayout()[0] ==# 'leaf' && tabpagenr('$') == 1
    execute buflisted(bufnr('#')) ? 'buffer #' : 'enew'
  else
    close
  endif
endfunction

" Have a key do a:command in the current buffer.
function! vim_mcp#scratch#map(key, command) abort
  " The notation <C-U> has a meaning only where 'cpoptions' lets it.
  let cpo = &cpo
  set cpo&vim
  execute 'nnoremap <buffer> <silent> <nowait>' a:key ':<C-U>' . a:command . '<CR>'
  let &cpo = cpo
endfunction

" Go to the window on a:buffer, in whatever tab page it is; whether there is one.
function! vim_mcp#scratch#go(buffer) abort
  let windows = bufexists(a:buffer) ? win_findbuf(a:buffer) : []
  return !empty(windows) && win_gotoid(bufwinid(a:buffer) > 0 ? bufwinid(a:buffer) : windows[0])
endfunction

" Replace its text.
function! vim_mcp#scratch#fill(buffer, lines) abort
  call setbufvar(a:buffer, '&modifiable', 1)
  call setbufline(a:buffer, 1, a:lines)
  silent call deletebufline(a:buffer, len(a:lines) + 1, '$')
  call setbufvar(a:buffer, '&modifiable', 0)
  call setbufvar(a:buffer, '&modified', 0)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
