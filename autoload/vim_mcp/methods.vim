" The methods that a client can call in this editor: one fixed table, one way in.
"
" A method is a function that takes the request's params (a dict) and returns
" its result (a dict), or throws by vim_mcp#methods#fail() or #invalid(). While it
" waits for something it returns {'again': ms}: it is called again then, with the
" same dict of params.
"   access  '' (always), 'read' or 'edit': what g:vim_mcp_access must allow; 'code' needs
"           what 'edit' does, and changes nothing in the editor
"   waits   the modes of the person's that it can run in: a key of s:modes
"   beside  it is meant for the window beside a terminal that the person types into
"   keys    it may type keys, or load a buffer whose autocommands do
"   history the call is recorded for :VimMCPHistory

let s:save_cpo = &cpo
set cpo&vim

let s:table = {
      \ 'ping': {'run': 'vim_mcp#methods#ping', 'access': '', 'waits': 'any', 'keys': 0, 'history': 0},
      \ 'get_state': {'run': 'vim_mcp#buffers#get_state', 'access': 'read', 'waits': 'any', 'keys': 0, 'history': 0},
      \ 'get_text': {'run': 'vim_mcp#buffers#get_text', 'access': 'read', 'waits': 'any', 'keys': 1, 'history': 0},
      \ 'get_selection': {'run': 'vim_mcp#selection#get_selection', 'access': 'read', 'waits': 'any',
      \   'keys': 0, 'history': 0},
      \ 'search': {'run': 'vim_mcp#search#search', 'access': 'read', 'waits': 'any', 'keys': 1, 'history': 0},
      \ 'get_environment': {'run': 'vim_mcp#kernel#get_environment', 'access': 'code', 'waits': 'any', 'keys': 0,
      \   'history': 0},
      \ 'get_checkers': {'run': 'vim_mcp#doctor#get_checkers', 'access': '', 'waits': 'any', 'keys': 0, 'history': 0},
      \ 'get_diagnostics': {'run': 'vim_mcp#diagnostics#get_diagnostics', 'access': 'read', 'waits': 'any',
      \   'keys': 1, 'history': 0},
      \ 'follow_disk': {'run': 'vim_mcp#autoread#follow_disk', 'access': '', 'waits': 'any', 'keys': 1, 'history': 0},
      \ 'edit': {'run': 'vim_mcp#edit#edit', 'access': 'edit', 'waits': 'no prompt', 'keys': 1, 'history': 1},
      \ 'show': {'run': 'vim_mcp#show#show', 'access': 'edit', 'waits': 'normal or terminal', 'keys': 1, 'history': 1},
      \ 'open_file': {'run': 'vim_mcp#open#open_file', 'access': 'edit', 'waits': 'normal or terminal', 'keys': 1,
      \   'history': 1},
      \ 'load_file': {'run': 'vim_mcp#open#load_file', 'access': 'edit', 'waits': 'no prompt', 'keys': 1, 'history': 1},
      \ 'save': {'run': 'vim_mcp#save#request', 'access': 'edit', 'waits': 'no prompt', 'keys': 1, 'history': 1},
      \ 'ask': {'run': 'vim_mcp#ask#ask', 'access': 'edit', 'waits': 'any', 'keys': 0, 'history': 0},
      \ 'cancel_question': {'run': 'vim_mcp#ask#cancel', 'access': '', 'waits': 'any', 'keys': 0, 'history': 0},
      \ 'open_diff': {'run': 'vim_mcp#diff#open_diff', 'access': 'edit', 'waits': 'any', 'keys': 1, 'history': 1},
      \ 'close_diffs': {'run': 'vim_mcp#diff#close_diffs', 'access': '', 'waits': 'any', 'keys': 0, 'history': 0},
      \ 'navigate': {'run': 'vim_mcp#navigate#navigate', 'access': 'edit', 'waits': 'normal or terminal', 'beside': 1,
      \   'keys': 1, 'history': 1},
      \ 'execute': {'run': 'vim_mcp#execute#execute', 'access': 'edit', 'waits': 'normal or terminal', 'beside': 1,
      \   'keys': 1, 'history': 1},
      \ }

" What stands for a method that is not in the table.
let s:unknown = {'access': '', 'waits': 'any', 'keys': 0, 'history': 0}

" What mode(1) must match. While a prompt is shown a command may be half way
" through the text, so that not even an edit can be let in.
let s:modes = {'any': '', 'no prompt': '^[^r!]', 'normal or terminal': '^\%(nt\=\|t\)$'}

" How long a call waits for a mode that it can run in, and how often it looks.
let s:patience = 1.0
let s:step = 50

