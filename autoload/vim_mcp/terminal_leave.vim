" Leaving the editor while a terminal of Claude's runs in it.
"
" Editors refuse `:wqa` and `:xa` while any terminal's program runs, and Vim ends the program of `:qa` before it finds
" that something is not saved, and stays.

let s:save_cpo = &cpo
set cpo&vim

" `:wqa` and the like, what stands before it, and whether a `!` stands behind it.
let s:all = '^\([: \t]*' . vim_mcp#typed#modifiers() . '\)\%(wqa\%[ll]\|xa\%[ll]\)\(!\=\)\s*$'

" Whether the command line that was left last, until the editor waits for the next key, leaves whatever is not saved.
let s:forced = 0

function! vim_mcp#terminal_leave#watch() abort
  augroup vim_mcp_leave
    autocmd!
    autocmd CmdlineLeave : if !get(v:event, 'abort', 0) | call s:typed(getcmdline()) | endif
    autocmd ExitPre * if !s:forced | call s:spare() | endif
  augroup END
endfunction

function! s:typed(line) abort
  let s:forced = a:line =~# '!\s*$'
  if s:forced
    call timer_start(0, {timer -> execute('let s:forced = 0')})
  endif
  let l:parts = matchlist(a:line, s:all)
  if !empty(l:parts) && s:runs() && !s:others()
    call vim_mcp#typed#replace(printf('%swall%s | call vim_mcp#terminal_leave#quit()', l:parts[1], l:parts[2]))
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

" All is written, or the user was told what is not.
function! vim_mcp#terminal_leave#quit() abort
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
