" :ClaudeCode and :ClaudeCodeFocus: Claude Code in terminals, connected to this editor.
"
" Where a terminal is depends on g:vim_mcp_terminal_provider. Each provider is a script terminal_{name}.vim with the
" functions obstacle() (why none can be opened, or ''), open(session, mods, argv, environment), running(session),
" visible(session), focused(session), show(session, mods) and hide(session). One that prompts can be pasted into has
" write(session, keys), screen(session) and process(session) besides, one that can tell seen(session) (whether its user
" can see it) and title(session, Take), which calls Take(number, title) with what its program has called the terminal.
"
" A session is a dictionary: `number`, `provider`, `cwd`, `place` (see terminal_place.vim), and what the provider keeps
" there.

let s:save_cpo = &cpo
set cpo&vim

let s:root = resolve(expand('<sfile>:p:h:h:h'))

" How long to wait for the hub, which tells how this editor is found, in ms.
let s:patience = 5000

" By their names in the setting; 'none' has no script, and that of a function of the user's is terminal_function.vim.
let s:providers = ['native', 'tmux', 'external', 'none']

" By number. One stays here when its program has ended.
let s:sessions = {}

" The number of the one that was used last.
let s:recent = 1

" The numbers of those that are to be opened once the hub has told.
let s:coming = []

" :ClaudeCode. a:range is how many numbers stood before it, a:number the last of them; a:mods as in <q-mods>; a:args for
" Claude: with some there is always a new one.
function! vim_mcp#terminal#toggle(range, number, mods, args) abort
  let l:number = a:range == 1 && a:number ? a:number : empty(a:args) ? s:current() : s:free()
  let l:mods = vim_mcp#place#mods(a:mods)
  if !s:is_running(l:number)
    call s:start(l:number, l:mods, a:args)
  elseif !empty(a:args)
    call vim_mcp#notice#error(printf('session %d runs: leave the %d out for another', l:number, l:number))
  elseif l:mods ==# '' && s:call(l:number, 'visible', [])
    call s:call(l:number, 'hide', [])
  else
    call s:show(l:number, l:mods)
  endif
endfunction

" :ClaudeCodeFocus: go to it, and from there back.
function! vim_mcp#terminal#focus(argument, range, number, mods) abort
  if !vim_mcp#alone#is(a:argument)
    return
  endif
  let l:number = a:range == 1 && a:number ? a:number : s:current()
  let l:mods = vim_mcp#place#mods(a:mods)
  if !s:is_running(l:number)
    call s:start(l:number, l:mods, [])
  elseif s:call(l:number, 'focused', [])
    call s:call(l:number, 'hide', [])
  else
    call s:show(l:number, l:mods)
  endif
endfunction

" Go to the session that was used last, if one runs here.
function! vim_mcp#terminal#attend() abort
  if s:is_running(s:current())
    call s:show(s:current(), '')
  endif
endfunction

" The number of the session that was used last and runs, or is about to; 0 where there is none.
function! vim_mcp#terminal#current() abort
  let l:number = s:current()
  return s:is_running(l:number) || index(s:coming, l:number) >= 0 ? l:number : 0
endfunction

" Whether the provider of a session has that function; one that is still to come has what its provider has.
function! vim_mcp#terminal#can(number, function) abort
  let l:provider = has_key(s:sessions, a:number) ? s:sessions[a:number].provider : s:provider()
  return exists(printf('*vim_mcp#terminal_%s#%s', l:provider, a:function))
endfunction

" The session that a prompt is for, started if none runs; {} where that cannot be.
function! vim_mcp#terminal#session() abort
  if !vim_mcp#terminal#current()
    call s:start(s:current(), '', [])
  endif
  let l:number = vim_mcp#terminal#current()
  return !l:number ? {} : s:is_running(l:number) ? s:sessions[l:number] : {'number': l:number}
endfunction

" Whether the program of a session hears this editor: then it is past the questions that it asks when it starts.
function! vim_mcp#terminal#hears(number) abort
  return !empty(s:hearing(a:number))
endfunction

" The process that hears this editor for the session that was used last; 0 where that is not known.
function! vim_mcp#terminal#hearer() abort
  let l:hearing = s:hearing(s:current())
  return len(l:hearing) == 1 && type(l:hearing[0]) == v:t_number ? l:hearing[0] : 0
endfunction

" The processes that hear this editor and may be a session's.
function! s:hearing(number) abort
  let l:listening = vim_mcp#ide#listening()
  if empty(l:listening) || !s:is_running(a:number) || !vim_mcp#terminal#can(a:number, 'process')
    return []
  endif
  let l:own = s:call(a:number, 'process', [])
  return filter(copy(l:listening), 'type(v:val) != v:t_number || s:descends(v:val, l:own)')
endfunction

" Whether a process is another, or was started by it: `claude` may be a script. Where that cannot be told, it counts as
" so.
function! s:descends(process, ancestor) abort
  let l:process = a:process
  while l:process > 1 && l:process != a:ancestor
    let l:file = printf('/proc/%d/stat', l:process)
    if !filereadable(l:file)
      return !isdirectory('/proc/self')
    endif
    let l:process = +matchstr(readfile(l:file)[0], '.*) \S \zs\d\+')
  endwhile
  return l:process == a:ancestor
endfunction

