" Counting text in the units of UTF-16, as the IDE's messages count columns.

let s:save_cpo = &cpo
set cpo&vim

" An expression and not a function: long lines have many characters.
let s:is_beyond = 'v:val > 0xFFFF && v:val <= 0x10FFFF'

" How many UTF-16 units a string has: two for a character beyond U+FFFF, one for any other, and one for each byte that
" belongs to none. What Vim takes for a character though Unicode has none such (surrogates, numbers beyond U+10FFFF)
" counts as one.
function! vim_mcp#utf16#length(text) abort
  let l:chars = strchars(a:text)
  " Only a character of four bytes has two units, and most text has none.
  return l:chars + 3 > strlen(a:text) ? l:chars : l:chars + s:beyond(a:text)
endfunction

" How many bytes a text may have whose characters are looked at one by one.
let s:max_looked_at = 65536

" How many characters lie beyond U+FFFF. Patterns cannot tell: they skip combining characters.
function! s:beyond(text) abort
  if strlen(a:text) > s:max_looked_at
    return s:leading(a:text)
  elseif !exists('*str2list')
    return len(filter(map(split(a:text, '\zs'), 'char2nr(v:val)'), s:is_beyond))
  endif
  let l:numbers = str2list(a:text)
  return max(l:numbers) > 0xFFFF ? len(filter(l:numbers, s:is_beyond)) : 0
endfunction

" The same of a long text by the bytes that such characters begin with, which takes a hundredth of the time. Where there
" are such bytes that belong to no character, each counts as one.
function! s:leading(text) abort
  let [l:bytes, l:number] = [iconv(a:text, 'latin1', 'utf-8'), 0]
  for l:byte in range(0xF0, 0xF4)
    let l:number += count(l:bytes, nr2char(l:byte, 1))
  endfor
  return l:number
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
