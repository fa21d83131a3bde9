" Looking for auto-saves of the person's that reach no BufWriteCmd: `:write` and the like in autocommands that are not
" nested. docs/diff-review.md says what is seen and what is not.

let s:save_cpo = &cpo
set cpo&vim

" What auto-saves hear of.
let s:events = ['InsertEnter', 'InsertLeavePre', 'InsertLeave', 'TextChanged', 'TextChangedI', 'TextChangedP',
      \ 'CompleteDone', 'CursorHold', 'CursorHoldI', 'CursorMoved', 'CursorMovedI', 'FocusLost', 'FocusGained',
      \ 'BufLeave', 'BufEnter', 'BufHidden', 'BufWinLeave', 'WinLeave', 'WinEnter', 'TabLeave', 'TabEnter',
      \ 'ModeChanged', 'QuickFixCmdPre', 'QuitPre', 'VimSuspend']

" How many functions and user commands deep it is looked, and into how many for one autocommand: plugins may have
" hundreds.
let s:depth = 4
let s:most = 50

" What a line that writes has in it.
let s:word = '\<\%(w\%[rite]\|up\%[date]\|wa\%[ll]\)\>'

" A string that is nothing but a command that writes, and a global variable, named as such or for get().
let s:string = '["'']\([: ]*\%(\l\+!\=\s\+\)*' . s:word . '!\=\s*\)["'']'
let s:global = '\<\%(g:\|get(g:,\s*["'']\)\(\h[0-9A-Za-z_#]*\)'

" 'buftype', and a question whether it is that of another kind of buffers.
let s:buftype = '\%(\<buftype\|&\%(l:\)\=bt\)\>'
let s:other_kind = s:buftype . '\s*\%([!=][=~]\|is\%(not\)\=\)[#?]\=\s*["'']\%(acwrite\)\@!\w\+["'']'

" What may be the names of functions that are called, and of a user command.
let s:function = '\%(<SID>\|<SNR>\d\+_\|\<[gs]:\|\<\%(\u\|\w\+#\)\@=\)[0-9A-Za-z_#]\+\ze('
let s:user = '\%(^\|[|\n]\)\d*[: \t]*\%(\l\+\s\+\)*\zs\u\w*\ze\%([! \t|\n]\|$\)'

" A command under `silent!`.
let s:silent = '\%(^\|[|\n]\)\d*[: \t]*sil\%[ent]![^|\n]*'

" The groups of this plugin, and netrw's, that brings its lists up to date: neither saves.
let s:harmless = '^\%(vim_mcp\|AuNetrwEvent\>\)'

" How far the list of autocommands has its commands from the left.
let s:indent = 14

" The events that auto-saves hear of, as far as this editor has them.
function! vim_mcp#diff_auto_save#all() abort
  return filter(copy(s:events), 'exists("##" . v:val)')
endfunction

" Those of them at which there is one.
function! vim_mcp#diff_auto_save#events() abort
  let known = {}
  return filter(copy(s:events), 'exists("#" . v:val) && s:has_write(v:val, known)')
endfunction

" a:known: what commands reach. `:update` and `:wall` find nothing changed, but in Vim just after a change.
function! s:has_write(event, known) abort
  let if_changed = !has('nvim') && a:event =~# '^TextChanged'
  for command in s:commands(a:event)
    if !has_key(a:known, command)
      let a:known[command] = s:writes(command)
    endif
    if !empty(filter(copy(a:known[command]), 'vim_mcp#diff_write#may_fail(v:val, if_changed)'))
      return 1
    endif
  endfor
  return 0
endfunction

" Those of the commands that an autocommand's reaches that have the word for it.
function! s:writes(command) abort
  let text = join(s:reached(a:command, '', s:depth, {}), "\n")
  return map(filter(split(text, "\n") + s:executed(text), 'v:val =~# s:word'), 's:bare(v:val)')
endfunction

