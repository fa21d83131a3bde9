" The method `execute`: an Ex command, its output and its error.

let s:save_cpo = &cpo
set cpo&vim

let s:bool = [v:false, v:true]
let s:nvim = has('nvim')

" The most output that is given, in bytes.
let s:max_output = 262144

" The values of g:vim_mcp_execute with which what the hub judges safe may run.
let s:judging = ["'safe'", "'ask'"]

" How long a command may run, in ms: the default and the most.
let s:timeout = 4000
let s:max_timeout = 600000

" See docs/protocol.md.
function! vim_mcp#execute#execute(params) abort
  let l:command = vim_mcp#params#string(a:params, 'command')
  let l:Run = function(s:allowed(l:command, a:params), [l:command])
  let l:highlighted = v:hlsearch
  let l:output = get(a:params, 'safe') is v:true && get(a:params, 'quick') is v:true ? vim_mcp#sandbox#quick(l:Run)
        \ : vim_mcp#sandbox#call(l:Run, s:shown(l:command), s:limit(a:params))
  if l:highlighted && !s:highlighted
    call s:end_highlighting()
  endif
  let l:output = l:output[0] ==# "\n" ? l:output[1:] : l:output
  let l:too_much = strlen(l:output) > s:max_output
  return {'output': l:too_much ? s:cut(l:output) : l:output, 'truncated': s:bool[l:too_much],
        \ 'buffer': bufnr('%'), 'line': line('.')}
endfunction

" How long the command may run, in ms.
function! s:limit(params) abort
  return min([max([vim_mcp#params#number(a:params, 'timeout', s:timeout), 1]), s:max_timeout])
endfunction

" The name of the function that may run the command; throws `refused`.
function! s:allowed(command, verdict) abort
  let l:policy = string(get(g:, 'vim_mcp_execute', 'safe'))
  let l:safe = get(a:verdict, 'safe') is v:true
  if l:safe && index(s:judging, l:policy) >= 0
    call s:check(a:command, a:verdict)
    return get(a:verdict, 'quick') is v:true ? 's:run_quick' : 's:run_safe'
  elseif l:policy ==# "'all'" || l:policy ==# "'ask'" && get(a:verdict, 'allowed') is v:true
    return 's:run_all'
  elseif l:policy ==# "'ask'"
    call vim_mcp#methods#fail('ask', 'the user has to be asked first whether this command may run')
  elseif l:policy ==# "'safe'"
    let l:reason = vim_mcp#params#string(a:verdict, 'reason', 'it is not known to be harmless')
    call s:refuse(a:command, s:with_way_out(l:reason))
  endif
  call s:refuse(a:command, (l:policy ==# "'off'" ? "g:vim_mcp_execute is 'off'"
        \ : "g:vim_mcp_execute is neither 'safe', 'ask', 'all' nor 'off' and so counts as 'off'")
        \ . "; the user can allow commands with :let g:vim_mcp_execute = 'safe' (or 'ask', or 'all')")
endfunction

" What the hub could not see when it judged the command safe.
"
" In the conversion to another encoding some characters vanish, and of some
" become others that end a pattern or begin an expression.
function! s:check(command, verdict) abort
  if get(a:verdict, 'text') isnot v:false
    call s:check_buffer(a:command)
  endif
  if get(a:verdict, 'keys') isnot v:false && !&modifiable
    call s:refuse(a:command, "keys are not typed where 'modifiable' is off")
  elseif &encoding !=# 'utf-8' && get(a:verdict, 'ascii') isnot v:true
    call s:refuse(a:command, "where 'encoding' is " . &encoding . ', only ASCII characters are accepted in a command; '
          \ . 'vim_edit takes any text')
  endif
endfunction

" Whether a command may read or change the text of the current buffer.
function! s:check_buffer(command) abort
  if getcmdwintype() !=# ''
    call s:refuse(a:command, 'what is put into the command-line window is a command')
  elseif index(['terminal', 'prompt'], &buftype) >= 0
    call s:refuse(a:command, 'what is put into a ' . &buftype . ' buffer reaches a program')
  elseif exists('b:vim_mcp_diff')
    call s:refuse(a:command, 'the text is under review: only its user changes it')
  endif
  call vim_mcp#ignore#refuse(vim_mcp#buffers#name(bufnr('%')))
endfunction

" The hub's reasons say by themselves what the user can do.
function! s:with_way_out(reason) abort
  return a:reason =~# 'g:vim_mcp_execute' ? a:reason
        \ : a:reason . "; the user can be asked about such commands with "
        \ . ":let g:vim_mcp_execute = 'ask', or allow all with 'all'"
endfunction

function! s:refuse(command, reason) abort
  call vim_mcp#methods#fail('refused', '`' . s:shown(a:command) . '` was not executed: ' . a:reason)
endfunction

function! s:shown(command) abort
  return strchars(a:command) > 120 ? strcharpart(a:command, 0, 100) . '...' : a:command
endfunction

function! s:run_all(command) abort
  let l:shell_command = matchstr(a:command, '^\%(\s\|:\)*\%(sil\%[ent]!\=\s\+\)*!\zs.*')
  let l:output = l:shell_command ==# '' ? execute(a:command, 'silent') : s:shell(l:shell_command)
  return s:noted(l:output)
endfunction

" Without what would make other keys of those in the command.
function! s:run_safe(command) abort
  let l:kept = [&langmap, &clipboard]
  noautocmd let [&langmap, &clipboard] = ['', '']
  try
    return s:run_quick(a:command)
  finally
    noautocmd let [&langmap, &clipboard] = l:kept
  endtry
endfunction

" Without what starts the clipboard's program, which Neovim has for that.
function! s:run_quick(command) abort
  if !s:nvim
    let l:output = execute(a:command, 'silent')
    let s:highlighted = v:hlsearch
    return l:output
  endif
  let l:kept = get(g:, 'loaded_clipboard_provider', '')
  let g:loaded_clipboard_provider = 1
  try
    return s:noted(execute(a:command, 'silent'))
  finally
    let g:loaded_clipboard_provider = l:kept
    if l:kept is# ''
      unlet g:loaded_clipboard_provider
    endif
  endtry
endfunction

" When the functions end, the last search pattern is again what it was, and so is
" what `:nohlsearch` did.
function! s:noted(output) abort
  let s:highlighted = v:hlsearch
  return a:output
endfunction

" The pattern is the user's, but to end the highlighting is what `:nohlsearch` is
" for: what is typed runs outside of functions.
function! s:end_highlighting() abort
  call feedkeys("\<Cmd>nohlsearch\<CR>", 'ni')
endfunction

" What `:!` would do, but in the terminal that the user looks at, whose keys it
" would read.
function! s:shell(command) abort
  let l:output = system(expandcmd(substitute(a:command, '\\!', '!', 'g')))
  return v:shell_error == 0 ? l:output : l:output . "\nshell returned " . v:shell_error . "\n"
endfunction

" The output up to the limit, cut between characters.
function! s:cut(output) abort
  let l:part = strpart(a:output, 0, s:max_output)
  return &encoding ==# 'utf-8' ? strcharpart(l:part, 0, strchars(l:part) - 1) : l:part
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
