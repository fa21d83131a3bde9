" The methods `open_file` and `load_file`: a file that exists, or is open, comes
" before the person's eyes, or into the list of buffers alone.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

" See docs/protocol.md.
function! vim_mcp#open#open_file(params) abort
  let l:start = s:text(a:params, 'start_lines')
  let l:end = s:text(a:params, 'end_lines')
  let l:to_end_of_line = vim_mcp#params#bool(a:params, 'to_end_of_line', 0)
  let l:preview = vim_mcp#params#bool(a:params, 'preview', 0)
  let l:bufnr = s:bring(a:params, {bufnr -> vim_mcp#show#buffer(bufnr, 0, 0)}, l:preview)
  if empty(l:start) && empty(l:end)
    return s:result(l:bufnr, 1, 0)
  endif
  let l:passage = vim_mcp#buffers#ignored(l:bufnr) ? []
        \ : vim_mcp#passage#find(l:bufnr, l:start, l:end, l:to_end_of_line)
  return s:result(l:bufnr, !empty(l:passage), !empty(l:passage) && s:select(l:bufnr, l:passage))
endfunction

" See docs/protocol.md. No window and no cursor moves.
function! vim_mcp#open#load_file(params) abort
  return s:result(s:bring(a:params, function('s:load'), 0), 1, 0)
endfunction

function! s:load(bufnr) abort
  if bufloaded(a:bufnr) && !getbufvar(a:bufnr, '&modified')
    call vim_mcp#disk#refresh(a:bufnr)
  endif
  call vim_mcp#files#load(a:bufnr)
endfunction

" The lines of text to look for, [] where none are given.
function! s:text(params, name) abort
  let l:given = vim_mcp#params#given(a:params, a:name) || vim_mcp#params#given(a:params, a:name . '_file')
  let l:lines = l:given ? vim_mcp#lines#given(a:params, a:name) : []
  return join(l:lines, "\n") ==# '' && len(l:lines) < 2 ? [] : l:lines
endfunction

" Bring the file in by a:Function, which takes its buffer's number, and return
" that; what was begun in vain is undone.
function! s:bring(params, Function, preview) abort
  call vim_mcp#files#require()
  let l:file = vim_mcp#files#checked(vim_mcp#params#string(a:params, 'file'))
  let l:known = vim_mcp#buffers#find(l:file)
  call s:check_exists(l:file, l:known)
  let l:bufnr = l:known < 0 ? bufadd(l:file) : l:known
  let l:unloaded = !bufloaded(l:bufnr)
  let l:new = l:unloaded && !buflisted(l:bufnr)
  let l:done = 0
  try
    if l:unloaded
      call vim_mcp#files#loadable(l:file)
    endif
    call a:Function(l:bufnr)
    let l:done = 1
  finally
    if !l:done && l:unloaded
      call vim_mcp#files#discard(l:bufnr, l:known < 0 ? 'bwipeout' : 'bunload')
    endif
  endtry
  call s:settle(l:bufnr, a:preview, l:new)
  return l:bufnr
endfunction

function! s:check_exists(file, known) abort
  if getftype(resolve(a:file)) ==# '' && !(a:known > 0 && bufloaded(a:known))
    call vim_mcp#methods#fail('not_found', a:file . ' does not exist: it was not opened')
  endif
endfunction

" The buffer is listed; it is a preview if it is to be one and was not there.
function! s:settle(bufnr, preview, new) abort
  call setbufvar(a:bufnr, '&buflisted', 1)
  if !a:preview
    call vim_mcp#preview#keep(a:bufnr)
  elseif a:new
    call vim_mcp#preview#begin(a:bufnr)
  endif
endfunction

" Put the cursor to the passage and, where the person rests in Normal mode, mark
" it in Visual mode. Returns whether that was done.
function! s:select(bufnr, passage) abort
  call vim_mcp#show#buffer(a:bufnr, a:passage[0][0], a:passage[0][1])
  if mode(1) !~# '^nt\=$' || bufnr('%') != a:bufnr
    return 0
  endif
  call vim_mcp#passage#select(a:passage)
  return 1
endfunction

function! s:result(bufnr, found, selected) abort
  let l:buffer = vim_mcp#buffers#info(a:bufnr)
  return {'name': l:buffer.name, 'filetype': l:buffer.filetype, 'line_count': l:buffer.line_count,
        \ 'buffer': a:bufnr, 'found': s:bool[a:found], 'selected': s:bool[a:selected]}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
