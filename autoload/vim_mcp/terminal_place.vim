" Where the window of a terminal opens, and how large; both are kept while it is hidden.
"
" A session's `place` is a dictionary: `mods`, those of the command that placed it, and `size`, [columns, lines] of the
" window and of the screen that it was in.

let s:save_cpo = &cpo
set cpo&vim

" By the setting, as modifiers of a command.
let s:mods = {'left': 'topleft vertical', 'right': 'botright vertical'}
call extend(s:mods, {'top': 'topleft', 'bottom': 'botright', 'tab': 'tab'})

" Percent of the screen, unless g:vim_mcp_terminal_size says otherwise.
let s:share = 40
let s:share_of_float = 80

" How much of a:whole, the screen's columns or lines, a terminal beside the text gets at first.
function! vim_mcp#terminal_place#part(whole) abort
  return s:part(a:whole, s:share)
endfunction

" Open a window on a:buffer (0: a new one) as a:mods say, else as it was, else as g:vim_mcp_terminal_position says; one
" that another session has is taken over there.
function! vim_mcp#terminal_place#open(session, mods, buffer) abort
  if a:mods !=# ''
    let a:session.place = {'mods': a:mods}
  endif
  let l:mods = get(a:session.place, 'mods', '')
  let l:position = l:mods ==# '' ? s:position() : ''
  let l:taken = l:mods ==# '' ? s:taken() : 0
  if l:taken
    call win_gotoid(l:taken)
    execute 'silent' a:buffer ? 'buffer ' . a:buffer : has('nvim') ? 'enew' : ''
  elseif l:position ==# 'float'
    call s:float(a:buffer)
  else
    let l:mods = l:mods ==# '' ? s:mods[l:position] : l:mods
    execute l:mods . ' silent ' . (a:buffer ? 'sbuffer ' . a:buffer : has('nvim') ? 'new' : 'split')
    call s:resize(l:mods, get(a:session.place, 'size', [0, 0, 1, 1]), l:position !=# '')
  endif
endfunction

" The window of this tab page that shows a session which no modifiers have placed, else 0.
function! s:taken() abort
  let l:windows = filter(map(range(1, winnr('$')), 'win_getid(v:val)'),
        \ 'has_key(getbufvar(winbufnr(v:val), "vim_mcp_session", {}), "place")')
  return get(filter(l:windows, '!has_key(getbufvar(winbufnr(v:val), "vim_mcp_session").place, "mods")'), 0)
endfunction

function! s:position() abort
  let l:position = vim_mcp#setting('terminal_position', 'right')
  return l:position ==# 'float' && has('nvim') || has_key(s:mods, l:position) ? l:position : 'right'
endfunction

" A window that modifiers have placed gets its size from the editor at first.
function! s:resize(mods, size, by_setting) abort
  let [l:what, l:own] = a:mods =~# '\<vert' ? ['vertical resize ', 0] : ['resize ', 1]
  let l:screen = [&columns, &lines][l:own]
  if a:mods !~# 'tab\>' && (a:size[l:own] || a:by_setting)
    let l:kept = a:size[l:own] * l:screen / a:size[l:own + 2]
    execute l:what . (l:kept ? l:kept : vim_mcp#terminal_place#part(l:screen))
  endif
endfunction

function! s:part(whole, default) abort
  let l:percent = vim_mcp#setting('terminal_size', 0)
  return max([1, a:whole * (l:percent > 0 && l:percent <= 100 ? l:percent : a:default) / 100])
endfunction

function! s:float(buffer) abort
  let l:buffer = a:buffer ? a:buffer : nvim_create_buf(0, 0)
  let [l:width, l:height] = [s:part(&columns - 2, s:share_of_float), s:part(&lines - 4, s:share_of_float)]
  call nvim_open_win(l:buffer, v:true, {'relative': 'editor', 'width': l:width, 'height': l:height, 'border': 'rounded',
        \ 'row': (&lines - l:height) / 2 - 1, 'col': (&columns - l:width) / 2 - 1})
endfunction

" Remember the size of the window in the current buffer, which is the session's, when it goes.
function! vim_mcp#terminal_place#watch(session) abort
  let b:vim_mcp_session = a:session
  augroup vim_mcp_terminal
    autocmd! * <buffer>
    autocmd BufWinLeave <buffer> call s:keep(+expand('<abuf>'))
  augroup END
endfunction

" A window that has all of the screen's width, or all of its height, says nothing of how large it should be.
function! s:keep(buffer) abort
  let l:window = get(win_findbuf(a:buffer), 0)
  if l:window
    let l:info = getwininfo(l:window)[0]
    let l:width = l:info.width < &columns ? l:info.width : 0
    let l:height = l:info.height < &lines - &cmdheight - 2 ? l:info.height : 0
    let l:place = getbufvar(a:buffer, 'vim_mcp_session').place
    let l:place.size = [l:width, l:height, &columns, &lines]
  endif
endfunction

" Close a window of this tab page; the only one shows something else instead.
function! vim_mcp#terminal_place#close(window) abort
  if winnr('$') == 1 && tabpagenr('$') == 1
    execute 'silent' empty(getbufinfo({'buflisted': 1})) ? 'enew' : buflisted(bufnr('#')) ? 'buffer #' : 'bprevious'
  else
    execute win_id2win(a:window) . 'hide'
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
