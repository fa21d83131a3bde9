" Buffers, windows and positions as clients see them (docs/protocol.md).

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]
let s:builders = {
      \ 'windows': function('vim_mcp#windows#all'), 'buffers': {-> s:listed()}, 'cursor': {-> [line('.'), col('.')]},
      \ 'mode': {-> mode(1)}, 'cwd': function('getcwd'), 'context': function('vim_mcp#context#context'),
      \ }

" The most text that one read gives, in bytes.
let s:max_bytes = 10485760

" The most buffers that pushed state lists.
let s:max_buffers = 200

" Events that come with the keys, and after which only the current buffer and
" the windows may have changed; and how long other buffers are taken to be as
" they were, in seconds.
let s:keys = '^\%(CursorMovedI\=\|TextChanged[IP]\=\|ModeChanged\|InsertEnter\|InsertLeave\|WinScrolled\)$'
let s:lasting = 5
let s:pushed = {'at': [], 'time': 0, 'index': -1, 'buffers': []}
let s:folders = []

" The method `get_state`: see docs/protocol.md.
function! vim_mcp#buffers#get_state(params) abort
  if vim_mcp#params#given(a:params, 'sections')
    return s:sections(vim_mcp#params#strings(a:params, 'sections'), a:params)
  endif
  let l:buffers = s:listed()
  return extend(s:whole(l:buffers), {'current_buffer': s:with_text(s:current(l:buffers), a:params)})
endfunction

" The state that is pushed without being asked for, after the events that are
" named: bounded, and without text.
function! vim_mcp#buffers#state(events) abort
  let l:access = vim_mcp#methods#access()
  let l:beyond_keys = !empty(filter(copy(a:events), 'v:val !~# s:keys'))
  if empty(s:folders) || l:beyond_keys
    let s:folders = vim_mcp#identity#folders()
  endif
  if l:access ==# 'off'
    return {'access': l:access, 'current_buffer': v:null, 'windows': [], 'buffers': [], 'cursor': [1, 1],
          \ 'execute_code': vim_mcp#kernel#permission(), 'mode': mode(1), 'cwd': getcwd(), 'folders': s:folders}
  endif
  let l:buffers = s:recent(l:beyond_keys)
  let l:current = s:pushed.index < 0 ? vim_mcp#buffers#info(bufnr('%')) : l:buffers[s:pushed.index]
  return extend(s:whole(l:buffers), {'current_buffer': l:current, 'access': l:access, 'folders': s:folders,
        \ 'execute_code': vim_mcp#kernel#permission()})
endfunction

function! s:whole(buffers) abort
  return {'windows': vim_mcp#windows#all(), 'buffers': a:buffers, 'cursor': [line('.'), col('.')],
        \ 'mode': mode(1), 'cwd': getcwd()}
endfunction

function! s:sections(names, params) abort
  let l:state = {}
  for l:name in a:names
    if has_key(s:builders, l:name)
      let l:state[l:name] = s:builders[l:name]()
    elseif l:name ==# 'content' || l:name ==# 'current_buffer'
      let l:buffer = s:current([])
      let l:state.current_buffer = index(a:names, 'content') < 0 ? l:buffer : s:with_text(l:buffer, a:params)
    else
      call vim_mcp#methods#invalid('`sections` has no section `' . l:name . '`')
    endif
  endfor
  return l:state
endfunction

" The Buffer of a buffer number that exists.
function! vim_mcp#buffers#info(bufnr) abort
  return s:buffer(getbufinfo(a:bufnr)[0])
endfunction

" The Position of the cursor in the current window.
function! vim_mcp#buffers#position() abort
  let l:bufnr = bufnr('%')
  return {'buffer': l:bufnr, 'name': vim_mcp#buffers#name(l:bufnr), 'line': line('.'), 'column': col('.'),
        \ 'text': vim_mcp#buffers#ignored(l:bufnr) ? '' : getline('.')}
endfunction

" The full name of a buffer, or ''.
function! vim_mcp#buffers#name(bufnr) abort
  return getbufinfo(a:bufnr)[0].name
endfunction

" Its 'buftype'; a review's buffer is never that of a file.
function! vim_mcp#buffers#type(bufnr) abort
  return getbufvar(a:bufnr, 'vim_mcp_diff') ==# '' ? getbufvar(a:bufnr, '&buftype') : 'acwrite'
endfunction

" Whether the text of a buffer must not be given.
function! vim_mcp#buffers#ignored(bufnr) abort
  return vim_mcp#ignore#matches(vim_mcp#buffers#name(a:bufnr))
endfunction

" The buffer that holds the file a:path (a full name, taken as it is; another
" name of the same file will do), or -1.
function! vim_mcp#buffers#find(path) abort
  if !bufexists(a:path)
    return -1
  elseif exists('*bufadd')
    return bufadd(a:path)
  endif
  return get(map(filter(getbufinfo(), 'v:val.name ==# a:path'), 'v:val.bufnr'), 0, -1)
endfunction

function! s:buffer(info) abort
  let l:bufnr = a:info.bufnr
  return {'id': l:bufnr, 'name': a:info.name, 'listed': s:bool[a:info.listed], 'loaded': s:bool[a:info.loaded],
        \ 'modified': s:bool[a:info.changed], 'readonly': s:bool[getbufvar(l:bufnr, '&readonly')],
        \ 'filetype': getbufvar(l:bufnr, '&filetype'), 'buftype': vim_mcp#buffers#type(l:bufnr),
        \ 'line_count': a:info.loaded ? a:info.linecount : 0, 'changedtick': a:info.changedtick,
        \ 'current': s:bool[l:bufnr == bufnr('%')], 'visible': s:bool[!empty(a:info.windows)],
        \ 'ignored': s:bool[vim_mcp#ignore#matches(a:info.name)]}
endfunction

" Listed buffers and those that a window shows; the optional number bounds them.
function! s:listed(...) abort
  let l:infos = filter(getbufinfo(), 'v:val.listed || !empty(v:val.windows)')
  return map(a:0 ? l:infos[: a:1 - 1] : l:infos, 's:buffer(v:val)')
endfunction

" The buffers to push. With hundreds of them, describing all at every key would
" be felt: without another event they are taken to be as they were.
function! s:recent(beyond_keys) abort
  let l:at = [bufnr('%'), bufnr('$')]
  if a:beyond_keys || l:at != s:pushed.at || localtime() - s:pushed.time > s:lasting
    let l:buffers = s:listed(s:max_buffers)
    let s:pushed = {'at': l:at, 'time': localtime(), 'buffers': l:buffers}
    let s:pushed.index = index(map(copy(l:buffers), 'v:val.current'), v:true)
  elseif s:pushed.index >= 0
    let s:pushed.buffers = copy(s:pushed.buffers)
    let s:pushed.buffers[s:pushed.index] = vim_mcp#buffers#info(bufnr('%'))
  endif
  return s:pushed.buffers
endfunction

" The current Buffer, a copy of the one among a:buffers if it is there.
function! s:current(buffers) abort
  let l:found = filter(copy(a:buffers), 'v:val.current')
  return empty(l:found) ? vim_mcp#buffers#info(bufnr('%')) : copy(l:found[0])
endfunction

" The current Buffer with its text; text that is ignored or too large is null.
function! s:with_text(buffer, params) abort
  let a:buffer.content = v:null
  if a:buffer.ignored
    return a:buffer
  endif
  let l:last = min([a:buffer.line_count, vim_mcp#params#number(a:params, 'content_last', a:buffer.line_count)])
  let l:max_bytes = vim_mcp#params#number(a:params, 'max_bytes', s:max_bytes)
  let l:bytes = vim_mcp#text#bytes(a:buffer.id, 1, l:last, l:max_bytes)
  let l:text_file = vim_mcp#params#string(a:params, 'text_file', '')
  if l:bytes > l:max_bytes
    let a:buffer.bytes = l:bytes
  elseif l:text_file ==# ''
    let a:buffer.content = getline(1, l:last)
  else
    call remove(a:buffer, 'content')
    call extend(a:buffer, vim_mcp#text#to_file(getline(1, l:last), l:text_file))
  endif
  return a:buffer
endfunction

" The method `get_text`: see docs/protocol.md.
function! vim_mcp#buffers#get_text(params) abort
  let l:bufnr = vim_mcp#buffers#readable(a:params)
  call vim_mcp#files#load(l:bufnr)
  let l:buffer = vim_mcp#buffers#info(l:bufnr)
  let [l:first, l:last] = s:range(a:params, l:buffer.line_count)
  let l:max_bytes = vim_mcp#params#number(a:params, 'max_bytes', s:max_bytes)
  call s:check_size(l:bufnr, l:first, l:last, l:max_bytes)
  let l:lines = getbufline(l:bufnr, l:first, l:last)
  let l:text_file = vim_mcp#params#string(a:params, 'text_file', '')
  return extend(l:text_file ==# '' ? {'lines': l:lines} : vim_mcp#text#to_file(l:lines, l:text_file), {
        \ 'buffer': l:buffer, 'first': l:first, 'last': l:last, 'line_count': l:buffer.line_count,
        \ 'changedtick': l:buffer.changedtick, 'end_of_line': s:bool[getbufvar(l:bufnr, '&endofline')],
        \ 'fileformat': getbufvar(l:bufnr, '&fileformat'), 'fileencoding': getbufvar(l:bufnr, '&fileencoding')})
endfunction

" The existing buffer that a request's `buffer` or `file` names; throws where
" there is none, or where its text must not be given.
function! vim_mcp#buffers#readable(params) abort
  let l:bufnr = vim_mcp#params#given(a:params, 'file')
        \ ? s:by_file(vim_mcp#params#string(a:params, 'file'))
        \ : vim_mcp#buffers#by_id(vim_mcp#params#number(a:params, 'buffer', 0))
  call vim_mcp#ignore#refuse(vim_mcp#buffers#name(l:bufnr))
  return l:bufnr
endfunction

" The buffer number for an id; 0 is the current one.
function! vim_mcp#buffers#by_id(id) abort
  if a:id == 0
    return bufnr('%')
  elseif a:id < 0 || !bufexists(a:id)
    call vim_mcp#methods#fail('not_found', 'there is no buffer ' . a:id . ' in this editor')
  endif
  return a:id
endfunction

function! s:by_file(file) abort
  call vim_mcp#ignore#refuse(a:file)
  let l:bufnr = vim_mcp#buffers#find(vim_mcp#files#checked(a:file))
  if l:bufnr < 0
    call vim_mcp#methods#fail('not_found', 'no buffer of this editor holds ' . a:file)
  endif
  return l:bufnr
endfunction

function! s:range(params, line_count) abort
  let l:first = vim_mcp#params#number(a:params, 'first', 1)
  let l:last = vim_mcp#params#number(a:params, 'last', -1)
  if l:first < 1 || l:first > a:line_count
    call vim_mcp#methods#invalid('`first` is ' . l:first . ', but the buffer has the lines 1 to ' . a:line_count)
  elseif l:last != -1 && l:last < l:first
    call vim_mcp#methods#invalid('`last` is ' . l:last . ', less than `first` (' . l:first . ')')
  endif
  return [l:first, l:last == -1 ? a:line_count : min([l:last, a:line_count])]
endfunction

function! s:check_size(bufnr, first, last, max_bytes) abort
  let l:bytes = vim_mcp#text#bytes(a:bufnr, a:first, a:last, a:max_bytes)
  if l:bytes > a:max_bytes
    call vim_mcp#methods#fail('limit', 'lines ' . a:first . ' to ' . a:last . ' hold ' . l:bytes . ' bytes or more, '
          \ . 'the limit is ' . a:max_bytes . '; read a smaller range of lines (`first`, `last`)', {'bytes': l:bytes})
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