" Neovim serves no request between the keys of a command, and an old Vim does not
" tell.
let s:tells_nothing = has('nvim') || !exists('*state')

let s:dict = type({})
let s:running = ''
let s:stirred = 0
let s:sounded = 0
let s:paused = 0

" Answer a:request, one of vim_mcp#serve's: once, now or later, with {'result': dict}
" or {'error': {'code', 'message', 'data'}}.
"
" From here to s:run() everything runs for every request, before its client has
" the answer: each line counts, and each function more.
function! vim_mcp#methods#call(method, params, request) abort
  call s:attempt({'method': a:method, 'entry': get(s:table, a:method, s:unknown), 'params': a:params,
        \ 'request': a:request})
endfunction

function! vim_mcp#methods#ping(params) abort
  return {}
endfunction

" Throw an error of code 1004 whose data.kind is a:kind; the optional dict is
" merged into its data.
function! vim_mcp#methods#fail(kind, message, ...) abort
  let l:data = extend({'kind': a:kind}, a:0 ? a:1 : {})
  throw 'vim-mcp:' . s:encode({'code': 1004, 'message': a:message, 'data': l:data})
endfunction

" Throw an error of code -32602: a parameter is missing or wrong.
function! vim_mcp#methods#invalid(message) abort
  throw 'vim-mcp:' . s:encode({'code': -32602, 'message': a:message})
endfunction

" What clients may do here now: 'edit', 'read' or 'off'.
function! vim_mcp#methods#access() abort
  return s:paused ? 'off' : vim_mcp#choices#allowed('access')
endfunction

" Pause (1) or resume (0) the clients' access to this editor.
function! vim_mcp#methods#pause(on) abort
  let s:paused = a:on
  if a:on && exists('*vim_mcp#ask#refuse')
    call vim_mcp#ask#refuse()
  endif
  call vim_mcp#events#note('pause')
  call vim_mcp#selection#refresh()
endfunction

" The name of the method that is running, or ''.
function! vim_mcp#methods#running() abort
  return s:running
endfunction

function! vim_mcp#methods#paused() abort
  return s:paused
endfunction

" What the person has to finish before a method that waits for a:waits (a key
" of s:modes) can run: a phrase, or '' when it can run now.
function! vim_mcp#methods#waiting_for(waits) abort
  let l:mode = mode(1)
  if l:mode ==# 'n' && getcmdwintype() ==# ''
    return a:waits =~# '^normal' && vim_mcp#methods#half_typed() ? 'a command that is typed half' : ''
  elseif a:waits =~# '^normal' && getcmdwintype() !=# ''
    return 'the command-line window'
  elseif l:mode !~# s:modes[a:waits]
    return s:mode_phrase(l:mode)
  endif
  return ''
endfunction

