" Files and the buffers that hold them: which names are taken, and loading a
" buffer that nobody sees.

let s:save_cpo = &cpo
set cpo&vim

" The longest name that the system takes.
let s:max_name = 4095

" The largest file that is loaded unseen, in bytes.
let s:max_size = 52428800

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

" Load a buffer without showing it, as far as it is not loaded. A file that
" another editor is working on becomes read-only (see swap.vim). Vim would tell of
" a window that there is not, at which its own matchparen fails.
function! vim_mcp#files#load(bufnr) abort
  if bufloaded(a:bufnr)
    return
  endif
  call vim_mcp#files#require()
  call vim_mcp#files#loadable(vim_mcp#buffers#name(a:bufnr))
  let l:options = [&shortmess, &eventignore]
  set shortmess+=A eventignore+=BufWinEnter
  try
    silent call bufload(a:bufnr)
  finally
    let [&shortmess, &eventignore] = l:options
  endtry
  call vim_mcp#swap#hold(a:bufnr, '')
  call s:finish_later(a:bufnr)
endfunction

" Throw in a Vim that cannot load or change a buffer unseen (before 8.1.1586).
function! vim_mcp#files#require() abort
  if !exists('*bufload')
    call vim_mcp#methods#fail('refused', 'this editor (Vim ' . v:version / 100 . '.' . v:version % 100
          \ . ') is too old: files are opened and edited in Vim 8.2 and later')
  endif
endfunction

" Throw when loading a file would start a program, ask for a key or take long.
function! vim_mcp#files#loadable(name) abort
  if a:name ==# ''
    return
  endif
  let l:name = vim_mcp#files#checked(a:name)
  if getfsize(l:name) > s:max_size
    call vim_mcp#methods#fail('limit', l:name . ' is larger than ' . s:max_size . ' bytes', {'bytes': getfsize(l:name)})
  elseif !has('nvim') && filereadable(l:name) && get(readfile(l:name, 'b', 1), 0, '') =~# '^VimCrypt\~'
    call vim_mcp#methods#fail('refused', l:name . ' is encrypted: its user has to open it and type the key')
  endif
endfunction

" What 'filetype' and modelines set for a window had no window yet: it is done
" again when the buffer is first shown.
function! s:finish_later(bufnr) abort
  augroup vim_mcp_files
    execute 'autocmd! BufWinEnter <buffer=' . a:bufnr . '>'
    execute 'autocmd BufWinEnter <buffer=' . a:bufnr . '> nested call s:finish(' . a:bufnr . ')'
  augroup END
endfunction

" `:doautocmd` reads the modelines when it has found something to do.
function! s:finish(bufnr) abort
  execute 'autocmd! vim_mcp_files * <buffer=' . a:bufnr . '>'
  if &filetype !=# ''
    let &l:filetype = &filetype
  endif
  execute 'autocmd vim_mcp_files User <buffer=' . a:bufnr . '> :'
  doautocmd vim_mcp_files User
  execute 'autocmd! vim_mcp_files * <buffer=' . a:bufnr . '>'
endfunction

" Close a buffer that was opened in vain; a:command is `bwipeout` or `bunload`.
function! vim_mcp#files#discard(bufnr, command) abort
  if bufexists(a:bufnr) && empty(win_findbuf(a:bufnr)) && !getbufvar(a:bufnr, '&modified')
    execute 'silent! noautocmd' a:command a:bufnr
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
