" :ClaudeAtMention: putting a file, or lines of it, into Claude's prompt.

let s:save_cpo = &cpo
set cpo&vim

" a:range is how many lines the user has named (0: none): a:first and a:last. In
" Visual mode the lines that it marks are meant.
function! vim_mcp#mention#command(range, first, last) abort
  let l:file = vim_mcp#buffers#name(bufnr('%'))
  let l:obstacle = s:obstacle(l:file)
  if l:obstacle !=# ''
    call vim_mcp#notice#error('not mentioned: ' . l:obstacle)
    return
  endif
  let l:area = vim_mcp#visual#area()
  let l:lines = a:range ? [a:first, a:last] : empty(l:area) ? [] : [l:area.start[0], l:area.end[0]]
  let l:message = {'type': 'mention', 'file': l:file}
  if !empty(l:lines)
    call extend(l:message, {'first': l:lines[0], 'last': l:lines[1]})
  endif
  call vim_mcp#transport#send(l:message)
  call vim_mcp#notice#echo(s:told(fnamemodify(l:file, ':t'), l:lines))
endfunction

" Why the current buffer cannot be mentioned, or ''. Short, as s:told() is, since
" 80 columns hold about 50 characters.
function! s:obstacle(file) abort
  if &buftype !=# '' && &buftype !=# 'acwrite' || a:file !~# '^/'
    return 'this buffer has no file'
  elseif vim_mcp#ignore#matches(a:file)
    return 'it matches g:vim_mcp_ignore'
  elseif vim_mcp#methods#access() ==# 'off'
    return vim_mcp#paused() ? 'paused (:VimMCPPause off)' : 'g:vim_mcp_access is off'
  elseif !vim_mcp#link#connected()
    return 'see :VimMCPStatus'
  endif
  return ''
endfunction

function! s:told(name, lines) abort
  let l:which = empty(a:lines) ? '' : a:lines[0] == a:lines[1] ? ' line ' . a:lines[0] : ' lines ' . join(a:lines, '-')
  return vim_mcp#ide#clients() ? 'mentioned ' . a:name . l:which : a:name . l:which . ': waits for a Claude'
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
