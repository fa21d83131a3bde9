" Bringing a review (diff.vim) before its person's eyes, and away from them.

let s:save_cpo = &cpo
set cpo&vim

" How often it is tried, in ms.
let s:step = 100

" Shows a pending review, and what its title is now; later where windows cannot be changed at this moment.
" Throws where it cannot be shown at all: it has ended then.
function! vim_mcp#diff_show#show(review) abort
  if a:review.verdict !=# ''
    return
  endif
  call vim_mcp#diff_show#retitle(a:review)
  if !s:is_seen(a:review)
    call s:open(a:review)
  endif
endfunction

function! s:is_seen(review) abort
  return !empty(a:review.place) && !empty(win_findbuf(a:review.right))
endfunction

" What its title tells has changed.
function! vim_mcp#diff_show#retitle(review) abort
  call vim_mcp#diff_words#title(a:review)
  if s:is_seen(a:review)
    call vim_mcp#diff_windows#update(a:review, a:review.place)
  endif
endfunction

function! s:open(review) abort
  try
    if !empty(a:review.place)
      call vim_mcp#diff_windows#close(a:review.place)
      let a:review.place = {}
    endif
    let a:review.place = vim_mcp#diff_windows#open(a:review)
  catch /^vim-mcp-later/
    call timer_start(s:step, function('s:show_later', [a:review]))
    return
  catch
    call vim_mcp#diff#end(a:review, 'withdrawn')
    throw v:exception
  endtry
  call vim_mcp#diff_show#changed(a:review.right)
  call vim_mcp#diff#tell('VimMCPDiffOpened', a:review)
endfunction

" One that cannot be shown at all is rejected, since its client waits for a verdict.
function! s:show_later(review, timer) abort
  try
    call vim_mcp#diff_show#show(a:review)
  catch
    call vim_mcp#notice#unasked(vim_mcp#diff_words#name(a:review) . ' cannot be shown: ' . v:exception)
    let message = {'type': 'review', 'review': a:review.review, 'verdict': 'rejected'}
    call vim_mcp#transport#send(extend(message, {'reason': 'the editor cannot show it: ' . v:exception}))
  endtry
endfunction

" Brings a pending review before the person's eyes, also when its windows have been closed or used for something else.
function! vim_mcp#diff_show#goto(review) abort
  if !s:is_seen(a:review)
    let a:review.called = 1
    try
      call s:open(a:review)
    finally
      let a:review.called = 0
    endtry
  endif
  if !empty(a:review.place)
    let a:review.place.led = []
    call vim_mcp#diff_windows#goto(a:review.place)
  endif
endfunction

" The text of a review's right buffer has changed.
function! vim_mcp#diff_show#changed(bufnr) abort
  let review = vim_mcp#diff#of(a:bufnr)
  if !empty(review)
    call vim_mcp#diff_words#count(review, {-> vim_mcp#diff_show#retitle(review)})
    if get(review.place, 'unified')
      call vim_mcp#diff_unified#draw(review.place)
    endif
  endif
endfunction

" The proposal's window has been closed, which was no verdict: the file's side is closed too, when nobody types there.
function! vim_mcp#diff_show#put_away(review, timer) abort
  if a:review.verdict !=# '' || empty(a:review.place) || s:is_seen(a:review)
    return
  endif
  try
    call vim_mcp#diff_windows#close(a:review.place)
    let a:review.place = {}
  catch /^vim-mcp-later/
    call timer_start(s:step, function('vim_mcp#diff_show#put_away', [a:review]))
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
