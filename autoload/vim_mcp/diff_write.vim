" Telling a write that the person has commanded from every other one. docs/diff-review.md says what can be told.

let s:save_cpo = &cpo
set cpo&vim

" The command line that was left last, until the editor waits for the next key, the window it was typed in, and whether
" it is the person who typed it, as far as the editor tells.
let s:none = {'line': '', 'window': 0, 'pressed': 1}
let s:typed = s:none

" What the person does follows their key within so many ms.
let s:at_once = 500

" What may stand before a command: modifiers and a range.
let s:modifiers = '\%(\%(sil\%[ent]\|uns\%[ilent]\|verb\%[ose]\|kee\%[pmarks]\|keepj\%[umps]\|keepa\%[lt]'
      \ . '\|keepp\%[atterns]\|lockm\%[arks]\|conf\%[irm]\|nos\%[wapfile]\)!\=\s\+\|sil\%[ent]!\s*\)*'
let s:range = '\%([%.$0-9,;+ -]\|''[<>[\]a-zA-Z]\)*'
let s:before = '^[: \t]*' . s:modifiers . s:range

" Commands that write the buffer they are given in, and those that write every buffer, this one perhaps among them.
let s:one = s:before . '\%(w\%[rite]\|wq\|x\%[it]\|exi\%[t]\|up\%[date]\)\%(\A\|$\)'
let s:all = s:before . '\%(wa\%[ll]\|wqa\%[ll]\|xa\%[ll]\)\%(\A\|$\)'
" Commands that give others what follows, to be done in many places.
let s:many = s:before . '\%(\%(win\|buf\|tab\|arg\|[cl]f\=\)do\=\|g\%[lobal]\|v\%[global]\)\%(\A\|$\)'
let s:if_changed = s:before . '\%(x\%[it]\|exi\%[t]\|up\%[date]\)\%(\A\|$\)'

" Auto-saves: of the current buffer in any case, and of what has been changed, too.
let s:saves = s:before . '\%(noa\%[utocmd]\s\+\|\%(call \)\=exe\%[cute]\s*(\=\s*["'']\)\='
      \ . '\%(norm\%[al]!\=\s\+:\)\=:*' . s:modifiers
let s:saves_changed = s:saves . '\%(w\%[rite]\|up\%[date]\|wa\%[ll]\)'
let s:saves .= 'w\%[rite]'
" What follows these: not what makes a variable of `w`.
let s:no_variable = '\%(\s*[-+*/.]\==\)\@!\%([^[:alnum:]_:.[]\|$\)'

" Whether an autocommand's command writes, and would tell of an error; a:if_changed: what has been changed.
function! vim_mcp#diff_write#may_fail(command, if_changed) abort
  let writes = filter(split(a:command, '|'), 'v:val =~# (a:if_changed ? s:saves_changed : s:saves) . s:no_variable')
  return !empty(filter(writes, 'v:val !~# "\\<sil\\%[ent]!"'))
endfunction

" Begins to watch command lines.
function! vim_mcp#diff_write#watch() abort
  augroup vim_mcp_diff_write
    autocmd!
    autocmd CmdlineLeave : call s:left(get(v:event, 'abort', 0) ? '' : getcmdline())
    call vim_mcp#diff_escape#watch()
  augroup END
  call s:watch_keys('true')
endfunction

" Watches no more.
function! vim_mcp#diff_write#forget() abort
  if exists('#vim_mcp_diff_write')
    autocmd! vim_mcp_diff_write
    augroup! vim_mcp_diff_write
    call s:watch_keys('false')
  endif
endfunction

" Only Neovim since 0.11 tells keys that are pressed from those that a script types.
function! s:watch_keys(on) abort
  if has('nvim-0.11')
    call luaeval('require("vim_mcp.pressed").watch(' . a:on . ')')
  endif
endfunction

function! s:has_pressed() abort
  return !has('nvim-0.11') || luaeval('require("vim_mcp.pressed").age()') < s:at_once
endfunction

function! s:left(line) abort
  let s:typed = {'line': a:line, 'window': win_getid(), 'pressed': s:has_pressed()}
  call timer_start(0, function('s:clear'))
  call vim_mcp#diff_watch#unmodify()
  " These pass over the proposal, in which nothing counts as changed.
  if s:is(s:all)
    call vim_mcp#diff_watch#passed_over()
  endif
  if s:is(s:if_changed)
    call vim_mcp#diff_watch#let_write()
  endif
endfunction

function! s:clear(timer) abort
  let s:typed = s:none
endfunction

" Whether the person has commanded the write of the current buffer that is being done: to be asked in BufWriteCmd, with
" its expand('<stack>').
function! vim_mcp#diff_write#is_commanded(stack) abort
  let writes = s:is(s:one) && s:typed.window == win_getid()
  if vim_mcp#methods#running() !=# '' || vim_mcp#diff_escape#may_write(s:typed.line)
    " A client does not accept what a client proposes, nor Escape what has been changed.
    return 0
  elseif a:stack ==# ''
    " Neovim before 0.8 does not tell who calls.
    return writes
  elseif matchstr(a:stack, '^.*\zeBufWriteCmd Autocommands') !=# ''
    return 0
  elseif exists('*state') && state('c') !=# '' || has('nvim') && luaeval('debug.getinfo(2) ~= nil')
    return 0
  endif
  " A mapping with <Cmd> has left no command line.
  return s:typed.line ==# '' ? s:has_pressed() : writes
endfunction

" Whether the person has typed a write of any kind, so that they wait for what it brings.
function! vim_mcp#diff_write#is_typed() abort
  return (s:is(s:one) || s:is(s:all)) && !vim_mcp#diff_escape#may_write(s:typed.line)
endfunction

" Whether one of the commands of the line matches. A bar in an argument divides too, which makes no write of none.
function! s:is(pattern) abort
  return s:typed.pressed && vim_mcp#methods#running() ==# '' && s:typed.line !~# s:many
        \ && !empty(filter(split(s:typed.line, '|'), 'v:val =~# a:pattern'))
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
