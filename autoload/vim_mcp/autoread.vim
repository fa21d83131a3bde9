" Loaded buffers follow their files on disk while clients change those.

let s:save_cpo = &cpo
set cpo&vim

" The buffers whose files could not be looked at when that was wanted: number -> 1.
let s:waiting = {}
let s:timer = -1

" How often they are tried again, in ms: nothing tells when a person's command ends.
let s:step = 100

" The method `follow_disk`: see docs/protocol.md.
function! vim_mcp#autoread#follow_disk(params) abort
  let l:files = vim_mcp#params#strings(a:params, 'files', [])
  return s:follow(empty(l:files) ? s:all() : vim_mcp#autoread#holding(l:files))
endfunction

" The hub's message `disk`: the same, and nobody waits for an answer.
function! vim_mcp#autoread#take(message) abort
  try
    call vim_mcp#autoread#follow_disk(a:message)
  catch
    call vim_mcp#notice#unasked('files that have changed were not read again: ' . vim_mcp#methods#message(v:exception))
  endtry
endfunction

" Forget what waits.
function! vim_mcp#autoread#stop() abort
  call timer_stop(s:timer)
  let s:waiting = {}
endfunction

function! s:all() abort
  return filter(map(getbufinfo({'bufloaded': 1}), 'v:val.bufnr'), 'vim_mcp#disk#is_file(v:val)')
endfunction

" The loaded buffers of these files, whatever names they go by.
function! vim_mcp#autoread#holding(files) abort
  let l:wanted = {}
  for l:file in a:files
    let l:wanted[resolve(l:file)] = 1
  endfor
  return filter(s:all(), 'has_key(l:wanted, resolve(vim_mcp#buffers#name(v:val)))')
endfunction

function! s:follow(bufnrs) abort
  let l:result = {'read': [], 'unsaved': [], 'later': []}
  if !vim_mcp#setting('autoread', 1)
    return l:result
  endif
  for l:bufnr in a:bufnrs
    let l:outcome = s:look(l:bufnr)
    if l:outcome !=# ''
      call add(l:result[l:outcome], vim_mcp#buffers#name(l:bufnr))
    endif
  endfor
  call s:tell(l:result.unsaved)
  if !empty(s:waiting) && empty(timer_info(s:timer))
    let s:timer = timer_start(s:step, function('s:again'))
  endif
  return l:result
endfunction

" Look at a buffer's file now or later: 'read' (again), 'unsaved' (there are changes here and there), 'later' or ''.
function! s:look(bufnr) abort
  try
    " While a prompt is shown a command may be half way through the text.
    let l:reason = vim_mcp#methods#waiting_for('no prompt') ==# '' ? vim_mcp#disk#look(a:bufnr) : 'later'
  catch /^vim-mcp:.*"busy"/
    let l:reason = 'later'
  catch
    " An autocommand of the person's has failed: the other files are read all the same.
    call vim_mcp#notice#unasked(vim_mcp#buffers#name(a:bufnr) . ': ' . vim_mcp#methods#message(v:exception))
    let l:reason = ''
  endtry
  if l:reason ==# 'later'
    let s:waiting[a:bufnr] = 1
  endif
  return get({'changed': 'read', 'mode': 'read', 'conflict': 'unsaved', 'later': 'later'}, l:reason, '')
endfunction

function! s:again(timer) abort
  let l:bufnrs = filter(map(keys(s:waiting), 'str2nr(v:val)'), 'bufloaded(v:val) && vim_mcp#disk#is_file(v:val)')
  let s:waiting = {}
  call s:follow(l:bufnrs)
endfunction

function! s:tell(names) abort
  if empty(a:names)
    return
  endif
  let l:files = join(map(copy(a:names), 'fnamemodify(v:val, ":~:.")'), ', ')
  call vim_mcp#notice#unasked('changed on disk, unsaved here, kept (:e! reads it): ' . l:files)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
