" Claude Code in a terminal of this editor.

let s:save_cpo = &cpo
set cpo&vim

" Why none can be opened, or ''.
function! vim_mcp#terminal_native#obstacle() abort
  return has('nvim') || has('terminal') ? '' : 'this Vim has no +terminal: see g:vim_mcp_terminal_provider'
endfunction

" Open a window for it as a:mods say, and run a:argv there with these variables added to the environment.
function! vim_mcp#terminal_native#open(session, mods, argv, environment) abort
  call s:wipe(get(a:session, 'buffer', 0))
  call vim_mcp#terminal_place#open(a:session, a:mods, 0)
  call {has('nvim') ? 's:run_nvim' : 's:run_vim'}(a:argv, {'env': a:environment})
  let [a:session.buffer, b:vim_mcp_claude] = [bufnr('%'), 1]
  setlocal nobuflisted bufhidden=hide nonumber norelativenumber signcolumn=no
  " Escape is the program's, whatever the user's own mappings for terminals do with it.
  tnoremap <buffer> <nowait> <Esc> <Esc>
  call vim_mcp#terminal_place#watch(a:session)
  call vim_mcp#terminal_leave#watch()
endfunction

function! s:run_nvim(argv, options) abort
  let l:buffer = bufnr('%')
  let a:options.on_exit = {job, status, event -> s:ended(l:buffer, status)}
  if has('nvim-0.11')
    call jobstart(a:argv, extend(a:options, {'term': v:true}))
  else
    call termopen(a:argv, a:options)
  endif
  " Neovim asks about a modified terminal when it is left.
  setlocal nomodified
  startinsert
endfunction

function! s:run_vim(argv, options) abort
  call extend(a:options, {'curwin': 1, 'norestore': 1, 'term_kill': 'hup', 'term_name': 'claude'})
  let l:run = {}
  let a:options.exit_cb = {job, status -> s:look(l:run.buffer)}
  let a:options.close_cb = {channel -> s:look(l:run.buffer)}
  let l:run.buffer = term_start(a:argv, a:options)
endfunction

" Vim gives a terminal up when both its program and what it wrote have ended.
function! s:look(buffer) abort
  let l:job = term_getjob(a:buffer)
  if type(l:job) == type(v:null) || job_status(l:job) ==# 'run' || ch_status(l:job) !=# 'closed'
    return
  endif
  call timer_start(0, {timer -> s:ended(a:buffer, job_info(l:job).exitval)})
endfunction

" A program that ended well leaves nothing to read; what one that failed has said stays until the next.
function! s:ended(buffer, status) abort
  if a:status == 0
    call s:wipe(a:buffer)
  endif
endfunction

function! s:wipe(buffer) abort
  if a:buffer && bufexists(a:buffer)
    execute 'silent! bwipeout!' a:buffer
  endif
endfunction

" Whether its program runs.
function! vim_mcp#terminal_native#running(session) abort
  let l:buffer = get(a:session, 'buffer', 0)
  return l:buffer && bufexists(l:buffer) && (has('nvim')
        \ ? jobwait([getbufvar(l:buffer, '&channel')], 0)[0] == -1
        \ : term_getstatus(l:buffer) =~# 'running')
endfunction

" Whether a window of this tab page shows it.
function! vim_mcp#terminal_native#visible(session) abort
  return !empty(s:windows(a:session))
endfunction

function! s:windows(session) abort
  return filter(win_findbuf(a:session.buffer), 'win_id2win(v:val)')
endfunction

" Whether the user is in it.
function! vim_mcp#terminal_native#focused(session) abort
  return bufnr('%') == a:session.buffer
endfunction

" Go to it, and type there. With a:mods it moves to where they say.
function! vim_mcp#terminal_native#show(session, mods) abort
  if a:mods !=# ''
    call vim_mcp#terminal_native#hide(a:session)
  endif
  let l:windows = s:windows(a:session) + win_findbuf(a:session.buffer)
  if a:mods !=# '' || empty(l:windows)
    call vim_mcp#terminal_place#open(a:session, a:mods, a:session.buffer)
  else
    call win_gotoid(l:windows[0])
  endif
  if has('nvim') || mode() !=# 't'
    execute 'normal! i'
  endif
endfunction

" Close its windows in this tab page; the program runs on.
function! vim_mcp#terminal_native#hide(session) abort
  for l:window in s:windows(a:session)
    call vim_mcp#terminal_place#close(l:window)
  endfor
endfunction

" Send the program these keys, as bytes of UTF-8.
function! vim_mcp#terminal_native#write(session, keys) abort
  if has('nvim')
    call chansend(getbufvar(a:session.buffer, '&channel'), a:keys)
  else
    call ch_sendraw(term_getjob(a:session.buffer), iconv(a:keys, &encoding, 'utf-8'))
  endif
endfunction

" The lines of its screen.
function! vim_mcp#terminal_native#screen(session) abort
  if has('nvim')
    return getbufline(a:session.buffer, max([1, getbufinfo(a:session.buffer)[0].linecount - 2 * &lines]), '$')
  endif
  return map(range(1, term_getsize(a:session.buffer)[0]), 'term_getline(a:session.buffer, v:val)')
endfunction

" The program's process.
function! vim_mcp#terminal_native#process(session) abort
  return has('nvim') ? jobpid(getbufvar(a:session.buffer, '&channel')) : job_info(term_getjob(a:session.buffer)).process
endfunction

" Whether a window of this tab page shows it.
function! vim_mcp#terminal_native#seen(session) abort
  return vim_mcp#terminal_native#visible(a:session)
endfunction

" The title that the program has given the terminal.
function! vim_mcp#terminal_native#title(session, Take) abort
  if vim_mcp#terminal_native#running(a:session)
    let l:title = has('nvim') ? getbufvar(a:session.buffer, 'term_title', '') : term_gettitle(a:session.buffer)
    call a:Take(a:session.number, l:title)
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
