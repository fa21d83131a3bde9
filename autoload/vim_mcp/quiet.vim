" Running what might ask the user something about a file: it is answered here.

let s:save_cpo = &cpo
set cpo&vim

let s:swaps = []

" From here on a file with a swap file is opened read-only, and unsaved changes
" are an error rather than a dialog or written to disk. Returns what vim_mcp#quiet#end() needs.
function! vim_mcp#quiet#begin() abort
  let s:swaps = []
  augroup vim_mcp_quiet
    autocmd!
    autocmd SwapExists * let v:swapchoice = 'o' | call add(s:swaps, [expand('<afile>:p'), v:swapname])
  augroup END
  let l:options = [&confirm, &autowrite, &autowriteall]
  noautocmd set noconfirm noautowrite noautowriteall
  return l:options
endfunction

" The end of it, also of what was interrupted.
function! vim_mcp#quiet#end(options) abort
  autocmd! vim_mcp_quiet
  augroup! vim_mcp_quiet
  noautocmd let [&confirm, &autowrite, &autowriteall] = a:options
  for [l:file, l:swap] in s:swaps
    call s:hold(vim_mcp#buffers#find(l:file), l:swap)
  endfor
endfunction

function! s:hold(bufnr, swap) abort
  if bufloaded(a:bufnr)
    call vim_mcp#swap#hold(a:bufnr, a:swap)
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
