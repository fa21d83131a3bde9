" The two buffers of a review: the file as it is on disk on the left, what it is to become on the right.

let s:save_cpo = &cpo
set cpo&vim

" Distinguishes buffers of one file.
let s:number = 0

" Makes them for `review` and sets its `left`, `right`, `form` (see diff_text.vim), `original` (the proposal's lines, as
" they are shown) and `filetype`. They are loaded, not listed, and hidden when they leave the screen; autocommands hear
" nothing of it.
function! vim_mcp#diff_buffers#make(review, proposal_file) abort
  let s:number += 1
  let own = vim_mcp#buffers#find(a:review.file)
  let [ignored, view, made] = [&eventignore, winsaveview(), 0]
  set eventignore=all
  try
    call vim_mcp#diff_private#begin(a:review, s:number)
    let a:review.left = s:buffer(a:review, 'left')
    let a:review.right = s:buffer(a:review, 'right')
    let a:review.form = vim_mcp#diff_text#fill(a:review.left, a:review.file, own, a:review.right, a:proposal_file)
    call s:set_filetype(a:review, own)
    call vim_mcp#within#buffer(a:review.right, function('s:map'))
    " Not 'readonly' as well, for which Vim itself would refuse `:w` (see diff_watch.vim).
    call setbufvar(a:review.left, '&modifiable', 0)
    let made = 1
  finally
    if !made
      call vim_mcp#diff_buffers#wipe(a:review)
    endif
    let &eventignore = ignored
    " To set an option of a buffer that is not shown, Vim makes room for a window for a moment: that may scroll this
    " one.
    if winsaveview() !=# view
      call winrestview(view)
    endif
  endtry
  let a:review.original = getbufline(a:review.right, 1, '$')
endfunction

" Puts the proposal into the right buffer again, as a change that can be undone.
function! vim_mcp#diff_buffers#refill(review) abort
  call deletebufline(a:review.right, len(a:review.original) + 1, '$')
  call setbufline(a:review.right, 1, a:review.original)
endfunction

" Wipes both buffers.
function! vim_mcp#diff_buffers#wipe(review) abort
  let buffers = filter([a:review.left, a:review.right], 'v:val > 0 && bufexists(v:val)')
  if !empty(filter(copy(buffers), 'getbufvar(v:val, "vim_mcp_renamed", 0)'))
    let buffers += s:former(buffers)
  endif
  for bufnr in buffers
    call vim_mcp#diff_close#run('silent! noautocmd bwipeout! ' . bufnr)
  endfor
  call vim_mcp#diff_private#end(a:review)
endfunction

" Where the person gives one of them another name, the editor makes a buffer of the former.
function! s:former(buffers) abort
  let others = filter(getbufinfo({'bufloaded': 0}), '!v:val.loaded && vim_mcp#diff_buffers#is_named(v:val.name)')
  return filter(map(others, 'v:val.bufnr'), 'index(a:buffers, v:val) < 0 && empty(vim_mcp#diff#of(v:val))')
endfunction

" `ZZ` does not write what has not been changed.
function! s:map() abort
  nnoremap <buffer> <nowait> <silent> ZZ :<C-U>ClaudeCodeDiffAccept<CR>
endfunction

function! s:client(review) abort
  let name = substitute(a:review.client, '[^[:alnum:]._ -]', '_', 'g')
  return name =~# '^\.*$' ? 'Claude' : name
endfunction

" Whether a buffer's name is one of those made here.
function! vim_mcp#diff_buffers#is_named(name) abort
  return a:name =~# '^vim-mcp://[^/]*/\d\+/' || vim_mcp#diff_private#is_named(a:name)
endfunction

" The file under review of a name made here.
function! vim_mcp#diff_buffers#reviewed(name) abort
  return substitute(a:name, '^\%(vim-mcp://[^/]*/\d\+\|.*/vim-mcp-review-\d\+-\d\+/[^/]*\)\ze/', '', '')
