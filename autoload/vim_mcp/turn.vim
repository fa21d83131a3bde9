" What Claude has changed since the last turn of its user began: for each file the
" bytes that it held before.
"
" Bytes are kept as by readfile(…, 'b'): lines, the last of them empty where the
" file ends with a line break; an empty file is one empty line, a file that is not
" there none.

let s:save_cpo = &cpo
set cpo&vim

" The bytes that are kept of one turn, and of one file.
let s:max_bytes = 52428800
let s:max_file = 10485760

" The real name of a file -> {'before', 'size' (bytes), 'missing' (directories above
" it that were not there), 'touched' (the person has written it), 'after' (a
" digest of what it held at the turn's end)}; and the names in order.
let s:files = {}
let s:names = []
let s:size = 0

" Whether what changes on disk now counts as Claude's.
let s:runs = 0
let s:ours = 0

" The hub's message `turn`.
function! vim_mcp#turn#take(message) abort
  if get(a:message, 'turn', '') ==# 'begin'
    call s:begin()
  elseif s:runs
    let s:runs = 0
    for l:name in s:names
      let s:files[l:name].after = vim_mcp#turn#digest(vim_mcp#turn#bytes(l:name))
    endfor
  endif
endfunction

function! s:begin() abort
  let [s:files, s:names, s:size, s:runs] = [{}, [], 0, 1]
  augroup vim_mcp_turn
    autocmd!
    autocmd BufWritePost * call s:wrote(expand('<afile>:p'))
  augroup END
endfunction

" The hub's message `expect`: a file that Claude is about to write.
function! vim_mcp#turn#expect(message) abort
  let l:name = resolve(get(a:message, 'file', ''))
  if !s:runs
    call s:begin()
  endif
  let l:is_file = index(['', 'file'], getftype(l:name)) >= 0 && getfsize(l:name) <= s:max_file
  if l:name =~# '^/' && l:is_file && !has_key(s:files, l:name)
    call s:keep(l:name, vim_mcp#turn#bytes(l:name))
  endif
endfunction

" A loaded buffer's file has changed on disk, and is about to be read again; a:lines
" are the buffer's, as it was read before.
function! vim_mcp#turn#reading(bufnr, lines) abort
  let l:name = resolve(vim_mcp#buffers#name(a:bufnr))
  if s:runs && !has_key(s:files, l:name)
    let l:bytes = s:written(a:bufnr, copy(a:lines))
    if !empty(l:bytes)
      call s:keep(l:name, l:bytes)
    endif
  endif
endfunction

" A client is about to change a loaded buffer here, and perhaps to write it.
function! vim_mcp#turn#editing(bufnr) abort
  if s:runs && vim_mcp#disk#is_file(a:bufnr)
    call vim_mcp#turn#expect({'file': vim_mcp#buffers#name(a:bufnr)})
  endif
endfunction

" Whether a turn goes on, in which what changes on disk counts as Claude's.
function! vim_mcp#turn#runs() abort
  return s:runs
endfunction

" Text is written here on Claude's behalf while a:on is 1.
function! vim_mcp#turn#ours(on) abort
  let s:ours = a:on
endfunction

" The real names of the files that were changed, the first first.
function! vim_mcp#turn#names() abort
  return filter(copy(s:names), 'vim_mcp#turn#bytes(v:val) !=# s:files[v:val].before')
endfunction

" What is kept of a file.
function! vim_mcp#turn#file(name) abort
  return s:files[a:name]
endfunction

" What a file holds now.
function! vim_mcp#turn#bytes(name) abort
  let l:lines = filereadable(a:name) ? readfile(a:name, 'b') : []
  return empty(l:lines) && getftype(a:name) !=# '' ? [''] : l:lines
endfunction

function! vim_mcp#turn#digest(bytes) abort
  return len(a:bytes) . sha256(join(a:bytes, "\n"))
endfunction

" The bytes that writing a buffer with these lines would make; none where that is
" not as simple as here. (One empty line is taken for an empty file.)
function! s:written(bufnr, lines) abort
  let [l:format, l:encoding] = [getbufvar(a:bufnr, '&fileformat'), getbufvar(a:bufnr, '&fileencoding')]
  if l:format ==# 'mac' || l:encoding =~? 'ucs\|utf-\=\%(16\|32\)' || getbufvar(a:bufnr, '&key') !=# ''
    return []
  elseif a:lines ==# ['']
    return ['']
  elseif l:encoding !=# '' && l:encoding !=# &encoding
    call map(a:lines, 'iconv(v:val, &encoding, l:encoding)')
  endif
  if getbufvar(a:bufnr, '&bomb')
    let a:lines[0] = "\xef\xbb\xbf" . a:lines[0]
  endif
  if l:format ==# 'dos'
    call map(a:lines, 'v:val . "\r"')
  endif
  let l:whole = getbufvar(a:bufnr, '&endofline')
  return l:whole ? a:lines + [''] : a:lines[: -2] + [substitute(a:lines[-1], '\r$', '', '')]
endfunction

function! s:keep(name, bytes) abort
  call vim_mcp#signs#expect(a:name, a:bytes)
  let l:size = strlen(join(a:bytes, "\n"))
  let s:files[a:name] = {'before': a:bytes, 'size': l:size, 'touched': 0, 'missing': s:missing(a:name)}
  call add(s:names, a:name)
  let s:size += l:size
  while s:size > s:max_bytes
    call s:drop(s:names[0])
  endwhile
endfunction

function! s:drop(name) abort
  let s:size -= remove(s:files, a:name).size
  call remove(s:names, 0)
  call vim_mcp#notice#unasked('too much has changed to keep it all: :ClaudeCodeRevert leaves out '
        \ . fnamemodify(a:name, ':t'))
endfunction

" The directories above a file that are not there, the deepest first.
function! s:missing(name) abort
  let [l:missing, l:directory] = [[], fnamemodify(a:name, ':h')]
  while !isdirectory(l:directory) && l:directory !=# '/'
    call add(l:missing, l:directory)
    let l:directory = fnamemodify(l:directory, ':h')
  endwhile
  return l:missing
endfunction

" What the person has written is theirs.
function! s:wrote(name) abort
  let l:name = resolve(a:name)
  if has_key(s:files, l:name) && !s:ours
    let s:files[l:name].touched = 1
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
