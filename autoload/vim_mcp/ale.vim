" ALE, the linter of many who use Vim: whether it has checked a text, and what it
" has found.

let s:save_cpo = &cpo
set cpo&vim

" An answer is not waited for any longer than this after it was asked for, in ms.
let s:late = 1500

" What ALE was last asked for, or has said by itself, by buffer: the text's
" changedtick, ALE's count of checks before, and when.
let s:checks = {}

" Begin to note what ALE checks by itself.
function! vim_mcp#ale#start() abort
  augroup vim_mcp_ale
    autocmd!
    autocmd User ALELintPost call s:note_checked()
  augroup END
  if exists('g:ale_buffer_info')
    call s:note_checked()
  endif
endfunction

function! vim_mcp#ale#stop() abort
  let s:checks = {}
  if exists('#vim_mcp_ale')
    autocmd! vim_mcp_ale
    augroup! vim_mcp_ale
  endif
endfunction

" The event does not say which buffer was checked: those whose count has grown.
function! s:note_checked() abort
  for l:bufnr in filter(keys(g:ale_buffer_info), 'bufloaded(str2nr(v:val))')
    let l:count = s:checked(l:bufnr)
    if l:count > get(get(s:checks, l:bufnr, {}), 'count', 0)
      let s:checks[l:bufnr] = s:check(l:bufnr, l:count - 1)
    endif
  endfor
endfunction

function! s:check(bufnr, count) abort
  return {'tick': getbufvar(str2nr(a:bufnr), 'changedtick'), 'count': a:count, 'since': reltime()}
endfunction

function! s:checked(bufnr) abort
  return getbufvar(str2nr(a:bufnr), 'ale_linted', 0)
endfunction

" Whether ALE has nothing more to say of the text of a loaded buffer. If it has not
" checked that yet, it is told to: by itself it checks only what is being looked at.
function! vim_mcp#ale#settled(bufnr) abort
  if !exists('g:ale_buffer_info')
    return 1
  elseif getcmdwintype() !=# '' || mode(1) =~# '^no'
    " ALE does nothing now.
    return 0
  elseif ale#ShouldDoNothing(a:bufnr)
    return 1
  endif
  if get(get(s:checks, a:bufnr, {}), 'tick') != getbufvar(a:bufnr, 'changedtick')
    let s:checks[a:bufnr] = s:check(a:bufnr, s:checked(a:bufnr))
    call ale#Queue(0, 'lint_file', a:bufnr)
  endif
  let l:check = s:checks[a:bufnr]
  return s:checked(a:bufnr) > l:check.count || !has_key(g:ale_buffer_info, a:bufnr)
        \ || reltimefloat(reltime(l:check.since)) * 1000 >= s:late
endfunction

" Whether a list with this title is ALE's own: it is called after the buffer that
" was checked.
function! vim_mcp#ale#owns(title) abort
  return exists('g:ale_buffer_info') && a:title =~# '^/' && has_key(g:ale_buffer_info, vim_mcp#buffers#find(a:title))
endfunction

" What ALE has found in all files, or in that of one buffer, as entries of a list
" with `linter_name` and perhaps `code`. Its location lists are for windows alone.
function! vim_mcp#ale#found(bufnr) abort
  let l:found = []
  for l:checked in exists('g:ale_buffer_info') ? keys(g:ale_buffer_info) : []
    let l:found += deepcopy(ale#engine#GetLoclist(str2nr(l:checked)))
  endfor
  return filter(l:found, 'v:val.bufnr > 0 && bufexists(v:val.bufnr) && (a:bufnr == -1 || v:val.bufnr == a:bufnr)')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
