" :VimMCPDoctor and Neovim's :checkhealth vim_mcp: what `vim-mcp doctor` says, and what only the editor knows. A finding
" is a dictionary as the program's: level ("ok", "warning", "error"), subject, text, and fix, the command that mends it.

let s:save_cpo = &cpo
set cpo&vim

let s:name = 'vim-mcp://doctor'
let s:buffer = -1
let s:root = resolve(expand('<sfile>:p:h:h:h'))
let s:program = has('nvim') ? 'Neovim' : 'Vim'

" How long a connection that is about to come is waited for, in ms, how long where nothing else can be done meanwhile,
" and how often it is looked for.
let s:patience = 15000
let s:short_patience = 3000
let s:step = 50

" Neovim has a place for such findings (lua/vim_mcp/health.lua); Vim gets a window.
function! vim_mcp#doctor#open(mods) abort
  if has('nvim')
    call s:once_settled(s:patience, {-> s:check_health(vim_mcp#place#mods(a:mods))})
    return
  endif
  call s:show(vim_mcp#place#mods(a:mods))
  call s:fill(['looking ...'])
  call s:once_settled(s:patience, function('s:run'))
endfunction

" A window is not opened under what the person types meanwhile. Neovim's command fails where new buffers cannot be
" changed (`nvim -M`).
function! s:check_health(mods) abort
  if mode(1) !=# 'n'
    call timer_start(s:step, {timer -> s:check_health(a:mods)})
    return
  endif
  let l:modifiable = &g:modifiable
  noautocmd setglobal modifiable
  try
    execute 'silent' a:mods 'checkhealth vim_mcp'
  finally
    let &g:modifiable = l:modifiable
  endtry
endfunction

function! s:run() abort
  if vim_mcp#hub#obstacle() !=# ''
    call s:tell(vim_mcp#doctor#all(1, []))
  else
    call vim_mcp#job#run(s:argv(), {code, lines -> s:tell(vim_mcp#doctor#all(code, lines))})
  endif
endfunction

" Calls a:Run when the editor has its connection, or it is known why not: at once, or within that many ms. It may have
" only started, or this command may have loaded the plugin.
function! s:once_settled(ms, Run) abort
  if a:ms > 0 && s:settling()
    call timer_start(s:step, {timer -> s:once_settled(a:ms - s:step, a:Run)})
  else
    call a:Run()
  endif
endfunction

function! s:settling() abort
  call vim_mcp#autostart()
  return index(['dialling', 'starting', 'registering'], vim_mcp#link#info().state) >= 0
endfunction

function! s:argv() abort
  return vim_mcp#hub#argv(vim_mcp#paths#named_socket(), ['doctor', '--json', '--inside'] + s:named_claude())
endfunction

" The program looks for `claude` on PATH; the user may have named another one here.
function! s:named_claude() abort
  let l:words = vim_mcp#hub#words(get(g:, 'vim_mcp_claude_command', ''))
  return empty(l:words) || l:words[0] ==# '' ? [] : ['--claude', l:words[0]]
endfunction

" All findings, waiting for the program: for Neovim's health check.
function! vim_mcp#doctor#now() abort
  call wait(s:short_patience, {-> !s:settling()}, s:step)
  if vim_mcp#hub#obstacle() !=# ''
    return vim_mcp#doctor#all(1, [])
  endif
  let l:text = system(s:argv())
  return vim_mcp#doctor#all(v:shell_error, split(l:text, "\n"))
endfunction

" The editor's findings, and those of the program, which has ended with that status and printed those lines.
function! vim_mcp#doctor#all(code, lines) abort
  let l:obstacle = vim_mcp#hub#obstacle()
  if l:obstacle !=# ''
    return [s:finding('error', 'program', l:obstacle, s:missing())] + s:own(s:missing())
  endif
  try
    let l:told = json_decode(join(a:lines, "\n"))
    let l:own = s:own(s:cause(l:told.findings))
    return [s:versions(l:told.version)] + l:own + s:without_this(l:told.findings)
  catch
    let l:text = printf('`%s doctor` failed (%d): %s', join(vim_mcp#hub#command()), a:code, get(a:lines, -1, ''))
    return [s:finding('error', 'program', l:text, s:missing())] + s:own(s:missing())
  endtry
endfunction

" What only this editor knows; a:cause is the command that mends what keeps it from a hub, or ''.
function! s:own(cause) abort
  return [s:editor(), s:connection(a:cause), s:servers()] + s:settings()
endfunction

" Of what the program has found, the command that mends why no hub can be reached, or ''.
function! s:cause(findings) abort
  let l:subjects = ['python', 'settings', 'files', 'runtime directory', 'socket', 'hub']
  let l:faults = filter(copy(a:findings), 'v:val.level ==# "error" && index(l:subjects, v:val.subject) >= 0')
  return empty(l:faults) ? '' : l:faults[0].fix
endfunction

function! s:finding(level, subject, text, fix) abort
  return {'level': a:level, 'subject': a:subject, 'text': a:text, 'fix': a:level ==# 'ok' ? '' : a:fix}
endfunction

function! s:missing() abort
  return empty(get(g:, 'vim_mcp_command', '')) ? ':VimMCPInstall' : ':unlet g:vim_mcp_command, or set it to what runs'
endfunction

function! s:versions(program) abort
  let l:same = a:program ==# vim_mcp#version()
  let l:text = 'version ' . a:program . (l:same ? '' : ', the plugin ' . vim_mcp#version())
  let l:text .= ': ' . vim_mcp#hub#typed()
  return s:finding(l:same ? 'ok' : 'warning', 'program', l:text, s:update() . ', and start this editor anew')
endfunction

" What makes program and plugin of one version.
function! s:update() abort
  return vim_mcp#hub#is_own() ? ':VimMCPInstall' : vim_mcp#hub#typed() . ' install'
endfunction

function! s:editor() abort
  let l:info = vim_mcp#identity#info()
  let l:text = printf('%s %s, plugin %s in %s', s:program, l:info.version, vim_mcp#version(), fnamemodify(s:root, ':~'))
  return s:finding('ok', 'editor', l:text, '')
endfunction

" The program looks for the plugin where editors load it by themselves; this one has it, from wherever.
function! s:without_this(findings) abort
  return filter(a:findings, 'v:val.subject !=# "plugin for " . s:program')
endfunction

function! s:connection(cause) abort
  let l:info = vim_mcp#link#info()
  if l:info.state ==# 'connected'
    return s:finding('ok', 'connection', 'connected as ' . l:info.instance_id, '')
  endif
  let l:text = l:info.state . (l:info.reason ==# '' ? '' : ': ' . l:info.reason)
  let l:level = l:info.state ==# 'stopped' ? 'warning' : 'error'
  return s:finding(l:level, 'connection', l:text, s:before_connecting(l:info, a:cause) . ':VimMCPReconnect')
endfunction

" What has to be done first, or ''.
function! s:before_connecting(info, cause) abort
  if a:cause !=# ''
    return a:cause . ', then '
  elseif a:info.state ==# 'refused'
    return a:info.reason =~# ': close one' ? 'close another editor, then ' : s:update() . ', then '
  elseif a:info.reason =~# '^the hub does not start'
    return vim_mcp#hub#typed() . ' hub --background, which starts it or says why not, then '
  endif
  return ''
endfunction

function! s:settings() abort
  let l:faults = vim_mcp#settings#faults()
  if empty(l:faults)
    return [s:finding('ok', 'g: settings', 'each is known, and of a kind that it takes', '')]
  endif
  return map(l:faults, 's:finding("warning", "g: settings", v:val[0], v:val[1])')
endfunction

" For `vim-mcp doctor` in a shell.
function! vim_mcp#doctor#get_checkers(params) abort
  return s:servers()
endfunction

" Who finds the errors that Claude is told of.
function! s:servers() abort
  let l:names = has('nvim') ? luaeval('require("vim_mcp.servers").names()') : exists('g:loaded_ale') ? ['ALE'] : []
  if !empty(l:names)
    return s:finding('ok', 'language servers', join(l:names, ', '), '')
  endif
  let l:text = (has('nvim') ? 'none runs' : 'ALE is not loaded') . ': Claude hears of no new errors'
  return s:finding('warning', 'language servers', l:text, ':help vim-mcp-diagnostics')
endfunction

" The window

function! s:lines(findings) abort
  let l:lines = []
  for l:finding in a:findings
    call add(l:lines, printf('%-8s %s: %s', l:finding.level, l:finding.subject, strtrans(l:finding.text)))
    if l:finding.fix !=# ''
      call add(l:lines, repeat(' ', 9) . 'mend it: ' . strtrans(l:finding.fix))
    endif
  endfor
  return l:lines
endfunction

" There may be more findings than lines: how many are out of order is always seen.
function! s:tell(findings) abort
  call s:fill(s:lines(a:findings))
  let l:counts = map(['error', 'warning'], 's:counted(a:findings, v:val)')
  let l:title = printf('vim-mcp doctor: %s   q closes', join(l:counts, ', '))
  for l:window in win_findbuf(s:buffer)
    call setwinvar(l:window, '&statusline', l:title)
  endfor
endfunction

function! s:counted(findings, level) abort
  let l:count = len(filter(copy(a:findings), 'v:val.level ==# a:level'))
  return (l:count ? l:count : 'no') . ' ' . a:level . (l:count == 1 ? '' : 's')
endfunction

function! s:show(mods) abort
  if vim_mcp#scratch#go(s:buffer)
    return
  endif
  let s:buffer = vim_mcp#scratch#new((a:mods ==# '' ? 'botright' : a:mods) . ' 16new', s:name, 'wipe')
  setlocal nonumber norelativenumber wrap linebreak statusline=vim-mcp\ doctor\ \ \ q\ closes
  syntax match ErrorMsg /^error/
  syntax match WarningMsg /^warning/
  syntax match Special /mend it:/
endfunction

function! s:fill(lines) abort
  if bufexists(s:buffer)
    call vim_mcp#scratch#fill(s:buffer, a:lines)
    redraw
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
