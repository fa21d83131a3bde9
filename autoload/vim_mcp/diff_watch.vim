" What the person does to the windows of a review: writing, leaving, reading it again, changing the text.

let s:save_cpo = &cpo
set cpo&vim

" How long after a change the changes are counted again, in ms.
let s:pause = 200

" Events that tell of a change, or come before others might write it.
let s:changes = ['TextChanged', 'TextChangedI', 'TextChangedP', 'InsertLeavePre', 'InsertLeave']

" Begins to watch the buffers of `review`.
function! vim_mcp#diff_watch#begin(review) abort
  call vim_mcp#calm#watch()
  call vim_mcp#diff_write#watch()
  call vim_mcp#diff_private#watch()
  if has('nvim')
    " Vim has nothing that tells of a change before autocommands hear of it.
    call luaeval('require("vim_mcp.unmodified").keep(_A)', a:review.right)
  endif
  call s:watch_editor()
  call s:watch_sides(a:review)
  call s:watch_proposal('<buffer=' . a:review.right . '>')
endfunction

function! s:watch_editor() abort
  augroup vim_mcp_diff
    autocmd! ExitPre,VimLeavePre
    autocmd ExitPre * call vim_mcp#diff_watch#unmodify()
    autocmd VimLeavePre * call vim_mcp#diff#wipe()
    autocmd! BufNewFile
    autocmd BufNewFile vim-mcp://*,*/vim-mcp-review-*/* nested call vim_mcp#diff_buffers#leave(expand('<afile>'))
    if s:has('SafeState')
      autocmd! SafeState
      autocmd SafeState * call vim_mcp#diff_watch#unmodify()
    endif
  augroup END
endfunction

function! s:watch_sides(review) abort
  augroup vim_mcp_diff
    " `:w` on the file's side is no verdict, and no error either.
    execute 'autocmd BufWriteCmd <buffer=' . a:review.left . '> call s:write_part()'
    for side in [a:review.left, a:review.right]
      execute 'autocmd FileWriteCmd,FileAppendCmd <buffer=' . side . '> call s:write_part()'
      " A private file (diff_private.vim) that is gone is no news, and another name is that of no private file.
      execute 'autocmd FileChangedShell <buffer=' . side . '> let v:fcs_choice = ""'
      execute 'autocmd BufFilePost <buffer=' . side . '> setlocal buftype=acwrite | let b:vim_mcp_renamed = 1'
    endfor
  augroup END
endfunction

function! s:watch_proposal(right) abort
  augroup vim_mcp_diff
    execute 'autocmd BufWriteCmd' a:right 'call s:write(expand("<stack>"), expand("<afile>"))'
    execute 'autocmd BufReadCmd' a:right 'call s:read()'
    execute 'autocmd BufWinLeave,BufUnload' a:right 'call s:leave(+expand("<abuf>"))'
    for event in filter(copy(s:changes), 's:has(v:val)')
      execute 'autocmd' event a:right 'call s:changed()'
    endfor
  augroup END
endfunction

function! s:has(event) abort
  return exists('##' . a:event)
endfunction

" Ends that; a:last: nothing else is under review.
function! vim_mcp#diff_watch#end(review, last) abort
  if !exists('#vim_mcp_diff')
    return
  endif
  execute 'autocmd! vim_mcp_diff * <buffer=' . a:review.left . '>'
  execute 'autocmd! vim_mcp_diff * <buffer=' . a:review.right . '>'
  if a:last
    autocmd! vim_mcp_diff
    augroup! vim_mcp_diff
    call vim_mcp#calm#forget()
    call vim_mcp#diff_write#forget()
    call vim_mcp#diff_private#forget()
  endif
endfunction

" BufWriteCmd. A write that does not accept is none: it ends well, and whoever wrote is told how to accept.
function! s:write(stack, name) abort
  let review = vim_mcp#diff#of(bufnr('%'))
  setlocal nomodified
  if empty(review)
    call s:tell_withdrawn()
  elseif s:is_meant_here(a:name) && vim_mcp#diff_write#is_commanded(a:stack)
    call s:accept(review)
  else
    call vim_mcp#diff#hint(review, vim_mcp#diff_write#is_typed())
  endif
