" Putting files, or lines of them, into Claude's prompt: :ClaudeAtMention, :ClaudeCodeSend, :ClaudeCodeAdd.
"
" A place is a dictionary: `file`, a full name, and `lines`, [first, last] or [] for the whole file.

let s:save_cpo = &cpo
set cpo&vim

" How many places may be sent at once: the hub keeps no more for a Claude that is to come.
let s:most = 100

" :ClaudeAtMention. a:range is how many lines the user has named (0: none): a:first and a:last. In Visual mode the lines
" that it marks are meant.
function! vim_mcp#mention#command(argument, range, first, last) abort
  if vim_mcp#alone#is(a:argument)
    call s:buffer(a:range, a:first, a:last)
  endif
endfunction

" :ClaudeCodeSend: the same, and in a list of files what it lists there; and go to Claude's terminal, if it is here and
" unless a:stay.
function! vim_mcp#mention#go(argument, range, first, last, stay) abort
  if !vim_mcp#alone#is(a:argument)
    return
  endif
  let l:sent = vim_mcp#trees#knows(&filetype)
        \ ? vim_mcp#trees#add(a:range, a:first, a:last) : s:buffer(a:range, a:first, a:last)
  if !l:sent || a:stay
    return
  elseif empty(s:gathered)
    call vim_mcp#terminal#attend()
  else
    let s:follow = 1
  endif
endfunction

function! s:buffer(range, first, last) abort
  let l:file = vim_mcp#mention#file()
  let l:area = vim_mcp#visual#area()
  let l:lines = a:range || vim_mcp#global#runs() ? [a:first, a:last]
        \ : empty(l:area) ? [] : [l:area.start[0], l:area.end[0]]
  return l:file !=# '' && vim_mcp#mention#put([{'file': l:file, 'lines': l:lines}])
endfunction

" The full name of the current buffer's file; '' where it cannot be mentioned, and then the user is told why.
function! vim_mcp#mention#file() abort
  let l:file = vim_mcp#buffers#name(bufnr('%'))
  let l:has_file = index(['', 'acwrite'], &buftype) >= 0 && l:file =~# '^/' && !exists('b:vim_mcp_diff')
  let l:obstacle = !l:has_file ? 'this buffer has no file'
        \ : vim_mcp#ignore#matches(l:file) ? 'it matches g:vim_mcp_ignore' : s:obstacle()
  return l:obstacle ==# '' || s:refuse(l:obstacle) ? l:file : ''
endfunction

" The operator of <Plug>(claude-send): to be evaluated by an expression mapping.
function! vim_mcp#mention#operator() abort
  let s:view = winsaveview()
  let &operatorfunc = 'vim_mcp#mention#of_motion'
  return 'g@'
endfunction

" What that calls: the lines of the motion are sent, and the cursor stays.
function! vim_mcp#mention#of_motion(type) abort
  let l:lines = [line("'["), line("']")]
  if exists('s:view')
    call winrestview(s:view)
    unlet s:view
  endif
  call vim_mcp#mention#go('', 2, l:lines[0], l:lines[1], 0)
endfunction

" :ClaudeCodeAdd {file} [start] [end]; without arguments the current buffer's file.
function! vim_mcp#mention#add(arguments) abort
  if empty(a:arguments)
    let l:file = vim_mcp#mention#file()
    return l:file !=# '' && vim_mcp#mention#put([{'file': l:file, 'lines': []}])
  endif
  let [l:words, l:lines] = [copy(a:arguments), []]
  while len(l:words) > 1 && len(l:lines) < 2 && l:words[-1] =~# '^\d\+$'
    call insert(l:lines, +remove(l:words, -1))
  endwhile
  let l:lines = len(l:lines) == 1 ? l:lines + l:lines : l:lines
  let l:names = s:found(join(l:words))
  if empty(l:names)
    return s:refuse('there is no ' . join(l:words))
  elseif !empty(l:lines) && (l:lines[0] < 1 || l:lines[1] < l:lines[0])
    return s:refuse('there are no lines ' . join(l:lines, '-'))
  endif
  return vim_mcp#mention#put(map(l:names, '{"file": v:val, "lines": l:lines}'))
endfunction

" The full names of what a name, or a pattern, stands for. A name that exists is no pattern.
function! s:found(name) abort
  let l:names = getftype(a:name) !=# '' || a:name =~# '`' ? [a:name] : expand(a:name, 1, 1)
  return filter(map(l:names, 'simplify(fnamemodify(v:val, ":p"))'), 'getftype(v:val) !=# ""')
