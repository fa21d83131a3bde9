" Private files for the buffers of a review, where an auto-save of the person's reaches no BufWriteCmd: the write
" then ends well, and what it has written is removed at once. They are there for no longer than that.

let s:save_cpo = &cpo
set cpo&vim

" At which events auto-saves write them.
let s:events = []

" Sets where such files of `review` are to lie: `private`, '' where none is needed. a:number distinguishes the reviews
" of this editor.
function! vim_mcp#diff_private#begin(review, number) abort
  let [a:review.private, a:review.private_files] = ['', []]
  " Where the answer is written nobody else may look (docs/protocol.md).
  let runtime = fnamemodify(a:review.answer_file, ':h')
  let s:events = vim_mcp#diff_auto_save#events()
  " With 'autochdir' the editor would go there.
  if !empty(s:events) && !&autochdir && isdirectory(runtime)
    let a:review.private = runtime . '/vim-mcp-review-' . getpid() . '-' . a:number
  endif
endfunction

" The name of one of them, which ends in a:name, or '' where there is none.
function! vim_mcp#diff_private#file(review, name) abort
  let file = a:review.private . '/' . a:name
  " A name that leads out of there is that of somebody's file.
  if a:review.private ==# '' || file =~# '/\.\.\%(/\|$\)'
    return ''
  endif
  try
    call mkdir(fnamemodify(file, ':h'), 'p', 0700)
  catch
    return ''
  endtry
  return add(a:review.private_files, file)[-1]
endfunction

" Whether a buffer's name is one of those given here.
function! vim_mcp#diff_private#is_named(name) abort
  return a:name =~# '/vim-mcp-review-\d\+-\d\+/' && !filereadable(a:name)
endfunction

" Begins to look after auto-saves: after the person's own autocommands, which are there already.
function! vim_mcp#diff_private#watch() abort
  augroup vim_mcp_diff_private
    autocmd!
    for event in s:events
      execute 'autocmd' event '* call s:discard()'
    endfor
  augroup END
endfunction

" Looks no more.
function! vim_mcp#diff_private#forget() abort
  if exists('#vim_mcp_diff_private')
    autocmd! vim_mcp_diff_private
    augroup! vim_mcp_diff_private
  endif
endfunction

function! s:discard() abort
  for review in vim_mcp#diff#pending()
    if !empty(filter(copy(review.private_files), 'delete(v:val) == 0'))
      call setbufvar(review.right, '&modified', 0)
      call vim_mcp#diff#hint(review, 0)
    endif
  endfor
endfunction

" Removes what is left of them.
function! vim_mcp#diff_private#end(review) abort
  if a:review.private !=# ''
    call delete(a:review.private, 'rf')
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