endfunction

" Whether a write is one of the proposal itself. Who has given it another name (`:saveas mine`, `:file mine`) takes it
" for a file of theirs, and means that from then on.
function! s:is_meant_here(name) abort
  return a:name ==# bufname('%') && !get(b:, 'vim_mcp_renamed')
endfunction

" Who writes what its client has taken back meanwhile must not believe that it was accepted.
function! s:tell_withdrawn() abort
  if vim_mcp#diff_write#is_typed() && vim_mcp#diff#ended(bufnr('%')) ==# 'withdrawn'
    call vim_mcp#notice#error('nothing was accepted: Claude has taken this diff back')
  endif
endfunction

" A part of the text, or to the end of another file, or the file's side.
function! s:write_part() abort
  let review = vim_mcp#diff#of(bufnr('%'))
  setlocal nomodified
  if !empty(review)
    call vim_mcp#diff#hint(review, vim_mcp#diff_write#is_typed())
  endif
endfunction

" The person has typed `:wa`, which is not meant for one buffer, and passes over this one.
function! vim_mcp#diff_watch#passed_over() abort
  let review = vim_mcp#diff#of(bufnr('%'))
  if !empty(review)
    call vim_mcp#diff#hint(review, 1)
  endif
endfunction

" The person has typed `:update` or `:x`, which write what has been changed: so this counts as changed, until it is
" known whether the command came to be run.
function! vim_mcp#diff_watch#let_write() abort
  let review = vim_mcp#diff#of(bufnr('%'))
  if get(review, 'right') == bufnr('%')
    setlocal modified
    call timer_start(0, {timer -> vim_mcp#diff_watch#unmodify()})
  endif
endfunction

" Where nobody would hear it, that is said without an error's several lines, which would wait for a key.
function! s:accept(review) abort
  if a:review.verdict ==# ''
    call vim_mcp#diff_commands#attempt({-> vim_mcp#diff#accept(a:review)})
  endif
endfunction

" `:edit` brings the proposal back.
function! s:read() abort
  let review = vim_mcp#diff#of(bufnr('%'))
  if !empty(review)
    call vim_mcp#diff_buffers#refill(review)
    setlocal nomodified
  endif
endfunction

" The buffer leaves its last window, or goes: whether it comes back (`:edit`) or something else takes its place is not
" known before the command is over.
function! s:leave(bufnr) abort
  let window = win_getid()
  let window = winbufnr(window) == a:bufnr ? window : get(win_findbuf(a:bufnr), 0)
  " That is told of this moment, since a timer may be late.
  let chance = vim_mcp#diff#chance(vim_mcp#diff#of(a:bufnr))
  call timer_start(0, {timer -> s:look(a:bufnr, window, chance)})
endfunction

function! s:look(bufnr, window, chance) abort
  let review = vim_mcp#diff#of(a:bufnr)
  if !empty(review) && !(bufloaded(a:bufnr) && !empty(win_findbuf(a:bufnr)))
    call vim_mcp#diff#hidden(review, !bufloaded(a:bufnr) || empty(getwininfo(a:window)), a:chance)
  endif
endfunction

" 'modified' would have the editor ask, and others write.
function! s:changed() abort
  setlocal nomodified
  call timer_stop(get(s:, 'timer', -1))
  let bufnr = bufnr('%')
  let s:timer = timer_start(s:pause, {timer -> vim_mcp#diff_show#changed(bufnr)})
endfunction

" What is under review is no reason for the editor to stay, nor for others to write it: `dp` on the file's side changes
" it without an event that would tell.
function! vim_mcp#diff_watch#unmodify() abort
  for review in filter(vim_mcp#diff#pending(), 'getbufvar(v:val.right, "&modified")')
    call setbufvar(review.right, '&modified', 0)
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
