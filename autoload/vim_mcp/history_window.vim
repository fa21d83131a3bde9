" :VimMCPHistory: the list of what clients have done here.

let s:save_cpo = &cpo
set cpo&vim

let s:title = 'what MCP clients did here   <CR> go there   u undo this edit   q close'

" Open the list, or bring the open one up to date and go to it.
function! vim_mcp#history_window#open() abort
  let l:open = filter(range(1, winnr('$')), 'getbufvar(winbufnr(v:val), "vim_mcp_history", 0)')
  if !empty(l:open)
    execute l:open[0] . 'wincmd w'
  else
    call s:new()
  endif
  call s:fill()
endfunction

function! s:new() abort
  noautocmd botright 12new
  let b:vim_mcp_history = 1
  setlocal buftype=nofile bufhidden=wipe nobuflisted noswapfile noundofile nowrap nonumber norelativenumber
  setlocal winfixheight cursorline nospell statusline=vim-mcp\ history
  call s:map()
  setlocal filetype=vimmcphistory
endfunction

" The notation <C-U> has a meaning only where 'cpoptions' lets it.
function! s:map() abort
  let l:cpo = &cpo
  set cpo&vim
  nnoremap <buffer> <silent> <nowait> <CR> :<C-U>call <SID>go()<CR>
  nnoremap <buffer> <silent> <nowait> u :<C-U>call <SID>undo()<CR>
  nnoremap <buffer> <silent> <nowait> q :<C-U>close<CR>
  let &cpo = l:cpo
endfunction

function! s:fill() abort
  let b:vim_mcp_entries = vim_mcp#history#entries()
  let l:lines = map(copy(b:vim_mcp_entries), 's:line(v:val)')
  let l:cursor = line('.')
  setlocal modifiable
  silent keepjumps %delete _
  call setline(1, [s:title] + (empty(l:lines) ? ['nothing yet'] : l:lines))
  setlocal nomodifiable nomodified
  call cursor(max([2, l:cursor]), 1)
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

function! s:go() abort
  let l:entry = s:entry()
  if empty(l:entry)
    return
  elseif l:entry.bufnr == 0 || !bufexists(l:entry.bufnr)
    call vim_mcp#notice#error('there is no buffer to go to')
    return
  endif
  call vim_mcp#show#buffer(l:entry.bufnr, l:entry.line, 1)
endfunction

function! s:undo() abort
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
