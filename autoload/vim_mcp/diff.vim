" Reviews of what Claude proposes: each shows a file beside what it is to become, until its person has a verdict.
"
" A review is a dictionary:
"   review, file, target, answer_file, tab_name, client   as they were asked for
"   left, right, form, original, filetype                 see diff_buffers.vim
"   number, private, private_files                        see diff_private.vim
"   title_left, title_right, changes, line                see diff_words.vim
"   place     where it is seen (diff_windows.vim); {} before
"   verdict   '' while it is pending, then accepted, rejected, or withdrawn by who asked
"   lost      its hub has gone: nobody would hear a verdict
"   kept      why it could not be accepted, for a moment after it was tried
"   called    its person has called for it, so that they are led to it wherever they are
"   hinted    its person has been told how to accept
"   since     when it came, a reltime()

let s:save_cpo = &cpo
set cpo&vim

" By their ids. One that has ended stays until its windows are closed.
let s:reviews = {}

" When one was last ended by who asked for it, a reltime().
let s:withdrawn = []

" Why there is no verdict.
let s:away = 'Claude is not connected now'
let s:new = 'it has only just come up'

" How often it is tried to close its windows, in ms.
let s:step = 100

" How long one whose hub is lost waits to be asked for again, in ms.
let s:keep = 20000

" The method `open_diff`.
function! vim_mcp#diff#open_diff(params) abort
  let review = s:asked(a:params)
  let proposal = vim_mcp#params#string(a:params, 'proposal_file')
  if !filereadable(proposal)
    call vim_mcp#methods#invalid('`proposal_file` cannot be read: ' . proposal)
  endif
  call vim_mcp#files#require()
  call vim_mcp#diff_buffers#make(review, proposal)
  call s:replace(review.review)
  let review = s:adopted(review)
  let s:reviews[review.review] = review
  call vim_mcp#diff_show#show(review)
  call vim_mcp#statusline#refresh()
  return {'review': review.review, 'shown': empty(review.place) ? v:false : v:true}
endfunction

function! s:asked(params) abort
  let review = {'place': {}, 'verdict': '', 'lost': 0, 'kept': '', 'called': 0, 'hinted': 0, 'left': -1, 'right': -1}
  let review.since = reltime()
  let review.client = vim_mcp#params#string(a:params, 'client', '')
  for name in ['review', 'answer_file', 'tab_name']
    let review[name] = vim_mcp#params#string(a:params, name)
  endfor
  for name in ['file', 'target']
    let review[name] = vim_mcp#files#checked(vim_mcp#params#string(a:params, name))
  endfor
  return review
endfunction

function! s:replace(id) abort
  if has_key(s:reviews, a:id)
    call vim_mcp#diff#end(s:reviews[a:id], 'withdrawn')
  endif
endfunction

