" Command lines that are left by Enter: another one may be run in place of what was typed.

let s:save_cpo = &cpo
set cpo&vim

" A pattern of the modifiers that may stand before a command.
let s:modifiers = '\%(\%(sil\|uns\|verb\|kee\|lockm\|conf\|nos\|noa\|tab\|vert\|hor'
      \ . '\|top\|bot\|abo\|bel\|lefta\|rightb\)\l*!\=\s\+\)*'

function! vim_mcp#typed#modifiers() abort
  return s:modifiers
endfunction

" In an autocommand of CmdlineLeave: run a:line, one command or more, in place of the line that is being left, which
" stands in the history. Vim before 9.0.0285 cannot.
function! vim_mcp#typed#replace(line) abort
  if exists('*setcmdline') && !has('nvim')
    call setcmdline(a:line)
  elseif has('nvim')
    " Its setcmdline(), where there is one, changes the history too.
    let v:event.abort = v:true
    call feedkeys("\<Cmd>" . a:line . "\<CR>", 'in')
  endif
endfunction

" The lines of a Visual selection, which ":" puts before a command there, are none for a command that takes a number.
function! vim_mcp#typed#without_lines() abort
  let l:line = matchstr(getcmdline(), '^[: \t]*''<,''>\zs\s*' . s:modifiers . 'ClaudeCode\%(Focus\)\=\>.*')
  if l:line !=# '' && !get(v:event, 'abort', 0)
    call vim_mcp#typed#replace(l:line)
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
