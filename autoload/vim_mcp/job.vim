" Running a small program unseen, in Vim and in Neovim.

" How long the last words of a program may take that has ended, in ms.
let s:patience = 300

" Runs the list `argv` with no input and calls `Done(code, lines)` when it has ended: its exit status and what it
" wrote to stdout and stderr. 127 and Vim's reason when it cannot be run at all. A third argument is called with each
" line as it comes.
function! vim_mcp#job#run(argv, Done, ...) abort
  let run = {'lines': [], 'done': 0, 'Done': a:Done, 'Line': get(a:, 1, 0), 'rest': {'stdout': '', 'stderr': ''}}
  try
    call {has('nvim') ? 's:run_nvim' : 's:run_vim'}(a:argv, run)
  catch
    call s:finish(run, 127, [v:exception])
  endtry
endfunction

function! s:finish(run, code, more) abort
  if !a:run.done
    let a:run.done = 1
    call a:run.Done(a:code, filter(a:run.lines + a:more, 'v:val !=# ""'))
  endif
endfunction

function! s:take(run, line) abort
  call add(a:run.lines, a:line)
  if type(a:run.Line) == type(function('tr')) && a:line !=# ''
    call a:run.Line(a:line)
  endif
endfunction

" The first and the last of Neovim's lines may be parts of one; the end comes as an empty one.
function! s:stream(run, data, event) abort
  let lines = [a:run.rest[a:event] . a:data[0]] + a:data[1:]
  let a:run.rest[a:event] = remove(lines, -1)
  for line in lines
    call s:take(a:run, line)
  endfor
endfunction

function! s:run_nvim(argv, run) abort
  if type(a:run.Line) == type(function('tr'))
    let Stream = {id, data, event -> s:stream(a:run, data, event)}
    let options = {'on_stdout': Stream, 'on_stderr': Stream}
    let options.on_exit = {id, code, event -> s:finish(a:run, code, values(a:run.rest))}
    let a:run.job = jobstart(a:argv, options)
    return
  endif
  let Collect = {id, data, event -> extend(a:run.lines, data)}
  let options = {'on_stdout': Collect, 'on_stderr': Collect, 'stdout_buffered': 1, 'stderr_buffered': 1}
  let options.on_exit = {id, code, event -> s:finish(a:run, code, [])}
  let a:run.job = jobstart(a:argv, options)
endfunction

function! s:run_vim(argv, run) abort
  let options = {'in_io': 'null', 'callback': {channel, line -> s:take(a:run, line)}}
  let options.close_cb = {channel -> s:closed(a:run)}
  let options.exit_cb = {job, code -> s:exited(a:run, code)}
  let a:run.job = job_start(a:argv, options)
endfunction

" Vim may tell of the end before it has read the last words; it closes the channel when it has. Another program may hold
" that open.
function! s:exited(run, code) abort
  if has_key(a:run, 'job') && ch_status(a:run.job) ==# 'closed'
    call s:finish(a:run, a:code, [])
  else
    call timer_start(s:patience, {-> s:finish(a:run, a:code, [])})
  endif
endfunction

" Vim looks for ended jobs only a few times a second. The closing of its output tells sooner.
function! s:closed(run) abort
  if has_key(a:run, 'job') && job_status(a:run.job) !=# 'run'
    call s:finish(a:run, job_info(a:run.job).exitval, [])
  endif
endfunction