" Whether the person has typed a part of a command such as `f` or `"ay`: Vim
" serves requests between its keys, Neovim does not. (While they type into a
" terminal Vim is never at rest, and what they type is no command of its.)
function! vim_mcp#methods#half_typed() abort
  if s:tells_nothing || state(s:stirred ? 'mo' : 'mSo') ==# '' || mode(1) ==# 't'
    return 0
  elseif mode(1) ==# 'n' && state('mo') ==# ''
    call s:sound()
  endif
  return 1
endfunction

" A plugin that has typed keys from a timer (ALE does to echo a message) leaves Vim
" as if its person had begun a command, until the next key. `<Ignore>` is such a key
" where nothing was begun, and else no part of what was: if Vim is at rest after it,
" nobody had typed anything.
function! s:sound() abort
  if s:sounded
    return
  endif
  let s:sounded = 1
  augroup vim_mcp_sounded
    autocmd!
    autocmd SafeState * let s:sounded = 0 | autocmd! vim_mcp_sounded
  augroup END
  call vim_mcp#diff_focus#own_key()
  call feedkeys("\<Ignore>", 'n')
endfunction

" The same while text is typed: whether a key such as CTRL-V waits for another. (A
" blockwise insertion is part of an operator all the time.)
function! vim_mcp#methods#key_begun() abort
  return !s:tells_nothing && state(s:stirred ? 'm' : 'mS') !=# ''
endfunction

" A round of requests begins. By now Vim has taken in the keys that an earlier one
" has typed: where Insert mode is still not at rest, the person has begun a key.
function! vim_mcp#methods#new_round() abort
  if s:stirred && mode(1) =~# '^[iR]$'
    let s:stirred = 0
  endif
endfunction

" A method that types keys itself (:normal) leaves Vim as if its person had
" begun a command, until Vim has looked around: what comes until then is not to
" take that for a key of theirs.
function! s:note_own_keys() abort
  if mode(1) !=# 't'
    let s:stirred = 1
    augroup vim_mcp_stirred
      autocmd!
      autocmd SafeState,SafeStateAgain * let s:stirred = 0 | autocmd! vim_mcp_stirred
    augroup END
  endif
endfunction

function! s:mode_phrase(mode) abort
  for [l:pattern, l:phrase] in [
        \ ['^no', 'a pending operator'], ['^ni', 'insert mode'], ['^nr', 'replace mode'], ['^n', 'normal mode'],
        \ ["^[vV\<C-V>]", 'visual mode'], ["^[sS\<C-S>]", 'select mode'],
        \ ['^i', 'insert mode'], ['^R', 'replace mode'], ['^c[ve]', 'Ex mode'], ['^c', 'the command line'],
        \ ['^r?', 'a confirmation prompt'], ['^rm', 'a more-prompt'], ['^r', 'a hit-enter prompt'],
        \ ['^!', 'a shell command'], ['^t', 'terminal mode']]
    if a:mode =~# l:pattern
      return l:phrase
    endif
  endfor
  return 'mode ' . a:mode
endfunction

function! s:attempt(call) abort
  let l:answer = s:answer(a:call)
  if has_key(l:answer, 'error') ? s:waits_on(a:call, l:answer) : has_key(l:answer.result, 'again')
    call s:call_again(a:call, l:answer)
    return
  endif
  call vim_mcp#serve#reply(a:call.request, l:answer)
  " What vim_mcp#loaded#tell() does, which would cost every request two calls more.
  if exists('*vim_mcp#follow#served')
    call vim_mcp#follow#served(a:call.method, l:answer)
  endif
  if a:call.entry.history && s:is_history(l:answer)
    call vim_mcp#history#record(a:call.method, a:call.params, l:answer)
  endif
  if a:call.entry.access ==# 'edit'
    call vim_mcp#events#served(a:call.method)
  endif
endfunction

" Whether the person may yet finish what keeps the call from running.
function! s:waits_on(call, answer) abort
  let a:call.since = get(a:call, 'since', reltime())
  return s:is_busy(a:answer) && reltimefloat(reltime(a:call.since)) < s:patience
endfunction

function! s:call_again(call, answer) abort
  let l:delay = s:step
  if has_key(a:answer, 'result')
    call s:tell_begun(a:call)
    let l:delay = a:answer.result.again
  endif
  call timer_start(l:delay, {timer -> s:attempt_again(a:call)})
endfunction

" It may have been withdrawn while it waited.
function! s:attempt_again(call) abort
  if get(a:call.request, 'open', 1)
    call vim_mcp#methods#new_round()
    call s:attempt(a:call)
  endif
endfunction

" The hub is told once, so that it does not take the editor for one that is deaf.
function! s:tell_begun(call) abort
  if !has_key(a:call, 'told')
    let a:call.told = 1
    call vim_mcp#serve#begin(a:call.request)
  endif
endfunction

" What was done, and what was refused; not what was asked in a wrong way.
function! s:is_history(answer) abort
  return !s:is_busy(a:answer) && get(get(a:answer, 'error', {}), 'code', 0) != -32602
endfunction

function! s:is_busy(answer) abort
  return has_key(a:answer, 'error') && get(get(a:answer.error, 'data', {}), 'kind', '') ==# 'busy'
endfunction

function! s:answer(call) abort
  if s:running !=# ''
    return {'error': s:busy('the end of `' . s:running . '`, which is still running')}
  endif
  let s:running = a:call.method
  let l:at_rest = a:call.entry.keys && !vim_mcp#methods#half_typed()
  try
    return {'result': s:run(a:call, l:at_rest)}
  catch
    return {'error': s:error(v:exception, v:throwpoint)}
  finally
    let s:running = ''
    if l:at_rest && !s:tells_nothing && !s:stirred && state('S') !=# ''
      call s:note_own_keys()
    endif
  endtry
endfunction

" After it is known that there is such a method, and that it may and can run now. Whether the person has typed a
" command half is asked once: at rest in Normal mode every method can run.
function! s:run(call, at_rest) abort
  if a:call.entry is s:unknown || type(a:call.params) != s:dict
    call s:refuse(a:call)
  endif
  if s:paused || get(g:, 'vim_mcp_access', 'edit') isnot# 'edit'
    call s:check_access(a:call.method, a:call.entry.access)
  endif
  if a:call.entry.waits !=# 'any' && !(a:at_rest && mode(1) ==# 'n' && getcmdwintype() ==# '')
    call s:check_mode(a:call.entry.waits)
  endif
  if a:call.entry.access ==# 'edit' && get(a:call.params, 'quick') isnot# v:true
    " What is quick is answered at once.
    call vim_mcp#serve#begin(a:call.request)
  endif
  return mode() ==# 'n' ? call(a:call.entry.run, [a:call.params]) : s:run_amid(a:call)
endfunction

" Amid what the person does in another mode than Normal.
function! s:run_amid(call) abort
  let l:marked = mode() ==# 'v' && a:call.entry.access ==# 'edit' && vim_mcp#passage#is_ours()
  let l:result = has_key(a:call.entry, 'beside') && mode() ==# 't'
        \ ? vim_mcp#beside#call(a:call.entry.run, a:call.params) : call(a:call.entry.run, [a:call.params])
  if l:marked && mode() ==# 'v'
    call vim_mcp#passage#keep()
  endif
  return l:result
endfunction

function! s:refuse(call) abort
  if a:call.entry is s:unknown
    throw 'vim-mcp:' . s:encode({'code': -32601, 'message': 'this editor knows no method `' . a:call.method . '`'})
  endif
  call vim_mcp#methods#invalid('`params` must be an object')
endfunction

function! s:check_mode(waits) abort
  if mode() ==# 'v' && a:waits =~# '^normal'
    call vim_mcp#passage#release()
  endif
  let l:waiting_for = vim_mcp#methods#waiting_for(a:waits)
  if l:waiting_for !=# ''
    call vim_mcp#methods#busy(l:waiting_for)
  endif
endfunction

" What a method has thrown, in words.
function! vim_mcp#methods#message(exception) abort
  return s:error(a:exception, '').message
endfunction

" Throw the error `busy`: the call is tried again for a second before its client
" hears of it.
function! vim_mcp#methods#busy(waiting_for) abort
  throw 'vim-mcp:' . s:encode(s:busy(a:waiting_for))
endfunction

function! s:busy(waiting_for) abort
  return {'code': 1004, 'data': {'kind': 'busy', 'waiting_for': a:waiting_for},
        \ 'message': 'the editor waits for its user to finish ' . a:waiting_for . '; nothing was done, try again later'}
endfunction

function! s:check_access(method, needed) abort
  let l:access = vim_mcp#methods#access()
  if a:needed ==# '' || l:access ==# 'edit' || l:access ==# a:needed
    return
  elseif s:paused
    call vim_mcp#methods#fail('access', 'the user of this editor has paused access to it; '
          \ . 'they can give it back with :VimMCPPause')
  elseif l:access ==# 'read'
    call vim_mcp#methods#fail('access', 'this editor may only be read (g:vim_mcp_access is "read"), `' . a:method
          \ . '` was not done; its user can allow it with :let g:vim_mcp_access = "edit"')
  endif
  call vim_mcp#methods#fail('access', 'access to this editor is off; '
        \ . 'its user can allow it with :let g:vim_mcp_access = "edit" (or "read")')
