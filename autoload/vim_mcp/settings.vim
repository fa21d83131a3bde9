" What each setting takes, and what is wrong with those that are set.

let s:save_cpo = &cpo
set cpo&vim

" By the name behind g:vim_mcp_: the kinds, of which any will do. `choice` is one of the values that choices.vim has for
" it; `switch` is 0 or 1, where Lua may say false or true.
let s:takes = {
      \ 'access': ['choice'],
      \ 'ask_calm': ['number'],
      \ 'ask_timeout': ['number'],
      \ 'autoread': ['switch'],
      \ 'claude_command': ['string', 'list'],
      \ 'command': ['string', 'list'],
      \ 'diff_focus': ['choice'],
      \ 'diff_keep': ['number'],
      \ 'diff_layout': ['choice'],
      \ 'enabled': ['switch'],
      \ 'execute': ['choice'],
      \ 'execute_code': ['choice'],
      \ 'execute_code_timeout': ['number'],
      \ 'headless': ['switch'],
      \ 'ide_name': ['string'],
      \ 'ignore': ['string', 'list'],
      \ 'kernel': ['string'],
      \ 'reconnect_interval': ['number'],
      \ 'selection': ['switch'],
      \ 'send_timeout': ['number'],
      \ 'signs': ['switch'],
      \ 'socket_path': ['string'],
      \ 'state_interval': ['number'],
      \ 'state_push_events': ['list'],
      \ 'terminal_command': ['string', 'list'],
      \ 'terminal_position': ['choice'],
      \ 'terminal_provider': ['string'],
      \ 'terminal_size': ['number'],
      \ 'transport': ['choice'],
      \ 'waiting_notice': ['switch'],
      \ }

let s:words = {'switch': '0 or 1', 'number': 'a whole number from 0 on', 'string': 'a string'}
let s:words.list = 'a list of strings'

" What the plugin keeps there for itself.
let s:own = ['stdin']

" Whether there is a setting of that name.
function! vim_mcp#settings#exists(name) abort
  return has_key(s:takes, a:name)
endfunction

" Whether a setting is on or off, and nothing else.
function! vim_mcp#settings#is_switch(name) abort
  return get(s:takes, a:name, []) ==# ['switch']
endfunction

" What is wrong with the g: settings: a list of [what, the command that mends it].
function! vim_mcp#settings#faults() abort
  let l:names = filter(sort(keys(g:)), 'v:val =~# "^vim_mcp_"')
  let l:names = filter(map(l:names, 'v:val[8:]'), 'index(s:own, v:val) < 0')
  return filter(map(l:names, 's:fault(v:val)'), '!empty(v:val)')
endfunction

function! s:fault(name) abort
  let l:full = 'g:vim_mcp_' . a:name
  if !has_key(s:takes, a:name)
    let l:near = vim_mcp#settings#nearest(a:name)
    let l:instead = l:near ==# '' ? 'see :help vim-mcp-settings' : 'set g:vim_mcp_' . l:near
    return [l:full . ' is no setting', printf(':unlet %s, and %s', l:full, l:instead)]
  endif
  let l:Value = g:['vim_mcp_' . a:name]
  if vim_mcp#settings#fits(a:name, l:Value)
    return []
  endif
  let l:text = printf('%s is %s', l:full, vim_mcp#text#fitting(string(l:Value), 40))
  return [l:text, printf(':unlet %s, or in your vimrc give it %s', l:full, vim_mcp#settings#wanted(a:name))]
endfunction

" Whether the setting may have that value.
function! vim_mcp#settings#fits(name, value) abort
  return !empty(filter(copy(s:takes[a:name]), 's:fits(a:name, v:val, a:value)'))
endfunction

" What it takes, in words.
function! vim_mcp#settings#wanted(name) abort
  return join(map(copy(s:takes[a:name]), 's:words_of(a:name, v:val)'), ' or ')
endfunction

function! s:fits(name, kind, value) abort
  let l:type = type(a:value)
  if a:kind ==# 'choice'
    return index(vim_mcp#choices#of(a:name), a:value) >= 0
  elseif a:kind ==# 'switch'
    return index([0, 1, v:false, v:true], a:value) >= 0
  elseif a:kind ==# 'number'
    return l:type == type(0) && a:value >= 0
  elseif a:kind ==# 'list'
    return l:type == type([]) && empty(filter(copy(a:value), 'type(v:val) != type("")'))
  endif
  return l:type == type('')
endfunction

function! s:words_of(name, kind) abort
  return a:kind ==# 'choice' ? join(map(vim_mcp#choices#of(a:name), 'string(v:val)'), ' or ') : s:words[a:kind]
endfunction

" The setting whose name is most like that, '' where none is much like it.
function! vim_mcp#settings#nearest(name) abort
  let l:plain = substitute(tolower(a:name), '^\%(g:\)\=\%(vim_mcp_\)\=', '', '')
  let l:plain = substitute(l:plain, '-', '_', 'g')
  let [l:best, l:least] = ['', max([2, len(l:plain) / 3]) + 1]
  for l:known in sort(keys(s:takes))
    let l:far = s:distance(l:plain, l:known)
    if l:far < l:least
      let [l:best, l:least] = [l:known, l:far]
    endif
  endfor
  return l:best
endfunction

" How many letters have to be put in, left out or replaced to make the other of the one.
function! s:distance(one, other) abort
  let l:row = range(len(a:other) + 1)
  for l:i in range(1, len(a:one))
    let [l:diagonal, l:row[0]] = [l:row[0], l:i]
    for l:j in range(1, len(a:other))
      let l:replaced = l:diagonal + (a:one[l:i - 1] !=# a:other[l:j - 1])
      let l:diagonal = l:row[l:j]
      let l:row[l:j] = min([l:replaced, l:row[l:j] + 1, l:row[l:j - 1] + 1])
    endfor
  endfor
  return l:row[-1]
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
