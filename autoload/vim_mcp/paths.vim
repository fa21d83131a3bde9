" Where the hub's files are: the same rule as the hub's own, which follows from the user's id alone.

let s:uid = ''

" The socket that the user has named, or ''.
function! vim_mcp#paths#named_socket() abort
  let path = vim_mcp#setting('socket_path', '')
  return path ==# '' ? vim_mcp#paths#home($VIM_MCP_SOCKET) : fnamemodify(path, ':p')
endfunction

" `path` with a leading ~ as the home directory.
function! vim_mcp#paths#home(path) abort
  return a:path =~# '^\~/' ? $HOME . a:path[1:] : a:path
endfunction

" Calls `Done(paths)` with the sockets at which a hub may listen, best first.
function! vim_mcp#paths#sockets(Done) abort
  if vim_mcp#paths#named_socket() !=# ''
    call a:Done([vim_mcp#paths#named_socket()])
  else
    call vim_mcp#paths#directories({found -> a:Done(map(found, 'v:val . "/vim-mcp-server.sock"'))})
  endif
endfunction

" Calls `Done(directories)` with the runtime directories that exist and are the user's own, best first.
function! vim_mcp#paths#directories(Done) abort
  if $VIM_MCP_RUNTIME_DIR !=# ''
    call a:Done([substitute(vim_mcp#paths#home($VIM_MCP_RUNTIME_DIR), '/\+$', '', '')])
  else
    call s:with_uid({uid -> s:own(['/run/user/' . uid . '/vim-mcp', '/tmp/vim-mcp-' . uid], uid, [], a:Done)})
  endif
endfunction

function! s:with_uid(Done) abort
  if s:uid ==# ''
    let s:uid = has('nvim') ? string(luaeval('(vim.uv or vim.loop).getuid()')) : s:proc_uid()
  endif
  if s:uid !=# ''
    call a:Done(s:uid)
  else
    call vim_mcp#job#run(['id', '-u'], {code, lines -> s:told_uid(get(lines, 0, ''), a:Done)})
  endif
endfunction

function! s:proc_uid() abort
  let status = filereadable('/proc/self/status') ? readfile('/proc/self/status', '', 40) : []
  return matchstr(get(filter(status, 'v:val =~# "^Uid:"'), 0, ''), '\d\+')
endfunction

function! s:told_uid(uid, Done) abort
  let s:uid = a:uid
  call a:Done(s:uid)
endfunction

" Keeps those of `candidates` that belong to `uid` and to nobody else, then calls `Done`. Anyone may create a
" directory in /tmp, and whoever owns the socket drives the editor.
function! s:own(candidates, uid, kept, Done) abort
  if empty(a:candidates)
    call a:Done(a:kept)
    return
  endif
  let [path, rest] = [a:candidates[0], a:candidates[1:]]
  if getftype(path) !=# 'dir' || getfperm(path) !=# 'rwx------' || filewritable(path) != 2
    call s:own(rest, a:uid, a:kept, a:Done)
  elseif a:uid !=# '0'
    " A private directory that we may write to is ours.
    call s:own(rest, a:uid, a:kept + [path], a:Done)
  else
    " The superuser may write anywhere, so only the owner tells, and Vim has no function for it.
    let Go_on = {code, lines -> s:own(rest, a:uid, a:kept + (code ? [] : [path]), a:Done)}
    call vim_mcp#job#run(['test', '-O', path], Go_on)
  endif
endfunction
