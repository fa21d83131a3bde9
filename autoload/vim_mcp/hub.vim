" Starting the hub when nobody has yet.

let s:root = resolve(expand('<sfile>:p:h:h:h'))

" Where the plugin's own virtual environment has the command: below a clone, or above the package that carries the
" plugin's files (lib/python3.x/site-packages/vim_mcp/runtime).
let s:own = [s:root . '/.venv/bin/vim-mcp', fnamemodify(s:root, ':h:h:h:h:h') . '/bin/vim-mcp']

" What `vim-mcp install` leaves beside the files that it has copied.
let s:marker = s:root . '/vim-mcp-install.json'

" The command that runs vim-mcp, as a list: g:vim_mcp_command, else `vim-mcp` on PATH, else the plugin's own. Empty when
" there is none.
function! vim_mcp#hub#command() abort
  let setting = get(g:, 'vim_mcp_command', '')
  if !empty(setting)
    return vim_mcp#hub#words(setting)
  endif
  let places = ['vim-mcp'] + s:own + s:installers() + [vim_mcp#hub#environment() . '/bin/vim-mcp']
  return filter(places, 's:runs(v:val)')[:0]
endfunction

" The directory of the virtual environment that :VimMCPInstall makes; Vim and Neovim share it.
function! vim_mcp#hub#environment() abort
  return ($XDG_DATA_HOME =~# '^/' ? $XDG_DATA_HOME : $HOME . '/.local/share') . '/vim-mcp/venv'
endfunction

function! s:installers() abort
  if !filereadable(s:marker)
    return []
  endif
  try
    return json_decode(join(readfile(s:marker))).command[:0]
  catch
    return []
  endtry
endfunction

" An environment whose Python has been taken away still has its scripts.
function! s:runs(command) abort
  let python = fnamemodify(a:command, ':h') . '/python'
  return executable(a:command) && (a:command !~# '/' || getftype(python) ==# '' || executable(python))
endfunction

" A setting that is a command, as a list. A string that is a program's name may hold blanks; any other is split at them.
function! vim_mcp#hub#words(setting) abort
  if type(a:setting) == type([])
    return map(copy(a:setting), 'vim_mcp#paths#home(v:val)')
  elseif type(a:setting) != type('')
    return [string(a:setting)]
  endif
  let name = vim_mcp#paths#home(a:setting)
  return executable(name) ? [name] : map(split(name), 'vim_mcp#paths#home(v:val)')
endfunction

" The argument list that runs vim-mcp with `arguments` on the socket `path` ('': on the one that it chooses).
function! vim_mcp#hub#argv(path, arguments) abort
  return (a:path ==# '' ? [] : ['env', 'VIM_MCP_SOCKET=' . a:path]) + vim_mcp#hub#command() + a:arguments
endfunction

" Whether that command comes from there.
function! vim_mcp#hub#is_own() abort
  return stridx(get(vim_mcp#hub#command(), 0, ''), vim_mcp#hub#environment() . '/') == 0
endfunction

" How a person types that command in a shell.
function! vim_mcp#hub#typed() abort
  let [name; rest] = vim_mcp#hub#command()
  return join(map([name =~# '^/' ? fnamemodify(name, ':~') : name] + rest, 's:word(v:val)'))
endfunction

" In quotes where a shell would take it apart.
function! s:word(text) abort
  let [home, rest] = a:text =~# '^\~/' ? ['~/', a:text[2:]] : ['', a:text]
  return home . (rest =~# '^[[:alnum:]@%+=:,./_-]\+$' ? rest : vim_mcp#hub#quoted(rest))
endfunction

" As one word of a POSIX shell, which shellescape() does not do where 'shell' is another one.
function! vim_mcp#hub#quoted(text) abort
  return "'" . substitute(a:text, "'", "'\\\\''", 'g') . "'"
endfunction

" Why vim-mcp cannot be run, or ''.
function! vim_mcp#hub#obstacle() abort
  let command = vim_mcp#hub#command()
  if empty(command)
    return 'Python part missing: run :VimMCPInstall'
  endif
  return executable(command[0]) ? '' : 'cannot run "' . command[0] . '"; check g:vim_mcp_command'
endfunction

" Sees to it that a hub runs, without waiting, then calls `Done(reason)`: '' when one accepts connections.
function! vim_mcp#hub#start(Done) abort
  let obstacle = vim_mcp#hub#obstacle()
  if obstacle !=# ''
    call a:Done(obstacle)
    return
  endif
  let argv = vim_mcp#hub#argv(vim_mcp#paths#named_socket(), ['hub', '--background'])
  call vim_mcp#job#run(argv, {code, lines -> a:Done(s:reason(code, lines))})
endfunction

function! s:reason(code, lines) abort
  let last = get(a:lines, -1, 'its command ended with status ' . a:code)
  return a:code == 0 ? '' : 'the hub does not start: ' . substitute(last, '^vim-mcp: ', '', '')
endfunction
