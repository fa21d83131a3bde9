" Leaving the editor while a terminal of Claude's runs in it.
"
" Editors refuse `:wqa` and `:xa` while any terminal's program runs, and Vim ends the program of `:qa` before it finds
" that something is not saved, and stays.

let s:save_cpo = &cpo
set cpo&vim

" `:wqa` and the like, what stands before it, and whether a `!` stands behind it.
let s:all = '^\([: \t]*' . vim_mcp#typed#modifiers() . '\)\%(wqa\%[ll]\|xa\%[ll]\)\(!\=\)\s*$'

" What Vim says of `:wqa` alone: what it says of other commands ends in "(add ! ...)".
let s:refusal = '^E948:[^!]*$'

" Whether the command line that was left last, until the editor waits for the next key, leaves whatever is not saved.
let s:forced = 0

" In Vim, how often it is looked whether it has refused, in ms, where no event tells.
let s:step = 200
let s:look = -1

" For the terminal in the current buffer. Neovim refuses `:wqa`, and then writes the terminal, of all things. Vim says
" that it refuses, and writes the others; what is typed there is replaced before that.
function! vim_mcp#terminal_leave#watch() abort
  augroup vim_mcp_leave
    autocmd! CmdlineLeave :
    autocmd CmdlineLeave : if !get(v:event, 'abort', 0) | call s:typed(getcmdline()) | endif
    autocmd! ExitPre *
    autocmd ExitPre * if !s:forced | call s:spare() | endif
    if has('nvim')
      autocmd BufWriteCmd <buffer> nested call s:written()
    else
      autocmd! BufWritePost *
      autocmd BufWritePost * call timer_start(0, {timer -> s:refused()})
      if exists('##SafeState')
        autocmd! SafeState *
        autocmd SafeState * if v:errmsg =~# s:refusal | call s:refused() | endif
      endif
      if exists('##ModeChanged')
        autocmd! ModeChanged *:t
        autocmd ModeChanged *:t call s:look_after_maps()
      endif
    endif
  augroup END
  " A refusal that was there before is none of a command that is to come.
  if v:errmsg =~# s:refusal
    let v:errmsg = ''
  endif
endfunction

let s:writing = 0

" Neovim writes a terminal that runs only for `:wqa`, which it has refused, or where its user says so. While it does
" that, it takes `:wall` for `:wqa`; what that cannot write `:wqa` tells.
function! s:written() abort
  if s:writing
    return
  elseif v:errmsg !~# '^E948:'
    call vim_mcp#notice#error('a terminal is not written')
    return
  endif
  let s:writing = 1
  try
    silent! wall
  finally
    let [s:writing, v:errmsg] = [0, '']
  endtry
  call s:quit()
endfunction

" Vim has perhaps refused `:wqa`, and written what it could. Where that was for another terminal, it is not left later
" either, when that one has ended.
function! s:refused() abort
  if v:errmsg =~# s:refusal
    let v:errmsg = ''
    if s:runs() && !s:others()
      call s:quit()
    endif
  endif
endfunction

" While keys go to a program, no event tells of a command that the user's mapping runs by <Cmd> and that writes nothing.
" So who has such mappings is looked after.
function! s:look_after_maps() abort
  if empty(timer_info(s:look)) && execute('tmap') =~? '<\%(Script\)\=Cmd>' && s:runs()
    let s:look = timer_start(s:step, function('s:look'), {'repeat': -1})
  endif
endfunction

function! s:look(timer) abort
  if mode() !=# 't'
    call timer_stop(a:timer)
  endif
  call s:refused()
endfunction

function! s:typed(line) abort
  let s:forced = a:line =~# '!\s*$'
  if s:forced
    call timer_start(0, {timer -> execute('let s:forced = 0')})
  endif
  let l:parts = matchlist(a:line, s:all)
  if !has('nvim') && !empty(l:parts) && s:runs() && !s:others()
    call vim_mcp#typed#replace(printf('%swall%s', l:parts[1], l:parts[2]))
    call s:quit_soon(0)
  endif
endfunction

" Whether a program of Claude's runs here.
function! s:runs() abort
  let l:claudes = filter(getbufinfo({'bufloaded': 1}), 'getbufvar(v:val.bufnr, "vim_mcp_claude", 0)')
  return !empty(filter(l:claudes, 'getbufvar(v:val.bufnr, "&buftype") ==# "terminal"'))
endfunction

" Whether Vim would stay all the same, for a terminal of the user's.
function! s:others() abort
  return !has('nvim') && !empty(filter(term_list(),
        \ '!getbufvar(v:val, "vim_mcp_claude", 0) && term_getstatus(v:val) =~# "running"'))
endfunction

" When what is typed has been run, in which the user may be asked something. By a second command behind a `|` they could
" not repeat what they have typed with `@:`, had the first one failed.
function! s:quit_soon(ms) abort
  call timer_start(a:ms, {timer -> mode(1) ==# 'r?' ? s:quit_soon(100) : s:quit()})
endfunction

" All is written, or the user was told what is not.
function! s:quit() abort
  try
    if empty(s:unsaved())
      qall
    endif
  catch
    call vim_mcp#notice#error(substitute(v:exception, '^Vim(\w*):', '', ''))
  endtry
endfunction

" The buffers for which the editor stays.
function! s:unsaved() abort
  return filter(map(getbufinfo({'bufmodified': 1}), 'v:val.bufnr'),
        \ 'index(["", "acwrite"], getbufvar(v:val, "&buftype")) >= 0')
endfunction

" The editor looks at the current buffer first, and would show this one: so no terminal ends, or is unloaded, for
" nothing.
function! s:spare() abort
  let l:unsaved = s:unsaved()
  if !empty(l:unsaved) && index(l:unsaved, bufnr('%')) < 0 && s:runs()
    let l:windows = win_findbuf(l:unsaved[0])
    let l:here = filter(copy(l:windows), 'win_id2win(v:val)')
    if !empty(l:here)
      call win_gotoid(l:here[0])
    elseif empty(l:windows)
      execute 'hide buffer' l:unsaved[0]
    else
      call s:stay(l:windows[0])
    endif
  endif
endfunction

" In another tab page the editor forgets that it was to be left, and does not say why.
function! s:stay(window) abort
  call win_gotoid(a:window)
  call vim_mcp#notice#error(printf('not left, since "%s" is not saved: :wqa or :qa!', fnamemodify(bufname('%'), ':t')))
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
