" Folds over a reading of their buffer's file: Vim leaves them at the numbers of
" their lines, whatever these lines have become.

let s:save_cpo = &cpo
set cpo&vim

" What the windows on a buffer have folded: {window: [[kind, first, last], ...]},
" in the order in which it is to be done again. The kinds: 'fold' (made by hand,
" inner ones first), 'open' and 'close' (of the fold at `first`).
function! vim_mcp#folds#remember(bufnr) abort
  let l:folds = {}
  for l:window in win_findbuf(a:bufnr)
    let l:steps = s:steps(l:window)
    if !empty(l:steps)
      let l:folds[l:window] = l:steps
    endif
  endfor
  return l:folds
endfunction

" Only :mkview tells of folds: which there are where they are made by hand, and
" which differ from 'foldlevel'.
function! s:steps(window) abort
  let [l:file, l:options] = [tempname(), &viewoptions]
  try
    noautocmd set viewoptions=folds
    call win_execute(a:window, 'mkview! ' . fnameescape(l:file), 'silent!')
    return s:read(filereadable(l:file) ? readfile(l:file) : [])
  finally
    noautocmd let &viewoptions = l:options
    call delete(l:file)
  endtry
endfunction

function! s:read(lines) abort
  let [l:steps, l:line] = [[], 0]
  for l:text in a:lines
    let l:fold = matchlist(l:text, '^\%(sil\a*! \)\=\(\d\+\),\(\d\+\)fold$')
    let l:state = matchstr(l:text, '^\%(sil\a*! \)\=norm\a*! z\zs[oc]$')
    if !empty(l:fold)
      call add(l:steps, ['fold', str2nr(l:fold[1]), str2nr(l:fold[2])])
    elseif l:text =~# '^\d\+$'
      let l:line = str2nr(l:text)
    elseif l:state !=# '' && l:line
      call add(l:steps, [l:state ==# 'o' ? 'open' : 'close', l:line, l:line])
    endif
  endfor
  return l:steps
endfunction

" Fold the windows again as they were, after hunks (see hunks.vim) have moved lines.
function! vim_mcp#folds#restore(folds, hunks) abort
  for [l:window, l:steps] in items(a:folds)
    let l:moved = map(copy(l:steps), '[v:val[0]] + map(v:val[1:], "vim_mcp#change#moved(v:val, a:hunks)")')
    if l:moved !=# l:steps
      call win_execute(str2nr(l:window), 'call s:fold(l:moved)', 'silent!')
    endif
  endfor
endfunction

" Setting 'foldlevel' forgets what was opened and closed by hand.
function! s:fold(steps) abort
  if &l:foldmethod ==# 'manual'
    silent! normal! zE
  endif
  let &l:foldlevel = &l:foldlevel
  for [l:kind, l:first, l:last] in a:steps
    if l:kind !=# 'fold'
      execute 'silent!' l:first . 'fold' . l:kind
    elseif l:first < l:last
      execute 'silent!' l:first . ',' . l:last . 'fold'
    endif
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
