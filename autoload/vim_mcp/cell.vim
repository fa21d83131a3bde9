" :VimMCPRunCell: the user's own code in the kernel that they share with their assistants. A cell is what stands between
" two lines with `%%` in a comment (`# %%`), else the whole file. What comes of it is shown below it, in the buffer's
" margin and not in its text.

let s:save_cpo = &cpo
set cpo&vim

let s:marker = '\m^\s*\%(#\|//\|--\|%\|;\|"\)\s*%%'

" The rows of a result that are shown at most, and at least in a low window: Vim shows nothing of a line and what is
" below it where that is more than the window has room for.
let [s:most, s:least] = [20, 4]

" Those that run or have run here: id -> {'buffer', 'runs', 'lines' (how many it has), 'rows' (so many are shown
" below it)}. Their places are marks by the same id.
let s:cells = {}
let s:last = 0

let s:space = has('nvim') ? nvim_create_namespace('vim_mcp_cell') : 0

highlight default link VimMCPCell Comment
highlight default link VimMCPCellError ErrorMsg

" :VimMCPRunCell: run the lines a:first to a:last where the user has named some (a:range), else the cell under the
" cursor; with `bang` take all results off this buffer.
function! vim_mcp#cell#run(argument, bang, range, first, last) abort
  if !vim_mcp#alone#is(a:argument)
    return
  elseif a:bang
    call s:clear(bufnr('%'))
    return
  endif
  let [first, last] = a:range ? [a:first, prevnonblank(a:last)] : s:range()
  if last < first
    call vim_mcp#notice#error('there is no code in ' . (a:range ? 'these lines' : 'this cell'))
  elseif vim_mcp#kernel#reachable()
    let s:last += 1
    call s:place(s:last, first, last)
    call s:show(s:last, ['connecting'], 0)
    let settings = vim_mcp#kernel#get_environment({'variables': v:true})
    let message = {'do': 'run', 'cell': s:last, 'lines': getline(first, last), 'settings': settings}
    call vim_mcp#kernel#send(message, function('s:begin', [s:last]))
  endif
endfunction

" The cell's first line behind its marker, and its last one that is not blank.
function! s:range() abort
  let first = search(s:marker, 'bcnW') + 1
  let next = search(s:marker, 'nW')
  return [first, prevnonblank(next == 0 ? line('$') : next - 1)]
endfunction

" The hub has been asked to run a cell, or could not be.
function! s:begin(id, asked) abort
  if has_key(s:cells, a:id) && a:asked
    let s:cells[a:id].runs = 1
    call s:show(a:id, ['running'], 0)
  elseif has_key(s:cells, a:id)
    call s:remove(a:id)
  endif
endfunction

" The hub's message `kernel_cell`: what has come of a cell, or how far it is.
function! vim_mcp#cell#take(message) abort
  let id = get(a:message, 'cell', 0)
  if has_key(s:cells, id)
    let s:cells[id].runs = get(a:message, 'runs', 0)
    let lines = get(a:message, 'lines', [])
    call s:show(id, empty(lines) ? ['done'] : lines, get(a:message, 'failed', 0))
  endif
endfunction

" The connection is lost: nobody will tell what comes of those that run.
function! vim_mcp#cell#lost() abort
  for id in keys(filter(copy(s:cells), 'v:val.runs'))
    let s:cells[id].runs = 0
    call s:show(id, ['The connection to the hub was lost while this ran, and its result with it.'], 1)
  endfor
endfunction

" Mark where the result is to stand; an earlier one of the same lines goes.
function! s:place(id, first, last) abort
  for [id, cell] in items(s:cells)
    let line = cell.buffer == bufnr('%') ? s:line(id) : 0
    if line >= a:first && line <= a:last
      call s:remove(id)
    endif
  endfor
  let s:cells[a:id] = {'buffer': bufnr('%'), 'runs': 0, 'lines': a:last - a:first + 1, 'rows': 0}
  if has('nvim')
    call s:mark(a:id, a:last, {})
  else
    call s:define()
    call prop_add(a:last, 1, {'type': 'vim_mcp_cell_place', 'id': a:id, 'bufnr': bufnr('%')})
  endif
endfunction

" Neovim's mark at a line. It goes with its line, and comes back with it, where Neovim can have that (0.10).
function! s:mark(id, line, shown) abort
  let options = extend(has('nvim-0.10') ? {'id': +a:id, 'invalidate': v:true} : {'id': +a:id}, a:shown)
  call nvim_buf_set_extmark(s:cells[a:id].buffer, s:space, a:line - 1, 0, options)
endfunction

function! s:define() abort
  if empty(prop_type_get('vim_mcp_cell_place'))
    call prop_type_add('vim_mcp_cell_place', {})
    call prop_type_add('vim_mcp_cell', {'highlight': 'VimMCPCell'})
    call prop_type_add('vim_mcp_cell_error', {'highlight': 'VimMCPCellError'})
  endif
endfunction

" The line that the result of cell `id` stands below; 0 when it has gone.
function! s:line(id) abort
  let buffer = s:cells[a:id].buffer
  if !bufloaded(buffer)
    return 0
  elseif has('nvim')
    let mark = nvim_buf_get_extmark_by_id(buffer, s:space, +a:id, {'details': v:true})
    return empty(mark) || get(mark[2], 'invalid', 0) ? 0 : mark[0] + 1
  endif
  return get(prop_find({'type': 'vim_mcp_cell_place', 'id': +a:id, 'bufnr': buffer, 'lnum': 1, 'both': 1}), 'lnum', 0)
