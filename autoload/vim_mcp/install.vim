" :VimMCPInstall: the Python part, in a virtual environment of its own, for who has the plugin by a plugin manager
" alone. It is made in the background; a window that does not take the cursor shows how far it is.

let s:save_cpo = &cpo
set cpo&vim

let s:root = resolve(expand('<sfile>:p:h:h:h'))
let s:name = 'vim-mcp://install'
let s:buffer = -1
let s:running = 0

" How long to wait for the hub once all is there: so many looks, so many ms apart.
let s:looks = 100
let s:pause = 200

" An environment that works is brought up to date. One that does not is made anew, by the first Python that can; where
" there is no room, that does not say so itself.
let s:script = [
      \ 'set -eu',
      \ 'venv=$1; shift',
      \ 'full() {',
      \ '  if [ "$(df -Pk "$venv" | awk "NR == 2 { print \$4 }")" -lt 60000 ]; then',
      \ '    echo "No space left on device: $venv"',
      \ '  fi',
      \ '  exit 1',
      \ '}',
      \ 'usable() { "$1" -c "import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))" >/dev/null 2>&1; }',
      \ 'if ! usable "$venv/bin/python"; then',
      \ '  for python in python3 python3.14 python3.13 python3.12 python3.11 ""; do',
      \ '    if [ -z "$python" ]; then',
      \ '      echo "no Python 3.11 or newer with its venv module is on PATH"',
      \ '      exit 1',
      \ '    fi',
      \ '    if usable "$python"; then break; fi',
      \ '  done',
      \ '  echo "making $venv with $("$python" --version)"',
      \ '  mkdir -p "$(dirname "$venv")"',
      \ '  "$python" -m venv --clear "$venv" || full',
      \ 'fi',
      \ 'echo "installing; this takes a minute"',
      \ 'set -- install --progress-bar off --upgrade "$@"',
      \ 'exec "$venv/bin/python" -m pip --disable-pip-version-check --no-input "$@"',
      \ ]

" Install what `source` names, a wheel's or a clone's path; '' for what belongs to this plugin. An installation that
" works is kept unless `again`, or the same way made it.
function! vim_mcp#install#run(source, again) abort
  let l:source = a:source ==# '' ? '' : fnamemodify(a:source, ':p')
  if s:running
    call s:show()
  elseif l:source !=# '' && getftype(l:source) ==# ''
    call vim_mcp#notice#error('there is no ' . a:source)
  elseif !empty(vim_mcp#hub#command()) && !vim_mcp#hub#is_own() && !a:again
    call vim_mcp#notice#echo('is there; :VimMCPInstall! adds its own')
  else
    call s:start(l:source ==# '' ? s:own() : [l:source])
  endif
endfunction

" A clone is installed in place, so that the plugin manager's next update brings both halves.
function! s:own() abort
  let l:clone = filereadable(s:root . '/pyproject.toml') && isdirectory(s:root . '/src/vim_mcp')
  return l:clone ? ['--editable', s:root] : ['vim-mcp==' . vim_mcp#version()]
endfunction

function! s:start(what) abort
  let s:running = 1
  call s:show()
  let l:argv = ['sh', '-c', join(s:script, "\n"), 'sh', vim_mcp#hub#environment()] + a:what
  call vim_mcp#job#run(l:argv, {code, lines -> s:done(code, lines)}, {line -> s:add(line)})
endfunction

function! s:done(code, lines) abort
  let s:running = 0
  if a:code != 0 || empty(vim_mcp#hub#command())
    call s:tell_fault(a:lines)
    return
  endif
  call s:add('installed: ' . vim_mcp#hub#typed())
  call s:make_help()
  call vim_mcp#link#stop()
  call vim_mcp#link#start()
  call s:await(s:looks, 0)
endfunction

function! s:tell_fault(lines) abort
  let [l:what, l:remedy] = vim_mcp#install_fault#of(a:lines, vim_mcp#hub#environment())
  call s:add('')
  call s:add('not installed: ' . l:what . '. ' . l:remedy . '.')
  call s:add(':VimMCPInstall tries again; `q` in this window closes it')
  call vim_mcp#notice#unasked('not installed: ' . l:what)
endfunction

" Plugin managers make the tags of a plugin's help; where a clone was only put below pack/, nobody has.
function! s:make_help() abort
  if !filereadable(s:root . '/doc/tags') && filewritable(s:root . '/doc') == 2
    execute 'silent! helptags' fnameescape(s:root . '/doc')
  endif
endfunction

function! s:await(looks, timer) abort
  let l:info = vim_mcp#link#info()
  if l:info.state ==# 'connected'
    call s:add('connected as ' . l:info.instance_id)
    call s:add('')
    call s:add('Now :ClaudeCode opens Claude Code beside your text. For other clients run in a shell:')
    call s:add('  ' . vim_mcp#hub#typed() . ' install')
    call s:add('`q` in this window closes it; :help vim-mcp tells more')
    call vim_mcp#notice#unasked('installed and connected')
  elseif a:looks > 0 && l:info.state !=# 'refused'
    call timer_start(s:pause, function('s:await', [a:looks - 1]))
  else
    call s:add('not connected: ' . l:info.reason . '. See :VimMCPDoctor')
  endif
endfunction

" The window. The cursor stays where it is.

function! s:show() abort
  if bufwinid(s:buffer) > 0 || getcmdwintype() !=# ''
    return
  endif
  let l:window = win_getid()
  if bufexists(s:buffer)
    execute 'noautocmd botright 10split'
    execute 'noautocmd buffer' s:buffer
  else
    let s:buffer = vim_mcp#scratch#new('botright 10new', s:name, 'hide')
  endif
  setlocal winfixheight nonumber norelativenumber wrap
  noautocmd call win_gotoid(l:window)
endfunction

function! s:add(line) abort
  if !bufloaded(s:buffer)
    return
  endif
  let l:last = vim_mcp#text#line_count(s:buffer)
  let l:empty = l:last == 1 && getbufline(s:buffer, 1)[0] ==# ''
  call setbufvar(s:buffer, '&modifiable', 1)
  call setbufline(s:buffer, l:empty ? 1 : l:last + 1, strtrans(a:line))
  call setbufvar(s:buffer, '&modifiable', 0)
  call setbufvar(s:buffer, '&modified', 0)
  for l:window in win_findbuf(s:buffer)
    call win_execute(l:window, 'noautocmd normal! Gzb')
  endfor
  if mode() !=# 'c'
    redraw
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
