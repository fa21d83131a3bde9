" The layout "unified": the proposal in one window, in which the lines that come are highlighted and those that go are
" shown where they were, as text that is not part of the buffer.

let s:save_cpo = &cpo
set cpo&vim

highlight default link VimMCPDiffAdded DiffAdd
highlight default link VimMCPDiffRemoved DiffDelete

let s:able = has('nvim') || has('textprop') && has('patch-9.0.1000')
" How many rows of one line are shown at most.
let s:most = 10
let s:dots = &encoding ==# 'utf-8' ? "\u2026" : '...'

let s:space = has('nvim') ? nvim_create_namespace('vim_mcp_diff_unified') : 0

" Whether diffs that open now are shown so.
function! vim_mcp#diff_unified#is_wanted() abort
  return s:able && vim_mcp#setting('diff_layout', 'vertical') ==# 'unified'
endfunction

" Show what the right buffer of a:place changes of the left one.
function! vim_mcp#diff_unified#draw(place) abort
  let a:place.hunks = vim_mcp#diff_unified#hunks(a:place)
  let width = vim_mcp#windows#text_width(a:place.right)
  call s:clear(a:place.right)
  for hunk in a:place.hunks
    call s:add(a:place.right, hunk)
    let lines = s:lines(hunk.old, a:place.right, width)
    let hunk.height = len(lines)
    if !empty(lines)
      call s:remove(a:place.right, hunk, lines)
    endif
  endfor
endfunction

" Where the first change is, in the right buffer.
function! vim_mcp#diff_unified#first(place) abort
  return min([vim_mcp#text#line_count(a:place.right), get(get(a:place.hunks, 0, {}), 'now', 1)])
endfunction

" Go to the next change (a:step 1) or the previous one (-1), a:count times; the cursor stays where there is none.
function! vim_mcp#diff_unified#jump(place, step, count) abort
  let lines = map(copy(a:place.hunks), 'min([v:val.now, line("$")])')
  let ahead = filter(lines, a:step > 0 ? 'v:val > line(".")' : 'v:val < line(".")')
  if !empty(ahead)
    let index = min([a:count, len(ahead)]) - 1
    execute 'normal!' get(a:step > 0 ? ahead : reverse(ahead), index) . 'G'
  endif
endfunction

" The hunks (see changes.vim) that lead from the left buffer to the right one.
function! vim_mcp#diff_unified#hunks(place) abort
  return vim_mcp#changes#hunks(s:bytes(a:place.left), s:bytes(a:place.right))
endfunction

" A buffer's lines as of a file. What its last line ends with is told by the title.
function! s:bytes(bufnr) abort
  let lines = getbufline(a:bufnr, 1, '$')
  return lines ==# [''] ? [''] : lines + ['']
endfunction

function! s:bounded(pieces) abort
  return len(a:pieces) > s:most ? a:pieces[: s:most - 2] + [s:dots] : a:pieces
endfunction

" The lines that go, in pieces that fit their window and are as wide as it, so that their colour is.
function! s:lines(old, bufnr, width) abort
  let [pieces, tab] = [[], repeat(' ', getbufvar(a:bufnr, '&tabstop'))]
  for line in a:old
    let text = substitute(substitute(line, "\t", tab, 'g'), '[[:cntrl:]]', '?', 'g')
    let pieces += s:bounded(vim_mcp#text#pieces(text, a:width))
  endfor
  return map(pieces, 'v:val . repeat(" ", a:width - strdisplaywidth(v:val))')
endfunction

if has('nvim')
  function! s:clear(bufnr) abort
    call nvim_buf_clear_namespace(a:bufnr, s:space, 0, -1)
  endfunction

  function! s:add(bufnr, hunk) abort
    if !empty(a:hunk.lines)
      call nvim_buf_set_extmark(a:bufnr, s:space, a:hunk.now - 1, 0, {'end_row': a:hunk.now - 1 + len(a:hunk.lines),
            \ 'end_col': 0, 'hl_group': 'VimMCPDiffAdded', 'hl_eol': v:true, 'strict': v:false})
    endif
  endfunction

  " Lines above the first one are seen only when the window is scrolled there: see vim_mcp#diff_unified#reveal().
  function! s:remove(bufnr, hunk, lines) abort
    let below = a:hunk.now > 1
    let virtual = map(a:lines, '[[v:val, "VimMCPDiffRemoved"]]')
    let line = min([vim_mcp#text#line_count(a:bufnr), below ? a:hunk.now - 1 : 1])
    call nvim_buf_set_extmark(a:bufnr, s:space, line - 1, 0,
          \ {'virt_lines': virtual, 'virt_lines_above': below ? v:false : v:true})
  endfunction
else
  function! s:clear(bufnr) abort
    if empty(prop_type_get('vim_mcp_diff_added'))
      call prop_type_add('vim_mcp_diff_added', {'highlight': 'VimMCPDiffAdded'})
      call prop_type_add('vim_mcp_diff_removed', {'highlight': 'VimMCPDiffRemoved'})
    endif
    for type in ['vim_mcp_diff_added', 'vim_mcp_diff_removed']
      call prop_remove({'type': type, 'bufnr': a:bufnr, 'all': 1})
    endfor
  endfunction

  function! s:add(bufnr, hunk) abort
    for index in range(len(a:hunk.lines))
      call prop_add(a:hunk.now + index, 1,
            \ {'type': 'vim_mcp_diff_added', 'bufnr': a:bufnr, 'length': strlen(a:hunk.lines[index])})
    endfor
  endfunction

  function! s:remove(bufnr, hunk, lines) abort
    let last = vim_mcp#text#line_count(a:bufnr)
    let [line, align] = a:hunk.now > last ? [last, 'below'] : [a:hunk.now, 'above']
    for text in a:lines
      call prop_add(line, 0, {'type': 'vim_mcp_diff_removed', 'bufnr': a:bufnr, 'text': text, 'text_align': align})
    endfor
  endfunction
endif

" In the current window: the lines above the first one, where the window begins there.
function! vim_mcp#diff_unified#reveal(place) abort
  let first = get(a:place.hunks, 0, {'now': 2, 'height': 0})
  if has('nvim') && first.now == 1 && line('w0') == 1
    call winrestview({'topfill': first.height})
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
