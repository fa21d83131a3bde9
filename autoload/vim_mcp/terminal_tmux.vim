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

" What a pane's variable, or a format, holds: '' of a pane that has gone.
function! s:of(pane, name) abort
  return s:tmux(['display-message', '-p', '-t', a:pane, a:name =~# '#' ? a:name : '#{' . a:name . '}'])
endfunction

" Whether its pane is there.
function! vim_mcp#terminal_tmux#running(session) abort
  let l:pane = get(a:session, 'pane', '')
  return l:pane !=# '' && s:of(l:pane, 'pane_id') ==# l:pane
endfunction

" Whether the pane is seen in the editor's own window: another pane may be zoomed there.
function! vim_mcp#terminal_tmux#visible(session) abort
  return s:is_beside(a:session) && !s:is_covered(a:session)
endfunction

function! s:is_beside(session) abort
  return s:of(a:session.pane, 'window_id') ==# s:of($TMUX_PANE, 'window_id')
endfunction

function! s:is_covered(session) abort
  return s:of(a:session.pane, '#{window_zoomed_flag}#{pane_active}') ==# '10'
endfunction

" Whether the user sees the pane, here or in its own window.
function! vim_mcp#terminal_tmux#seen(session) abort
  return s:of(a:session.pane, 'window_active') && !s:is_covered(a:session)
endfunction

" The title that the program has given the pane. The editor does not wait for tmux here.
function! vim_mcp#terminal_tmux#title(session, Take) abort
  let l:argv = ['tmux', 'display-message', '-p', '-t', a:session.pane, '#{pane_title}']
  call vim_mcp#job#run(l:argv, {code, lines -> a:Take(a:session.number, code ? '' : get(lines, 0, ''))})
endfunction

" The user who types in the editor is not in the pane.
function! vim_mcp#terminal_tmux#focused(session) abort
  return 0
endfunction

" Put the pane beside the editor, or into a window of its own, if it is not there, and go to it.
function! vim_mcp#terminal_tmux#show(session, mods) abort
  if a:mods !=# ''
    let a:session.side = s:side(a:mods)
  endif
  let l:beside = s:is_beside(a:session)
  if s:is_tab(a:session) && l:beside
    call s:tmux(['break-pane', '-s', a:session.pane])
  elseif s:is_tab(a:session)
    call s:tmux(['select-window', '-t', a:session.pane])
  elseif !l:beside || a:mods !=# ''
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
