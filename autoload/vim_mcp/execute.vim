" The method `execute`: an Ex command, its output and its error.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

" The most output that is given, in bytes.
let s:max_output = 262144

" How long a command may run, in ms: the default and the most.
let s:timeout = 4000
let s:max_timeout = 600000

" See docs/protocol.md.
function! vim_mcp#execute#execute(params) abort
  let l:command = vim_mcp#params#string(a:params, 'command')
  let l:timeout = min([max([vim_mcp#params#number(a:params, 'timeout', s:timeout), 1]), s:max_timeout])
  call s:check_policy(l:command, a:params)
  let l:output = vim_mcp#sandbox#call(function('s:run', [l:command]), s:shown(l:command), l:timeout)
  let l:output = substitute(l:output, '^\n', '', '')
  return {'output': s:cut(l:output), 'truncated': s:bool[strlen(l:output) > s:max_output],
        \ 'position': vim_mcp#buffers#position(), 'mode': mode(1)}
endfunction

function! s:check_policy(command, params) abort
  let l:policy = string(get(g:, 'vim_mcp_execute', 'safe'))
  if l:policy ==# "'all'" || l:policy ==# "'safe'" && vim_mcp#params#bool(a:params, 'safe', 0)
    return
  elseif l:policy ==# "'safe'"
    call s:refuse(a:command, s:with_way_out(vim_mcp#params#string(a:params, 'reason', 'it is not known to be harmless')))
  endif
  call s:refuse(a:command, (l:policy ==# "'off'" ? "g:vim_mcp_execute is 'off'"
        \ : "g:vim_mcp_execute is neither 'safe', 'all' nor 'off' and so counts as 'off'")
        \ . "; the user can allow commands with :let g:vim_mcp_execute = 'safe' (or 'all')")
endfunction

" The hub's reasons say by themselves what the user can do.
function! s:with_way_out(reason) abort
  return a:reason =~# 'g:vim_mcp_execute' ? a:reason
        \ : a:reason . "; the user can allow every command with :let g:vim_mcp_execute = 'all'"
endfunction

function! s:refuse(command, reason) abort
  call vim_mcp#methods#fail('refused', '`' . s:shown(a:command) . '` was not executed: ' . a:reason)
endfunction

function! s:shown(command) abort
  return strchars(a:command) > 120 ? strcharpart(a:command, 0, 100) . '...' : a:command
endfunction

function! s:run(command) abort
  let l:shell_command = matchstr(a:command, '^\%(\s\|:\)*\%(sil\%[ent]!\=\s\+\)*!\zs.*')
  return l:shell_command ==# '' ? execute(a:command, 'silent') : s:shell(l:shell_command)
endfunction

" What `:!` would do, but in the terminal that the user looks at, whose keys it
" would read.
function! s:shell(command) abort
  let l:output = system(expandcmd(substitute(a:command, '\\!', '!', 'g')))
  return v:shell_error == 0 ? l:output : l:output . "\nshell returned " . v:shell_error . "\n"
endfunction

" The output up to the limit, cut between characters.
function! s:cut(output) abort
  if strlen(a:output) <= s:max_output
    return a:output
  endif
  let l:part = strpart(a:output, 0, s:max_output)
  return &encoding ==# 'utf-8' ? strcharpart(l:part, 0, strchars(l:part) - 1) : l:part
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