endfunction

" A new buffer has been given a name beside one made here, as `:edit %:h/other` does: it is to be that of the file which
" stands beside the one under review.
function! vim_mcp#diff_buffers#leave(name) abort
  let [file, bufnr] = [vim_mcp#diff_buffers#reviewed(a:name), bufnr('%')]
  if vim_mcp#diff_buffers#is_named(a:name) && empty(vim_mcp#diff#of(bufnr))
    execute 'keepalt edit' fnameescape(file)
    execute 'silent! noautocmd bwipeout' bufnr
  endif
endfunction

" A name that no file has, and that ends in the file's, so that what goes by names (g:vim_mcp_ignore too) knows it.
function! s:name(review, side) abort
  let name = a:review.target
  if vim_mcp#ignore#matches(a:review.file) && !vim_mcp#ignore#matches(name)
    let name = resolve(a:review.file)
  endif
  return [a:side ==# 'left' ? 'disk' : s:client(a:review), name]
endfunction

" That of a private file for a side, or ''.
function! s:private(review, side) abort
  return vim_mcp#diff_private#file(a:review, join(s:name(a:review, a:side), ''))
endfunction

function! s:buffer(review, side) abort
  let file = s:private(a:review, a:side)
  let bufnr = bufadd(file !=# '' ? file : 'vim-mcp://' . join(s:name(a:review, a:side), '/' . s:number))
  call setbufvar(bufnr, '&buftype', file !=# '' ? '' : 'acwrite')
  for option in ['swapfile', 'buflisted', 'undofile', 'modeline']
    call setbufvar(bufnr, '&' . option, 0)
  endfor
  silent call bufload(bufnr)
  call setbufvar(bufnr, '&modifiable', 1)
  call setbufvar(bufnr, '&bufhidden', 'hide')
  call setbufvar(bufnr, 'vim_mcp_diff', a:review.review)
  return bufnr
endfunction

" Gives both buffers, which are there already, the names of private files where they may have them.
function! vim_mcp#diff_buffers#rename(review) abort
  for side in ['left', 'right']
    " The left one may have been deleted.
    let file = bufloaded(a:review[side]) ? s:private(a:review, side) : ''
    if file !=# ''
      call vim_mcp#within#buffer(a:review[side], {-> s:rename(file)})
    endif
  endfor
endfunction

" The editor keeps the old name as that of another buffer.
function! s:rename(file) abort
  let last = bufnr('$')
  execute 'silent noautocmd keepalt file' fnameescape(a:file)
  noautocmd setlocal buftype=
  if bufnr('$') > last
    execute 'silent! noautocmd bwipeout!' bufnr('$')
  endif
endfunction

" That of the person's buffer, else the one that the file would have. No plugin hears of it: what a language server or a
" linter says of a proposal would be taken for the file's.
function! s:set_filetype(review, own) abort
  let filetype = a:own > 0 ? getbufvar(a:own, '&filetype') : ''
  let a:review.filetype = filetype ==# '' ? s:detected(a:review) : filetype
  call setbufvar(a:review.left, '&filetype', a:review.filetype)
  call setbufvar(a:review.right, '&filetype', a:review.filetype)
endfunction

function! s:detected(review) abort
  if has('nvim-0.8')
    return luaeval('vim.filetype.match({filename = _A[1], buf = _A[2]}) or ""', [a:review.target, a:review.right])
  elseif exists('#filetypedetect#BufRead')
    call vim_mcp#within#buffer(a:review.right, {-> s:detect(a:review.target)})
  endif
  return getbufvar(a:review.right, '&filetype')
endfunction

function! s:detect(name) abort
  let ignored = &eventignore
  set eventignore=FileType,Syntax
  try
    execute 'silent! doautocmd <nomodeline> filetypedetect BufRead' fnameescape(a:name)
  finally
    let &eventignore = ignored
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