endfunction

function! s:show(id, lines, failed) abort
  let line = s:line(a:id)
  if line == 0
    call s:keep(a:id, a:lines, a:failed)
    return
  endif
  let [width, height] = s:size(s:cells[a:id].buffer)
  let lines = map(s:excerpt(s:rows(a:lines, width - 2), height), '"  " . v:val')
  let s:cells[a:id].rows = len(lines)
  if has('nvim')
    let group = a:failed ? 'VimMCPCellError' : 'VimMCPCell'
    call s:mark(a:id, line, {'virt_lines': map(copy(lines), '[[v:val, group]]')})
    call s:reveal(a:id, line)
    return
  endif
  call s:erase(a:id, line)
  for text in lines
    call prop_add(line, 0, {'type': a:failed ? 'vim_mcp_cell_error' : 'vim_mcp_cell', 'bufnr': s:cells[a:id].buffer,
          \ 'text': text, 'text_align': 'below'})
  endfor
  call s:reveal(a:id, line)
endfunction

" The lines of a cell have been deleted, and what came of it is shown if they come back.
function! s:keep(id, lines, failed) abort
  let cell = s:cells[a:id]
  if !bufexists(cell.buffer)
    unlet s:cells[a:id]
    return
  endif
  let cell.kept = [a:lines, a:failed]
  augroup vim_mcp_cell
    execute printf('autocmd! TextChanged <buffer=%d> call s:show_kept(%d)', cell.buffer, cell.buffer)
  augroup END
endfunction

function! s:show_kept(buffer) abort
  let kept = filter(copy(s:cells), 'v:val.buffer == a:buffer && has_key(v:val, "kept")')
  for id in keys(filter(copy(kept), 's:line(v:key) > 0'))
    call call('s:show', [id] + remove(remove(kept, id), 'kept'))
  endfor
  if empty(kept)
    execute printf('autocmd! vim_mcp_cell TextChanged <buffer=%d>', a:buffer)
  endif
endfunction

" Bring what is shown below a cell into the sight of a user who is in it and rests.
function! s:reveal(id, last) abort
  let cell = s:cells[a:id]
  if bufnr('%') != cell.buffer || mode(1) !=# 'n' || line('.') > a:last || line('.') <= a:last - cell.lines
    return
  endif
  let below = {}
  for [id, other] in items(s:cells)
    if other.buffer == cell.buffer && id != a:id
      let below[s:line(id)] = other.rows
    endif
  endfor
  call vim_mcp#reveal#below(a:last, cell.rows, below)
endfunction

" How wide and how high a result can be: as the window that shows it, and half of that.
function! s:size(buffer) abort
  let window = get(win_findbuf(a:buffer), 0, 0)
  let height = window ? winheight(window) : &lines
  return [max([20, vim_mcp#windows#text_width(a:buffer)]), max([s:least, min([s:most, height / 2])])]
endfunction

" The lines as they are shown: neither editor wraps what is below a line. A rule of dashes may as well be shorter.
function! s:rows(lines, width) abort
  let rows = []
  for line in a:lines
    let pieces = vim_mcp#text#pieces(strtrans(substitute(line, "\t", '    ', 'g')), a:width)
    call extend(rows, line =~# '^-\+$' ? pieces[:0] : pieces)
  endfor
  return rows
endfunction

" Both ends of what is long; all of it is in the window of :VimMCPKernelOutput.
function! s:excerpt(lines, most) abort
  if len(a:lines) <= a:most
    return copy(a:lines)
  endif
  let tail = a:most / 4
  let head = a:most - tail - 1
  let more = '(' . (len(a:lines) - head - tail) . ' more lines: :VimMCPKernelOutput)'
  return a:lines[: head - 1] + [more] + a:lines[-tail :]
endfunction

function! s:erase(id, line) abort
  for type in ['vim_mcp_cell', 'vim_mcp_cell_error']
    call prop_remove({'type': type, 'bufnr': s:cells[a:id].buffer, 'all': 1}, a:line)
  endfor
endfunction

function! s:remove(id) abort
  let line = s:line(a:id)
  if has('nvim') && line > 0
    call nvim_buf_del_extmark(s:cells[a:id].buffer, s:space, +a:id)
  elseif line > 0
    call s:erase(a:id, line)
    call prop_remove({'type': 'vim_mcp_cell_place', 'id': +a:id, 'both': 1, 'bufnr': s:cells[a:id].buffer, 'all': 1})
  endif
  unlet s:cells[a:id]
endfunction

function! s:clear(buffer) abort
  call filter(s:cells, 'v:val.buffer != a:buffer')
  if has('nvim')
    call nvim_buf_clear_namespace(a:buffer, s:space, 0, -1)
    return
  endif
  call s:define()
  " Undone deletions may have brought back what no cell knows.
  for type in ['vim_mcp_cell_place', 'vim_mcp_cell', 'vim_mcp_cell_error']
    call prop_remove({'type': type, 'bufnr': a:buffer, 'all': 1}, 1, line('$'))
  endfor
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
