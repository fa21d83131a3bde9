" Claude Code in a window of another terminal program, which g:vim_mcp_terminal_command opens. Only its user can move
" it.

let s:save_cpo = &cpo
set cpo&vim

" Why none can be opened, or ''.
function! vim_mcp#terminal_external#obstacle() abort
  let l:command = s:command()
  if empty(l:command)
    return 'set g:vim_mcp_terminal_command, as to "kitty"'
  endif
  return executable(l:command[0]) ? '' : printf('cannot run "%s": g:vim_mcp_terminal_command', l:command[0])
endfunction

function! s:command() abort
  return vim_mcp#hub#words(get(g:, 'vim_mcp_terminal_command', []))
endfunction

" Run the command with a:argv behind it. It has this editor's environment, and ends with the editor.
function! vim_mcp#terminal_external#open(session, mods, argv, environment) abort
  let l:argv = s:command() + a:argv
  let l:set = {'env': a:environment}
  let a:session.job = has('nvim') ? jobstart(l:argv, l:set)
        \ : job_start(l:argv, extend(l:set, {'in_io': 'null', 'out_io': 'null', 'err_io': 'null',
        \ 'stoponexit': 'term'}))
endfunction

" Whether the command runs.
function! vim_mcp#terminal_external#running(session) abort
  let l:Job = get(a:session, 'job', 0)
  return has('nvim') ? l:Job > 0 && jobwait([l:Job], 0)[0] == -1 : type(l:Job) == v:t_job && job_status(l:Job) ==# 'run'
endfunction

" It is not hidden from here.
function! vim_mcp#terminal_external#visible(session) abort
  return 0
endfunction

" The user who types here is not there.
function! vim_mcp#terminal_external#focused(session) abort
  return 0
endfunction

" Only its user can go there.
function! vim_mcp#terminal_external#show(session, mods) abort
  call vim_mcp#notice#echo('Claude Code runs in a window of its own')
endfunction

" Nothing: it cannot be hidden from here.
function! vim_mcp#terminal_external#hide(session) abort
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
