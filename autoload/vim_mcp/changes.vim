" :ClaudeCodeChanges: what Claude has changed since its user's last prompt, in the
" quickfix list.

let s:save_cpo = &cpo
set cpo&vim

" Fill the list, an entry for each place, and open it.
function! vim_mcp#changes#list() abort
  let l:items = []
  for l:name in vim_mcp#turn#names()
    let l:items += map(vim_mcp#changes#hunks(vim_mcp#turn#file(l:name).before, vim_mcp#turn#bytes(l:name)),
          \ {index, hunk -> s:item(l:name, hunk)})
  endfor
  if empty(l:items)
    call vim_mcp#notice#echo('Claude has changed no file in this turn (or nothing is known of it)')
    return
  endif
  call setqflist([], ' ', {'items': l:items, 'title': ':ClaudeCodeChanges'})
  botright copen
endfunction

" What turns one text into another, both as in turn.vim: hunks (see hunks.vim) with
" `now` (the first of its lines in the new text, or the one before) and `old` (the lines that went).
function! vim_mcp#changes#hunks(old, new) abort
  let [l:old, l:new] = [s:lines(a:old), s:lines(a:new)]
  let [l:hunks, l:moved] = [vim_mcp#hunks#between(l:old, l:new, 1), 0]
  for l:hunk in l:hunks
    let l:hunk.old = l:hunk.removed ? l:old[l:hunk.line - 1 : l:hunk.line + l:hunk.removed - 2] : []
    let l:hunk.now = l:hunk.line + l:moved
    let l:moved += len(l:hunk.lines) - l:hunk.removed
  endfor
  if empty(l:hunks) && a:old !=# a:new
    " They differ in how their last lines end.
    let l:last = {'line': max([1, len(l:old)]), 'removed': 1, 'old': l:old[-1:], 'lines': l:new[-1:]}
    return [extend(l:last, {'now': max([1, len(l:new)])})]
  endif
  return l:hunks
endfunction

function! s:lines(bytes) abort
  return empty(a:bytes) || a:bytes[-1] !=# '' ? a:bytes : a:bytes[: -2]
endfunction

function! s:item(name, hunk) abort
  let l:shown = empty(a:hunk.lines) ? a:hunk.old : a:hunk.lines
  let l:text = strpart(strtrans(substitute(get(l:shown, 0, ''), '^\s*\|\r$', '', 'g')), 0, 200)
  return {'filename': a:name, 'lnum': max([1, empty(a:hunk.lines) ? a:hunk.now - 1 : a:hunk.now]),
        \ 'text': printf('+%d -%d %s', len(a:hunk.lines), a:hunk.removed, l:text)}
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