endfunction

" Put these places into the prompt, in their order, and tell the user; whether any was. Below :global they are put there
" when it has found all.
function! vim_mcp#mention#put(places) abort
  if vim_mcp#global#runs()
    return s:gather(a:places)
  endif
  call s:put_gathered()
  return s:put(a:places)
endfunction

let [s:gathered, s:follow] = [[], 0]

function! s:gather(places) abort
  if empty(s:gathered)
    call timer_start(0, {timer -> s:put_gathered()})
  endif
  for l:place in a:places
    call vim_mcp#mention#join(s:gathered, l:place)
  endfor
  return 1
endfunction

" Adds a place to a list; one that goes on where the last ends lengthens that.
function! vim_mcp#mention#join(places, place) abort
  let l:last = get(a:places, -1, {'file': ''})
  if l:last.file !=# a:place.file || !s:touch(l:last.lines, a:place.lines)
    call add(a:places, copy(a:place))
  elseif !empty(a:place.lines)
    let l:last.lines = [l:last.lines[0], max([l:last.lines[1], a:place.lines[1]])]
  endif
endfunction

" Whether the second lines begin within the first, or just below them; so does a whole file with itself.
function! s:touch(one, other) abort
  if empty(a:one) || empty(a:other)
    return a:one == a:other
  endif
  return a:other[0] >= a:one[0] && a:other[0] <= a:one[1] + 1
endfunction

function! s:put_gathered() abort
  let [l:places, l:follow, s:gathered, s:follow] = [s:gathered, s:follow, [], 0]
  if !empty(l:places) && s:put(l:places) && l:follow
    call vim_mcp#terminal#attend()
  endif
endfunction

function! s:put(places) abort
  let l:surplus = vim_mcp#mention#surplus(a:places)
  let l:obstacle = l:surplus !=# '' ? l:surplus : s:obstacle()
  let l:good = filter(copy(a:places), '!vim_mcp#ignore#matches(v:val.file)')
  if l:obstacle !=# '' || empty(l:good)
    return s:refuse(l:obstacle !=# '' ? l:obstacle : 'it matches g:vim_mcp_ignore')
  endif
  for l:place in l:good
    let l:lines = empty(l:place.lines) ? {} : {'first': l:place.lines[0], 'last': l:place.lines[1]}
    call vim_mcp#waiting#send(extend({'type': 'mention', 'file': l:place.file}, l:lines))
  endfor
  let l:left = len(a:places) - len(l:good)
  let l:what = len(l:good) == 1 ? s:told(l:good[0]) : len(l:good) . ' places'
  let l:what = vim_mcp#ide#clients() ? 'mentioned ' . l:what : l:what . ': waits for a Claude'
  call vim_mcp#notice#echo(l:what . (l:left ? printf(' (%d match g:vim_mcp_ignore)', l:left) : ''))
  return 1
endfunction

" Why so many places cannot be mentioned at once, or ''.
function! vim_mcp#mention#surplus(places) abort
  return len(a:places) <= s:most ? '' : printf('%d are too many, %d go', len(a:places), s:most)
endfunction

" Why nothing can be mentioned now, or ''. Short, as s:told() is, since 80 columns hold about 50 characters. A plugin
" manager may have loaded the plugin for this very command.
function! s:obstacle() abort
  call vim_mcp#autostart()
  if vim_mcp#methods#access() ==# 'off'
    return vim_mcp#paused() ? 'paused (:VimMCPPause off)' : 'g:vim_mcp_access is off'
  endif
  return get({'stopped': 'stopped (:VimMCPStart)', 'refused': 'see :VimMCPDoctor'}, vim_mcp#link#info().state, '')
endfunction

function! s:refuse(reason) abort
  call vim_mcp#notice#error('not mentioned: ' . a:reason)
  return 0
endfunction

function! s:told(place) abort
  let [l:name, l:lines] = [fnamemodify(substitute(a:place.file, '.\zs/$', '', ''), ':t'), a:place.lines]
  let l:which = empty(l:lines) ? '' : l:lines[0] == l:lines[1] ? ' line ' . l:lines[0] : ' lines ' . join(l:lines, '-')
  return (l:name ==# '' ? a:place.file : l:name) . l:which
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
