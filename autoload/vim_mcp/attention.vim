" Claude has begun to work, to wait or to rest: the person's own automation hears
" of it, and the person where they cannot see that they are waited for.

let s:save_cpo = &cpo
set cpo&vim

let s:events = {'working': 'VimMCPClaudeWorking', 'waiting': 'VimMCPClaudeWaiting', 'idle': 'VimMCPClaudeIdle'}

" How long Claude must wait until the person is told, in ms: a diff may be on its way.
let s:patience = 1000
let s:timer = -1

" The activity (see ide.vim) is another one now.
function! vim_mcp#attention#changed(activity) abort
  call timer_stop(s:timer)
  if exists('*vim_mcp#terminal#titles')
    call vim_mcp#terminal_title#watch(a:activity)
  endif
  if a:activity ==# 'waiting'
    let s:timer = timer_start(s:patience, function('s:remind'))
  endif
  let l:event = get(s:events, a:activity, '')
  if l:event !=# '' && exists('#User#' . l:event)
    execute 'doautocmd <nomodeline> User' l:event
  endif
endfunction

function! s:remind(timer) abort
  if vim_mcp#setting('waiting_notice', 1) && !vim_mcp#statusline#diffs() && exists('*vim_mcp#terminal#unseen')
        \ && vim_mcp#terminal#unseen()
    call vim_mcp#notice#unasked('Claude waits for you: :ClaudeCode shows it')
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
