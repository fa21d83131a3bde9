" Whether the person may be led to a diff, or is busy with something that must not be disturbed.

let s:save_cpo = &cpo
set cpo&vim

" A person who has typed nothing for so long rests, in seconds.
let s:rest = 1.0

" How often to look whether they have done, in ms.
let s:step = 50

" What leads out of a terminal, in words.
let s:way_out = has('nvim') ? 'CTRL-\ CTRL-N' : (&termwinkey ==# '' ? 'CTRL-W' : &termwinkey)

" When the last key was typed: [] for never, as far as is known.
let s:typed = []
let s:watching = 0
" A key that the editor typed itself (CursorHold, a change of focus) is on its way.
let s:own_key = 0

" Begin (1) or end (0) to note when keys are typed.
function! vim_mcp#diff_focus#watch(on) abort
  if !!a:on != s:watching
    let s:watching = !!a:on
    let s:typed = a:on ? reltime() : []
    call {has('nvim') ? 's:watch_nvim' : 's:watch_vim'}(a:on)
  endif
endfunction

" Neovim tells of each key.
function! s:watch_nvim(on) abort
  call luaeval('require("vim_mcp.keys").watch(_A)', a:on ? v:true : v:false)
endfunction

" Vim does not, but it tells when it waits for the next one, which is right after the last one.
function! s:watch_vim(on) abort
  augroup vim_mcp_keys
    autocmd!
    if a:on
      autocmd SafeState * if s:own_key | let s:own_key = 0 | else | let s:typed = reltime() | endif
      autocmd CursorHold,CursorHoldI,FocusGained,FocusLost,VimResized * let s:own_key = 1
    endif
  augroup END
  if !a:on
    augroup! vim_mcp_keys
  endif
endfunction

" The key that comes next is not the person's.
function! vim_mcp#diff_focus#own_key() abort
  let s:own_key = s:watching
endfunction

" How long ago the last key was typed, in seconds; a day where that is not known.
function! s:age() abort
  if has('nvim')
    return s:watching ? luaeval('require("vim_mcp.keys").age()') : 86400.0
  endif
  return empty(s:typed) ? 86400.0 : reltimefloat(reltime(s:typed))
endfunction

" Whether the person rests in Normal mode: nothing is typed half or recorded, and the last key was typed a while ago.
function! vim_mcp#diff_focus#resting() abort
  return vim_mcp#diff_focus#is_idle() && reg_recording() . reg_executing() ==# '' && s:age() >= s:rest
endfunction

" Whether no key that the person types next belongs to something already begun.
function! vim_mcp#diff_focus#is_idle() abort
  return mode(1) =~# '^nt\=$' && getcmdwintype() ==# '' && !vim_mcp#methods#half_typed()
endfunction

" Whether the person may be led to a diff now. Not away from another diff: their `:w` would be for that.
function! vim_mcp#diff_focus#may_lead() abort
  let setting = vim_mcp#setting('diff_focus', 'auto')
  if setting ==# 'never' || vim_mcp#diff_return#is_diff(win_getid())
    return 0
  endif
  return setting ==# 'always' ? vim_mcp#diff_focus#is_idle() : vim_mcp#diff_focus#resting()
endfunction

" Who always wants to be led to a diff, but is busy, is led there when they have done.
function! vim_mcp#diff_focus#lead_later(place) abort
  if vim_mcp#setting('diff_focus', 'auto') ==# 'always' && !vim_mcp#diff_return#is_diff(win_getid())
    call timer_start(s:step, function('s:lead', [a:place]))
  endif
endfunction

function! s:lead(place, timer) abort
  if empty(win_findbuf(a:place.right)) || empty(a:place.windows)
    return
  elseif vim_mcp#diff_focus#may_lead()
    let a:place.front = vim_mcp#diff_windows#goto(a:place)
    let a:place.led = reltime()
    call vim_mcp#diff_focus#redraw()
  else
    call vim_mcp#diff_focus#lead_later(a:place)
  endif
endfunction

" Make a diff's window the current one, without the person's own autocommands for that. Returns whether that worked.
function! vim_mcp#diff_focus#enter(window) abort
  call vim_mcp#diff_return#note()
  try
    noautocmd call win_gotoid(a:window)
  catch /:E\%(11\|565\|523\|863\|994\):/
  endtry
  call vim_mcp#diff_private#go_on()
  return win_getid() == a:window
endfunction

" Tell of a diff that waits in the background: to who types in a terminal also how to go there, since what they type,
" `:q` and Enter too, goes to Claude's own question.
function! vim_mcp#diff_focus#tell(review, place) abort
  let tab = win_id2tabwin(a:place.windows[-1])[0]
  let file = fnamemodify(get(a:review, 'file', ''), ':t')
  let what = (file ==# '' ? 'a diff' : 'a diff of ' . file) . ' waits for review'
  let there = what . ': ' . s:way_out . ' :ClaudeCodeDiffs'
  call vim_mcp#notice#unasked(mode() ==# 't' && vim_mcp#notice#fits(there) ? there
        \ : what . (tab == tabpagenr() ? ' beside' : ' in tab page ' . tab))
endfunction

" Bring the screen up to date although the editor may not have the focus. On the command line Vim does so itself, and
" would put the cursor somewhere else.
function! vim_mcp#diff_focus#redraw() abort
  if has('nvim') || mode() !=# 'c'
    redraw
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
