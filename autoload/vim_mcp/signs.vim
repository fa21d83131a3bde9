" Signs at the lines that Claude has changed since its session began, where g:vim_mcp_signs is on.
"
" They stay with their lines. A line that is again as it was when the session began has none, as far as that is known.

let s:save_cpo = &cpo
set cpo&vim

highlight default link VimMCPSignAdded DiffAdd
highlight default link VimMCPSignChanged DiffChange
highlight default link VimMCPSignRemoved DiffDelete

let s:group = 'vim_mcp_changes'
let s:texts = {'VimMCPSignAdded': '+', 'VimMCPSignChanged': '~', 'VimMCPSignRemoved': '_'}

" Those of diagnostics come first, those of version control mostly last.
let s:priority = 9

" By a buffer's number and the number of a state of its text (seq_cur of undotree()): the signs after Claude's change.
let s:kept = {}

" How long after a change of the user's the signs are looked at, in ms.
let s:pause = 200
let s:timer = -1

" The real name of a file -> the bytes (see turn.vim) that it held before Claude first changed it; at most so many in
" all.
let s:before = {}
let s:size = 0
let s:max_bytes = 52428800

" The processes of the session's Claudes.
let s:claudes = []

function! s:wanted() abort
  return exists('*sign_place') && vim_mcp#setting('signs', 0)
endfunction

" Claudes hear this editor. Where none of them has been here before, a session begins.
function! vim_mcp#signs#session(pids) abort
  let l:pids = filter(copy(a:pids), 'type(v:val) == type(0)')
  if empty(l:pids)
    return
  elseif empty(filter(copy(l:pids), 'index(s:claudes, v:val) >= 0')) && !empty(s:claudes)
    let [s:before, s:size, s:claudes, s:kept] = [{}, 0, [], {}]
    if s:wanted()
      call sign_unplace(s:group)
    endif
  endif
  let s:claudes += l:pids
endfunction

" A file (its real name) may be changed by Claude, and held these bytes.
function! vim_mcp#signs#expect(name, bytes) abort
  if has_key(s:before, a:name) || !s:wanted()
    return
  endif
  let s:size += strlen(join(a:bytes, "\n"))
  if s:size <= s:max_bytes
    let s:before[a:name] = a:bytes
  endif
  augroup vim_mcp_signs
    autocmd!
    autocmd BufReadPost * call s:read(+expand('<abuf>'))
  augroup END
endfunction

" A file is loaded that Claude may have changed before.
function! s:read(bufnr) abort
  let s:kept[a:bufnr] = {}
  if s:wanted() && has_key(s:before, resolve(vim_mcp#buffers#name(a:bufnr)))
    call s:set(a:bufnr, s:differing(a:bufnr))
  endif
endfunction

" The signs of a buffer: [[line, name], …].
function! vim_mcp#signs#placed(bufnr) abort
  return s:wanted() ? map(sign_getplaced(a:bufnr, {'group': s:group})[0].signs, '[v:val.lnum, v:val.name]') : []
endfunction

" A client has changed a loaded buffer, by hunks (see hunks.vim).
function! vim_mcp#signs#changed(bufnr, hunks) abort
  if s:wanted()
    call s:set(a:bufnr, vim_mcp#signs#placed(a:bufnr) + s:of(a:hunks))
  endif
endfunction

" A buffer that had the signs a:placed was read again, which has changed it by hunks.
function! vim_mcp#signs#follow(bufnr, placed, hunks) abort
  if s:wanted()
    call s:set(a:bufnr, s:moved(a:placed, a:hunks) + (vim_mcp#turn#runs() ? s:of(a:hunks) : []))
  endif
endfunction

" Where a:signs are after the change, without those whose lines went.
function! s:moved(signs, hunks) abort
  let l:stay = filter(copy(a:signs), {_, sign -> empty(filter(copy(a:hunks),
        \ 'sign[0] >= v:val.line && sign[0] < v:val.line + v:val.removed'))})
  return map(l:stay, '[vim_mcp#change#moved(v:val[0], a:hunks), v:val[1]]')
endfunction

" The signs of hunks, in the new text.
function! s:of(hunks) abort
  let [l:signs, l:moved] = [[], 0]
  for l:hunk in a:hunks
    let [l:first, l:number] = [l:hunk.line + l:moved, len(l:hunk.lines)]
    if l:number
      let l:name = l:hunk.removed ? 'VimMCPSignChanged' : 'VimMCPSignAdded'
      let l:signs += map(range(l:first, l:first + l:number - 1), '[v:val, l:name]')
    else
      call add(l:signs, [max([1, l:first - 1]), 'VimMCPSignRemoved'])
    endif
    let l:moved += l:number - l:hunk.removed
  endfor
  return l:signs
endfunction

" What would mark all that is not as it was when the session began.
function! s:differing(bufnr) abort
  let l:before = copy(s:before[resolve(vim_mcp#buffers#name(a:bufnr))])
  if !empty(l:before) && l:before[-1] ==# ''
    call remove(l:before, -1)
  endif
  if getbufvar(a:bufnr, '&fileformat') ==# 'dos'
    call map(l:before, 'substitute(v:val, "\r$", "", "")')
  endif
  if getbufvar(a:bufnr, '&bomb') && !empty(l:before)
    let l:before[0] = substitute(l:before[0], "^\xef\xbb\xbf", '', '')
  endif
  return s:of(vim_mcp#hunks#between(l:before, getbufline(a:bufnr, 1, '$'), 1))
endfunction

" The signs of a buffer after a change of Claude's, which are kept for when its text is undone and redone.
function! s:set(bufnr, signs) abort
  call s:place(a:bufnr, a:signs)
  if a:bufnr == bufnr('%')
    let s:kept[a:bufnr] = extend(get(s:kept, a:bufnr, {}), {undotree().seq_cur : vim_mcp#signs#placed(a:bufnr)})
  endif
  augroup vim_mcp_signs_undo
    execute printf('autocmd! TextChanged <buffer=%d> call s:later(%d)', a:bufnr, a:bufnr)
  augroup END
endfunction

" The user has changed the text, perhaps by undoing what Claude has done.
function! s:later(bufnr) abort
  call timer_stop(s:timer)
  let l:state = undotree().seq_cur
  let s:timer = timer_start(s:pause, {timer -> s:again(a:bufnr, l:state)})
endfunction

function! s:again(bufnr, state) abort
  if s:wanted() && bufloaded(a:bufnr)
    call s:place(a:bufnr, get(get(s:kept, a:bufnr, {}), a:state, vim_mcp#signs#placed(a:bufnr)))
  endif
endfunction

" Of two for a line the first counts.
function! s:place(bufnr, signs) abort
  let l:known = has_key(s:before, resolve(vim_mcp#buffers#name(a:bufnr)))
  let l:differs = {}
  for l:sign in l:known ? s:differing(a:bufnr) : a:signs
    let l:differs[l:sign[0]] = 1
  endfor
  let l:names = {}
  for [l:line, l:name] in a:signs
    if has_key(l:differs, l:line) && !has_key(l:names, l:line)
      let l:names[l:line] = l:name
    endif
  endfor
  for [l:name, l:text] in items(s:texts)
    call sign_define(l:name, {'text': l:text, 'texthl': l:name})
  endfor
  call sign_unplace(s:group, {'buffer': a:bufnr})
  for [l:line, l:name] in items(l:names)
    call sign_place(0, s:group, l:name, a:bufnr, {'lnum': +l:line, 'priority': s:priority})
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