" What a client asks for again after its hub was lost is what is there already, with what the person has done in it.
function! s:adopted(new) abort
  let lost = filter(vim_mcp#diff#pending(), 'v:val.lost && v:val.file ==# a:new.file')
  for old in filter(lost, 'v:val.tab_name ==# a:new.tab_name')
    if old.original ==# a:new.original && old.target ==# a:new.target && bufloaded(old.right)
      call vim_mcp#diff_buffers#wipe(a:new)
      call remove(s:reviews, old.review)
      for name in ['review', 'answer_file', 'client', 'lost']
        let old[name] = a:new[name]
      endfor
      return old
    endif
    call vim_mcp#diff#end(old, 'withdrawn')
  endfor
  call vim_mcp#diff_watch#begin(a:new)
  return a:new
endfunction

" The method `close_diffs`.
function! vim_mcp#diff#close_diffs(params) abort
  let wanted = vim_mcp#params#strings(a:params, 'reviews')
  let found = filter(vim_mcp#diff#pending(), 'index(wanted, v:val.review) >= 0')
  for review in found
    call vim_mcp#diff#end(review, 'withdrawn')
  endfor
  return {'closed': len(found)}
endfunction

" The reviews without a verdict, in the order of their buffers' numbers: the oldest first.
function! vim_mcp#diff#pending() abort
  return sort(filter(values(s:reviews), 'v:val.verdict ==# ""'), {one, other -> one.right - other.right})
endfunction

" Those that the person can still answer: one whose buffer has gone has its verdict as soon as the editor rests.
function! vim_mcp#diff#answerable() abort
  return filter(vim_mcp#diff#pending(), 'bufloaded(v:val.right)')
endfunction

" Whether that list has only just become another one without the person's doing.
function! vim_mcp#diff#have_changed() abort
  return vim_mcp#calm#is_new(s:withdrawn)
endfunction

" The verdict on the review that one of the two buffers belongs to, which is seen for a moment after it; else ''.
function! vim_mcp#diff#ended(bufnr) abort
  let ended = filter(values(s:reviews), 'v:val.verdict !=# "" && (v:val.right == a:bufnr || v:val.left == a:bufnr)')
  return get(get(ended, 0, {}), 'verdict', '')
endfunction

" The pending review that one of the two buffers belongs to, or {}.
function! vim_mcp#diff#of(bufnr) abort
  return get(filter(vim_mcp#diff#pending(), 'v:val.right == a:bufnr || v:val.left == a:bufnr'), 0, {})
endfunction

" The person accepts what the right side holds. Throws where nobody would hear it, and where it was meant for something
" else: then it stays pending.
function! vim_mcp#diff#accept(review) abort
  try
    call s:check_meant(a:review)
    call vim_mcp#diff_text#write(a:review.right, a:review.form, a:review.answer_file)
  catch
    " A `:wq` whose write fails closes the window all the same, and that is no rejection.
    let a:review.kept = substitute(v:exception, '^vim-mcp: ', '', '')
    call timer_start(s:step, {timer -> extend(a:review, {'kept': ''})})
    throw 'vim-mcp: ' . a:review.kept
  endtry
  call s:decide(a:review, 'accepted', '')
endfunction

" The person rejects; a:reason may be ''. Throws as accept() does.
function! vim_mcp#diff#reject(review, reason) abort
  call s:check_meant(a:review)
  call s:decide(a:review, 'rejected', a:reason)
endfunction

function! s:check_meant(review) abort
  if a:review.lost
    throw 'vim-mcp: ' . s:away . ': answer in its terminal'
  elseif vim_mcp#diff#is_surprise(a:review)
    throw 'vim-mcp: look at it first: ' . s:new
  elseif !bufloaded(a:review.right)
    throw 'vim-mcp: the proposal has been deleted, which rejects it'
  endif
endfunction

" Why it is no verdict when the window of `review`, which may be {}, is closed now; '' where it is one.
function! vim_mcp#diff#chance(review) abort
  return empty(a:review) ? '' : vim_mcp#diff#is_surprise(a:review) ? s:new : a:review.kept
endfunction

" Whether the person may have meant something else, since the review has only just come, or they to it, without their
" doing.
function! vim_mcp#diff#is_surprise(review) abort
  return vim_mcp#calm#is_new(get(a:review.place, 'led', []))
endfunction

function! s:decide(review, verdict, reason) abort
  let message = {'type': 'review', 'review': a:review.review, 'verdict': a:verdict, 'reason': a:reason}
  call vim_mcp#transport#send(message)
  call vim_mcp#diff#end(a:review, a:verdict)
endfunction

" A review has got a verdict. Its windows are closed by a timer: they cannot be from within their own autocommands.
function! vim_mcp#diff#end(review, verdict) abort
  let a:review.verdict = a:verdict
  let s:withdrawn = a:verdict ==# 'withdrawn' ? reltime() : s:withdrawn
  call vim_mcp#notice#withdraw(s:hint(a:review))
  call vim_mcp#statusline#refresh()
  if bufloaded(a:review.right)
    call setbufvar(a:review.right, '&modified', 0)
  endif
  call timer_start(0, function('s:close', [a:review]))
endfunction

" While its person types in it, it waits.
function! s:close(review, timer) abort
  try
    if !empty(a:review.place)
      call vim_mcp#diff_windows#close(a:review.place)
    endif
  catch /^vim-mcp-later/
    call timer_start(s:step, function('s:close', [a:review]))
    return
  catch /^vim-mcp-diff/
    " What is left of its windows goes with its buffers.
  endtry
  call s:forget(a:review)
endfunction

function! s:forget(review) abort
  if get(s:reviews, a:review.review, {}) is a:review
    call remove(s:reviews, a:review.review)
  endif
  call vim_mcp#diff_watch#end(a:review, empty(s:reviews))
  if a:review.verdict ==# 'withdrawn'
    call vim_mcp#diff_kept#keep(a:review)
  endif
  call vim_mcp#diff_buffers#wipe(a:review)
  call vim_mcp#diff#tell('VimMCPDiffClosed', a:review)
endfunction

" For the person's own automation.
function! vim_mcp#diff#tell(event, review) abort
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

" Something was written that accepts nothing; a:asked: on a command line, so that it is said each time.
function! vim_mcp#diff#hint(review, asked) abort
  if a:asked || !a:review.hinted
    let a:review.hinted = 1
    call vim_mcp#notice#unasked(s:hint(a:review))
  endif
endfunction

function! s:hint(review) abort
  return ':ClaudeCodeDiffAccept accepts ' . fnamemodify(a:review.target, ':t') . ', that did not'
endfunction

" The proposal has left the screen; a:closed: because its window was closed, which is a verdict unless a:chance says why
" it is none.
function! vim_mcp#diff#hidden(review, closed, chance) abort
  if a:closed && !a:review.lost && !(a:chance !=# '' && bufloaded(a:review.right))
    call s:decide(a:review, 'rejected', '')
  elseif !bufloaded(a:review.right)
    call vim_mcp#diff#end(a:review, 'withdrawn')
  else
    " What to do comes first, since a long name may take the room for the rest.
    let reason = a:review.lost ? s:away : a:chance ==# '' ? 'it waits unseen' : a:chance
    call vim_mcp#notice#unasked(printf(':ClaudeCodeDiffs shows %s: %s', fnamemodify(a:review.target, ':t'), reason))
    if a:closed
      call vim_mcp#diff_show#put_away(a:review, 0)
    endif
  endif
endfunction

" The connection is lost: the client may ask for its reviews again.
function! vim_mcp#diff#lost() abort
  for review in filter(vim_mcp#diff#pending(), '!v:val.lost')
    let review.lost = 1
    call timer_start(vim_mcp#setting('diff_keep', s:keep), function('s:give_up', [review]))
    call vim_mcp#diff_show#retitle(review)
  endfor
endfunction

function! s:give_up(review, timer) abort
  if a:review.lost && a:review.verdict ==# ''
    call vim_mcp#notice#unasked('Claude has not come back, so ' . vim_mcp#diff_words#name(a:review) . ' is closed')
    call vim_mcp#diff#end(a:review, 'withdrawn')
  endif
endfunction

" The editor leaves, and its person with it: that is a verdict.
function! vim_mcp#diff#leave() abort
  for review in filter(vim_mcp#diff#pending(), '!v:val.lost')
    call s:decide(review, 'rejected', '')
  endfor
endfunction

" The editor ends, after that: it is to remember nothing of reviews, neither as files it has shown nor as places.
function! vim_mcp#diff#wipe() abort
  call map(values(s:reviews), 'vim_mcp#diff_buffers#wipe(v:val)')
endfunction

" The person ends the connection: nothing stays of the reviews.
function! vim_mcp#diff#stop() abort
  for review in vim_mcp#diff#pending()
    call vim_mcp#diff#end(review, 'withdrawn')
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
