" The method `edit`: changing a buffer's text, and with `save` its file.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

" Text longer than this is changed by ranges of lines only.
let s:max_bytes = 10485760

" See docs/protocol.md. Either all of it is done, or nothing is changed and what
" was opened for it is closed again; only a write that fails late leaves its
" change in the buffer, and says so.
function! vim_mcp#edit#edit(params) abort
  call vim_mcp#files#require()
  let l:request = s:request(a:params)
  let l:target = s:target(a:params)
  let l:done = 0
  try
    let l:result = s:edit(l:target, l:request)
    let l:done = 1
  finally
    if !l:done
      call s:give_up(l:target)
    endif
  endtry
  return l:result
endfunction

" The parameters, checked as far as they can be without the buffer.
function! s:request(params) abort
  let l:kind = vim_mcp#params#choice(a:params, 'kind', ['insert', 'replace', 'all', 'substitute'])
  let l:request = {'kind': l:kind, 'save': vim_mcp#params#bool(a:params, 'save', 0),
        \ 'changedtick': vim_mcp#params#number(a:params, 'changedtick', -1),
        \ 'lines': vim_mcp#lines#given(a:params, 'lines')}
  if l:kind ==# 'substitute'
    let l:request.old_lines = vim_mcp#lines#given(a:params, 'old_lines')
    if join(l:request.old_lines, "\n") ==# ''
      call vim_mcp#methods#invalid('`old_lines` is empty: it must hold the text to replace')
    endif
  elseif l:kind !=# 'all'
    let l:request.line = vim_mcp#params#number(a:params, 'line')
    let l:request.end_line = vim_mcp#params#number(a:params, 'end_line', l:request.line)
  endif
  return l:request
endfunction

" The buffer to edit: {'bufnr', 'name', 'added' (for this), 'unloaded' (so far),
" 'created' (the file is not there)}.
function! s:target(params) abort
  if !vim_mcp#params#given(a:params, 'file')
    let l:bufnr = vim_mcp#buffers#by_id(vim_mcp#params#number(a:params, 'buffer', 0))
    call vim_mcp#ignore#refuse(vim_mcp#buffers#name(l:bufnr))
    return s:described(l:bufnr, 0)
  endif
  let l:file = vim_mcp#params#string(a:params, 'file')
  call vim_mcp#ignore#refuse(l:file)
  let l:file = vim_mcp#files#checked(l:file)
  let l:bufnr = vim_mcp#buffers#find(l:file)
  return l:bufnr < 0 ? s:described(bufadd(l:file), 1) : s:described(l:bufnr, 0)
endfunction

function! s:described(bufnr, added) abort
  let l:name = vim_mcp#buffers#name(a:bufnr)
  return {'bufnr': a:bufnr, 'added': a:added, 'unloaded': !bufloaded(a:bufnr), 'name': l:name,
        \ 'created': l:name !=# '' && getftype(l:name) ==# ''}
endfunction

function! s:give_up(target) abort
  if a:target.added
    call vim_mcp#files#discard(a:target.bufnr, 'bwipeout')
  elseif a:target.unloaded
    call vim_mcp#files#discard(a:target.bufnr, 'bunload')
  endif
endfunction

function! s:edit(target, request) abort
  let l:bufnr = a:target.bufnr
  call s:prepare(a:target, a:request)
  let a:target.empty = vim_mcp#text#is_empty(l:bufnr)
  let l:hunks = s:hunks(l:bufnr, a:request)
  if a:request.save
    call vim_mcp#save#check_text(l:bufnr, l:hunks)
  endif
  call vim_mcp#turn#editing(l:bufnr)
  let l:history = vim_mcp#history#before(l:bufnr, l:hunks)
  call vim_mcp#change#apply(l:bufnr, l:hunks)
  call vim_mcp#signs#changed(l:bufnr, l:hunks)
  call vim_mcp#history#note(l:history)
  if a:target.added || a:target.unloaded || vim_mcp#fresh#is_unseen(l:bufnr)
    " The person must find what they have not seen.
    call setbufvar(l:bufnr, '&buflisted', 1)
  endif
  if a:request.save
    call vim_mcp#save#save(l:bufnr)
  endif
  return s:result(a:target, a:request, l:hunks)
endfunction

" Load the buffer, bring it up to its file, and check that it may be changed.
function! s:prepare(target, request) abort
  let l:bufnr = a:target.bufnr
  let l:buftype = getbufvar(l:bufnr, '&buftype')
  if index(['terminal', 'help', 'quickfix', 'prompt', 'popup'], l:buftype) >= 0
    call vim_mcp#methods#fail('refused', s:label(a:target) . ' is a ' . l:buftype . ' buffer: it cannot be edited')
  elseif getbufvar(l:bufnr, 'vim_mcp_diff') !=# ''
    call vim_mcp#methods#fail('refused', s:label(a:target) . ' is under review: only its user changes it')
  endif
  call vim_mcp#files#load(l:bufnr)
  call vim_mcp#swap#refuse(l:bufnr)
  if !getbufvar(l:bufnr, '&modified')
    call vim_mcp#disk#refresh(l:bufnr)
  endif
  call s:check_options(a:target)
  let l:changedtick = getbufvar(l:bufnr, 'changedtick')
  if a:request.changedtick >= 0 && a:request.changedtick != l:changedtick
    call vim_mcp#methods#fail('changed', s:label(a:target) . ' has changed since it was read (its changedtick is '
          \ . l:changedtick . ', not ' . a:request.changedtick . '); nothing was done, read it again',
          \ {'changedtick': l:changedtick})
  endif
  if a:request.save
    call vim_mcp#save#check(l:bufnr)
  endif
endfunction

function! s:check_options(target) abort
  if !getbufvar(a:target.bufnr, '&modifiable')
    call vim_mcp#methods#fail('refused', s:label(a:target) . " cannot be changed: 'modifiable' is off in it")
  elseif getbufvar(a:target.bufnr, '&readonly')
    call vim_mcp#methods#fail('refused', s:label(a:target)
          \ . " is read-only: 'readonly' is set in it (its user can allow changes with :set noreadonly)")
  endif
