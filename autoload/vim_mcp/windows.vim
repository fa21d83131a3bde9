" Windows as clients see them (docs/protocol.md).

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]
let s:has_gettype = exists('*win_gettype')
let s:has_getcurpos = has('nvim-0.7') || has('patch-8.2.3162')

" The Windows of all tab pages.
function! vim_mcp#windows#all() abort
  return map(getwininfo(), 's:window(v:val)')
endfunction

function! s:window(info) abort
  return {'id': a:info.winid, 'number': a:info.winnr, 'tab': a:info.tabnr, 'buffer': a:info.bufnr,
        \ 'name': vim_mcp#buffers#name(a:info.bufnr), 'cursor': vim_mcp#windows#cursor(a:info),
        \ 'top_line': a:info.topline, 'bottom_line': a:info.botline, 'row': a:info.winrow, 'column': a:info.wincol,
        \ 'width': a:info.width, 'height': a:info.height, 'current': s:bool[a:info.winid == win_getid()],
        \ 'type': vim_mcp#windows#type(a:info)}
endfunction

" What kind of window an item of getwininfo() is: '' for an ordinary one, else
" a word of win_gettype().
function! vim_mcp#windows#type(info) abort
  if s:has_gettype
    return win_gettype(a:info.winid)
  endif
  return a:info.loclist ? 'loclist' : a:info.quickfix ? 'quickfix' : ''
endfunction

" The cursor of the window of an item of getwininfo(): [line, column].
function! vim_mcp#windows#cursor(info) abort
  if a:info.winid == win_getid()
    return [line('.'), col('.')]
  elseif s:has_getcurpos
    return getcurpos(a:info.winid)[1:2]
  endif
  return [getbufinfo(a:info.bufnr)[0].lnum, 1]
endfunction

" The columns that a window on the buffer has for text; of one that is not shown, the screen's.
function! vim_mcp#windows#text_width(bufnr) abort
  let info = get(getwininfo(get(win_findbuf(a:bufnr), 0, 0)), 0, {'width': &columns})
  return info.width - get(info, 'textoff', 0)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
