" The difference between two lists of lines, as hunks.
"
" A hunk is {'line', 'removed', 'lines'}: from line `line` (1-based, of the old
" text) on, `removed` lines become the list `lines`. Hunks are in order and do
" not touch.

let s:save_cpo = &cpo
set cpo&vim

" Above this many lines on either side, what differs is taken as one hunk.
let s:max_lines = 2000

" The hunks that turn a:old into a:new; a:first is the number of a:old's first
" line.
function! vim_mcp#hunks#between(old, new, first) abort
  let [l:prefix, l:suffix] = s:common(a:old, a:new)
  let l:old = s:middle(a:old, l:prefix, l:suffix)
  let l:new = s:middle(a:new, l:prefix, l:suffix)
  let l:first = a:first + l:prefix
  if empty(l:old) && empty(l:new)
    return []
  elseif empty(l:old) || empty(l:new) || max([len(l:old), len(l:new)]) > s:max_lines || len(l:old) + len(l:new) == 2
    return [{'line': l:first, 'removed': len(l:old), 'lines': l:new}]
  endif
  return s:between(s:anchors(l:old, l:new), l:old, l:new, l:first)
endfunction

" What hunks make of a list of lines.
function! vim_mcp#hunks#applied(lines, hunks) abort
  let l:lines = copy(a:lines)
  for l:hunk in reverse(copy(a:hunks))
    if l:hunk.removed
      call remove(l:lines, l:hunk.line - 1, l:hunk.line + l:hunk.removed - 2)
    endif
    call extend(l:lines, l:hunk.lines, l:hunk.line - 1)
  endfor
  return l:lines
endfunction

" How many lines both begin with, and how many of the others both end with.
function! s:common(old, new) abort
  let l:prefix = s:equal(a:old, a:new)
  let l:suffix = s:equal(reverse(a:old[l:prefix :]), reverse(a:new[l:prefix :]))
  return [l:prefix, l:suffix]
endfunction

" How many items two lists begin alike with, found by halving: comparing slices
" costs far less than a loop.
function! s:equal(one, other) abort
  let [l:low, l:high] = [0, min([len(a:one), len(a:other)])]
  while l:low < l:high
    let l:middle = (l:low + l:high + 1) / 2
    if a:one[l:low : l:middle - 1] ==# a:other[l:low : l:middle - 1]
      let l:low = l:middle
    else
      let l:high = l:middle - 1
    endif
  endwhile
  return l:low
endfunction

function! s:middle(lines, prefix, suffix) abort
  return a:prefix + a:suffix >= len(a:lines) ? [] : a:lines[a:prefix : len(a:lines) - a:suffix - 1]
endfunction

" Pairs of indexes [old, new], rising in both, of lines that occur once in each.
function! s:anchors(old, new) abort
  let [l:in_old, l:in_new] = [s:places(a:old), s:places(a:new)]
  let l:pairs = []
  for l:index in range(len(a:new))
    let l:key = ' ' . a:new[l:index]
    if l:in_new[l:key] >= 0 && get(l:in_old, l:key, -1) >= 0
      call add(l:pairs, [l:in_old[l:key], l:index])
    endif
  endfor
  return s:rising(l:pairs)
endfunction

" Where each line is; -1 for those that are repeated.
function! s:places(lines) abort
  let l:places = {}
  for l:index in range(len(a:lines))
    let l:key = ' ' . a:lines[l:index]
    let l:places[l:key] = has_key(l:places, l:key) ? -1 : l:index
  endfor
  return l:places
endfunction

" The longest run of pairs whose first numbers rise (patience sorting).
function! s:rising(pairs) abort
  let [l:piles, l:tops, l:before] = [[], [], []]
  for [l:number, l:other] in a:pairs
    let l:pile = empty(l:piles) || l:number > l:piles[-1] ? len(l:piles) : s:pile(l:piles, l:number)
    call add(l:before, l:pile > 0 ? l:tops[l:pile - 1] : -1)
    call s:put(l:piles, l:pile, l:number)
    call s:put(l:tops, l:pile, len(l:before) - 1)
  endfor
  let l:run = []
  let l:index = get(l:tops, -1, -1)
  while l:index >= 0
    call add(l:run, a:pairs[l:index])
    let l:index = l:before[l:index]
  endwhile
  return reverse(l:run)
endfunction

function! s:put(list, index, item) abort
  if a:index == len(a:list)
    call add(a:list, a:item)
  else
    let a:list[a:index] = a:item
  endif
endfunction

" The first of the rising numbers that is not below a:number.
function! s:pile(piles, number) abort
  let [l:low, l:high] = [0, len(a:piles)]
  while l:low < l:high
    let l:middle = (l:low + l:high) / 2
    if a:piles[l:middle] < a:number
      let l:low = l:middle + 1
    else
      let l:high = l:middle
    endif
  endwhile
  return l:low
endfunction

function! s:between(anchors, old, new, first) abort
  let l:hunks = []
  let [l:from_old, l:from_new] = [0, 0]
  for [l:to_old, l:to_new] in a:anchors + [[len(a:old), len(a:new)]]
    if l:from_old < l:to_old || l:from_new < l:to_new
      call s:add_hunk(l:hunks, s:slice(a:old, l:from_old, l:to_old), s:slice(a:new, l:from_new, l:to_new),
            \ a:first + l:from_old)
    endif
    let [l:from_old, l:from_new] = [l:to_old + 1, l:to_new + 1]
  endfor
  return l:hunks
endfunction

function! s:slice(lines, from, to) abort
  return a:from >= a:to ? [] : a:lines[a:from : a:to - 1]
endfunction

function! s:add_hunk(hunks, old, new, first) abort
  let [l:prefix, l:suffix] = s:common(a:old, a:new)
  let l:lines = s:middle(a:new, l:prefix, l:suffix)
  let l:removed = len(a:old) - l:prefix - l:suffix
  if l:removed > 0 || !empty(l:lines)
    call add(a:hunks, {'line': a:first + l:prefix, 'removed': l:removed, 'lines': l:lines})
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
