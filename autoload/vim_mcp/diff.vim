" Reviews of what Claude proposes: each shows a file beside what it is to become, until the person accepts or rejects.
"
" A review is a dictionary: review (its id), file, target, answer_file, tab_name, client; left, right (buffers),
" title_left, title_right, filetype; place (where it is shown, {} while it is not), verdict ('' while it is pending).

let s:save_cpo = &cpo
set cpo&vim

let s:reviews = {}
let s:step = 100

" The method `open_diff`.
function! vim_mcp#diff#open_diff(params) abort
  let review = s:asked(a:params)
  let proposal = vim_mcp#diff_text#read(vim_mcp#params#string(a:params, 'proposal_file'))
  call vim_mcp#diff_buffers#make(review, proposal)
  let s:reviews[review.review] = review
  call s:show(review, 0)
  return {'review': review.review, 'shown': empty(review.place) ? v:false : v:true}
endfunction

function! s:asked(params) abort
  let review = {'place': {}, 'verdict': '', 'client': vim_mcp#params#string(a:params, 'client', '')}
  for name in ['review', 'answer_file', 'tab_name']
    let review[name] = vim_mcp#params#string(a:params, name)
  endfor
  for name in ['file', 'target']
    let review[name] = vim_mcp#files#checked(vim_mcp#params#string(a:params, name))
  endfor
  return review
endfunction

" The method `close_diffs`.
function! vim_mcp#diff#close_diffs(params) abort
  let found = map(vim_mcp#params#strings(a:params, 'reviews'), 'get(s:reviews, v:val, {})')
  let found = filter(found, '!empty(v:val) && v:val.verdict ==# ""')
  for review in found
    call s:end(review, 'withdrawn')
  endfor
  return {'closed': len(found)}
endfunction

function! s:show(review, timer) abort
  if a:review.verdict !=# ''
    return
  endif
  try
    let a:review.place = vim_mcp#diff_windows#open(a:review)
  catch /^vim-mcp-later/
    call timer_start(s:step, function('s:show', [a:review]))
    return
  endtry
  call s:tell('VimMCPDiffOpened', a:review)
endfunction

" The pending review whose right buffer is `bufnr`, or {}.
function! vim_mcp#diff#of(bufnr) abort
  return get(filter(values(s:reviews), 'v:val.right == a:bufnr && v:val.verdict ==# ""'), 0, {})
endfunction

" The person accepts what the right side holds.
function! vim_mcp#diff#accept(review) abort
  call vim_mcp#diff_text#write(a:review.right, a:review.answer_file)
  call s:decide(a:review, 'accepted', '')
endfunction

" The person rejects; the reason may be ''.
function! vim_mcp#diff#reject(review, reason) abort
  call s:decide(a:review, 'rejected', a:reason)
endfunction

function! s:decide(review, verdict, reason) abort
  let message = {'type': 'review', 'review': a:review.review, 'verdict': a:verdict, 'reason': a:reason}
  call vim_mcp#transport#send(message)
  call s:end(a:review, a:verdict)
endfunction

" The windows are closed by a timer: they cannot be from within their own autocommands.
function! s:end(review, verdict) abort
  let a:review.verdict = a:verdict
  call setbufvar(a:review.right, '&modified', 0)
  call timer_start(0, function('s:remove', [a:review]))
endfunction

function! s:remove(review, timer) abort
  try
    if !empty(a:review.place)
      call vim_mcp#diff_windows#close(a:review.place)
    endif
    call vim_mcp#diff_buffers#wipe(a:review)
  catch /^vim-mcp-later\|:E\%(11\|523\|565\|994\|863\):/
    call timer_start(s:step, function('s:remove', [a:review]))
    return
  endtry
  if get(s:reviews, a:review.review, {}) is a:review
    call remove(s:reviews, a:review.review)
  endif
  call s:tell('VimMCPDiffClosed', a:review)
endfunction

function! s:tell(event, review) abort
  if !exists('#User#' . a:event)
    return
  endif
  let g:vim_mcp_diff = {}
  for name in ['review', 'file', 'tab_name', 'client', 'verdict']
    let g:vim_mcp_diff[name] = a:review[name]
  endfor
  try
    execute 'doautocmd <nomodeline> User' a:event
  finally
    unlet! g:vim_mcp_diff
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
