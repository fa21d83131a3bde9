" Looking for auto-saves of the person's that reach no BufWriteCmd: `:write` and the like in autocommands that are not
" nested. docs/diff-review.md says what is seen and what is not.

let s:save_cpo = &cpo
set cpo&vim

" What auto-saves hear of.
let s:events = ['InsertLeavePre', 'InsertLeave', 'TextChanged', 'TextChangedI', 'TextChangedP', 'CursorHold',
      \ 'CursorHoldI', 'CursorMoved', 'CursorMovedI', 'FocusLost', 'FocusGained', 'BufLeave', 'BufEnter', 'WinLeave',
      \ 'WinEnter', 'TabLeave', 'TabEnter', 'ModeChanged']

" How many functions deep it is looked, and into how many for one autocommand: plugins may have hundreds.
let s:depth = 4
let s:most = 50

" What a line that writes has in it.
let s:word = '\<\%(w\%[rite]\|up\%[date]\|wa\%[ll]\)\>'

" The groups of this plugin, which does not save.
let s:ours = '^vim_mcp'

" How far the list of autocommands has its commands from the left.
let s:indent = 14

" The events that auto-saves hear of, as far as this editor has them.
function! vim_mcp#diff_auto_save#all() abort
  return filter(copy(s:events), 'exists("##" . v:val)')
endfunction

" Those of them at which there is one.
function! vim_mcp#diff_auto_save#events() abort
  let [events, known] = [filter(copy(s:events), 'exists("#" . v:val)'), {}]
  let lua = has('nvim') && !empty(events) ? luaeval('require("vim_mcp.auto_saves").commands(_A)', events) : {}
  return filter(events, 's:has_write(v:val, get(lua, v:val, []), known)')
endfunction

" a:others: lists of commands that Lua gives at that event. a:known: what commands reach. `:update` and `:wall` find
" nothing changed, but in Vim just after a change.
function! s:has_write(event, others, known) abort
  let if_changed = !has('nvim') && a:event =~# '^TextChanged'
  for commands in a:others + map(s:commands(a:event), '[v:val]')
    let key = join(commands, "\n")
    if !has_key(a:known, key)
      let a:known[key] = map(filter(s:reached(commands, '', s:depth, {}), 'v:val =~# s:word'), 's:bare(v:val)')
    endif
    if !empty(filter(copy(a:known[key]), 'vim_mcp#diff_write#may_fail(v:val, if_changed)'))
      return 1
    endif
  endfor
  return 0
endfunction

" Those of one buffer are not for a review's. Only Vim 9 tells which are nested.
function! s:commands(event) abort
  if exists('*autocmd_get')
    let found = filter(autocmd_get({'event': a:event}), '!v:val.nested && v:val.pattern !~# "^<buffer"')
    return map(filter(found, 'v:val.group !~# s:ours'), 'v:val.cmd')
  endif
  let [commands, pattern, group] = [[], '', '']
  for line in split(execute('autocmd ' . a:event), "\n")
    let group = line =~# '^\S' ? line : group
    let pattern = line =~# '^ \{4}\S' ? line : pattern
    if pattern !~# '^ *<buffer' && group !~# s:ours
      " Lua may give the name of a function of Vim's.
      call add(commands, substitute(strpart(line, s:indent), '^<vim function: \(.*\)>$', 'call \1()', ''))
    endif
  endfor
  return commands
endfunction

" The lines, with those of each function that they call, and so on. What asks for 'buftype' saves files alone, whatever
" it calls. a:script: the prefix of their script's own functions; a:seen: the names of those that have been looked at.
function! s:reached(lines, script, depth, seen) abort
  if match(a:lines, '\<buftype\>\|&bt\>') >= 0
    return []
  endif
  let found = copy(a:lines)
  for name in a:depth ? filter(s:names(a:lines, a:script), '!has_key(a:seen, v:val)') : []
    if len(a:seen) == s:most
      break
    endif
    let a:seen[name] = 1
    let lines = split(execute('function ' . name), "\n")
    call extend(found, s:reached(lines, matchstr(name, '^<SNR>\d\+_'), a:depth - 1, a:seen))
  endfor
  return found
endfunction

" The functions that lines call.
function! s:names(lines, script) abort
  let names = []
  call substitute(join(a:lines, "\n"), '[[:alnum:]_#:<>]\+\ze(', '\=add(names, submatch(0))[-1]', 'g')
  let found = filter(copy(names), 'v:val =~# "^\\%(g:\\)\\=\\u\\|^<SNR>\\d\\|^\\w[^:<>]*#\\w"')
  for name in filter(names, 'v:val =~# "^\\%(s:\\|<SID>\\)"')
    call extend(found, s:of_script(substitute(name, '^\%(s:\|<SID>\)', '', ''), a:script))
  endfor
  return filter(found, 'v:val !=# "" && exists("*" . v:val)')
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
