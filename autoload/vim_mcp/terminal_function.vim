" Claude Code wherever a function of the user's puts it: g:vim_mcp_terminal_provider names it. It is called with one
" dictionary, whose `action` says what is wished for, and `session` which one by its number.

let s:save_cpo = &cpo
set cpo&vim

" Why it cannot be called, or ''.
function! vim_mcp#terminal_function#obstacle() abort
  let l:Function = s:function()
  return type(l:Function) == v:t_func || exists('*' . l:Function) ? ''
        \ : printf('g:vim_mcp_terminal_provider: no function "%s"', l:Function)
endfunction

" A function that the user's script has yet to load is there when it is called.
function! s:function() abort
  let l:Setting = get(g:, 'vim_mcp_terminal_provider')
  if type(l:Setting) == v:t_string && l:Setting =~# '#' && !exists('*' . l:Setting)
    execute 'silent! runtime autoload/' . substitute(substitute(l:Setting, '#[^#]*$', '', ''), '#', '/', 'g') . '.vim'
  endif
  return type(l:Setting) == v:t_func || type(l:Setting) == v:t_string ? l:Setting : string(l:Setting)
endfunction

" A session is of the function that has opened it, whatever the setting says by now. What that throws is told in a line.
function! s:wish(session, action, more) abort
  try
    return call(a:session.function, [extend({'action': a:action, 'session': a:session.number}, a:more)])
  catch
    call vim_mcp#notice#error(printf('your function, asked to "%s": %s', a:action, v:exception))
  endtry
  return 0
endfunction

" Run `argv` in the directory `cwd`, with `env` added to the environment, and show it; `mods` are those of the command.
function! vim_mcp#terminal_function#open(session, mods, argv, environment) abort
  let l:env = extend(vim_mcp#environment#variables(), a:environment)
  let a:session.function = s:function()
  call s:wish(a:session, 'open', {'argv': a:argv, 'env': l:env, 'cwd': a:session.cwd, 'mods': a:mods})
  let a:session.open = 1
endfunction

" It answers whether the program runs.
function! vim_mcp#terminal_function#running(session) abort
  return get(a:session, 'open') && !empty(s:wish(a:session, 'running', {}))
endfunction

" It answers whether the program is in sight.
function! vim_mcp#terminal_function#visible(session) abort
  return !empty(s:wish(a:session, 'visible', {}))
endfunction

" It answers whether the user is there.
function! vim_mcp#terminal_function#focused(session) abort
  return !empty(s:wish(a:session, 'focused', {}))
endfunction

" Show it, and go there.
function! vim_mcp#terminal_function#show(session, mods) abort
  call s:wish(a:session, 'show', {'mods': a:mods})
endfunction

" Hide it; the program runs on.
function! vim_mcp#terminal_function#hide(session) abort
  call s:wish(a:session, 'hide', {})
endfunction

" The same.
function! vim_mcp#terminal_function#seen(session) abort
  return vim_mcp#terminal_function#visible(a:session)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
