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
let s:finds = '\c^:\=\%(\a\+!\=\s\+\)*\%(\w*grep\w*\|rg\|ag\|ack\|files\|cs\%[cope]\|tselect\|ltag'
      \ . '\|ClaudeCode\a*\)\>'

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
  let l:all = l:bufnr == s:not_open ? []
        \ : has('nvim') ? luaeval('require("vim_mcp.diagnostics").get(_A)', l:bufnr) : s:from_lists(l:bufnr)
  let l:names = s:names(l:all)
  let l:private = filter(copy(l:names), 'vim_mcp#ignore#matches(v:val)')
  let l:shown = filter(l:all, '!has_key(l:private, v:val.buffer)')
  let l:truncated = len(l:shown) > s:limit
  let l:shown = map(s:first(l:shown), 'has_key(v:val, "severity") ? v:val : s:diagnostic(v:val, v:val.title)')
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

" The first of them by buffer, line and column. A list of keys is sorted without a
" function being called for every two.
function! s:first(diagnostics) abort
  let l:keys = sort(map(copy(a:diagnostics),
        \ 'printf("%010d%010d%010d%d", v:val.buffer, v:val.line, v:val.column, 1000000 + v:key)'))
  return map(l:keys[: s:limit - 1], 'a:diagnostics[v:val[30:] - 1000000]')
endfunction

" The numbers of the buffers of which lists tell something, as keys. This runs after
" every `:make`, so that no entry is looked at closely.
function! vim_mcp#diagnostics#listed() abort
  let l:buffers = {}
  for l:list in s:lists()
    for l:item in s:items(l:list)
      let l:buffers[l:item.bufnr] = 1
    endfor
  endfor
  for l:item in vim_mcp#ale#found(-1)
    let l:buffers[l:item.bufnr] = 1
  endfor
  return l:buffers
endfunction

" The entries of all lists, each once, with the place in it that a Diagnostic
" (docs/protocol.md) has; there may be very many, so that they are not made into
" such before it is known which are told.
function! s:from_lists(bufnr) abort
  let l:found = {}
  for l:list in s:lists()
    for l:item in filter(s:items(l:list), a:bufnr == -1 ? '1' : 'v:val.bufnr == a:bufnr')
      let l:key = join([l:item.bufnr, l:item.lnum, l:item.col, l:item.type, l:item.nr, l:item.text], "\t")
      let l:place = {'buffer': l:item.bufnr, 'line': max([1, l:item.lnum]), 'title': l:list.title}
      let l:found[l:key] = extend(l:item, l:place)
    endfor
  endfor
  call map(l:found, 'extend(v:val, {"column": v:val.vcol ? s:column(v:val, v:val.line) : max([1, v:val.col])})')
  return values(l:found) + map(vim_mcp#ale#found(a:bufnr), 's:from_ale(v:val)')
endfunction

" The quickfix list and the windows' location lists, each once.
function! s:lists() abort
  let l:what = {'id': 0, 'title': 0, 'items': 0}
  let l:lists = {}
  for l:window in getwininfo()
    let l:list = getloclist(l:window.winid, l:what)
    let l:lists[l:list.id] = l:list
  endfor
  return filter(values(l:lists) + [getqflist(l:what)], '!vim_mcp#ale#owns(v:val.title)')
endfunction

" The entries of a list that tell something about a buffer.
function! s:items(list) abort
  let l:items = filter(a:list.items, 'v:val.valid && v:val.bufnr > 0 && bufexists(v:val.bufnr)')
  let l:is_search = a:list.title =~# s:finds && empty(filter(copy(l:items), 'v:val.type !=# ""'))
  return l:is_search ? [] : l:items
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
