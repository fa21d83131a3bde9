" Running commands in the user's place, without the user: nothing that they do
" can wait for a key, or leave another mode behind.

let s:save_cpo = &cpo
set cpo&vim

" As the end of a :normal, because whatever reads keys there finds none and gives
" up: getchar(), `:s///c`, `:tselect`, an unfinished command. What is left typed,
" or is to begin when all is over (:startinsert), ends there too.
let s:inside = (has('nvim') || has('patch-8.2.1978') ? "normal! \<Cmd>" : 'normal! :')
      \ . "call vim_mcp#sandbox#inside()\<CR>"

" The most of an error's message, in characters.
let s:max_message = 4000

let s:call = {}

" Call a:Function without arguments and return its result. Throws `vim` with its
" error, `limit` when it asked something or took more than a:timeout ms, `busy`
" when Vim allows no command now; a:what names it in the messages.
function! vim_mcp#sandbox#call(Function, what, timeout) abort
  let s:call = {'function': a:Function, 'result': '', 'begun': 0, 'exception': '', 'stopped': '', 'redraw': 'redraw'}
  call s:close_undo_block()
  let l:confirm = vim_mcp#quiet#begin()
  autocmd vim_mcp_quiet ShellCmdPost * let s:call.redraw = has('nvim') ? 'redraw' : 'redraw!'
  call vim_mcp#watchdog#start(a:timeout)
  try
    execute s:inside
  catch
    let s:call.exception = v:exception
  finally
    try
      let s:call.stopped = vim_mcp#watchdog#stop()
    catch /^Vim:Interrupt$/
      " The watch repeats its CTRL-C until it is stopped: one more has come when the command had already ended.
      let s:call.stopped = vim_mcp#watchdog#stop()
    endtry
    call vim_mcp#quiet#end(l:confirm)
  endtry
  call s:clean_up()
  call s:check(s:call, a:what, a:timeout)
  return s:call.result
endfunction

" Call a:Function, which is known to ask nothing, to take no time, and to leave
" text, windows and mode alone: without all those precautions.
function! vim_mcp#sandbox#quick(Function) abort
  try
    return a:Function()
  catch
    call s:fail({'exception': v:exception, 'begun': 0})
  endtry
endfunction

" Runs in the :normal.
function! vim_mcp#sandbox#inside() abort
  let s:call.begun = 1
  try
    let s:call.result = s:call.function()
  finally
    if !has('nvim') && vim_mcp#beside#is_running()
      " What `:startinsert` asks for would begin in the terminal, and Vim wait there for a key.
      stopinsert
    endif
  endtry
endfunction

" The user goes on in Normal mode, with a step of their own to undo, and without
" a hit-enter prompt for what questions have left on the screen.
function! s:clean_up() abort
  if mode() =~# "^[vVsS\<C-V>\<C-S>]"
    execute "normal! \<Esc>"
  elseif mode() ==# 't' && !vim_mcp#beside#is_running()
    call feedkeys("\<C-\>\<C-n>", 'nxi')
  endif
  call s:close_undo_block()
  execute s:call.redraw
endfunction

" Setting 'undolevels' to what it is does that.
function! s:close_undo_block() abort
  noautocmd let &l:undolevels = &l:undolevels
endfunction

function! s:check(call, what, timeout) abort
  let l:interrupted = '`' . a:what . '` was interrupted, what it had done until then remains: '
  if a:call.stopped ==# 'time'
    call vim_mcp#methods#fail('limit', l:interrupted . 'it took more than ' . a:timeout . ' ms', {'timeout': a:timeout})
  elseif a:call.stopped !=# ''
    call vim_mcp#methods#fail('limit', l:interrupted . 'it asked its user a question, which nobody was to answer; '
          \ . 'use a form that does not ask', {'waiting_for': 'an answer (mode ' . a:call.stopped . ')'})
  elseif a:call.exception !=# ''
    call s:fail(a:call)
  endif
endfunction

function! s:fail(call) abort
  if a:call.exception =~# '^vim-mcp:'
    throw a:call.exception
  endif
  let [l:number, l:text] = matchlist(a:call.exception, '^\%(Vim\%((\w*)\)\=:\)\=\%(\(E\d\+\): \)\=\(\_.*\)')[1:2]
  if !a:call.begun && l:number =~# '^E\%(11\|523\|565\)$'
    call vim_mcp#methods#busy('what does not allow commands now (' . l:text . ')')
  endif
  let l:words = l:text ==# 'Interrupt' ? 'interrupted by its user' : l:text
  let l:message = (l:number ==# '' ? '' : l:number . ': ') . l:words
  call vim_mcp#methods#fail('vim', strcharpart(l:message, 0, s:max_message), {'vim_error': l:number})
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
