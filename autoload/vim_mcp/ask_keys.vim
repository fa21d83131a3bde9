" How a question is answered by keys and by the mouse, while there is one.
"
" The chords begin with CTRL-\, which is the beginning of a command in every mode already: no key of what the person
" types waits for another because of them, or means anything else. What the person has mapped stays theirs.

let s:save_cpo = &cpo
set cpo&vim

let s:chords = {'y': 'yes', 'a': 'always', 'n': 'no', 'j': 'down', 'k': 'up'}

" Not Operator-pending mode: a mapping there ends the operator.
let s:modes = ['n', 'x', 's', 'i', 'c', 't']
let s:mouse_modes = ['n', 'x', 'i']

" What was mapped: [mode, keys].
let s:mapped = []

" Whether what comes is pasted.
let s:pasting = 0

" Whether the chords can be used wherever the person may be; under 'paste' no mapping counts while they type.
function! vim_mcp#ask_keys#complete() abort
  return !&paste && len(filter(copy(s:mapped), 'v:val[1] =~# "^<C-"')) == len(s:modes) * len(s:chords)
endfunction

function! vim_mcp#ask_keys#map() abort
  if !empty(s:mapped) || !has('nvim') && !has('patch-8.2.1978')
    return
  endif
  for mode in s:modes
    for [key, word] in items(s:chords)
      call s:map(mode, '<C-\>' . key, '<Cmd>call vim_mcp#ask_keys#chord("' . word . '", "' . key . '")<CR>', '')
    endfor
  endfor
  let s:pasting = 0
  for end in has('nvim') ? [] : ['<PasteStart>', '<PasteEnd>']
    call s:map('t', end, 'vim_mcp#ask_keys#paste("\' . end . '")', '<expr>')
  endfor
  for mode in exists('*getmousepos') ? s:mouse_modes : []
    call s:map(mode, '<LeftMouse>', 'vim_mcp#ask_keys#click()', '<expr>')
  endfor
endfunction

function! s:map(mode, keys, what, how) abort
  if mapcheck(a:keys, a:mode) ==# ''
    execute a:mode . 'noremap <silent>' a:how a:keys a:what
    call add(s:mapped, [a:mode, a:keys])
  endif
endfunction

function! vim_mcp#ask_keys#unmap() abort
  for [mode, keys] in s:mapped
    execute 'silent!' mode . 'unmap' keys
  endfor
  let s:mapped = []
endfunction

function! vim_mcp#ask_keys#chord(word, key) abort
  if s:pasting
    call term_sendkeys('', "\<C-\>" . a:key)
  elseif a:word ==# 'down' || a:word ==# 'up'
    call vim_mcp#ask_window#scroll(a:word ==# 'down' ? 1 : -1)
  else
    call vim_mcp#ask#answer(a:word)
  endif
endfunction

" The beginning or end of what is pasted into a terminal window of Vim, to which it is typed: chords in it are text.
function! vim_mcp#ask_keys#paste(end) abort
  let s:pasting = a:end ==# "\<PasteStart>"
  return a:end
endfunction

" What a click does: beside the question, what it always does.
function! vim_mcp#ask_keys#click() abort
  let mouse = getmousepos()
  let word = vim_mcp#ask_window#at(mouse.screenrow, mouse.screencol)
  return word ==# 'beside' ? "\<LeftMouse>" : word ==# '' ? ''
        \ : "\<Cmd>call vim_mcp#ask#answer('" . word . "')\<CR>"
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
