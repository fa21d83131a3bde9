" Buffers that list files: file explorers and the quickfix window. Nothing is loaded here: where such a buffer is shown,
" its plugin is.

let s:save_cpo = &cpo
set cpo&vim

" By 'filetype': `at` gives the file under the cursor, a name or a place (see mention.vim), or ''; `marked` gives those
" that the user has marked. Those of Neovim alone are in lua/vim_mcp/trees.lua.
let s:none = {-> []}
let s:trees = {
      \ 'netrw': {'at': {-> s:netrw()}, 'marked': {-> s:netrw_marked()}},
      \ 'nerdtree': {'at': {-> s:nerdtree()}, 'marked': s:none},
      \ 'fern': {'at': {-> s:fern()}, 'marked': {-> s:fern_marked()}},
      \ 'qf': {'at': {-> s:quickfix()}, 'marked': s:none},
      \ }
let s:of_lua = {'at': {-> s:lua('at')}, 'marked': {-> s:lua('marked')}}

" Whether a buffer with this 'filetype' lists files.
function! vim_mcp#trees#knows(filetype) abort
  return has_key(s:trees, a:filetype) || has('nvim') && luaeval('require("vim_mcp.trees").knows(_A)', a:filetype)
endfunction

" :ClaudeCodeTreeAdd.
function! vim_mcp#trees#command(argument, range, first, last) abort
  if vim_mcp#alone#is(a:argument)
    call vim_mcp#trees#add(a:range, a:first, a:last)
  endif
endfunction

" Mention what the lines a:first to a:last list (a:range: how many lines the user has named), or
" else what is marked, or else what is under the cursor. Whether anything was mentioned.
function! vim_mcp#trees#add(range, first, last) abort
  if !vim_mcp#trees#knows(&filetype)
    call vim_mcp#notice#error('this lists no files that are known: :ClaudeCodeAdd {file}')
    return 0
  endif
  let l:area = vim_mcp#visual#area()
  let l:lines = a:range || vim_mcp#global#runs() ? range(a:first, a:last)
        \ : empty(l:area) ? [] : range(l:area.start[0], l:area.end[0])
  try
    let l:places = s:places(get(s:trees, &filetype, s:of_lua), l:lines)
    let l:obstacle = !empty(l:places) ? '' : 'there is no file ' . (len(l:lines) > 1 ? 'in these lines' : 'here')
  catch
    let l:obstacle = v:exception
  endtry
  if l:obstacle !=# ''
    call vim_mcp#notice#error('not mentioned: ' . l:obstacle)
    return 0
  endif
  return vim_mcp#mention#put(l:places)
endfunction

function! s:places(tree, lines) abort
  let l:found = empty(a:lines) ? a:tree.marked() : s:at_lines(a:tree, a:lines)
  let l:found = empty(a:lines) && empty(l:found) ? [a:tree.at()] : l:found
  let l:places = map(l:found, 'type(v:val) == type({}) ? v:val : {"file": v:val, "lines": []}')
  call map(l:places, 'extend(v:val, {"file": substitute(v:val.file, "\\(.\\)/$", "\\1", "")})')
  let l:all = copy(l:places)
  return filter(l:places, 'v:val.file =~# "^/" && index(l:all, v:val) == v:key')
endfunction

" Explorers tell of the cursor's line alone.
function! s:at_lines(tree, lines) abort
  let l:view = winsaveview()
  try
    return map(copy(a:lines), 'cursor(v:val, 1) == 0 ? a:tree.at() : ""')
  finally
    call winrestview(l:view)
  endtry
endfunction

function! s:netrw() abort
  if line('.') < get(w:, 'netrw_bannercnt', 1) || getline('.') =~# '^\.\.\=/'
    return ''
  endif
  let l:view = winsaveview()
  let l:word = netrw#Call('NetrwGetWord')
  call winrestview(l:view)
  if get(w:, 'netrw_liststyle') != 3
    return b:netrw_curdir . '/' . l:word
  endif
  " In a tree the path of a directory holds its own name.
  let l:path = netrw#Call('NetrwTreePath', w:netrw_treetop)
  return l:word =~# '/$' ? l:path : l:path . l:word
endfunction

" netrw keeps the marks of all its windows in one list. Where none is marked in this one, those of others are not meant.
" `./` and `../` are marked as the directories that they are.
function! s:netrw_marked() abort
  let l:files = netrw#Expose('netrwmarkfilelist')
  let l:is_tree = get(w:, 'netrw_liststyle') == 3
  let l:top = s:with_slash(l:is_tree ? w:netrw_treetop : b:netrw_curdir)
  let l:files = type(l:files) == type([]) ? filter(copy(l:files), 'stridx(l:top, s:with_slash(v:val)) != 0') : []
  let l:here = l:is_tree ? 'stridx(v:val, l:top) == 0' : 's:with_slash(fnamemodify(v:val, ":s?/$??:h")) ==# l:top'
  return empty(filter(copy(l:files), l:here)) ? [] : l:files
endfunction

function! s:with_slash(path) abort
  return substitute(a:path, '/*$', '/', '')
endfunction

function! s:nerdtree() abort
  let l:node = g:NERDTreeFileNode.GetSelected()
  return empty(l:node) ? '' : l:node.path.str()
endfunction

function! s:fern() abort
  let l:node = fern#helper#new().sync.get_cursor_node()
  return type(l:node) == type({}) ? get(l:node, '_path', '') : ''
endfunction

" Where nothing is marked fern gives what is under the cursor.
function! s:fern_marked() abort
  return map(copy(fern#helper#new().sync.get_selected_nodes()), 'get(v:val, "_path", "")')
endfunction

function! s:quickfix() abort
  let l:entries = getwininfo(win_getid())[0].loclist ? getloclist(0) : getqflist()
  let l:entry = get(l:entries, line('.') - 1, {'bufnr': 0})
  if !l:entry.bufnr
    return ''
  endif
  let l:lines = [l:entry.lnum, max([l:entry.lnum, get(l:entry, 'end_lnum')])]
  return {'file': vim_mcp#buffers#name(l:entry.bufnr), 'lines': l:entry.lnum ? l:lines : []}
endfunction

function! s:lua(name) abort
  return luaeval('require("vim_mcp.trees")[_A[1]](_A[2])', [a:name, &filetype])
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
