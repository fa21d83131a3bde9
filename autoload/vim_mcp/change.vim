" Changing the text of a buffer, wherever the person is, so that it is one step
" to undo and nothing else is different afterwards.

let s:save_cpo = &cpo
set cpo&vim

" Apply hunks (see diff.vim) to a loaded buffer. Throws `busy` when Vim allows
" no change now, and then nothing has changed.
function! vim_mcp#change#apply(bufnr, hunks) abort
  call s:check_pending(a:bufnr, a:hunks)
  let l:before = s:remember(a:bufnr)
  let l:applied = []
  try
    call s:close_undo_block(a:bufnr)
    for l:hunk in reverse(copy(a:hunks))
      call s:apply_hunk(a:bufnr, l:hunk)
      call insert(l:applied, l:hunk)
    endfor
    call s:close_undo_block(a:bufnr)
    call s:go_on_inserting(a:bufnr)
  catch /:E\%(523\|565\|578\|788\|5555\):/
    call vim_mcp#methods#busy('an expression or a completion that locks the text')
  finally
    call s:restore(a:bufnr, l:before, l:applied)
  endtry
endfunction

" Throw `busy` where a place in a buffer is kept that nothing can move, so that its file must not be read again now.
function! vim_mcp#change#check(bufnr) abort
  call s:check_pending(a:bufnr, [{'line': 1, 'removed': 0, 'lines': ['']}])
endfunction

" Everybody's place in the text of a loaded buffer that is about to be read from its file again, for
" vim_mcp#change#follow(): the views of its windows, and all marks.
function! vim_mcp#change#places(bufnr) abort
  let l:places = extend(s:remember(a:bufnr), {'lines': getbufline(a:bufnr, 1, '$')})
  let l:places.signs = vim_mcp#signs#placed(a:bufnr)
  if exists('*getmarklist')
    let l:marks = filter(getmarklist(a:bufnr), 'v:val.mark =~# "^''\\l$"')
    let l:places.marks += l:marks + filter(getmarklist(), 'v:val.pos[0] == a:bufnr && v:val.mark =~# "^''\\u$"')
  endif
  return l:places
endfunction

" The buffer has been read again: put all that a:places holds, and a:folds (see folds.vim), to where it belongs now.
function! vim_mcp#change#follow(bufnr, places, folds) abort
  let l:hunks = vim_mcp#hunks#between(a:places.lines, getbufline(a:bufnr, 1, '$'), 1)
  call vim_mcp#folds#restore(a:folds, l:hunks)
  call s:restore(a:bufnr, a:places, l:hunks)
  call vim_mcp#signs#follow(a:bufnr, a:places.signs, l:hunks)
  call s:go_on_inserting(a:bufnr)
endfunction

" Whether the person has begun something in a buffer during which its lines must not move.
function! vim_mcp#change#is_pending(bufnr) abort
  return a:bufnr == bufnr('%') && s:pending() !=# ''
endfunction

" Vim has kept a line number that nothing can move: lines must not move now. And
" after CTRL-R, CTRL-K or CTRL-V it would take our key for the person's next one.
function! s:check_pending(bufnr, hunks) abort
  if s:is_inserting(a:bufnr) && vim_mcp#methods#key_begun()
    call vim_mcp#methods#busy('a command that is typed half')
  endif
  let l:pending = a:bufnr == bufnr('%') ? s:pending() : ''
  let l:last = mode() ==# 'c' || l:pending ==# 'a blockwise insertion' ? line('$') : max([line('.'), line('v')])
  if l:pending !=# '' && s:moves_lines(a:hunks, l:last)
    call vim_mcp#methods#busy(l:pending)
  endif
endfunction

" An operator keeps the line that it starts from, Select mode the other end of
" what it has marked, completion where its word begins, a blockwise insertion the
" lines that are to get the same text.
function! s:pending() abort
  if mode() ==# 'c'
    return s:command_line_holds() ? 'the command line' : ''
  elseif pumvisible() || mode(1) =~# '^[iR]v\=[cx]'
    return 'a completion'
  elseif mode() ==# 'i' && vim_mcp#events#block_insertion()
    return 'a blockwise insertion'
  endif
  return mode(1) =~# '^no' ? 'a pending operator' : mode() =~# "^[sS\<C-S>]" ? 'select mode' : ''
endfunction

" Whether a line number depends on the command line: the one that a search or an
" operator begins from, or one that the person has seen and typed.
function! s:command_line_holds() abort
  return getcmdtype() !=# ':' || getcmdline() =~# '[[:punct:][:digit:]]' || vim_mcp#events#command_line_for_operator()
endfunction

" Whether another number of lines stands down to a:line afterwards.
function! s:moves_lines(hunks, line) abort
  return !empty(filter(copy(a:hunks), 'v:val.line <= a:line && v:val.removed != len(v:val.lines)'))
endfunction

" Setting 'undolevels' to what it is closes the undo block: neither what the
" person did before nor what they do next is undone with the change.
function! s:close_undo_block(bufnr) abort
  call setbufvar(a:bufnr, '&undolevels', getbufvar(a:bufnr, '&l:undolevels'))
