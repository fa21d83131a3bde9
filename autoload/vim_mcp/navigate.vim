" The method `navigate`: moving the user's cursor in a closed set of ways.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]

let s:max_count = 1000000000

" How long it may take, in ms, and how long it goes on repeating.
let s:timeout = 4000
let s:patience = 1.0

" What to do for each direction, by how its count is understood.
let s:keys = {'left': 'h', 'right': 'l', 'up': 'k', 'down': 'j', 'word_next': 'w', 'word_previous': 'b',
      \ 'word_end': 'e', 'paragraph_next': '}', 'paragraph_previous': '{', 'page_down': "\<C-f>", 'page_up': "\<C-b>",
      \ 'line': 'G', 'change_previous': 'g;', 'change_next': 'g,'}
let s:keys_without_count = {'line_start': '0', 'line_end': '$', 'first_nonblank': '^', 'top': 'gg', 'bottom': 'G',
      \ 'matching_bracket': '%'}
let s:repeated_keys = {'half_page_down': "\<C-d>", 'half_page_up': "\<C-u>", 'search_next': 'n',
      \ 'search_previous': 'N', 'jump_back': "\<C-o>", 'jump_forward': "1\<C-i>"}
let s:commands = {'buffer_next': 'bnext', 'buffer_previous': 'bprevious', 'window_left': 'wincmd h',
      \ 'window_down': 'wincmd j', 'window_up': 'wincmd k', 'window_right': 'wincmd l',
      \ 'tab_previous': 'tabprevious', 'quickfix_next': 'cnext', 'quickfix_previous': 'cprevious',
      \ 'location_next': 'lnext', 'location_previous': 'lprevious'}
" (Not `count`, which is another name of v:count.)
let s:functions = {'window_next': {times -> s:window(times)}, 'window_previous': {times -> s:window(-times)},
      \ 'tab_next': {times -> s:tab(times)}, 'diagnostic_next': {times -> s:diagnostic(times)},
      \ 'diagnostic_previous': {times -> s:diagnostic(-times)}}

let s:directions = sort(keys(s:keys) + keys(s:keys_without_count) + keys(s:repeated_keys) + keys(s:commands)
      \ + keys(s:functions))

" Vim's errors that say no more than that there is nothing further that way.
let s:at_end = '^Vim\%((\w*)\)\=:E\%(384\|385\|553\|662\|663\|664\):'

" See docs/protocol.md.
function! vim_mcp#navigate#navigate(params) abort
  let l:direction = vim_mcp#params#choice(a:params, 'direction', s:directions)
  let l:count = vim_mcp#params#number(a:params, 'count', 1)
  let l:count = l:direction ==# 'line' ? vim_mcp#params#number(a:params, 'line', l:count) : l:count
  if l:count < 1 || l:count > s:max_count
    call vim_mcp#methods#invalid('`count` is ' . l:count . ', it must be from 1 to ' . s:max_count)
  endif
  if l:direction =~# '^\%(window\|tab\)' && vim_mcp#beside#is_running()
    " To another window means away from what the person types.
    call vim_mcp#methods#busy('terminal mode')
  endif
  let l:before = s:place()
  call vim_mcp#sandbox#call(function('s:go', [l:direction, l:count]), l:direction, s:timeout)
  return extend(vim_mcp#buffers#position(), {'window': win_getid(), 'moved': s:bool[s:place() != l:before]})
endfunction

function! s:place() abort
  return [win_getid(), bufnr('%'), line('.'), col('.')]
endfunction

function! s:go(direction, count) abort
  let l:window = win_getid()
  let l:done = 0
  try
    call s:move(a:direction, a:count)
    let l:done = 1
  catch /^Vim/
    if v:exception !~# s:at_end
      throw matchstr(v:exception, '^Vim\%((\w*)\)\=:\zs\_.*')
    endif
  finally
    if !l:done
      call win_gotoid(l:window)
    endif
  endtry
endfunction

function! s:move(direction, count) abort
  if has_key(s:keys, a:direction)
    execute 'silent normal!' a:count . s:keys[a:direction]
  elseif has_key(s:keys_without_count, a:direction)
    execute 'silent normal!' s:keys_without_count[a:direction]
  elseif has_key(s:repeated_keys, a:direction)
    call s:repeat('silent normal! ' . s:repeated_keys[a:direction], a:count)
  elseif has_key(s:commands, a:direction)
    call s:command(a:direction, a:count)
  else
    call s:functions[a:direction](a:count)
  endif
  call s:open_fold(a:direction)
endfunction

" As often as it is asked for, as long as there is something further, and only
" for so long: a search goes round and round.
function! s:repeat(command, count) abort
  let [l:since, l:left] = [reltime(), a:count]
  while l:left > 0 && reltimefloat(reltime(l:since)) < s:patience
    let l:place = s:place() + [line('w0')]
    execute a:command
    let l:left = s:place() + [line('w0')] == l:place ? 0 : l:left - 1
  endwhile
endfunction

function! s:command(direction, count) abort
  if a:direction =~# '^\%(quickfix\|location\)'
    call s:to_ordinary_window()
  endif
  let l:count = a:direction =~# '^tab' ? s:wrapped(a:count, tabpagenr('$')) : a:count
  execute 'silent' l:count . s:commands[a:direction]
endfunction

" From 1 to a:size: what goes round ends where a:count does.
function! s:wrapped(count, size) abort
  return (a:count - 1) % a:size + 1
endfunction

" A file is not to take the place of a terminal or a list.
function! s:to_ordinary_window() abort
  let l:windows = [win_getid(), win_getid(winnr('#'))] + map(range(1, winnr('$')), 'win_getid(v:val)')
  let l:ordinary = filter(l:windows, 's:is_ordinary(v:val)')
  if !empty(l:ordinary)
    call win_gotoid(l:ordinary[0])
  else
    noautocmd aboveleft new
  endif
endfunction

function! s:is_ordinary(window) abort
  return a:window > 0 && vim_mcp#windows#type(getwininfo(a:window)[0]) ==# ''
        \ && getbufvar(winbufnr(a:window), '&buftype') =~# '^\%(acwrite\)\=$'
        \ && !getwinvar(a:window, '&previewwindow') && !getwinvar(a:window, '&winfixbuf')
endfunction

function! s:window(offset) abort
  for l:_ in range(s:wrapped(abs(a:offset), winnr('$')))
    execute 'wincmd' a:offset > 0 ? 'w' : 'W'
  endfor
endfunction

" The count of :tabnext is a tab page's number.
function! s:tab(count) abort
  execute 'tabnext' s:wrapped(tabpagenr() + a:count, tabpagenr('$'))
endfunction

" Neovim's diagnostics in the buffer; in Vim those of the location list, or of the
" quickfix list where there is none.
function! s:diagnostic(offset) abort
  if has('nvim')
    let l:place = v:lua.require'vim_mcp.diagnostics'.neighbour(line('.'), col('.'), a:offset)
    if type(l:place) == type([])
      normal! m'
      call cursor(l:place)
    endif
    return
  endif
  let l:list = getloclist(0, {'size': 0}).size > 0 ? 'l' : 'c'
  try
    execute 'silent' abs(a:offset) . l:list . (a:offset > 0 ? 'after' : 'before')
  catch /:E\%(42\|776\):/
    " none in this buffer
  endtry
endfunction

function! s:open_fold(direction) abort
  if a:direction !~# '^\%(left\|right\|up\|down\|page\|half\|window\|tab\)' && foldclosed('.') != -1
    normal! zv
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
