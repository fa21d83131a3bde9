" The text of a file that a buffer stands for but has not loaded: read into a
" buffer that is gone afterwards, so that the file's own stays as it is.

let s:save_cpo = &cpo
set cpo&vim

" The largest file that is read, in bytes.
let s:max_size = 10485760

" Call a:Function without arguments while the text of the file a:name is
" current. Returns whether it could be read; a file that does not exist has no
" text, and that is no failure.
function! vim_mcp#unloaded#call(name, Function) abort
  if a:name ==# '' || getftype(a:name) ==# ''
    return 1
  elseif !s:is_readable(a:name)
    return 0
  endif
  noautocmd let l:bufnr = bufadd('')
  let l:done = []
  try
    call s:prepare(l:bufnr)
    call vim_mcp#within#buffer(l:bufnr, function('s:read', [a:name, a:Function, l:done]))
  finally
    call s:wipe(l:bufnr, 0)
  endtry
  return !empty(l:done)
endfunction

function! s:is_readable(name) abort
  try
    call vim_mcp#files#loadable(a:name)
    return getfsize(a:name) <= s:max_size
  catch /^vim-mcp:/
    return 0
  endtry
endfunction

function! s:prepare(bufnr) abort
  for [l:option, l:value] in items({'buftype': 'nofile', 'swapfile': 0, 'undolevels': -1, 'modifiable': 1})
    noautocmd call setbufvar(a:bufnr, '&' . l:option, l:value)
  endfor
  noautocmd silent call bufload(a:bufnr)
endfunction

function! s:read(name, Function, done) abort
  execute 'silent noautocmd keepalt keepjumps 0read ++edit' fnameescape(a:name)
  silent noautocmd keepjumps $delete _
  call a:Function()
  call add(a:done, a:name)
endfunction

" In the command-line window no buffer can be wiped out: it is when it is closed.
function! s:wipe(bufnr, timer) abort
  try
    execute 'silent noautocmd bwipeout!' a:bufnr
  catch /:E\%(11\|523\|565\|788\):/
    call timer_start(1000, function('s:wipe', [a:bufnr]))
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