endfunction

" Insert mode saves for undo when it begins, and not again by itself.
function! s:go_on_inserting(bufnr) abort
  if s:is_inserting(a:bufnr) && !vim_mcp#methods#half_typed()
    call feedkeys("\<C-G>u", 'in')
  endif
endfunction

function! s:is_inserting(bufnr) abort
  return a:bufnr == bufnr('%') && mode(1) =~# '^[iR]$'
endfunction

" Lines that stay in number are set, not replaced: their marks, folds and signs
" remain.
function! s:apply_hunk(bufnr, hunk) abort
  let l:shared = min([a:hunk.removed, len(a:hunk.lines)])
  let l:after = a:hunk.line + l:shared
  if l:shared > 0
    silent keepjumps call s:check(setbufline(a:bufnr, a:hunk.line, a:hunk.lines[: l:shared - 1]))
  endif
  if a:hunk.removed > l:shared
    silent keepjumps call s:check(deletebufline(a:bufnr, l:after, a:hunk.line + a:hunk.removed - 1))
  elseif len(a:hunk.lines) > l:shared
    silent keepjumps call s:check(appendbufline(a:bufnr, l:after - 1, a:hunk.lines[l:shared :]))
  endif
endfunction

function! s:check(failed) abort
  if a:failed
    call vim_mcp#methods#fail('vim', 'Vim did not take the change')
  endif
endfunction

" What a change would move: the views of the windows on the buffer, and the
" marks of the last change.
function! s:remember(bufnr) abort
  let l:views = {}
  for l:window in win_findbuf(a:bufnr)
    let l:views[l:window] = s:view(l:window)
  endfor
  let l:visual = a:bufnr == bufnr('%') && mode() =~# "^[vV\<C-V>]$" ? getpos('v') : []
  let l:marks = exists('*getmarklist') ? filter(getmarklist(a:bufnr), 'v:val.mark =~# "^''[][]$"') : []
  return {'views': l:views, 'visual': l:visual, 'marks': l:marks}
endfunction

" A window's winsaveview() and the text of its cursor's line. The current window
" is not entered: that would end Visual mode.
function! s:view(window) abort
  if a:window == win_getid()
    return extend(winsaveview(), {'text': getline('.')})
  endif
  let l:view = {}
  call win_execute(a:window, 'call extend(l:view, extend(winsaveview(), {"text": getline(".")}))', 'silent!')
  return l:view
endfunction

function! s:restore(bufnr, before, hunks) abort
  for l:mark in a:before.marks
    let l:line = vim_mcp#change#moved(l:mark.pos[1], a:hunks)
    call setpos(l:mark.mark, [a:bufnr, l:line] + l:mark.pos[2:])
  endfor
  if !empty(a:before.visual)
    call s:restore_visual(a:before.visual, vim_mcp#change#moved(a:before.visual[1], a:hunks))
  endif
  for [l:window, l:view] in items(a:before.views)
    call s:restore_view(str2nr(l:window), l:view, a:hunks)
  endfor
endfunction

" The end of the selection that the cursor is not at: the cursor visits it.
function! s:restore_visual(position, line) abort
  if a:line != getpos('v')[1]
    normal! o
    call cursor(a:line, a:position[2], a:position[3])
    normal! o
  endif
endfunction

function! s:restore_view(window, view, hunks) abort
  if empty(a:view)
    return
  endif
  let l:text = remove(a:view, 'text')
  let a:view.lnum = vim_mcp#change#moved(a:view.lnum, a:hunks)
  let a:view.topline = vim_mcp#change#moved(a:view.topline, a:hunks)
  let l:new_text = get(getbufline(winbufnr(a:window), a:view.lnum), 0, '')
  let a:view.col = s:moved_column(a:view.col, l:text, l:new_text)
  if a:window == win_getid()
    call winrestview(a:view)
  else
    let l:view = a:view
    call win_execute(a:window, 'call winrestview(l:view)')
  endif
endfunction

" The line that line a:line has become.
function! vim_mcp#change#moved(line, hunks) abort
  let l:moved = a:line
  for l:hunk in a:hunks
    let l:offset = a:line - l:hunk.line
    if l:offset < 0
      break
    elseif l:offset < l:hunk.removed
      return max([1, l:moved - l:offset + min([l:offset, max([0, len(l:hunk.lines) - 1])])])
    endif
    let l:moved += len(l:hunk.lines) - l:hunk.removed
  endfor
  return l:moved
endfunction

" The byte offset a:column of a cursor in a line that has become another: it
" stays with the text behind it when the text before it is what has changed.
function! s:moved_column(column, old, new) abort
  let l:behind = strpart(a:old, a:column)
  if a:old ==# a:new || strpart(a:new, 0, a:column) ==# strpart(a:old, 0, a:column)
    return min([a:column, strlen(a:new)])
  elseif strlen(a:new) >= strlen(l:behind) && strpart(a:new, strlen(a:new) - strlen(l:behind)) ==# l:behind
    return strlen(a:new) - strlen(l:behind)
  endif
  return min([a:column, strlen(a:new)])
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
