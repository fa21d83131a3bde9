" Claude Code in a pane of the tmux that this editor runs in. Hidden, the pane lies in a window of its own.

let s:save_cpo = &cpo
set cpo&vim

" By g:vim_mcp_terminal_position and by the modifiers of a command: how a pane is split off, and what it is measured by.
let s:left = ['-hb', 'width']
let s:right = ['-h', 'width']
let s:above = ['-vb', 'height']
let s:below = ['-v', 'height']
let s:sides = {'left': s:left, 'right': s:right, 'top': s:above, 'bottom': s:below}

" Why none can be opened, or ''.
function! vim_mcp#terminal_tmux#obstacle() abort
  return $TMUX_PANE ==# '' ? 'not in tmux: see g:vim_mcp_terminal_provider'
        \ : executable('tmux') ? '' : 'cannot run "tmux"'
endfunction

" Split a pane off that of this editor, and run a:argv there. The variables that lead to this editor come with it, since
" a pane has its environment from tmux.
function! vim_mcp#terminal_tmux#open(session, mods, argv, environment) abort
  let l:variables = extend(vim_mcp#environment#variables(), a:environment)
  let l:run = ['env'] + map(items(l:variables), 'v:val[0] . "=" . v:val[1]') + [exepath(a:argv[0])] + a:argv[1:]
  let a:session.side = s:side(a:mods)
  let l:how = s:is_tab(a:session) ? ['new-window']
        \ : ['split-window', a:session.side[0], '-l', s:size(a:session), '-t', $TMUX_PANE]
  let a:session.pane = s:tmux(l:how + ['-P', '-F', '#{pane_id}', '-c', a:session.cwd] + l:run)
  augroup vim_mcp_tmux
    execute printf("autocmd VimLeavePre * call system('tmux kill-pane -t %s')", a:session.pane)
  augroup END
endfunction

function! s:side(mods) abort
  let l:position = a:mods =~# 'tab\>' ? 'tab' : vim_mcp#setting('terminal_position', 'right')
  if l:position ==# 'tab' || a:mods ==# ''
    return l:position ==# 'tab' ? [] : get(s:sides, l:position, s:right)
  endif
  let l:before = a:mods =~# '\<\%(lefta\|abo\|to\)'
  return a:mods =~# '\<vert' ? (l:before ? s:left : s:right) : l:before ? s:above : s:below
endfunction

function! s:is_tab(session) abort
  return empty(a:session.side)
endfunction

" The size that the pane had, or its part of the window.
function! s:size(session) abort
  return get(a:session, 'size', vim_mcp#terminal_place#part(s:of($TMUX_PANE, 'window_' . a:session.side[1])))
endfunction

" What tmux says to a command, without its line end; '' where it fails.
function! s:tmux(words) abort
  let l:said = system(join(map(['tmux'] + a:words, 'shellescape(v:val)')))
  return v:shell_error ? '' : substitute(l:said, '\n$', '', '')
endfunction

" What a pane's variable holds: '' of a pane that has gone.
function! s:of(pane, name) abort
  return s:tmux(['display-message', '-p', '-t', a:pane, '#{' . a:name . '}'])
endfunction

" Whether its pane is there.
function! vim_mcp#terminal_tmux#running(session) abort
  let l:pane = get(a:session, 'pane', '')
  return l:pane !=# '' && s:of(l:pane, 'pane_id') ==# l:pane
endfunction

" Whether the pane is in the editor's own window.
function! vim_mcp#terminal_tmux#visible(session) abort
  return s:of(a:session.pane, 'window_id') ==# s:of($TMUX_PANE, 'window_id')
endfunction

" The user who types in the editor is not in the pane.
function! vim_mcp#terminal_tmux#focused(session) abort
  return 0
endfunction

" Put the pane beside the editor, if it is not there, and go to it.
function! vim_mcp#terminal_tmux#show(session, mods) abort
  if a:mods !=# ''
    let a:session.side = s:side(a:mods)
  endif
  if s:is_tab(a:session)
    call s:tmux(['select-window', '-t', a:session.pane])
  elseif !vim_mcp#terminal_tmux#visible(a:session)
    call s:tmux(['join-pane', a:session.side[0], '-l', s:size(a:session), '-s', a:session.pane, '-t', $TMUX_PANE])
  endif
  call s:tmux(['select-pane', '-t', a:session.pane])
endfunction

" Take the pane away into a window of its own; the program runs on.
function! vim_mcp#terminal_tmux#hide(session) abort
  if !s:is_tab(a:session)
    let a:session.size = s:of(a:session.pane, 'pane_' . a:session.side[1])
    call s:tmux(['break-pane', '-d', '-s', a:session.pane])
  endif
endfunction

" Send the program these keys, as bytes of UTF-8.
function! vim_mcp#terminal_tmux#write(session, keys) abort
  let l:bytes = map(range(strlen(a:keys)), 'printf("%02x", char2nr(a:keys[v:val]))')
  call s:tmux(['send-keys', '-t', a:session.pane, '-H'] + l:bytes)
endfunction

" The lines of its screen.
function! vim_mcp#terminal_tmux#screen(session) abort
  return split(s:tmux(['capture-pane', '-p', '-t', a:session.pane]), "\n")
endfunction

" The program's process.
function! vim_mcp#terminal_tmux#process(session) abort
  return +s:of(a:session.pane, 'pane_pid')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
