" What the person has made of a proposal that then was taken back: nobody wants it any more but, perhaps, they.

let s:save_cpo = &cpo
set cpo&vim

" Keeps the right side's text in a buffer of its own, if the person has changed it, and tells them how to see it.
function! vim_mcp#diff_kept#keep(review) abort
  let lines = bufloaded(a:review.right) ? getbufline(a:review.right, 1, '$') : a:review.original
  if lines !=# a:review.original
    let bufnr = s:buffer('vim-mcp://kept/' . a:review.right . a:review.target, lines, a:review.filetype)
    let file = fnamemodify(a:review.target, ':t')
    call vim_mcp#notice#unasked(':sbuffer ' . bufnr . ' has your version of ' . file . ', which was taken back')
  endif
endfunction

" A listed buffer that the editor does not ask about when it is left.
function! s:buffer(name, lines, filetype) abort
  let ignored = &eventignore
  set eventignore=all
  try
    let bufnr = bufadd(a:name)
    call setbufvar(bufnr, '&buftype', 'nofile')
    call setbufvar(bufnr, '&swapfile', 0)
    call setbufvar(bufnr, '&bufhidden', 'hide')
    silent call bufload(bufnr)
    call setbufvar(bufnr, '&modifiable', 1)
    call setbufline(bufnr, 1, a:lines)
    call setbufvar(bufnr, '&filetype', a:filetype)
    call setbufvar(bufnr, '&modified', 0)
    call setbufvar(bufnr, '&buflisted', 1)
  finally
    let &eventignore = ignored
  endtry
  return bufnr
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