" Those of one buffer are not for a review's. Only Vim 9 tells which are nested.
function! s:commands(event) abort
  if exists('*autocmd_get')
    let found = filter(autocmd_get({'event': a:event}), '!v:val.nested && v:val.pattern !~# "^<buffer"')
    return map(filter(found, 'v:val.group !~# s:harmless'), 'v:val.cmd')
  endif
  let [commands, pattern, group] = [[], '', '']
  for line in split(execute('autocmd ' . a:event), "\n")
    let group = line =~# '^\S' ? line : group
    let pattern = line =~# '^ \{4}\S' ? line : pattern
    if pattern !~# '^ *<buffer' && group !~# s:harmless
      " Lua may give the name of a function of Vim's.
      call add(commands, substitute(strpart(line, s:indent), '^<vim function: \(.*\)>$', 'call \1()', ''))
    endif
  endfor
  return commands
endfunction

" The commands in a text, with those of each function and user command that they call, and so on. What asks whether
" 'buftype' is empty saves files alone, whatever it calls. a:script: the prefix of their script's own functions; a:seen:
" the names of those that have been looked at.
function! s:reached(text, script, depth, seen) abort
  if s:is_for_files(a:text)
    return []
  endif
  let found = [a:text] + s:lua(a:text)
  for name in a:depth ? s:names(substitute(a:text, s:silent, '', 'g'), a:script) : []
    if !has_key(a:seen, name) && len(a:seen) < s:most
      let a:seen[name] = 1
      call extend(found, s:reached(s:body(name), matchstr(name, '^<SNR>\d\+_'), a:depth - 1, a:seen))
    endif
  endfor
  return found
endfunction

" Whether commands ask for a 'buftype' that is empty, or for that of a review.
function! s:is_for_files(text) abort
  if stridx(a:text, 'buftype') < 0 && stridx(a:text, 'bt') < 0
    return 0
  endif
  let text = substitute(a:text, s:other_kind, '', 'g')
  return text =~# s:buftype && text =~# '\<\%(empty\|\%(str\)\=len\)(\|acwrite\|''''\|""'
endfunction

" What commands may execute, where some do: strings, and what global variables hold.
function! s:executed(text) abort
  let [found, globals] = [[], []]
  if a:text =~# '\<exe\%[cute]\>'
    call substitute(a:text, s:string, '\=add(found, submatch(1))[-1]', 'g')
    call substitute(a:text, s:global, '\=len(add(globals, get(g:, submatch(1))))', 'g')
  endif
  for value in globals
    let values = type(value) == type({}) ? values(value) : type(value) == type([]) ? value : [value]
    call extend(found, filter(copy(values), 'type(v:val) == type("")'))
  endfor
  return found
endfunction

" What Lua in them gives to Vim.
function! s:lua(text) abort
  let has_lua = has('nvim') && a:text =~# '\<\%([Ll]ua\|luaeval\)\>'
  return has_lua ? luaeval('require("vim_mcp.auto_saves").commands(_A)', a:text) : []
endfunction

" The functions that commands call, and user commands, with a colon. In Vim9 script a script's own need no `s:`.
function! s:names(text, script) abort
  let [names, found] = [[], []]
  call substitute(a:text, s:function, '\=add(names, submatch(0))[-1]', 'g')
  for name in names
    if name =~# '^\%(s:\|<SID>\)' || name =~# '^\u' && !exists('*' . name)
      call extend(found, s:of_script(substitute(name, '^\%(s:\|<SID>\)', '', ''), a:script))
    else
      call add(found, name)
    endif
  endfor
  let names = []
  call substitute(a:text, s:user, '\=add(names, ":" . submatch(0))[-1]', 'g')
  return filter(found, 'v:val !=# "" && exists("*" . v:val)') + filter(names, 'exists(v:val) == 2')
endfunction

" What a function or a user command is. The columns that a list has of the latter are divided as commands are.
function! s:body(name) abort
  if a:name !~# '^:'
    return execute('function ' . a:name)
  endif
  let lines = filter(split(execute('command ' . a:name[1:]), "\n"), 'v:val =~# "^.\\{4}" . a:name[1:] . "\\s"')
  return substitute(join(lines, "\n"), ' \{2,}', '|', 'g')
endfunction

" A script's own function of that name. Which script's one an autocommand means is not told: any.
function! s:of_script(name, script) abort
  if a:script !=# ''
    return [a:script . a:name]
  endif
  return map(split(execute('function /_' . a:name . '$'), "\n"), 'matchstr(v:val, "<SNR>\\d\\+_\\w\\+")')
endfunction

" Without its number.
function! s:bare(line) abort
  return substitute(a:line, '^\d\+\s*', '', '')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
