" The method `search`: every match of a pattern in the current buffer or in all
" listed ones, without a trace.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

" How many matches are given, and how long it may take in ms: defaults.
let s:limit = 200
let s:timeout = 3000

" Matches that are counted; the total says no more than this.
let s:max_total = 100000

" How long it goes on counting what it does not give, in ms, and how many it counts
" between two looks at the clock.
let s:counting = 500
let s:between = 50

" The most of a line that is given with a match, and of it before the match, in
" bytes.
let s:max_text = 500
let s:before = 100

" More bytes than a character has.
let s:max_char = 8

" How much of a long line is looked at together, in bytes.
let s:max_part = 65536

" See docs/protocol.md.
function! vim_mcp#search#search(params) abort
  let l:search = s:request(a:params)
  for l:bufnr in l:search.buffers
    if vim_mcp#buffers#ignored(l:bufnr)
      call add(l:search.skipped, vim_mcp#buffers#name(l:bufnr))
    elseif !s:is_over(l:search)
      call s:buffer(l:search, l:bufnr)
    endif
  endfor
  return {'matches': l:search.matches, 'total': l:search.total, 'timed_out': s:bool[l:search.timed_out],
        \ 'truncated': s:bool[l:search.total > len(l:search.matches)], 'skipped': l:search.skipped}
endfunction

" What is searched for and where, and what has been found so far.
function! s:request(params) abort
  let l:pattern = vim_mcp#params#string(a:params, 'pattern')
  if l:pattern ==# ''
    call vim_mcp#methods#invalid('`pattern` is empty: it must be a regular expression of Vim')
  endif
  let l:scope = vim_mcp#params#choice(a:params, 'scope', ['current', 'all'], 'current')
  let l:limit = max([0, vim_mcp#params#number(a:params, 'limit', s:limit)])
  let l:timeout = max([1, vim_mcp#params#number(a:params, 'timeout', s:timeout)])
  call match('', l:pattern)
  return {'pattern': l:pattern, 'limit': l:limit, 'timeout': l:timeout, 'since': reltime(),
        \ 'buffers': l:scope ==# 'all' ? s:listed() : [bufnr('%')],
        \ 'matches': [], 'total': 0, 'timed_out': 0, 'skipped': []}
endfunction

" The listed buffers, the current one first in any case.
function! s:listed() abort
  let l:current = bufnr('%')
  let l:listed = map(getbufinfo({'buflisted': 1}), 'v:val.bufnr')
  return [l:current] + filter(l:listed, 'v:val != l:current')
endfunction

function! s:is_over(search) abort
  return a:search.timed_out || a:search.total >= s:max_total
endfunction

" The ms that are left.
function! s:left(search) abort
  return a:search.timeout - float2nr(reltimefloat(reltime(a:search.since)) * 1000)
endfunction

function! s:buffer(search, bufnr) abort
  let a:search.where = {'buffer': a:bufnr, 'name': vim_mcp#buffers#name(a:bufnr)}
  let l:pattern = vim_mcp#pattern#without_cursor(a:search.pattern, a:bufnr == bufnr('%') ? getcurpos()[1:2] : [])
  let l:Scan = function('s:scan', [a:search, l:pattern])
  let a:search.scanned = 0
  if bufloaded(a:bufnr)
    call vim_mcp#within#buffer(a:bufnr, l:Scan)
  else
    let a:search.scanned = vim_mcp#unloaded#call(a:search.where.name, l:Scan)
  endif
  if !a:search.scanned
    call add(a:search.skipped, a:search.where.name)
  endif
endfunction

" Search the text that is current here. Nothing is drawn before the window has its
" view again. With `c` in 'cpoptions' matches do not overlap.
function! s:scan(search, pattern) abort
  let [l:view, l:cpo] = [winsaveview(), &cpo]
  try
    noautocmd set cpo+=c
    call cursor(1, 1)
    let [a:search.flags, a:search.part] = [vim_mcp#pattern#flags(a:pattern), {'line': 0}]
    let l:start = s:next(a:search, a:pattern, 'cW')
    while l:start[0] > 0 && len(a:search.matches) < a:search.limit
      call s:keep(a:search, a:pattern, l:start)
      let l:start = s:next(a:search, a:pattern, a:search.flags)
    endwhile
    call s:count(a:search, a:pattern, l:start)
    let a:search.scanned = 1
  finally
    noautocmd let &cpo = l:cpo
    call winrestview(l:view)
  endtry
endfunction

" Where the pattern matches next, [0, 0] if it does not or time is over.
function! s:next(search, pattern, flags) abort
  let l:left = s:left(a:search)
  let l:place = l:left > 0 ? searchpos(a:pattern, a:flags, 0, l:left) : [0, 0]
  if l:place[0] == 0 && s:left(a:search) <= 0
    let a:search.timed_out = 1
  endif
  return l:place
endfunction

" Add the match that begins at the cursor.
function! s:keep(search, pattern, start) abort
  let [l:line, l:column] = vim_mcp#pattern#end(a:pattern, a:start, s:left(a:search))
  let l:match = {'line': a:start[0], 'column': a:start[1], 'end_line': l:line, 'end_column': l:column}
  call extend(l:match, a:search.where)
  call add(a:search.matches, extend(l:match, s:text(a:search, a:start[0], a:start[1])))
  let a:search.total += 1
endfunction

" Count the matches from the one on that begins at the cursor.
function! s:count(search, pattern, start) abort
  let l:place = a:start
  let a:search.timeout -= a:start[0] > 0 ? max([0, s:left(a:search) - s:counting]) : 0
  while l:place[0] > 0 && !s:is_over(a:search)
    let l:left = s:left(a:search)
    let l:stop = min([a:search.total + s:between, s:max_total])
    while l:left > 0 && l:place[0] > 0 && a:search.total < l:stop
      let a:search.total += 1
      let l:place = searchpos(a:pattern, a:search.flags, 0, l:left)
    endwhile
    let a:search.timed_out = s:left(a:search) <= 0
  endwhile
endfunction

" {'text'}: the line or the part of it around a match; then also 'text_column',
" where that part begins.
function! s:text(search, line, column) abort
  if col([a:line, '$']) - 1 <= s:max_text
    return {'text': getline(a:line)}
  endif
  let l:from = max([0, a:column - 1 - s:before - s:max_char])
  let l:part = s:part(a:search, a:line, l:from, s:max_text + 2 * s:max_char)
  let l:first = s:char_start(l:part, max([0, a:column - 1 - s:before - l:from]))
  let l:last = s:char_start(l:part, l:first + s:max_text)
  return {'text': strpart(l:part, l:first, l:last - l:first), 'text_column': l:from + l:first + 1}
endfunction

" So many bytes of a line. A line may have megabytes and hundreds of matches: it is
" not copied for each of them.
function! s:part(search, line, from, bytes) abort
  let l:known = a:search.part
  if l:known.line != a:line || a:from < l:known.from || a:from + a:bytes > l:known.from + s:max_part
    let l:known = {'line': a:line, 'from': a:from, 'text': vim_mcp#text#part(a:line, a:from, s:max_part)}
    let a:search.part = l:known
  endif
  return strpart(l:known.text, a:from - l:known.from, a:bytes)
endfunction

" The index of the first byte of the character that has a byte at a:index.
function! s:char_start(text, index) abort
  if a:index >= strlen(a:text)
    return strlen(a:text)
  endif
  return a:index - strlen(matchstr(strpart(a:text, max([0, a:index - 3]), min([3, a:index]) + 1), '.$')) + 1
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