endfunction

" The error to answer with, from what a method has thrown.
function! s:error(exception, throwpoint) abort
  if a:exception =~# '^vim-mcp:'
    return json_decode(a:exception[8:])
  endif
  let l:parts = matchlist(a:exception, '^Vim\%((\w\+)\)\=:\%(\(E\d\+\):\)\=\s*\(\_.*\)')
  let l:message = empty(l:parts) ? a:exception : (l:parts[1] ==# '' ? '' : l:parts[1] . ': ') . l:parts[2]
  return {'code': 1004, 'message': l:message,
        \ 'data': {'kind': 'vim', 'vim_error': get(l:parts, 1, ''), 'where': a:throwpoint}}
endfunction

" JSON, also of strings that hold bytes which are no characters (Neovim refuses
" those).
function! s:encode(value) abort
  try
    return json_encode(a:value)
  catch /E474/
    return json_encode(s:cleaned(a:value))
  endtry
endfunction

function! s:cleaned(value) abort
  if type(a:value) == type({}) || type(a:value) == type([])
    return map(copy(a:value), 's:cleaned(v:val)')
  elseif type(a:value) != type('')
    return a:value
  endif
  return join(map(split(a:value, '\zs'), 's:is_character(v:val) ? v:val : "?"'), '')
endfunction

function! s:is_character(char) abort
  let l:number = char2nr(a:char)
  return l:number < 128 || strlen(a:char) > 1 && (l:number < 0xD800 || l:number > 0xDFFF) && l:number <= 0x10FFFF
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
