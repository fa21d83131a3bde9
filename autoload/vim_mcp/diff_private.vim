" Private files for the buffers of a review, where an auto-save of the person's reaches no BufWriteCmd: the write
" then ends well, and what it has written is removed at once. They are there for no longer than that. What an auto-read
" that reaches no BufReadCmd has emptied is brought back here, too.

let s:save_cpo = &cpo
set cpo&vim

" Whether an auto-save that is not found by looking has met the error.
let s:met = 0

" Where an auto-read of the person's may have been at work, and where they cannot have changed anything since they were
" elsewhere.
let s:arrivals = ['BufEnter', 'WinEnter', 'TabEnter', 'FocusGained']

" The list of autocommands when it was last seen to that ours come after all others.
let s:watched = ''

" What the names of their directories have in them.
let s:directory = '/vim-mcp-review-\d\+-\d\+/'

" Prepares such files for `review` where they are needed: sets `private`, the directory, '' where there is none, and
" `private_files`, those that auto-saves may write there. a:number distinguishes the reviews of this editor.
function! vim_mcp#diff_private#begin(review, number) abort
  let [a:review.number, a:review.private, a:review.private_files] = [a:number, '', []]
  if s:are_needed()
    call s:allow(a:review)
  endif
endfunction

function! s:are_needed() abort
  return s:met || !empty(vim_mcp#diff_auto_save#events())
endfunction

function! s:allow(review) abort
  " Where the answer is written nobody else may look (docs/protocol.md).
  let runtime = fnamemodify(a:review.answer_file, ':h')
  if isdirectory(runtime)
    let a:review.private = runtime . '/vim-mcp-review-' . getpid() . '-' . a:review.number
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
  return a:name =~# s:directory && !filereadable(a:name)
endfunction

" Begins to look after auto-saves: after the person's own autocommands, which are there already. Others may come with a
" script or a command line: then it begins again, to be after them too.
function! vim_mcp#diff_private#watch() abort
  if v:errmsg =~# 'E676'
    let v:errmsg = '' " of another buffer
  endif
  augroup vim_mcp_diff_private
    autocmd!
    for event in vim_mcp#diff_auto_save#all()
      execute 'autocmd' event '* call s:look("' . event . '")'
    endfor
    autocmd BufEnter,WinEnter,DirChanged * call vim_mcp#diff_private#go_on()
    autocmd BufEnter,WinEnter * call timer_start(0, {timer -> vim_mcp#diff_private#go_on()})
    autocmd CmdlineLeave : call timer_start(0, {timer -> s:watch_again()})
    if exists('##SourcePost')
      autocmd SourcePost * call timer_start(0, {timer -> s:watch_again()})
    endif
  augroup END
  let s:watched = s:list()
endfunction

function! s:watch_again() abort
  if exists('#vim_mcp_diff_private') && s:list() !=# s:watched
    call vim_mcp#diff_private#watch()
    if s:are_needed()
      call s:change()
    endif
  endif
endfunction

function! s:list() abort
  return execute('autocmd')
endfunction

" With 'autochdir', or `autocmd BufEnter * lcd %:p:h`, the editor goes where a private file would be: it is taken on to
" the directory of the file under review, or the nearest one that there is.
function! vim_mcp#diff_private#go_on() abort
  if getcwd() =~# s:directory
    let directory = vim_mcp#diff_buffers#reviewed(getcwd() . '/')
    while !isdirectory(directory)
      let directory = fnamemodify(directory, ':h')
    endwhile
    execute 'silent noautocmd' (haslocaldir() ? 'lcd' : 'cd') fnameescape(directory)
  endif
endfunction

" Looks no more.
function! vim_mcp#diff_private#forget() abort
  if exists('#vim_mcp_diff_private')
    autocmd! vim_mcp_diff_private
    augroup! vim_mcp_diff_private
  endif
endfunction

" After an auto-save, perhaps: removes what it has written, or finds that it was refused. (One that throws keeps the
" editor from coming here: what it has written stays until the next such event.)
function! s:look(event) abort
  if index(s:arrivals, a:event) >= 0
    call s:restore(vim_mcp#diff#of(bufnr('%')))
  endif
  for review in vim_mcp#diff#pending()
    let review.was_empty = s:is_empty(review.right)
    if !empty(filter(copy(review.private_files), 'delete(v:val) == 0'))
      call s:saved(review)
    endif
  endfor
  if v:errmsg =~# 'E676'
    call s:meet(vim_mcp#diff#of(bufnr('%')))
  endif
endfunction

" An `:edit!` that is not nested reaches no BufReadCmd either, and leaves no text: that brings the proposal back. (What
" the person takes out of it from another window they have done before they left that.)
function! s:restore(review) abort
  if get(a:review, 'right') == bufnr('%') && s:is_empty(a:review.right)
        \ && !get(a:review, 'was_empty', a:review.original ==# [''])
    call vim_mcp#diff_buffers#refill(a:review)
    setlocal nomodified
  endif
endfunction

function! s:is_empty(bufnr) abort
  return getbufline(a:bufnr, 1, 2) ==# ['']
endfunction

function! s:saved(review) abort
  call setbufvar(a:review.right, '&modified', 0)
  call vim_mcp#diff#hint(a:review, 0)
endfunction

" An auto-save that was not found has met the error: none meets it any more.
function! s:meet(review) abort
  if !empty(a:review)
    let [s:met, v:errmsg] = [1, '']
    call s:saved(a:review)
    call timer_start(0, {timer -> s:change()})
  endif
endfunction

" The reviews that are there already get private files.
function! s:change() abort
  for review in filter(vim_mcp#diff#pending(), 'v:val.private ==# ""')
    call s:allow(review)
    call vim_mcp#diff_buffers#rename(review)
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
