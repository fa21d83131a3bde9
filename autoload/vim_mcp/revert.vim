" :ClaudeCodeRevert: takes back what Claude has changed since its user's last
" prompt, once they have seen what that would be and said :w.

let s:save_cpo = &cpo
set cpo&vim

let s:title = 'What Claude has changed in its last turn.   :w takes it back   :q leaves everything as it is'
let s:done = 'Claude''s last turn is taken back.   u brings it again   :q closes this'

" Show what would be taken back.
function! vim_mcp#revert#open() abort
  let l:steps = map(vim_mcp#turn#names(), 's:step(v:val)')
  if empty(l:steps)
    call vim_mcp#notice#echo('Claude has changed no file in this turn (or nothing is known of it)')
    return
  endif
  call s:window()
  let b:vim_mcp_revert = l:steps
  call s:fill([s:title, ''] + s:list(l:steps) + s:differences(l:steps))
endfunction

" What is to be done with a file: {'name', 'from' and 'to' (its bytes, see turn.vim),
" 'directories' (to be removed with it), 'why' (it is left alone)}.
function! s:step(name) abort
  let l:file = vim_mcp#turn#file(a:name)
  let l:step = {'name': a:name, 'from': vim_mcp#turn#bytes(a:name), 'to': l:file.before, 'why': ''}
  let l:step.directories = empty(l:step.to) ? l:file.missing : []
  if s:is_unsaved(a:name)
    let l:step.why = 'its buffer has unsaved changes'
  elseif l:file.touched
    let l:step.why = 'you have written it since'
  elseif get(l:file, 'after', '') !=# '' && l:file.after !=# vim_mcp#turn#digest(l:step.from)
    let l:step.why = 'it has changed since the turn ended'
  elseif filereadable(a:name) && !filewritable(a:name)
    let l:step.why = 'it cannot be written (permission denied)'
  endif
  return l:step
endfunction

function! s:is_unsaved(name) abort
  return !empty(filter(vim_mcp#autoread#holding([a:name]), 'getbufvar(v:val, "&modified")'))
endfunction

function! s:window() abort
  let l:open = filter(range(1, winnr('$')), 'getbufvar(winbufnr(v:val), "vim_mcp_revert", 0) isnot 0')
  if !empty(l:open)
    execute l:open[0] . 'wincmd w'
    return
  endif
  noautocmd botright new
  setlocal buftype=acwrite bufhidden=wipe nobuflisted noswapfile noundofile nonumber norelativenumber nospell
  silent noautocmd execute 'file' fnameescape('vim-mcp revert ' . bufnr('%'))
  augroup vim_mcp_revert
    autocmd! * <buffer>
    autocmd BufWriteCmd <buffer> call s:write(expand('<stack>'))
    autocmd BufEnter <buffer> call vim_mcp#diff_write#watch()
    autocmd BufWipeout <buffer> if empty(vim_mcp#diff#pending()) | call vim_mcp#diff_write#forget() | endif
  augroup END
  nnoremap <buffer> <silent> <nowait> u :<C-U>call <SID>undo()<CR>
  setlocal filetype=diff
  call vim_mcp#diff_write#watch()
endfunction

" Nothing counts as changed, so that what writes all changed buffers passes it over.
function! s:fill(lines) abort
  setlocal modifiable
  silent keepjumps %delete _
  call setline(1, a:lines)
  setlocal nomodifiable nomodified
  call cursor(1, 1)
endfunction

function! s:list(steps) abort
  return map(copy(a:steps), 's:line(v:val)')
endfunction

function! s:line(step) abort
  let l:name = strtrans(fnamemodify(a:step.name, ':~:.'))
  if a:step.why !=# ''
    return '  ' . l:name . '  left alone: ' . a:step.why
  elseif empty(a:step.to)
    return '  ' . l:name . '  removed: the turn has made it'
  endif
  let [l:added, l:removed] = [0, 0]
  for l:hunk in vim_mcp#changes#hunks(a:step.from, a:step.to)
    let [l:added, l:removed] = [l:added + len(l:hunk.lines), l:removed + l:hunk.removed]
  endfor
  let l:again = empty(a:step.from) ? '  made again: the turn has removed it' : ''
  return printf('  %s  +%d -%d%s', l:name, l:added, l:removed, l:again)
endfunction

function! s:differences(steps) abort
  let l:lines = []
  for l:step in filter(copy(a:steps), 'v:val.why ==# ""')
    let l:name = strtrans(fnamemodify(l:step.name, ':~:.'))
    let l:lines += ['', '--- ' . l:name . '  (now)', '+++ ' . l:name . '  (after :w)']
    for l:hunk in vim_mcp#changes#hunks(l:step.from, l:step.to)
      call add(l:lines, printf('@@ -%d,%d +%d,%d @@', l:hunk.line, l:hunk.removed, l:hunk.now, len(l:hunk.lines)))
      let l:lines += map(copy(l:hunk.old), '"-" . v:val') + map(copy(l:hunk.lines), '"+" . v:val')
    endfor
  endfor
  return l:lines
endfunction

" Only a write that the person has commanded does it (see diff_write.vim), and not
" within its autocommand, where Vim would ask about files that change.
function! s:write(stack) abort
  setlocal nomodified
  if vim_mcp#diff_write#is_commanded(a:stack)
    call timer_start(0, function('s:take_back', [bufnr('%'), b:vim_mcp_revert]))
  endif
endfunction

function! s:take_back(bufnr, steps, timer) abort
  if empty(filter(copy(a:steps), 'v:val.why ==# ""')) || getbufvar(a:bufnr, 'vim_mcp_reverted', 0)
    call vim_mcp#notice#error('there is nothing to take back')
    return
  endif
  call map(a:steps, 's:do(v:val)')
  if bufnr('%') == a:bufnr
    let b:vim_mcp_reverted = 1
    call s:fill([s:done, ''] + s:list(a:steps))
  endif
  call s:tell('taken back', a:steps)
endfunction

" `u` in the list: what was taken back comes again.
function! s:undo() abort
  if !get(b:, 'vim_mcp_reverted')
    call vim_mcp#notice#error('nothing was taken back yet: :w does that')
    return
  endif
  let l:steps = map(filter(copy(b:vim_mcp_revert), 'v:val.why ==# ""'),
        \ 's:do(extend(copy(v:val), {"from": v:val.to, "to": v:val.from, "directories": []}))')
  let b:vim_mcp_reverted = 0
  call s:fill(['What was taken back is there again.   :q closes this', ''] + s:list(l:steps))
  let b:vim_mcp_revert = []
  call s:tell('brought again', l:steps)
endfunction

function! s:tell(what, steps) abort
  let l:left = filter(copy(a:steps), 'v:val.why !=# ""')
  call vim_mcp#notice#echo(printf('%d file(s) %s%s', len(a:steps) - len(l:left), a:what,
        \ empty(l:left) ? '' : ', left alone: ' . join(map(l:left, 'fnamemodify(v:val.name, ":t")'), ', ')))
endfunction

" Do one step, if its file is still as it was shown, and return it; `why` says what
" has prevented it. Buffers follow the file, so that `u` in one undoes it there.
function! s:do(step) abort
  if a:step.why !=# ''
    return a:step
  elseif s:is_unsaved(a:step.name) || vim_mcp#turn#bytes(a:step.name) !=# a:step.from
    return extend(a:step, {'why': 'it has changed since this was shown'})
  endif
  try
    call s:put(a:step)
  catch
    return extend(a:step, {'why': vim_mcp#methods#message(v:exception)})
  endtry
  for l:bufnr in vim_mcp#autoread#holding([a:step.name])
    call vim_mcp#disk#look(l:bufnr)
  endfor
  return a:step
endfunction

function! s:put(step) abort
  if !empty(a:step.to)
    if !isdirectory(fnamemodify(a:step.name, ':h'))
      call mkdir(fnamemodify(a:step.name, ':h'), 'p')
    endif
    call writefile(a:step.to, a:step.name, 'b')
    return
  endif
  call delete(a:step.name)
  for l:directory in a:step.directories
    call delete(l:directory, 'd')
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
