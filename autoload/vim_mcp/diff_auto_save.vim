" Looking for auto-saves of the person's that reach no BufWriteCmd: `:write` and the like in autocommands that are not
" nested. docs/diff-review.md says what is seen and what is not.

let s:save_cpo = &cpo
set cpo&vim

" What auto-saves hear of.
let s:events = ['InsertLeavePre', 'InsertLeave', 'TextChanged', 'TextChangedI', 'TextChangedP', 'CursorHold',
      \ 'CursorHoldI', 'CursorMoved', 'CursorMovedI', 'FocusLost', 'FocusGained', 'BufLeave', 'BufEnter', 'WinLeave',
      \ 'WinEnter', 'TabLeave', 'TabEnter']

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
  for command in s:commands(a:event)
    call extend(a:others, [[command]] + s:functions(command))
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

" The lines of each function that the command calls.
function! s:functions(command) abort
  let names = []
  call substitute(a:command, '\<[[:alpha:]_][[:alnum:]_#]*\ze(', '\=add(names, submatch(0))[-1]', 'g')
  call filter(names, {_, name -> name =~# '\u\|#' && exists('*' . name)})
  return map(names, {_, name -> map(split(execute('function ' . name), "\n"), function('s:bare'))})
endfunction

" Without its number.
function! s:bare(_, line) abort
  return substitute(a:line, '^\d\+\s*', '', '')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
