" What an editor says about itself when it registers.

let s:id = ''
let s:main_file = ''
let s:short_lived = -1
let s:directory = ''

" Whether this editor is one that a person uses and a client should see: not `vim -es`, not `nvim --headless`
" (unless g:vim_mcp_headless), not one whose output is no terminal.
function! vim_mcp#identity#visible() abort
  if get(g:, 'vim_mcp_headless', 0)
    return 1
  elseif has('nvim')
    return !empty(nvim_list_uis())
  endif
  " In silent mode Vim sets no terminal up. has('ttyout') is younger than Vim 8.0.
  return &term !=# '' && (has('gui_running') || v:version < 802 || has('ttyout'))
endfunction

" The id for life: {file}-{project}-{pid}, until the hub gives another (vim_mcp#identity#keep).
function! vim_mcp#identity#id() abort
  if s:id ==# ''
    let name = fnamemodify(s:bare(vim_mcp#identity#main_file()), ':t:r')
    let s:id = join([s:safe(name, 'unnamed'), s:safe(vim_mcp#identity#project(), 'root'), getpid()], '-')
  endif
  return s:id
endfunction

" Takes the id that the hub has given.
function! vim_mcp#identity#keep(id) abort
  let s:id = a:id
endfunction

" `text` as a part of an id: it names files, so only what is harmless in every path stays.
function! s:safe(text, default) abort
  let text = strpart(substitute(a:text, '\C[^A-Za-z0-9_.-]', '_', 'g'), 0, 64)
  return text ==# '' ? a:default : text
endfunction

function! s:bare(path) abort
  return substitute(a:path, '/\+$', '', '')
endfunction

" The full path of the file that this editor was started for, else of the first one it showed; '' when it has no name
" yet. Kept, since a relative argument means another file after `:cd`.
function! vim_mcp#identity#main_file() abort
  if s:main_file ==# ''
    let name = argc() > 0 ? argv(0) : &buftype ==# '' ? bufname('%') : ''
    let s:main_file = name ==# '' ? '' : s:full(name)
  endif
  return s:main_file
endfunction

function! s:full(name) abort
  return a:name =~# '^\a[[:alnum:]+.-]*://' ? a:name : fnamemodify(a:name, ':p')
endfunction

" The name of the main file's Git root, else of the working directory's, else of the working directory.
function! vim_mcp#identity#project() abort
  let file = vim_mcp#identity#main_file()
  let root = file =~# '^/' ? s:git_root(fnamemodify(s:bare(file), ':h')) : ''
  let root = root ==# '' ? s:git_root(getcwd()) : root
  return fnamemodify(s:bare(root ==# '' ? getcwd() : root), ':t')
endfunction

" The nearest directory at or above `directory` that holds `.git`, a directory or (in a worktree) a file; or ''.
" finddir() would take characters of the path as its own.
function! s:git_root(directory) abort
  let directory = a:directory
  for _ in range(100)
    if getftype(directory . '/.git') !=# ''
      return directory
    endif
    let parent = fnamemodify(directory, ':h')
    if parent ==# directory
      break
    endif
    let directory = parent
  endfor
  return ''
endfunction

" The workspace folders as real paths: the project's root, what the working directory adds to it, and in Neovim the
" folders of the language servers.
function! vim_mcp#identity#folders() abort
  let roots = s:project_roots()
  let servers = has('nvim') ? luaeval('require("vim_mcp.workspace").folders()') : []
  let folders = []
  for folder in map(roots + filter(servers, 'isdirectory(v:val) && !s:holds_home(v:val)'), 'resolve(s:whole(v:val))')
    if index(folders, folder) < 0
      call add(folders, folder)
    endif
  endfor
  return folders
endfunction

" The Git root of the main file's, and that of the working directory or the directory itself. A home directory is no
" project, and one that holds it would be the workspace of everything.
function! s:project_roots() abort
  let file = vim_mcp#identity#main_file()
  let directory = s:working_directory()
  let root = file =~# '^/' ? s:git_root(fnamemodify(s:bare(file), ':h')) : ''
  let other = s:git_root(directory)
  let other = other ==# '' || s:holds_home(other) ? directory : other
  let roots = filter([root], 'v:val !=# "" && !s:holds_home(v:val)')
  let adds = empty(roots) || !s:holds_home(other) && !s:is_in(other, roots[0]) && !s:is_in(roots[0], other)
  return adds ? roots + [other] : roots
endfunction

function! s:holds_home(directory) abort
  return s:is_in(resolve($HOME), resolve(s:whole(a:directory)))
endfunction

function! s:is_in(path, directory) abort
  return stridx(a:path . '/', a:directory ==# '/' ? '/' : a:directory . '/') == 0
endfunction

function! s:whole(directory) abort
  return a:directory =~# '^/\+$' ? '/' : s:bare(a:directory)
endfunction

" The editor's working directory, not a window's own. With 'autochdir' it follows the current file, so that the one
" from before counts.
function! s:working_directory() abort
  if !&autochdir || s:directory ==# ''
    let s:directory = has('nvim') ? getcwd(-1, -1) : has('patch-8.1.1218') ? getcwd(-1) : getcwd()
  endif
  return s:directory
endfunction

" Names of the files that programs hand to $EDITOR: git, hg, svn, jj, crontab, visudo, shells, database and mail
" clients.
let s:handed = '^\%(COMMIT_EDITMSG\|\%(MERGE\|SQUASH\)_MSG\|\%(TAG\|NOTES\|PULLREQ\)_EDITMSG\|EDIT_DESCRIPTION\)$'
let s:handed .= '\|^git-rebase-todo$\|^addp-hunk-edit\.diff$\|^hg-editor-.*\.txt$\|^svn-commit\.\%(\d\+\.\)\=tmp$'
let s:handed .= '\|\.jjdescription$\|^crontab\.\w\{6,}$\|^sudoers\.tmp$\|^bash-fc\.\w\{6,}$'

" What others make directly in a directory for temporary files: mktemp(3) and its like (sudoedit, zsh, fish, many more),
" database and mail clients.
let s:made_up = '^psql\.edit\.\|^mutt-\|^kubectl-edit-\|^claude-prompt-\|'
let s:made_up .= '^tmp\.\=\w\{6,}\%(\.\w\+\)\=$\|^zsh\w\{6}\|\.\%(\w*[A-Z0-9]\)\@=\w\{6,10}$'
let s:made_up .= '\|^\%(\w*\u\)\@=\%(\w*\d\)\@=\w\{8,}\%(\.\w\+\)\=$'

" Whether this editor was opened by another program for one file, or for standard input.
function! vim_mcp#identity#short_lived() abort
  if s:short_lived < 0
    let file = vim_mcp#identity#main_file()
    let s:short_lived = s:from_stdin() || s:handed_file(fnamemodify(file, ':t'), fnamemodify(file, ':h'))
  endif
  return s:short_lived
endfunction

" Arguments behind which a "-" is something else.
let s:takes_value = '^\%(-[cisSTtuUwW]\|--cmd\|--listen\|--server\)$'

" A plugin that is loaded late has not heard of it (plugin/vim_mcp.vim): the arguments tell of it; or in Neovim, which
" reads what comes also without a "-", that its terminal is one for output alone (a GUI has none at all).
function! s:from_stdin() abort
  if get(g:, 'vim_mcp_stdin', 0)
    return 1
  endif
  let arguments = get(v:, 'argv', [])
  let dash = index(arguments, '-')
  let files = index(arguments, '--')
  if dash > 0 && (files < 0 || dash < files) && arguments[dash - 1] !~# s:takes_value
    return 1
  endif
  let screens = has('nvim') && argc() == 0 ? nvim_list_uis() : []
  return !empty(filter(screens, 'get(v:val, "stdout_tty") && !get(v:val, "stdin_tty", 1)'))
endfunction

function! s:handed_file(name, directory) abort
  let temporary = index(['/tmp', '/var/tmp', '/private/tmp', s:bare($TMPDIR)], a:directory) >= 0
  return a:name =~# s:handed || a:directory =~# '/crontab\.\w\+$' || (temporary && a:name =~# s:made_up)
endfunction

function! s:editor_version() abort
  if has('nvim')
    return luaeval('table.concat({vim.version().major, vim.version().minor, vim.version().patch}, ".")')
  endif
  let patch = exists('v:versionlong') ? '.' . v:versionlong % 10000 : ''
  return v:version / 100 . '.' . v:version % 100 . patch
endfunction

" The `info` of a registration.
function! vim_mcp#identity#info() abort
  let info = {'pid': getpid(), 'cwd': getcwd(), 'main_file': vim_mcp#identity#main_file()}
  let info.buffers = map(filter(getbufinfo({'buflisted': 1}), 'v:val.name !=# ""'), 'v:val.name')
  let info.project = vim_mcp#identity#project()
  let info.short_lived = vim_mcp#identity#short_lived() ? v:true : v:false
  let info.editor = has('nvim') ? 'nvim' : 'vim'
  let info.version = s:editor_version()
  let info.plugin_version = vim_mcp#version()
  let info.folders = vim_mcp#identity#folders()
  let info.encoding = &encoding
  let info.access = vim_mcp#methods#access()
  let info.execute_code = vim_mcp#kernel#permission()
  let info.ide_name = vim_mcp#setting('ide_name', '')
  let configuration = $CLAUDE_CONFIG_DIR ==# '' ? '~/.claude' : $CLAUDE_CONFIG_DIR
  let info.claude_config_dir = s:whole(fnamemodify(configuration, ':p'))
  let info.state_interval = vim_mcp#setting('state_interval', 1000)
  return info
endfunction
