" :VimMCPHistory: the list of what clients have done here.

let s:save_cpo = &cpo
set cpo&vim

let s:title = 'what MCP clients did here   <CR> go there   u undo this edit   q close'

let s:buffer = -1

" Open the list, or bring the open one up to date and go to it.
function! vim_mcp#history_window#open() abort
  if !vim_mcp#scratch#go(s:buffer)
    let s:buffer = vim_mcp#scratch#new('botright 12new', 'vim-mcp://history', 'wipe')
    setlocal nowrap nonumber norelativenumber winfixheight cursorline statusline=vim-mcp\ history
    call vim_mcp#scratch#map('<CR>', 'call vim_mcp#history_window#show()')
    call vim_mcp#scratch#map('u', 'call vim_mcp#history_window#undo()')
    setlocal filetype=vimmcphistory
  endif
  call s:fill()
endfunction

function! s:fill() abort
  let b:vim_mcp_entries = vim_mcp#history#entries()
  let l:lines = map(copy(b:vim_mcp_entries), 's:line(v:val)')
  call vim_mcp#scratch#fill(s:buffer, [s:title] + (empty(l:lines) ? ['nothing yet'] : l:lines))
  call cursor(max([2, line('.')]), 1)
endfunction

function! s:line(entry) abort
  let l:place = a:entry.name ==# '' ? '' : fnamemodify(a:entry.name, ':~:.') . (a:entry.line ? ':' . a:entry.line : '')
  let l:outcome = a:entry.undone ? '(undone)' : a:entry.error ==# '' ? '' : '(not done: ' . a:entry.error . ')'
  let l:words = [strftime('%H:%M:%S', a:entry.time), a:entry.client ==# '' ? '-' : a:entry.client, a:entry.method,
        \ l:place, a:entry.summary, l:outcome]
  return strtrans(join(filter(l:words, 'v:val !=# ""'), '  '))
endfunction

" The entry under the cursor, or {}.
function! s:entry() abort
  return line('.') < 2 ? {} : get(b:vim_mcp_entries, line('.') - 2, {})
endfunction

" Its key <CR>: go to the place of the entry under the cursor.
function! vim_mcp#history_window#show() abort
  let l:entry = s:entry()
  if empty(l:entry)
    return
  elseif l:entry.bufnr == 0 || !bufexists(l:entry.bufnr)
    call vim_mcp#notice#error('there is no buffer to go to')
    return
  endif
  call vim_mcp#show#buffer(l:entry.bufnr, l:entry.line, 1)
endfunction

" Its key `u`: undo the edit of that entry.
function! vim_mcp#history_window#undo() abort
  let l:entry = s:entry()
  if empty(l:entry)
    return
  endif
  let l:reason = vim_mcp#history#undo(l:entry)
  call s:fill()
  if l:reason ==# ''
    call vim_mcp#notice#echo('undone')
  else
    call vim_mcp#notice#error('not undone: ' . l:reason)
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
