" The editor's part in running code in a Jupyter kernel: what its user has set, in
" what environment the kernel is to run, and what its user does with it. The kernel
" itself is the hub's.

let s:save_cpo = &cpo
set cpo&vim

" Whether clients may run code: 'ask', 'allow' or 'off', which a misspelt value is.
function! vim_mcp#kernel#permission() abort
  return vim_mcp#choices#allowed('execute_code')
endfunction

" The method `get_environment`.
function! vim_mcp#kernel#get_environment(params) abort
  let l:answer = {'permission': vim_mcp#kernel#permission(), 'kernel': vim_mcp#setting('kernel', ''),
        \ 'timeout': max([1, vim_mcp#setting('execute_code_timeout', 120)]),
        \ 'folder': get(vim_mcp#identity#folders(), 0, getcwd())}
  if vim_mcp#params#bool(a:params, 'variables', 0)
    let l:answer.variables = s:variables()
  endif
  return l:answer
endfunction

" This editor's environment, as direnv, an activated virtual environment and
" `:let $NAME` have made it; without what is no text in JSON.
function! s:variables() abort
  return exists('*environ') ? filter(environ(), 's:is_text(v:val)') : {}
endfunction

" Only characters that UTF-8 can have: another byte stands for itself, in one byte.
function! s:is_text(value) abort
  return a:value !~# '[^\x01-\x7f]' || &encoding ==# 'utf-8'
        \ && empty(filter(split(a:value, '\zs'), 'strlen(v:val) == 1 && char2nr(v:val) > 127'))
endfunction

" :VimMCPKernel {status|restart|interrupt|shutdown|attach FILE}
function! vim_mcp#kernel#command(arguments) abort
  let [l:do, l:file] = matchlist(a:arguments, '^\s*\(\S*\)\s*\(.\{-}\)\s*$')[1:2]
  let l:do = l:do ==# '' ? 'status' : l:do
  if index(s:doings, l:do) < 0
    call vim_mcp#notice#error(':VimMCPKernel takes ' . join(s:doings, ', ') . ', not "' . l:do . '"')
  elseif (l:do ==# 'attach') != (l:file !=# '')
    call vim_mcp#notice#error(l:do ==# 'attach' ? ':VimMCPKernel attach needs the connection file of a kernel'
          \ : ':VimMCPKernel ' . l:do . ' takes nothing more')
  elseif vim_mcp#kernel#reachable()
    call vim_mcp#kernel#send(l:file ==# '' ? {'do': l:do} : {'do': l:do, 'file': s:path(l:file)}, {_ -> 0})
  endif
endfunction

let s:doings = ['status', 'restart', 'interrupt', 'shutdown', 'attach']

function! s:path(file) abort
  return fnamemodify(expand(a:file) ==# '' ? a:file : expand(a:file), ':p')
endfunction

" Completion of :VimMCPKernel.
function! vim_mcp#kernel#complete(lead, line, position) abort
  return a:line =~# '\<attach\s' ? join(getcompletion(a:lead, 'file'), "\n") : join(s:doings, "\n")
endfunction

" What is to be sent once this editor is connected, and how long that waits, in ms.
let s:unsent = []
let s:patience = 10000

" Whether the hub can be asked something, now or soon; if not, the user is told.
function! vim_mcp#kernel#reachable() abort
  let l:coming = vim_mcp#link#coming()
  if !l:coming
    call vim_mcp#notice#error('not connected, so there is no kernel (:VimMCPReconnect)')
  endif
  return l:coming
endfunction

" Ask the hub something about the kernel, once this editor is connected. a:Done hears whether it was asked.
function! vim_mcp#kernel#send(message, Done) abort
  call add(s:unsent, [a:message, a:Done])
  if vim_mcp#link#connected()
    call vim_mcp#kernel#resume()
  else
    call vim_mcp#notice#echo('connecting; it is done then')
    call timer_start(s:patience, function('s:give_up', [s:unsent[-1]]))
  endif
endfunction

" This editor is connected.
function! vim_mcp#kernel#resume() abort
  let [l:unsent, s:unsent] = [s:unsent, []]
  for [l:message, l:Done] in l:unsent
    call vim_mcp#transport#send(extend({'type': 'kernel'}, l:message))
    call l:Done(1)
  endfor
endfunction

function! s:give_up(unsent, timer) abort
  let l:place = index(map(copy(s:unsent), 'v:val is a:unsent'), 1)
  if l:place >= 0
    call remove(s:unsent, l:place)
    call a:unsent[1](0)
    call vim_mcp#notice#unasked('not connected in time, so nothing was run (:VimMCPStatus)')
  endif
endfunction

" The hub's message `kernel`: what has come of it, which is told when the user is
" at rest.
function! vim_mcp#kernel#take(message) abort
  call vim_mcp#notice#unasked(get(a:message, 'words', ''))
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