" What a provider's function says of the session with that number; v:null where it does not run.
function! vim_mcp#terminal#ask(number, function, arguments) abort
  return s:is_running(a:number) ? s:call(a:number, a:function, a:arguments) : v:null
endfunction

" Call a:Take(number, title, Process) with the title of each session whose terminal shows one, now or soon.
function! vim_mcp#terminal#titles(Take) abort
  for l:number in filter(keys(s:sessions), 'vim_mcp#terminal#can(v:val, "title")')
    call s:call(l:number, 'title', [{number, title -> a:Take(number, title, {-> s:call(number, 'process', [])})}])
  endfor
endfunction

" Whether the user's Claudes run here, and none of them is in sight.
function! vim_mcp#terminal#unseen() abort
  let l:running = filter(keys(s:sessions), 's:is_running(v:val)')
  return !empty(l:running) && empty(filter(l:running, 's:is_seen(v:val)'))
endfunction

" Where that cannot be told it counts as seen.
function! s:is_seen(number) abort
  return !vim_mcp#terminal#can(a:number, 'seen') || s:call(a:number, 'seen', [])
endfunction

function! s:call(number, function, arguments) abort
  let l:session = s:sessions[a:number]
  return call(printf('vim_mcp#terminal_%s#%s', l:session.provider, a:function), [l:session] + a:arguments)
endfunction

function! s:is_running(number) abort
  return has_key(s:sessions, a:number) && s:call(a:number, 'running', [])
endfunction

" The one that was used last, if it runs, else another that does.
function! s:current() abort
  let l:running = filter([s:recent] + sort(map(keys(s:sessions), '+v:val'), 'n'), 's:is_running(v:val)')
  return get(l:running + s:coming, 0, 1)
endfunction

function! s:free() abort
  let l:number = 1
  while s:is_running(l:number) || index(s:coming, l:number) >= 0
    let l:number += 1
  endwhile
  return l:number
endfunction

function! s:show(number, mods) abort
  let s:recent = a:number
  call s:call(a:number, 'show', [a:mods])
endfunction

function! s:start(number, mods, args) abort
  let l:command = s:command()
  let l:obstacle = s:obstacle(l:command)
  if l:obstacle !=# ''
    call vim_mcp#notice#error(l:obstacle)
  elseif index(s:coming, a:number) >= 0
    call vim_mcp#notice#echo('Claude Code is about to open')
  else
    call add(s:coming, a:number)
    if !vim_mcp#link#connected()
      call vim_mcp#start()
    endif
    let l:argv = l:command + s:plugin() + a:args
    call vim_mcp#environment#wait({found -> s:run(a:number, a:mods, l:argv, found)}, s:patience)
  endif
endfunction

" Why none can be started, or ''. What matters most stands first, since 80 columns hold about 50 characters of it.
function! s:obstacle(command) abort
  let l:provider = s:provider()
  if l:provider ==# 'none'
    return 'run it yourself, here: ' . get(a:command, 0, '') . ' --ide'
  elseif !executable(get(a:command, 0, ''))
    return empty(get(g:, 'vim_mcp_claude_command', ''))
          \ ? 'no "claude" on PATH: install Claude Code'
          \ : printf('cannot run "%s": see g:vim_mcp_claude_command', get(a:command, 0, ''))
  elseif getcmdwintype() !=# ''
    return 'Claude Code cannot be opened from the command-line window'
  endif
  return vim_mcp#terminal_{l:provider}#obstacle()
endfunction

" The provider's name: that of a function of the user's is 'function'.
function! s:provider() abort
  let l:Setting = get(g:, 'vim_mcp_terminal_provider', 'native')
  return index(s:providers, l:Setting) >= 0 ? l:Setting : 'function'
endfunction

function! s:command() abort
  let l:setting = get(g:, 'vim_mcp_claude_command', '')
  return vim_mcp#hub#words(empty(l:setting) ? 'claude' : l:setting)
endfunction

" The arguments that give Claude this project's plugin for this session: it lies beside these files in the package, and
" below src/ in a clone.
function! s:plugin() abort
  let l:places = [s:root . '/src/vim_mcp/claude_plugin', fnamemodify(s:root, ':h') . '/claude_plugin']
  let l:found = filter([$VIM_MCP_CLAUDE_PLUGIN] + l:places, 'isdirectory(v:val)')
  return empty(l:found) ? [] : ['--plugin-dir', l:found[0]]
endfunction

" What the plugin's server is run with, as words of a shell.
function! s:environment() abort
  let l:argv = vim_mcp#hub#argv(vim_mcp#paths#named_socket(), [])
  return {'VIM_MCP_COMMAND': join(map(l:argv, 'vim_mcp#hub#quoted(v:val)'))}
endfunction

function! s:run(number, mods, argv, found) abort
  call remove(s:coming, index(s:coming, a:number))
  let l:session = extend(get(s:sessions, a:number, {'place': {}}), {'number': a:number, 'provider': s:provider()})
  let [l:session.cwd, s:sessions[a:number], s:recent] = [getcwd(), l:session, a:number]
  call s:call(a:number, 'open', [a:mods, a:argv, s:environment()])
  call vim_mcp#ide#log('run_claude_command')
  if !a:found
    call vim_mcp#notice#unasked('Claude does not see this editor: :VimMCPStatus')
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
