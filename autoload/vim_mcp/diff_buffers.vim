" The two buffers of a review: the file as it is on disk, and what it is to become.

let s:save_cpo = &cpo
set cpo&vim

let s:number = 0

" Makes and fills them: sets left, right, title_left, title_right and filetype of `review`.
function! vim_mcp#diff_buffers#make(review, proposal) abort
  let s:number += 1
  let tail = fnamemodify(a:review.target, ':t')
  let ignored = &eventignore
  set eventignore=all
  try
    let a:review.left = s:buffer('disk', tail, 'nofile', vim_mcp#diff_text#read(a:review.file))
    let a:review.right = s:buffer('proposed', tail, 'acwrite', a:proposal)
    call setbufvar(a:review.left, '&modifiable', 0)
  finally
    let &eventignore = ignored
  endtry
  let a:review.filetype = ''
  let a:review.title_left = tail . ' (on disk)'
  let a:review.title_right = tail . ' (proposed)'
  call s:watch(a:review.right)
endfunction

function! s:buffer(side, tail, buftype, text) abort
  let bufnr = bufadd('vim-mcp://' . s:number . '/' . a:side . '/' . a:tail)
  for [option, value] in [['buftype', a:buftype], ['swapfile', 0], ['buflisted', 0], ['undofile', 0]]
    call setbufvar(bufnr, '&' . option, value)
  endfor
  silent call bufload(bufnr)
  call setbufvar(bufnr, '&bufhidden', 'hide')
  call setbufvar(bufnr, '&modeline', 0)
  call vim_mcp#diff_text#fill(bufnr, a:text)
  return bufnr
endfunction

function! s:watch(bufnr) abort
  call vim_mcp#diff_write#watch()
  augroup vim_mcp_diff
    execute 'autocmd! * <buffer=' . a:bufnr . '>'
    execute 'autocmd BufWriteCmd <buffer=' . a:bufnr . '> call s:written(expand("<stack>"), ' . a:bufnr . ')'
    execute 'autocmd BufWinLeave <buffer=' . a:bufnr . '> call s:left(' . a:bufnr . ')'
  augroup END
endfunction

function! s:written(stack, bufnr) abort
  let review = vim_mcp#diff#of(a:bufnr)
  call setbufvar(a:bufnr, '&modified', 0)
  if !empty(review) && vim_mcp#diff_write#is_commanded(a:stack)
    call vim_mcp#diff#accept(review)
  endif
endfunction

function! s:left(bufnr) abort
  let review = vim_mcp#diff#of(a:bufnr)
  if !empty(review)
    call vim_mcp#diff#reject(review, '')
  endif
endfunction

" Wipes both buffers.
function! vim_mcp#diff_buffers#wipe(review) abort
  for bufnr in filter([a:review.left, a:review.right], 'bufexists(v:val)')
    execute 'autocmd! vim_mcp_diff * <buffer=' . bufnr . '>'
    execute 'silent! noautocmd bwipeout!' bufnr
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
