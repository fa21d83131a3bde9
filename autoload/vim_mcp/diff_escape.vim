" Mappings of the person's by which Escape writes, too: `inoremap <Esc> <Esc>:w<CR>`. Who leaves Insert mode in a
" proposal has not accepted it.

let s:save_cpo = &cpo
set cpo&vim

" Keys that leave a mode, and, in Insert mode, what is typed instead of them, as `jk`.
let s:escape = '<Esc>\|<C-C>\|<C-\[>'
let s:typed = '\|\%(\a\|[;,]\)\{2,3}'

" In a list of mappings: keys, then what they stand for, with a command that writes the buffer.
let s:writes = '\)\s\+[*&@ ]*.\{-}\%(:\|<Cmd>\)\%(<C-U>\|\l\+!\=\s\+\)*'
      \ . '\%(w\%[rite]\|up\%[date]\)!\=\s*\%(<CR>\|<Bar>\||\)'

" What would close the window, too, is meant for it.
let s:closes = '\<\%(wq\|x\%[it]\|exi\%[t]\)\>'

" Whether Insert mode was left since the editor last waited for a key, and whether the command line that was entered
" last came from a mapping.
let s:left = 0
let s:mapped = 0

" Begins to watch modes and command lines, in the group of diff_write.vim.
function! vim_mcp#diff_escape#watch() abort
  autocmd InsertLeave * call s:leave()
  autocmd CmdlineEnter : let s:mapped = exists('*state') ? state('m') !=# '' : s:left
endfunction

function! s:leave() abort
  let s:left = 1
  call timer_start(0, {timer -> s:rest()})
endfunction

function! s:rest() abort
  let s:left = 0
endfunction

" Whether it may be such a mapping that writes; a:line: the command line that was left, '' where there was none.
function! vim_mcp#diff_escape#may_write(line) abort
  if a:line !=# '' && (!s:mapped || a:line =~# s:closes)
    return 0
  endif
  let [list, keys] = s:left ? [execute('imap'), s:escape . s:typed] : [execute('nmap') . execute('xmap'), s:escape]
  return list =~? '\n[a-z! ]\{-}\s\+\%(' . keys . s:writes
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
