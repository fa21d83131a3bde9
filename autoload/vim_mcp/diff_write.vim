" Telling a write that the person has commanded from every other one (docs/diff-review.md).

" The command line that was left last, until the editor waits for the next key.
let s:command = ''

" Begins to watch command lines.
function! vim_mcp#diff_write#watch() abort
  augroup vim_mcp_diff_write
    autocmd!
    autocmd CmdlineLeave : call s:left(get(v:event, 'abort', 0) ? '' : getcmdline())
  augroup END
endfunction

" Watches no more.
function! vim_mcp#diff_write#forget() abort
  if exists('#vim_mcp_diff_write')
    autocmd! vim_mcp_diff_write
    augroup! vim_mcp_diff_write
  endif
endfunction

function! s:left(command) abort
  let s:command = a:command
  call timer_start(0, function('s:clear'))
endfunction

function! s:clear(timer) abort
  let s:command = ''
endfunction

" Whether the person has commanded the write that is being done. To be asked in BufWriteCmd, with its stack
" (expand('<stack>') there).
function! vim_mcp#diff_write#is_commanded(stack) abort
  let writes = vim_mcp#diff_write#is_write(s:command)
  if a:stack ==# ''
    return writes
  elseif matchstr(a:stack, '^.*\zeBufWriteCmd Autocommands') !=# ''
    return 0
  elseif exists('*state') && state() =~# 'c' || has('nvim') && luaeval('debug.getinfo(2) ~= nil')
    return 0
  endif
  return s:command ==# '' || writes
endfunction

" Whether a command line writes the current buffer.
function! vim_mcp#diff_write#is_write(line) abort
  return a:line =~# '^[: ]*\%(sil\%[ent]!\=\s*\)\=\%(w\%[rite]\|wq\|x\%[it]\|exi\%[t]\|up\%[date]\)\A\@='
        \ || a:line =~# '^[: ]*\%(sil\%[ent]!\=\s*\)\=\%(w\%[rite]\|wq\|x\%[it]\|exi\%[t]\|up\%[date]\)$'
endfunction
