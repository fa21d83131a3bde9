" What is said of a review: titles, a line of a list, how many changes it makes.

let s:save_cpo = &cpo
set cpo&vim

" Texts of up to so many lines are compared here; the changes of longer ones are counted where the editor shows them,
" so many lines at a time with so many ms between, so that nobody waits for it.
let s:max_lines = 100
let s:piece = 2000
let s:pause = 10

" Sets `title_left`, `title_right`, and where it is known now `changes` and `line` (of the first one).
function! vim_mcp#diff_words#title(review) abort
  if !has_key(a:review, 'changes')
    call s:compare(a:review)
  endif
  let a:review.title_left = s:tail(a:review.file) . s:of_file(a:review)
  let client = a:review.lost ? 'not connected' : substitute(a:review.client, ' v\=\d\S*$', '', '')
  let who = client ==# '' ? 'Claude' : client
  let a:review.title_right = who . ': ' . s:tail(a:review.target) . s:of_changes(a:review)
endfunction

" One line of a list.
function! vim_mcp#diff_words#line(review) abort
  return a:review.title_right . ' (' . fnamemodify(a:review.target, ':~:.') . ')'
endfunction

" What a message calls it.
function! vim_mcp#diff_words#name(review) abort
  return 'the diff of ' . s:tail(a:review.target)
endfunction

" Counts the changes again, and calls a:Done() when they are others than before.
function! vim_mcp#diff_words#count(review, Done) abort
  let before = get(a:review, 'changes', -1)
  if s:is_small(a:review)
    call s:compare(a:review)
    if get(a:review, 'changes', -1) != before
      call a:Done()
    endif
  else
    call timer_stop(get(a:review, 'counting', -1))
    let work = {'line': 1, 'changes': 0, 'last': '0', 'before': before, 'Done': a:Done}
    let a:review.counting = timer_start(0, function('s:count_piece', [a:review, work]))
  endif
endfunction

function! s:tail(path) abort
  return fnamemodify(a:path, ':t')
endfunction

function! s:of_file(review) abort
  if getftype(a:review.file) ==# ''
    return ' (new file)'
  endif
  let bufnr = vim_mcp#buffers#find(a:review.file)
  return bufnr > 0 && getbufvar(bufnr, '&modified') ? ' on disk + unsaved changes in buffer' : ' on disk'
endfunction

function! s:of_changes(review) abort
  let number = get(a:review, 'changes', -1)
  let text = number < 0 ? '' : number == 0 ? ', no changes' : number == 1 ? ', 1 change' : ', ' . number . ' changes'
  let [left, right] = [getbufvar(a:review.left, '&endofline'), getbufvar(a:review.right, '&endofline')]
  let exists = bufloaded(a:review.left) && getftype(a:review.file) !=# '' && getfsize(a:review.file) != 0
  return text . (left == right || !exists ? '' : right ? ', adds the last line''s end' : ', no end of the last line')
endfunction

function! s:is_small(review) abort
  return vim_mcp#diff_unified#is_wanted()
        \ || max(map(s:sides(a:review), 'vim_mcp#text#line_count(v:val)')) <= s:max_lines
endfunction

" The buffers that the person has not wiped out.
function! s:sides(review) abort
  return filter([a:review.left, a:review.right], 'bufexists(v:val)')
endfunction

" With the file's side deleted there is nothing to compare, and what was found last stands.
function! s:compare(review) abort
  if bufloaded(a:review.left) && s:is_small(a:review)
    let [old, new] = [s:lines(a:review.left), s:lines(a:review.right)]
    let hunks = vim_mcp#hunks#between(old, new, 1)
    let a:review.changes = len(hunks)
    let a:review.line = empty(hunks) ? 1 : min([len(new) + 1, hunks[0].line])
  endif
endfunction

" A buffer without text has a line all the same.
function! s:lines(bufnr) abort
  let lines = getbufline(a:bufnr, 1, '$')
  return lines ==# [''] ? [] : lines
endfunction

" A change is where lines that differ or are missing stand together.
function! s:count_piece(review, work, timer) abort
  let window = a:review.verdict ==# '' ? s:compared(a:review) : 0
  if !window
    return
  endif
  call win_execute(window, 'let s:marks = s:differing(a:work.line)')
  let a:work.changes += count(a:work.last . s:marks, '01')
  let a:work.last = s:marks[-1:]
  let a:work.line += s:piece
  if a:work.line <= vim_mcp#text#line_count(a:review.right) + 1
    let a:review.counting = timer_start(s:pause, function('s:count_piece', [a:review, a:work]))
  elseif a:work.changes != a:work.before
    let a:review.changes = a:work.changes
    call a:work.Done()
  endif
endfunction

" The window of the proposal in which the editor compares it with the file; 0 when the person has closed the file's
" side, or switched the comparison off.
function! s:compared(review) abort
  let tabs = map(s:diffed(a:review.left), 'win_id2tabwin(v:val)[0]')
  return get(filter(s:diffed(a:review.right), 'index(tabs, win_id2tabwin(v:val)[0]) >= 0'), 0)
endfunction

function! s:diffed(bufnr) abort
  return filter(win_findbuf(a:bufnr), {_, window -> call('gettabwinvar', win_id2tabwin(window) + ['&diff'])})
endfunction

" For each of the lines from a:first on, and for what may be missing below the last one, 1 if it differs, else 0; 1
" before that where lines are missing above it.
function! s:differing(first) abort
  let last = min([line('$') + 1, a:first + s:piece - 1])
  return join(map(range(a:first, last), '(diff_filler(v:val) > 0 ? "1" : "") . (diff_hlID(v:val, 1) > 0)'), '')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
