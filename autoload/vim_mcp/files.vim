" Files and the buffers that hold them: which names are taken, and loading a
" buffer that nobody sees.

let s:save_cpo = &cpo
set cpo&vim

" The longest name that the system takes.
let s:max_name = 4095

" The name of an ordinary file, simplified: throws where a:path is not a full
" name, or names something that is no file or may start a program.
function! vim_mcp#files#checked(path) abort
  if a:path !~# '^/'
    call s:refuse(a:path, a:path =~# '^\a[[:alnum:]+.-]*:' ? 'is not the name of a file but an address'
          \ : 'is not a full path (it must begin with /)')
  elseif a:path =~# '\n'
    call s:refuse(a:path, 'holds a line break or a NUL')
  elseif a:path =~# '/\a[[:alnum:]+.-]*:\%([/:]\|$\)'
    call s:refuse(a:path, 'holds an address, for which plugins may start programs')
  elseif strlen(a:path) > s:max_name
    call s:refuse(strpart(a:path, 0, 60) . '...', 'is longer than ' . s:max_name . ' bytes')
  endif
  let l:path = simplify(a:path)
  call s:check_kind(l:path)
  return l:path
endfunction

function! s:check_kind(path) abort
  let l:target = resolve(a:path)
  let l:kind = getftype(l:target)
  if l:kind ==# 'dir' || a:path =~# '/$'
    call s:refuse(a:path, 'is a directory')
  elseif l:kind !=# '' && l:kind !=# 'file' || l:target =~# '^/proc/'
    call s:refuse(a:path, 'is not an ordinary file (' . (l:kind ==# 'file' || l:kind ==# '' ? 'proc' : l:kind) . ')')
  elseif l:kind ==# 'file' && !filereadable(l:target)
    call s:refuse(a:path, 'cannot be read (permission denied)')
  endif
endfunction

function! s:refuse(path, reason) abort
  call vim_mcp#methods#fail('refused', a:path . ' ' . a:reason)
endfunction

" Load a buffer without showing it, as far as it is not loaded.
function! vim_mcp#files#load(bufnr) abort
  if bufloaded(a:bufnr)
    return
  endif
  let l:shortmess = &shortmess
  set shortmess+=A
  try
    silent call bufload(a:bufnr)
  finally
    let &shortmess = l:shortmess
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
