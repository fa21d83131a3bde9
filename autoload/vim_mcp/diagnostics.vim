" The method `get_diagnostics`: what language servers, linters and compilers say
" about the text.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

" The most diagnostics that are given.
let s:limit = 2000

let s:not_open = -2

let s:severities = {'e': 'error', 'w': 'warning', 'i': 'information', 'n': 'hint'}

" Lists that hold what a search has found, by their titles: the command, perhaps
" behind modifiers.
let s:finds = '\c^:\=\%(\a\+!\=\s\+\)*\%(\w*grep\w*\|rg\|ag\|ack\|files\|cs\%[cope]\|tselect\|ltag\)\>'

" See docs/protocol.md.
function! vim_mcp#diagnostics#get_diagnostics(params) abort
  let l:settled = vim_mcp#params#given(a:params, 'fresh') ? s:bring(a:params) : 1
  return type(l:settled) == type({}) ? l:settled : s:told(a:params, l:settled)
endfunction

" Bring the files concerned up to date: see fresh.vim. What was begun is kept in
" the parameters for the next call.
function! s:bring(params) abort
  let l:files = vim_mcp#params#strings(a:params, 'files', [])
  if vim_mcp#params#given(a:params, 'file')
    let l:files = [vim_mcp#params#string(a:params, 'file')]
  endif
  let a:params.begun = get(a:params, 'begun', {})
  return vim_mcp#fresh#bring(a:params.begun, filter(copy(l:files), 'v:val =~# "^/"'),
        \ vim_mcp#params#number(a:params, 'fresh'))
endfunction

function! s:told(params, settled) abort
  let l:bufnr = s:asked_for(a:params)
  let l:all = l:bufnr == s:not_open ? [] : has('nvim') ? luaeval('require("vim_mcp.diagnostics").get(_A)', l:bufnr) : s:from_lists(l:bufnr)
  let l:names = s:names(l:all)
  let l:private = filter(copy(l:names), 'vim_mcp#ignore#matches(v:val)')
  let l:shown = filter(l:all, '!has_key(l:private, v:val.buffer)')
  let l:truncated = len(l:shown) > s:limit
  let l:shown = sort(l:shown, 's:compare')[: s:limit - 1]
  call map(l:shown, 'extend(v:val, {"name": l:names[v:val.buffer]})')
  if vim_mcp#params#bool(a:params, 'utf16', 0)
    call vim_mcp#ranges#add(l:shown)
  endif
  return extend({'diagnostics': l:shown, 'truncated': s:bool[l:truncated], 'skipped': sort(values(l:private)),
        \ 'source': has('nvim') ? 'vim.diagnostic' : 'location and quickfix lists'},
        \ s:asides(a:params, l:bufnr, a:settled))
endfunction

" What is told beside the diagnostics, where it was asked for.
function! s:asides(params, bufnr, settled) abort
  return extend(vim_mcp#params#given(a:params, 'file') ? {'open': s:bool[a:bufnr != s:not_open]} : {},
        \ vim_mcp#params#given(a:params, 'fresh') ? {'settled': s:bool[a:settled]} : {})
endfunction

" The number of the buffer that is asked for, -1 for all of them. A file that is
" not open has no diagnostics, and that is no failure.
function! s:asked_for(params) abort
  if vim_mcp#params#given(a:params, 'file')
    let l:file = vim_mcp#params#string(a:params, 'file')
    let l:bufnr = l:file =~# '^/' ? vim_mcp#buffers#find(l:file) : -1
    return l:bufnr < 0 ? s:not_open : l:bufnr
  endif
  let l:bufnr = vim_mcp#params#number(a:params, 'buffer', -1)
  return l:bufnr == -1 ? -1 : vim_mcp#buffers#by_id(l:bufnr)
endfunction

" The names of the buffers that have diagnostics. Asking for one takes long where
" there are many signs.
function! s:names(diagnostics) abort
  let l:names = {}
  for l:diagnostic in a:diagnostics
    if !has_key(l:names, l:diagnostic.buffer)
      let l:names[l:diagnostic.buffer] = vim_mcp#buffers#name(l:diagnostic.buffer)
    endif
  endfor
  return l:names
endfunction

function! s:compare(one, other) abort
  for l:key in ['buffer', 'line', 'column']
    if a:one[l:key] != a:other[l:key]
      return a:one[l:key] - a:other[l:key]
    endif
  endfor
  return 0
endfunction

" The entries of all location lists and of the quickfix list, each once. An entry
" is as in docs/protocol.md, but without a name.
function! s:from_lists(bufnr) abort
  let l:what = {'id': 0, 'title': 0, 'items': 0}
  let l:lists = {}
  for l:window in getwininfo()
    let l:list = getloclist(l:window.winid, l:what)
    let l:lists[l:list.id] = l:list
  endfor
  let l:found = {}
  for l:list in filter(values(l:lists) + [getqflist(l:what)], '!vim_mcp#ale#owns(v:val.title)')
    call s:add_list(l:found, l:list, a:bufnr)
  endfor
  return values(l:found) + map(vim_mcp#ale#found(a:bufnr), 's:from_ale(v:val)')
endfunction

function! s:add_list(found, list, bufnr) abort
  let l:items = filter(a:list.items, 'v:val.valid && v:val.bufnr > 0 && bufexists(v:val.bufnr)')
  if a:list.title =~# s:finds && empty(filter(copy(l:items), 'v:val.type !=# ""'))
    return
  endif
  for l:item in l:items
    if a:bufnr == -1 || a:bufnr == l:item.bufnr
      let l:key = join([l:item.bufnr, l:item.lnum, l:item.col, l:item.type, l:item.nr, l:item.text], "\t")
      let a:found[l:key] = s:diagnostic(l:item, a:list.title)
    endif
  endfor
endfunction

function! s:diagnostic(item, title) abort
  let l:line = max([1, a:item.lnum])
  let l:diagnostic = {'buffer': a:item.bufnr, 'line': l:line, 'column': s:column(a:item, l:line),
        \ 'severity': get(s:severities, tolower(a:item.type), s:by_text(a:item.text)), 'message': a:item.text}
  if get(a:item, 'end_col', 0) > 0
    let l:diagnostic.end_line = a:item.end_lnum > 0 ? a:item.end_lnum : l:line
    let l:diagnostic.end_column = a:item.end_col
  endif
  if a:item.nr > 0
    let l:diagnostic.code = string(a:item.nr)
  endif
  return a:title ==# '' ? l:diagnostic : extend(l:diagnostic, {'source': a:title})
endfunction

function! s:from_ale(item) abort
  let l:code = get(a:item, 'code', '')
  return extend(s:diagnostic(a:item, a:item.linter_name), l:code ==# '' ? {} : {'code': l:code})
endfunction

" A compiler's list without types says it in words.
function! s:by_text(text) abort
  return a:text =~? '^\s*warning\>' ? 'warning' : a:text =~? '^\s*note\>' ? 'information' : 'error'
endfunction

" The byte column of an entry; some programs tell the screen's.
function! s:column(item, line) abort
  if !a:item.vcol || !bufloaded(a:item.bufnr)
    return max([1, a:item.col])
  endif
  return max([1, match(getbufline(a:item.bufnr, a:line)[0], '\%' . a:item.col . 'v') + 1])
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
