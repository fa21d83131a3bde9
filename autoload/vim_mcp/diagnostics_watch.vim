" Telling the hub which files' diagnostics have changed (docs/protocol.md,
" "diagnostics").

let s:save_cpo = &cpo
set cpo&vim

" Language servers report in bursts; so long they are collected, in ms.
let s:debounce = 100

" The most files that are named at once.
let s:max_files = 500

let s:timer = -1
" The numbers of the buffers concerned, as keys.
let s:changed = {}
" Vim's lists tell only what they hold now, not what has left them.
let s:listed = {}

function! vim_mcp#diagnostics_watch#start() abort
  augroup vim_mcp_diagnostics
    autocmd!
    if exists('##DiagnosticChanged')
      autocmd DiagnosticChanged * let s:changed[expand('<abuf>')] = 1 | call s:arm()
    else
      autocmd QuickFixCmdPost * call s:arm()
      autocmd User ALELintPost call s:arm()
    endif
  augroup END
  if has('nvim')
    call luaeval('require("vim_mcp.servers").start(_A)', 'vim_mcp_diagnostics')
  else
    call vim_mcp#ale#start()
  endif
endfunction

function! vim_mcp#diagnostics_watch#stop() abort
  call vim_mcp#ale#stop()
  call timer_stop(s:timer)
  let [s:timer, s:changed] = [-1, {}]
  if exists('#vim_mcp_diagnostics')
    autocmd! vim_mcp_diagnostics
    augroup! vim_mcp_diagnostics
  endif
endfunction

function! s:arm() abort
  if s:timer == -1
    let s:timer = timer_start(s:debounce, function('s:tell'))
  endif
endfunction

function! s:tell(timer) abort
  let s:timer = -1
  if !exists('##DiagnosticChanged')
    call s:look()
  endif
  let l:files = sort(filter(map(filter(keys(s:changed), 'bufexists(+v:val)'), 'vim_mcp#buffers#name(+v:val)'),
        \ 'v:val =~# "^/" && !vim_mcp#ignore#matches(v:val)'))
  let s:changed = {}
  if !empty(l:files) && vim_mcp#methods#access() !=# 'off'
    call vim_mcp#transport#send({'type': 'diagnostics', 'files': l:files[: s:max_files - 1]})
  endif
endfunction

" What the quickfix and location lists name, or did when this looked last.
function! s:look() abort
  let l:listed = vim_mcp#diagnostics#listed()
  let s:changed = extend(copy(l:listed), s:listed)
  let s:listed = l:listed
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
