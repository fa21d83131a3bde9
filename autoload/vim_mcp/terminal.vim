" :ClaudeCode: Claude Code in a terminal of this editor, connected to it.

let s:save_cpo = &cpo
set cpo&vim

let s:root = resolve(expand('<sfile>:p:h:h:h'))

" How long to wait for the hub, which tells how this editor is found, in ms.
let s:patience = 5000

" The part of the screen's width that the terminal takes, in percent.
let s:width = 40

" The buffer of the terminal opened last.
let s:buffer = -1

" How many are to be opened once the hub has told.
let s:coming = 0

" Open it in a split, or go to the one that is there: a:mods as in <q-mods>,
" a:args for Claude (with some there is always a new one).
function! vim_mcp#terminal#open(mods, args) abort
  let l:command = s:command()
  if !executable(get(l:command, 0, ''))
    " Short, since 80 columns hold about 50 characters of it: the help tells what to do.
    call vim_mcp#notice#error(printf('cannot run "%s": see :help :ClaudeCode', get(l:command, 0, '')))
  elseif getcmdwintype() !=# ''
    call vim_mcp#notice#error('Claude Code cannot be opened from the command-line window')
  elseif empty(a:args) && s:is_running()
    call s:show(a:mods)
  elseif empty(a:args) && s:coming
    call vim_mcp#notice#echo('Claude Code is about to open')
  else
    let s:coming += 1
    if !vim_mcp#link#connected()
      call vim_mcp#start()
    endif
    call vim_mcp#environment#wait({found -> s:run(a:mods, l:command + s:plugin() + a:args, found)}, s:patience)
  endif
endfunction

function! s:command() abort
  let l:setting = get(g:, 'vim_mcp_claude_command', '')
  return vim_mcp#hub#words(empty(l:setting) ? 'claude' : l:setting)
endfunction

" The arguments that give Claude this project's plugin for this session: it lies
" beside these files in the package, and below src/ in a clone.
function! s:plugin() abort
  let l:places = [s:root . '/src/vim_mcp/claude_plugin', fnamemodify(s:root, ':h') . '/claude_plugin']
  let l:found = filter([$VIM_MCP_CLAUDE_PLUGIN] + l:places, 'isdirectory(v:val)')
  return empty(l:found) ? [] : ['--plugin-dir', l:found[0]]
endfunction

" What the plugin's server is run with, as words of a shell.
function! s:environment() abort
  let l:argv = vim_mcp#hub#argv(vim_mcp#paths#named_socket(), [])
  return {'VIM_MCP_COMMAND': join(map(l:argv, '"''" . substitute(v:val, "''", "''\\\\''''", "g") . "''"'))}
endfunction

function! s:run(mods, argv, found) abort
  let s:coming -= 1
  call s:split(a:mods, has('nvim') ? 'new' : 'split')
  call {has('nvim') ? 's:run_nvim' : 's:run_vim'}(a:argv, {'env': s:environment()})
  let s:buffer = bufnr('%')
  let b:vim_mcp_claude = 1
  setlocal nobuflisted bufhidden=hide nonumber norelativenumber signcolumn=no
  " Escape is the program's, whatever the user's own mappings for terminals do with it.
  tnoremap <buffer> <nowait> <Esc> <Esc>
  call vim_mcp#ide#log('run_claude_command')
  if !a:found
    call vim_mcp#notice#unasked('Claude does not see this editor: :VimMCPStatus')
  endif
endfunction

function! s:split(mods, command) abort
  execute (a:mods ==# '' ? 'botright vertical' : a:mods) a:command
  if a:mods ==# ''
    execute 'vertical resize' &columns * s:width / 100
  endif
endfunction

function! s:run_nvim(argv, options) abort
  let l:buffer = bufnr('%')
  let a:options.on_exit = {job, status, event -> s:ended(l:buffer, status)}
  if has('nvim-0.11')
    call jobstart(a:argv, extend(a:options, {'term': v:true}))
  else
    call termopen(a:argv, a:options)
  endif
  " Neovim asks about a modified terminal when it is left.
  setlocal nomodified
  startinsert
endfunction

function! s:run_vim(argv, options) abort
  call extend(a:options, {'curwin': 1, 'norestore': 1, 'term_kill': 'hup', 'term_name': 'claude'})
  let l:run = {}
  let a:options.exit_cb = {job, status -> s:look(l:run.buffer)}
  let a:options.close_cb = {channel -> s:look(l:run.buffer)}
  let l:run.buffer = term_start(a:argv, a:options)
endfunction

" Vim gives a terminal up when both its program and what it wrote have ended.
function! s:look(buffer) abort
  let l:job = term_getjob(a:buffer)
  if type(l:job) == type(v:null) || job_status(l:job) ==# 'run' || ch_status(l:job) !=# 'closed'
    return
  endif
  call timer_start(0, {timer -> s:ended(a:buffer, job_info(l:job).exitval)})
endfunction

" A program that ended well leaves nothing to read; what one that failed has said
" stays.
function! s:ended(buffer, status) abort
  if a:status == 0 && bufexists(a:buffer)
    execute 'silent! bwipeout!' a:buffer
  endif
endfunction

function! s:is_running() abort
  return bufexists(s:buffer) && (has('nvim')
        \ ? jobwait([getbufvar(s:buffer, '&channel')], 0)[0] == -1
        \ : term_getstatus(s:buffer) =~# 'running')
endfunction

function! s:show(mods) abort
  let l:windows = win_findbuf(s:buffer)
  if empty(l:windows)
    call s:split(a:mods, 'sbuffer ' . s:buffer)
  else
    call win_gotoid(get(filter(copy(l:windows), 'win_id2win(v:val)'), 0, l:windows[0]))
  endif
  if has('nvim') || mode() !=# 't'
    execute 'normal! i'
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
