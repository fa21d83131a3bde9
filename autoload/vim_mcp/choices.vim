" The settings that choose among a few values.

let s:save_cpo = &cpo
set cpo&vim

" By the name behind g:vim_mcp_; the default comes first.
let s:choices = {
      \ 'access': ['edit', 'read', 'off'],
      \ 'diff_focus': ['auto', 'always', 'never'],
      \ 'diff_layout': ['vertical', 'horizontal', 'tab', 'unified'],
      \ 'execute': ['safe', 'ask', 'all', 'off'],
      \ 'execute_code': ['ask', 'allow', 'off'],
      \ 'terminal_position': ['right', 'left', 'top', 'bottom', 'tab', 'float'],
      \ 'transport': ['auto', 'job'],
      \ }

" The values that a setting may have.
function! vim_mcp#choices#of(name) abort
  return copy(s:choices[a:name])
endfunction

" What clients may do by a setting about that; a misspelt one counts as 'off'.
function! vim_mcp#choices#allowed(name) abort
  let value = get(g:, 'vim_mcp_' . a:name, s:choices[a:name][0])
  return index(s:choices[a:name], value) < 0 ? 'off' : value
endfunction

" A misspelt setting counts as 'off' (of what clients may do) or as the default, and its user should not have to find
" that out.
function! vim_mcp#choices#check() abort
  for [name, choices] in items(s:choices)
    let value = get(g:, 'vim_mcp_' . name, choices[0])
    if index(choices, value) < 0
      call vim_mcp#notice#unasked(printf('g:vim_mcp_%s is none of %s: %s', name, join(choices, ', '), string(value)))
    endif
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
