" What clients have done in this editor, and undoing one of their edits.

let s:save_cpo = &cpo
set cpo&vim

" Actions that are kept, and bytes of text that are kept with one, and with all,
" so that they can be undone.
let s:max_entries = 200
let s:max_bytes = 1048576
let s:max_total = 8388608
let s:kept = 0

" The oldest entry first. An entry: id, time, client, method, summary, bufnr,
" name, line, error, undone, and changes: [{'line', 'old', 'new', 'before',
" 'after'}], where `line` is the first of the new lines, `before` and `after` are
" the lines around them.
let s:entries = []
let s:next_id = 1
let s:note = {}

" The entries, the newest first.
function! vim_mcp#history#entries() abort
  return reverse(copy(s:entries))
endfunction

" :VimMCPHistory.
function! vim_mcp#history#open() abort
  call vim_mcp#history_window#open()
endfunction

" Keep what a client has called and how it was answered.
function! vim_mcp#history#record(method, params, answer) abort
  let l:params = type(a:params) == type({}) ? a:params : {}
  let l:result = get(a:answer, 'result', {})
  let l:entry = {'id': s:next_id, 'time': localtime(), 'method': a:method, 'undone': 0, 'changes': [],
        \ 'client': s:string(get(l:params, 'client', '')), 'summary': s:summary(a:method, l:params, l:result),
        \ 'bufnr': 0, 'name': s:string(get(l:params, 'file', '')), 'line': get(l:result, 'line', 0),
        \ 'error': has_key(a:answer, 'error') ? a:answer.error.message : ''}
  call extend(l:entry, s:place(l:result))
  call extend(l:entry, s:note)
  let s:note = {}
  let s:next_id += 1
  call add(s:entries, l:entry)
  let s:kept += get(l:entry, 'bytes', 0)
  if len(s:entries) > s:max_entries
    let s:kept -= get(remove(s:entries, 0), 'bytes', 0)
  endif
  if s:kept > s:max_total
    call s:forget_texts()
  endif
endfunction

" The oldest edits can no longer be undone when too much text is kept.
function! s:forget_texts() abort
  for l:entry in s:entries
    if s:kept <= s:max_total
      return
    endif
    let s:kept -= get(l:entry, 'bytes', 0)
    call extend(l:entry, {'changes': [], 'bytes': 0})
  endfor
endfunction

function! s:string(value) abort
  return type(a:value) == type('') ? a:value : string(a:value)
endfunction

" The buffer that a result tells of.
function! s:place(result) abort
  let l:buffer = get(a:result, 'buffer', 0)
  if type(l:buffer) == type({})
    return {'bufnr': l:buffer.id, 'name': l:buffer.name}
  endif
  return l:buffer && bufexists(l:buffer) ? {'bufnr': l:buffer, 'name': vim_mcp#buffers#name(l:buffer)} : {}
endfunction

function! s:summary(method, params, result) abort
  if a:method ==# 'edit' && has_key(a:result, 'lines_added')
    return printf('+%d -%d lines%s', a:result.lines_added, a:result.lines_removed, a:result.saved ? ', saved' : '')
  elseif a:method ==# 'execute'
    return ':' . s:string(get(a:params, 'command', ''))
  elseif a:method ==# 'navigate'
    return s:string(get(a:params, 'direction', ''))
  endif
  return ''
endfunction

" What an edit is about to replace: to be given to vim_mcp#history#note() when it
" is done.
function! vim_mcp#history#before(bufnr, hunks) abort
  let [l:changes, l:moved] = [[], 0]
  for l:hunk in a:hunks
    let l:old = l:hunk.removed ? getbufline(a:bufnr, l:hunk.line, l:hunk.line + l:hunk.removed - 1) : []
    call add(l:changes, {'line': l:hunk.line + l:moved, 'old': l:old, 'new': l:hunk.lines})
    let l:moved += len(l:hunk.lines) - l:hunk.removed
  endfor
  return {'bufnr': a:bufnr, 'changes': l:changes}
endfunction

function! vim_mcp#history#note(before) abort
  let l:bytes = 0
  for l:change in a:before.changes
    let l:change.before = l:change.line > 1 ? getbufline(a:before.bufnr, l:change.line - 1) : []
    let l:change.after = getbufline(a:before.bufnr, l:change.line + len(l:change.new))
    let l:bytes += strlen(join(l:change.old, "\n")) + strlen(join(l:change.new, "\n"))
  endfor
  let s:note = l:bytes > s:max_bytes ? {} : {'changes': a:before.changes, 'bytes': l:bytes}
endfunction

" Undo what one entry has changed, as one step, where it still stands. Returns
" '' or why that cannot be done.
function! vim_mcp#history#undo(entry) abort
  if a:entry.undone || empty(a:entry.changes)
    return a:entry.undone ? 'it has been undone already' : 'there is no change of text to undo'
  elseif !bufloaded(a:entry.bufnr)
    return 'its buffer is not loaded any more'
  endif
  let l:hunks = []
  for l:change in a:entry.changes
    let l:line = s:find(a:entry.bufnr, l:change)
    if l:line == 0
      return 'the text has changed there since'
    endif
    call add(l:hunks, {'line': l:line, 'removed': len(l:change.new), 'lines': l:change.old})
  endfor
  try
    call vim_mcp#change#apply(a:entry.bufnr, s:emptied(a:entry.bufnr, l:hunks))
  catch
    return v:exception
  endtry
  let a:entry.undone = 1
  return ''
endfunction

" An empty buffer still has one line, which what comes back takes the place of.
function! s:emptied(bufnr, hunks) abort
  if a:hunks[0].removed == 0 && vim_mcp#text#is_empty(a:bufnr)
    let a:hunks[0].removed = 1
  endif
  return a:hunks
endfunction

" The first of the lines that a change has left, found with the lines around
" them where it was made, or else where they are once and only once; or 0.
function! s:find(bufnr, change) abort
  let l:lines = getbufline(a:bufnr, 1, '$')
  let l:wanted = a:change.before + a:change.new + a:change.after
  let l:offset = len(a:change.before)
  if empty(l:wanted)
    return vim_mcp#text#is_empty(a:bufnr)
  elseif s:stands(l:lines, a:change.line - 1 - l:offset, l:wanted)
    return a:change.line
  endif
  let l:found = filter(s:places(l:lines, l:wanted[0]), 's:stands(l:lines, v:val, l:wanted)')
  return len(l:found) == 1 ? l:found[0] + 1 + l:offset : 0
endfunction

function! s:stands(lines, index, wanted) abort
  return a:index >= 0 && a:lines[a:index : a:index + len(a:wanted) - 1] ==# a:wanted
endfunction

function! s:places(lines, line) abort
  let l:places = []
  let l:index = index(a:lines, a:line)
  while l:index >= 0
    call add(l:places, l:index)
    let l:index = index(a:lines, a:line, l:index + 1)
  endwhile
  return l:places
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