endfunction

function! s:label(target) abort
  return a:target.name ==# '' ? 'buffer ' . a:target.bufnr : a:target.name
endfunction

function! s:hunks(bufnr, request) abort
  if a:request.kind ==# 'insert'
    return s:insertion(a:bufnr, a:request)
  elseif a:request.kind ==# 'replace'
    let [l:first, l:last] = s:range(a:bufnr, a:request)
    return s:difference(a:bufnr, l:first, l:last, a:request.lines)
  endif
  let l:count = vim_mcp#text#line_count(a:bufnr)
  let l:bytes = vim_mcp#text#bytes(a:bufnr, 1, l:count, s:max_bytes)
  if l:bytes > s:max_bytes
    call vim_mcp#methods#fail('limit', 'the text has more than ' . s:max_bytes . ' bytes: change it by ranges of lines'
          \ . ' (kind `insert` or `replace`)', {'bytes': l:bytes})
  elseif a:request.kind ==# 'all'
    return s:difference(a:bufnr, 1, l:count, a:request.lines)
  endif
  let [l:first, l:last, l:lines] = vim_mcp#substitute#place(a:bufnr, a:request.old_lines, a:request.lines)
  return s:difference(a:bufnr, l:first, l:last, l:lines)
endfunction

function! s:insertion(bufnr, request) abort
  let l:count = vim_mcp#text#line_count(a:bufnr)
  if a:request.line < 1 || a:request.line > l:count + 1
    call vim_mcp#methods#invalid('`line` is ' . a:request.line . ', but text can be inserted before the lines 1 to '
          \ . l:count . ', or at ' . (l:count + 1) . ' to append it')
  elseif empty(a:request.lines)
    return []
  elseif vim_mcp#text#is_empty(a:bufnr)
    return [{'line': 1, 'removed': 1, 'lines': a:request.lines}]
  endif
  return [{'line': a:request.line, 'removed': 0, 'lines': a:request.lines}]
endfunction

function! s:range(bufnr, request) abort
  let l:count = vim_mcp#text#line_count(a:bufnr)
  for l:name in ['line', 'end_line']
    if a:request[l:name] < 1 || a:request[l:name] > l:count
      call vim_mcp#methods#invalid('`' . l:name . '` is ' . a:request[l:name] . ', but the buffer has the lines 1 to '
            \ . l:count)
    endif
  endfor
  if a:request.end_line < a:request.line
    call vim_mcp#methods#invalid('`end_line` is ' . a:request.end_line . ', less than `line` (' . a:request.line . ')')
  endif
  return [a:request.line, a:request.end_line]
endfunction

" Without any line left the buffer is empty, which is not the same as one empty
" line.
function! s:difference(bufnr, first, last, lines) abort
  let l:old = getbufline(a:bufnr, a:first, a:last)
  if empty(a:lines) && a:first == 1 && a:last == vim_mcp#text#line_count(a:bufnr)
    return vim_mcp#text#is_empty(a:bufnr) ? [] : [{'line': 1, 'removed': a:last, 'lines': []}]
  endif
  return vim_mcp#hunks#between(l:old, a:lines, a:first)
endfunction

function! s:result(target, request, hunks) abort
  let [l:added, l:removed] = [0, 0]
  for l:hunk in a:hunks
    let l:added += len(l:hunk.lines)
    let l:removed += l:hunk.removed
  endfor
  let l:line = empty(a:hunks) ? get(a:request, 'line', 1) : a:hunks[0].line
  let l:end_line = empty(a:hunks) ? l:line - 1
        \ : a:hunks[-1].line - 1 + l:added - l:removed + a:hunks[-1].removed
  " The one line of an empty buffer is none.
  let l:counted = a:target.empty && l:removed ? l:removed - 1 : l:removed
  return {'buffer': vim_mcp#buffers#info(a:target.bufnr), 'line': l:line, 'end_line': l:end_line,
        \ 'lines_added': l:added, 'lines_removed': l:counted, 'changedtick': getbufvar(a:target.bufnr, 'changedtick'),
        \ 'saved': s:bool[a:request.save], 'created': s:bool[a:target.created]}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
