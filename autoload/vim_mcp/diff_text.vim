" A review's text, byte by byte: from a file into a buffer, from a buffer into a file.
"
" Vim reads the files itself (`:read ++edit ++bin`), which keeps every byte and is the fastest way. Whether the last
" line has an end is 'endofline' of the buffer, so that the person sees it and can change it. Some text goes through
" lists of lines: what is shown without the CR at the end of every line, and what is shown in an 'encoding' other than
" UTF-8.

let s:save_cpo = &cpo
set cpo&vim

" Text that Vim would ask a key for.
let s:encrypted = '^VimCrypt\~'

" An option's value that says: the global one.
let s:no_local_undolevels = -123456

" Fills the two loaded, empty buffers of a review from the files a:old, which need not exist, and a:new. There is
" nothing to undo in them then. a:bufnr: the person's own buffer of the old file, or -1. Returns what
" vim_mcp#diff_text#write() needs to know: {'cr', 'from'}.
function! vim_mcp#diff_text#fill(left, old, bufnr, right, new) abort
  let old = {'path': a:old, 'first': s:first_line(a:old)}
  let new = {'path': a:new, 'first': s:first_line(a:new)}
  let new.from = &encoding !=# 'utf-8' && s:converts(a:new) ? 'utf-8' : ''
  let old.from = &encoding ==# 'utf-8' ? s:encoding(a:bufnr, old.first)
        \ : new.from !=# '' && s:converts(a:old) ? 'utf-8' : ''
  " CR is not shown where it is no difference: in both texts, or in the file alone, since Claude puts it back.
  let old.cr = s:ends_in_cr(old)
  let new.cr = old.cr && s:ends_in_cr(new)
  let old.cr = new.cr || old.cr && match(readfile(a:new, 'b'), "\r") < 0
  call s:fill(a:left, old)
  call s:fill(a:right, new)
  return {'cr': new.cr, 'from': new.from}
endfunction

" Writes the text of a:bufnr into the file a:path: the bytes that fill() has read, if nothing has been changed since.
" Throws where it cannot be written.
function! vim_mcp#diff_text#write(bufnr, form, path) abort
  let lines = getbufline(a:bufnr, 1, '$')
  let eol = getbufvar(a:bufnr, '&endofline') && !(lines ==# [''] && s:has_no_line(a:bufnr))
  if a:form.from !=# ''
    call map(lines, 'iconv(v:val, &encoding, a:form.from)')
  endif
  if a:form.cr
    let ends = len(lines) - !eol
    call map(lines, 'v:key < ends ? v:val . "\r" : v:val')
  endif
  try
    let failed = writefile(eol ? add(lines, '') : lines, a:path, 'bS')
  catch
    let failed = 1
  endtry
  if failed
    throw 'vim-mcp: nothing was accepted: make room in ' . fnamemodify(a:path, ':h') . ' and accept it again'
  endif
endfunction

" Whether a buffer has no line at all, and not an empty one: its text is not a line end.
function! s:has_no_line(bufnr) abort
  let found = {}
  call vim_mcp#within#buffer(a:bufnr, {-> extend(found, wordcount())})
  return found.bytes == 0
endfunction

function! s:first_line(path) abort
  return filereadable(a:path) ? get(readfile(a:path, 'b', 1), 0, '') : ''
endfunction

" Whether every line that has an end has CR LF, and there is one.
function! s:ends_in_cr(text) abort
  if a:text.first[-1:] !=# "\r"
    return 0
  endif
  let lines = readfile(a:text.path, 'b')
  return len(lines) > 1 && match(lines[:-2], '[^\r]$\|^$') < 0 && lines[-1][-1:] !=# "\r"
endfunction

" Whether UTF-8 text keeps all its characters in 'encoding'.
function! s:converts(path) abort
  let lines = filereadable(a:path) ? readfile(a:path, 'b') : []
  return match(lines, '[^\x01-\x7f]') < 0 || map(copy(lines), 's:there_and_back(v:val)') ==# lines
endfunction

function! s:there_and_back(line) abort
  return iconv(iconv(a:line, 'utf-8', &encoding), &encoding, 'utf-8')
endfunction

" The encoding that a file is shown from: UTF-16 by its mark, that of the person's buffer, '' for the bytes as they are.
function! s:encoding(bufnr, first) abort
  let mark = a:first[0:1]
  if mark ==# "\xff\xfe" || mark ==# "\xfe\xff"
    return mark ==# "\xff\xfe" ? 'utf-16le' : 'utf-16'
  elseif a:bufnr <= 0 || !bufloaded(a:bufnr) || getbufvar(a:bufnr, '&binary')
    return ''
  endif
  let encoding = getbufvar(a:bufnr, '&fileencoding')
  return encoding ==# 'utf-8' ? '' : encoding
endfunction

function! s:fill(bufnr, text) abort
  call setbufvar(a:bufnr, '&undolevels', -1)
  call setbufvar(a:bufnr, '&fixendofline', 0)
  if getfsize(a:text.path) != 0 && filereadable(a:text.path)
    call vim_mcp#within#buffer(a:bufnr, {-> s:read(a:text)})
  endif
  call setbufvar(a:bufnr, '&undolevels', s:no_local_undolevels)
  call setbufvar(a:bufnr, '&modified', 0)
endfunction

" Into the current buffer.
function! s:read(text) abort
  if a:text.cr || &encoding !=# 'utf-8' || a:text.first =~# s:encrypted
    call s:put(a:text, readfile(a:text.path, 'b'))
    return
  endif
  " With the flag `a` Vim would remember the file as a buffer.
  let cpo = &cpo
  set cpo-=a
  try
    let encoding = a:text.from ==# '' ? '' : ' ++enc=' . a:text.from . ' ++bad=keep'
    execute 'silent noautocmd keepjumps 1read ++edit ++bin' . encoding fnameescape(a:text.path)
  finally
    let &cpo = cpo
  endtry
  silent keepjumps 1delete _
  setlocal nobinary
endfunction

function! s:put(text, lines) abort
  let eol = len(a:lines) > 1 && a:lines[-1] ==# ''
  let lines = eol ? a:lines[:-2] : a:lines
  if a:text.cr
    call map(lines, 'v:val[-1:] ==# "\r" ? v:val[:-2] : v:val')
  endif
  if a:text.from !=# ''
    call map(lines, 'iconv(v:val, a:text.from, &encoding)')
  endif
  call setline(1, lines)
  let &l:endofline = eol
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
