" The editor's part in running code in a Jupyter kernel: what its user has set, and
" in what environment the kernel is to run. The kernel itself is the hub's.

let s:save_cpo = &cpo
set cpo&vim

let s:permissions = ['ask', 'allow', 'off']

" Whether clients may run code: 'ask', 'allow' or 'off', which a misspelt value is.
function! vim_mcp#kernel#permission() abort
  let l:permission = get(g:, 'vim_mcp_execute_code', 'ask')
  return index(s:permissions, l:permission) < 0 ? 'off' : l:permission
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

let &cpo = s:save_cpo
unlet s:save_cpo
