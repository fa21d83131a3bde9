" :VimMCPKernelOutput: what runs in the kernel and what comes of it, in a scratch buffer. Windows whose cursor is on its
" last line follow.

let s:save_cpo = &cpo
set cpo&vim

let s:name = 'vim-mcp://kernel'

" The oldest lines go when there are more.
let s:most = 10000

let s:buffer = -1

" Go to the window, opening it if need be.
function! vim_mcp#kernel_output#open(mods) abort
  if bufwinid(s:buffer) > 0
    call win_gotoid(bufwinid(s:buffer))
  elseif bufexists(s:buffer)
    execute vim_mcp#place#mods(a:mods) 'sbuffer' s:buffer
    call cursor(line('$'), 1)
  else
    call s:new(vim_mcp#place#mods(a:mods))
  endif
  call vim_mcp#kernel_output#watch()
endfunction

function! s:new(mods) abort
  let s:buffer = vim_mcp#scratch#new((a:mods ==# '' ? 'botright' : a:mods) . ' 12new', s:name, 'hide')
  setlocal filetype=vimmcpkernel
  augroup vim_mcp_kernel_output
    autocmd!
    autocmd BufWipeout <buffer> call s:forget()
  augroup END
endfunction

" The buffer goes, and nobody needs to be told any more.
function! s:forget() abort
  let s:buffer = -1
  autocmd! vim_mcp_kernel_output
  if vim_mcp#link#connected()
    call vim_mcp#transport#send({'type': 'kernel', 'do': 'watch', 'on': v:false})
  endif
endfunction

" Have the hub tell what runs, also the next hub.
function! vim_mcp#kernel_output#watch() abort
  if bufexists(s:buffer) && vim_mcp#link#connected()
    call vim_mcp#transport#send({'type': 'kernel', 'do': 'watch', 'on': v:true})
  endif
endfunction

" The hub's message `kernel_output`. While the text is locked (by a mapping that waits for a key) it waits.
function! vim_mcp#kernel_output#take(message) abort
  call add(s:coming, a:message)
  if s:timer < 0
    call s:take_all(0)
  endif
endfunction

let [s:coming, s:timer] = [[], -1]

function! s:take_all(timer) abort
  let s:timer = -1
  while !empty(s:coming)
    try
      call s:take(s:coming[0])
    catch /:E\%(523\|565\):/
      let s:timer = timer_start(100, function('s:take_all'))
      return
    endtry
    call remove(s:coming, 0)
  endwhile
endfunction

function! s:take(message) abort
  let l:kind = get(a:message, 'kind', '')
  let l:lines = map(copy(get(a:message, 'lines', [])), 'strtrans(v:val)')
  if !bufloaded(s:buffer)
    return
  elseif l:kind ==# 'output'
    call s:add(l:lines, get(a:message, 'over') ? 'over' : 'join')
  elseif l:kind ==# 'input'
    call s:add([s:heading(a:message)] + map(l:lines, '"> " . v:val') + [''], 'below')
  elseif l:kind ==# 'started'
    call s:add(['-- ' . strtrans(get(a:message, 'name', '')), ''], 'below')
  elseif l:kind ==# 'ended'
    call s:add(['-- the kernel has ended: ' . strtrans(get(a:message, 'words', '')), ''], 'below')
  elseif l:kind ==# 'done' && get(a:message, 'failed')
    call s:add(['-- failed', ''], 'below')
  endif
endfunction

function! s:heading(message) abort
  let l:client = get(a:message, 'client', '')
  return '-- ' . strftime('%H:%M:%S') . ' ' . strtrans(l:client ==# '' ? 'you' : l:client)
endfunction

" Put lines at the end, the first one behind what stands in the last line ('join'), in its place ('over'), or 'below'
" it. The last line is where the next output goes on.
function! s:add(lines, how) abort
  let l:last = s:last()
  let l:text = getbufline(s:buffer, l:last)[0]
  let l:lines = a:how ==# 'join' ? [l:text . a:lines[0]] + a:lines[1:]
        \ : a:how ==# 'over' || l:text ==# '' ? a:lines : [l:text] + a:lines
  let l:following = filter(win_findbuf(s:buffer), 's:is_at(v:val, l:last)')
  call setbufvar(s:buffer, '&modifiable', 1)
  call setbufline(s:buffer, l:last, l:lines)
  if s:last() > s:most
    silent call deletebufline(s:buffer, 1, s:last() - s:most)
  endif
  call setbufvar(s:buffer, '&modifiable', 0)
  call setbufvar(s:buffer, '&modified', 0)
  for l:window in l:following
    call win_execute(l:window, 'noautocmd call cursor(' . s:last() . ', 1)')
  endfor
  if !empty(l:following) && mode() !=# 'c'
    redraw
  endif
endfunction

function! s:last() abort
  return vim_mcp#text#line_count(s:buffer)
endfunction

function! s:is_at(window, line) abort
  return line('.', a:window) == a:line
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
