" The person's commands for reviews.

let s:save_cpo = &cpo
set cpo&vim

" :ClaudeCodeDiffAccept.
function! vim_mcp#diff_commands#accept() abort
  call s:judge({review -> vim_mcp#diff#accept(review)})
endfunction

" :ClaudeCodeDiffDeny: a:reason is for Claude, and may be ''.
function! vim_mcp#diff_commands#deny(reason) abort
  let reason = substitute(a:reason, '\s\+$', '', '')
  call s:judge({review -> vim_mcp#diff#reject(review, reason)})
endfunction

" :ClaudeCodeCloseAllDiffs: reject all.
function! vim_mcp#diff_commands#close_all() abort
  let pending = vim_mcp#diff#answerable()
  for review in pending
    call vim_mcp#diff_commands#attempt({-> vim_mcp#diff#reject(review, '')})
  endfor
  if empty(pending)
    call s:none()
  endif
endfunction

" :ClaudeCodeDiffs: go to the only one, to number a:number, or to the one that the person chooses.
function! vim_mcp#diff_commands#list(number) abort
  let pending = vim_mcp#diff#answerable()
  if empty(pending)
    call s:none()
    return
  endif
  let number = a:number ? a:number : len(pending) == 1 ? 1 : s:choose(pending)
  if a:number && vim_mcp#diff#have_changed()
    call vim_mcp#notice#error(':ClaudeCodeDiffs lists them: a diff has just gone')
  elseif number > len(pending)
    call vim_mcp#notice#error('no diff has number ' . number . ': :ClaudeCodeDiffs lists them')
  elseif number > 0 && pending[number - 1].verdict ==# ''
    call vim_mcp#diff_show#goto(pending[number - 1])
  endif
endfunction

function! s:choose(pending) abort
  let lines = map(copy(a:pending), 'printf("%2d. %s", v:key + 1, vim_mcp#diff_words#line(v:val))')
  return inputlist(['Diffs that wait for a verdict:'] + lines)
endfunction

" The next (`]c`) or previous (`[c`) change of the diff that the person is in, else a pending one.
function! vim_mcp#diff_commands#change(keys) abort
  let review = vim_mcp#diff#of(bufnr('%'))
  if !empty(review) && get(review.place, 'unified')
    call vim_mcp#diff_unified#jump(review.place, a:keys ==# ']c' ? 1 : -1, v:count1)
  elseif &diff
    execute 'normal!' v:count1 . a:keys
  else
    call vim_mcp#diff_commands#list(0)
  endif
endfunction

" The review that the person means is the one they are in, else the only one.
function! s:judge(Verdict) abort
  let review = vim_mcp#diff#of(bufnr('%'))
  if vim_mcp#methods#running() !=# ''
    call vim_mcp#notice#error('only the user of this editor has a verdict, not a client')
  elseif !empty(review)
    call vim_mcp#diff_commands#attempt({-> a:Verdict(review)})
  else
    call s:judge_only(a:Verdict)
  endif
endfunction

function! s:judge_only(Verdict) abort
  let pending = vim_mcp#diff#answerable()
  if len(pending) > 1
    call vim_mcp#notice#error(len(pending) . ' diffs wait: :ClaudeCodeDiffs goes to one')
  elseif empty(pending)
    call s:none()
  elseif empty(pending[0].place) || s:is_other(pending[0])
    let file = fnamemodify(pending[0].target, ':t')
    call vim_mcp#notice#error(':ClaudeCodeDiffs shows ' . file . ', which you may not have seen')
  else
    call vim_mcp#diff_commands#attempt({-> a:Verdict(pending[0])})
  endif
endfunction

" Whether the only review may not be the one that the person, who is not in it, has seen waiting.
function! s:is_other(review) abort
  return vim_mcp#diff#ended(bufnr('%')) !=# '' || vim_mcp#diff#have_changed() || vim_mcp#calm#is_new(a:review.since)
endfunction

" Call a:Action, and tell the person what has kept it from being done.
function! vim_mcp#diff_commands#attempt(Action) abort
  try
    call a:Action()
  catch
    call vim_mcp#notice#error(substitute(v:exception, '^vim-mcp: ', '', ''))
  endtry
endfunction

function! s:none() abort
  call vim_mcp#notice#echo('no diff waits for a verdict')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
