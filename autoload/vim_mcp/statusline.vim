" What a status line, or the tab line, shows of the Claudes of this editor: it is put together when
" it changes, so that asking for it costs nothing.

let s:save_cpo = &cpo
set cpo&vim

let s:text = ''

" Such as `Claude waiting, 1 diff`; '' while no Claude is there.
function! vim_mcp#statusline#text() abort
  return s:text
endfunction

" Something has changed: put it together again, and have it shown.
function! vim_mcp#statusline#refresh() abort
  let l:parts = filter([s:claude(), s:diffs(vim_mcp#statusline#diffs())], 'v:val !=# ""')
  let s:text = join(l:parts, ', ')
  redrawstatus!
  if exists(':redrawtabline') == 2
    redrawtabline
  endif
endfunction

" How many diffs wait for the person's verdict.
function! vim_mcp#statusline#diffs() abort
  return exists('*vim_mcp#diff#pending') ? len(vim_mcp#diff#pending()) : 0
endfunction

function! s:claude() abort
  let [l:clients, l:activity] = [vim_mcp#ide#clients(), vim_mcp#ide#activity()]
  let l:name = l:clients > 1 ? l:clients . ' Claudes' : l:clients || l:activity !=# '' ? 'Claude' : ''
  return l:name . (l:activity ==# '' ? '' : ' ' . l:activity)
endfunction

function! s:diffs(number) abort
  return a:number ? a:number . (a:number > 1 ? ' diffs' : ' diff') : ''
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
