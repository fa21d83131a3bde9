" Swap files: what another editor is working on is not changed here.

let s:save_cpo = &cpo
set cpo&vim

" Throw `swap` when the file of a loaded buffer belongs to another editor.
function! vim_mcp#swap#refuse(bufnr) abort
  let l:swap = vim_mcp#swap#state(a:bufnr)
  if !empty(l:swap)
    call vim_mcp#methods#fail('swap', l:swap.message . '; nothing was changed', l:swap)
  endif
endfunction

" {'pid', 'swap', 'message'} when the buffer is read-only here because of a swap
" file that another editor holds or has left (pid 0), else {}.
function! vim_mcp#swap#state(bufnr) abort
  let l:swap = getbufvar(a:bufnr, 'vim_mcp_swap', '')
  if l:swap ==# ''
    return {}
  elseif getftype(l:swap) ==# ''
    call s:release(a:bufnr)
    return {}
  endif
  return s:described(l:swap, vim_mcp#buffers#name(a:bufnr))
endfunction

" To be called when a buffer has just been loaded past a:swap ('': the swap file
" that stands where this buffer's would, if any): nobody is to write here.
function! vim_mcp#swap#hold(bufnr, swap) abort
  let l:swap = a:swap ==# '' ? s:other(swapname(a:bufnr), vim_mcp#buffers#name(a:bufnr)) : a:swap
  if l:swap !=# ''
    call setbufvar(a:bufnr, 'vim_mcp_swap', fnamemodify(l:swap, ':p'))
    call setbufvar(a:bufnr, '&readonly', 1)
  endif
endfunction

" The other editor has left: its swap file was the only reason not to write.
function! s:release(bufnr) abort
  call setbufvar(a:bufnr, 'vim_mcp_swap', '')
  call setbufvar(a:bufnr, '&readonly', 0)
endfunction

" A second swap file of one file ends in .swo, so there is one that ends in .swp;
" but it may be one of another file with the same last part.
function! s:other(own, file) abort
  let l:first = substitute(a:own, '\.s\zs[a-z]\{2}$', 'wp', '')
  if l:first ==# a:own || getftype(l:first) ==# ''
    return ''
  endif
  let l:named = get(exists('*swapinfo') ? swapinfo(l:first) : {}, 'fname', a:file)
  return resolve(substitute(l:named, '^\~[^/]*', escape($HOME, '\&~'), '')) ==# resolve(a:file) ? l:first : ''
endfunction

function! s:described(swap, file) abort
  let l:info = exists('*swapinfo') ? swapinfo(a:swap) : {}
  let l:pid = s:lives(l:info) ? l:info.pid : 0
  let l:message = l:pid > 0 ? a:file . ' is being edited by another editor (process ' . l:pid . ')'
        \ : a:file . ' has a swap file of an editor that crashed (' . a:swap . '): its user must recover it (:recover) '
        \ . 'or delete it'
  return {'pid': l:pid, 'swap': a:swap, 'message': l:message}
endfunction

" An editor on another machine is taken to live.
function! s:lives(info) abort
  let l:pid = get(a:info, 'pid', 0)
  return l:pid > 0 && (get(a:info, 'host', '') !=# strpart(hostname(), 0, 39) || !isdirectory('/proc/self')
        \ || isdirectory('/proc/' . l:pid))
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
