" Looking for auto-saves of the person's that reach no BufWriteCmd: `:write` and the like in autocommands that are not
" nested. docs/diff-review.md says what is seen and what is not.

let s:save_cpo = &cpo
set cpo&vim

" What auto-saves hear of.
let s:events = ['InsertLeavePre', 'InsertLeave', 'TextChanged', 'TextChangedI', 'TextChangedP', 'CursorHold',
      \ 'CursorHoldI', 'CursorMoved', 'CursorMovedI', 'FocusLost', 'FocusGained', 'BufLeave', 'BufEnter', 'WinLeave',
      \ 'WinEnter', 'TabLeave', 'TabEnter']

" How many functions deep it is looked.
let s:depth = 4

" How the call of one of the person's or of a plugin's begins.
let s:call = '\%([sg]:\|<SID>\|<SNR>\d\+_\)\=\<[[:alpha:]_][[:alnum:]_#]*\ze('

" How far the list of autocommands has its commands from the left.
let s:indent = 14

" The events at which there is one.
function! vim_mcp#diff_auto_save#events() abort
  let events = filter(copy(s:events), 'exists("#" . v:val)')
  let lua = has('nvim') && !empty(events) ? luaeval('require("vim_mcp.auto_saves").commands(_A)', events) : {}
  return filter(events, 's:has_write(v:val, get(lua, v:val, []))')
endfunction

" a:others: lists of commands that Lua gives at that event. `:update` and `:wall` find nothing changed, but in Vim just
" after a change.
function! s:has_write(event, others) abort
  let if_changed = !has('nvim') && a:event =~# '^TextChanged'
  let seen = {}
  for command in s:commands(a:event)
    call extend(a:others, s:reached([], [command], '', s:depth, seen))
  endfor
  return !empty(filter(a:others, 's:may_fail(v:val, if_changed)'))
endfunction

" What asks for 'buftype' saves files alone.
function! s:may_fail(commands, if_changed) abort
  return match(a:commands, '\<buftype\>\|&bt\>') < 0
        \ && !empty(filter(copy(a:commands), 'vim_mcp#diff_write#may_fail(v:val, a:if_changed)'))
endfunction

" Those of one buffer are not for a review's. Only Vim 9 tells which are nested.
function! s:commands(event) abort
  if exists('*autocmd_get')
    let found = filter(autocmd_get({'event': a:event}), '!v:val.nested && v:val.pattern !~# "^<buffer"')
    return map(found, 'v:val.cmd')
  endif
  let [commands, pattern] = [[], '']
  for line in split(execute('autocmd ' . a:event), "\n")
    let pattern = line =~# '^ \{4}\S' ? line : pattern
    if pattern !~# '^ *<buffer'
      call add(commands, strpart(line, s:indent))
    endif
  endfor
  return commands
endfunction

" A list of lines for each function that a:lines call, and so on: its own after those that lead there, which may ask
" whether this is a file. a:before leads to a:lines, a:script is the prefix of their script's own functions, a:seen has
" the names of those that have been looked at.
function! s:reached(before, lines, script, depth, seen) abort
  let lines = a:before + a:lines
  let found = [lines]
  for name in a:depth ? filter(s:names(a:lines, a:script), '!has_key(a:seen, v:val)') : []
    let a:seen[name] = 1
    let [its, script] = [split(execute('function ' . name), "\n"), matchstr(name, '^<SNR>\d\+_')]
    call extend(found, s:reached(lines, map(its, function('s:bare')), script, a:depth - 1, a:seen))
  endfor
  return found
endfunction

" The functions that lines call.
function! s:names(lines, script) abort
  let names = []
  call substitute(join(a:lines, "\n"), s:call, '\=add(names, submatch(0))[-1]', 'g')
  let [own, found] = ['^\%(s:\|<SID>\)', []]
  for name in names
    call extend(found, name =~# own ? s:of_script(substitute(name, own, '', ''), a:script) : [name])
  endfor
  return filter(found, 'v:val =~# "^\\%(g:\\)\\=\\u\\|^<\\|#" && exists("*" . v:val)')
endfunction

" A script's own function of that name. Which script's one an autocommand means is not told: any.
function! s:of_script(name, script) abort
  if a:script !=# ''
    return [a:script . a:name]
  endif
  return map(split(execute('function /_' . a:name . '$'), "\n"), 'matchstr(v:val, "<SNR>\\d\\+_\\w\\+")')
endfunction

" Without its number.
function! s:bare(_, line) abort
  return substitute(a:line, '^\d\+\s*', '', '')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
