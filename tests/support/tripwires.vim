" A hostile user's editor, for tests of the Ex-command policy: whatever runs code, starts a program, opens, reads or
" writes a file, or changes a setting that matters, is noted. Run by tests/support/tripwires.py, which says in
" $TRIPWIRES (a directory): commands.json (what to run), and reads notes.json, or progress if the editor did not get to
" the end.

let s:dir = $TRIPWIRES
let &runtimepath = expand('<sfile>:p:h:h:h') . ',' . $VIMRUNTIME
let s:job = json_decode(join(readfile(s:dir . '/commands.json'), "\n"))
let s:notes = []
let s:armed = 0
let s:at = -1
let s:enough = 0
let s:files = ['', 'one.txt', 'two.txt', 'three.txt']

" Whatever must not happen calls this. It may be called by name, as a hostile command line would.
function! Trip(what) abort
  if s:armed && len(s:notes) < s:enough
    call add(s:notes, [s:at, a:what . ''])
  endif
  return 'tripped'
endfunction

function! s:named(event, name) abort
  if index(s:files, fnamemodify(a:name, ':t')) < 0
    call Trip(a:event . ' ' . a:name)
  endif
endfunction

" ---- What the user did before, and lets others reach -------------------------
let g:vim_mcp_execute = 'safe'
let g:vim_mcp_secret = 'xyzzy'
let g:text = 'plain text'
let g:list = [1, 'two', {'k': 3}]
let g:dict = {'len': 'x', 'key': 'value'}
let b:number = 7
function! g:dict.run(...) dict abort
  return Trip('a dictionary function')
endfunction
let g:Ref = function('Trip')
let g:dict.Ref = g:Ref
command! -nargs=* -bang -bar Trip call Trip('a user command')
for s:letter in split('ABCDEFGHIJKLMOQRSTUVWYZ', '\zs')
  execute 'command! -nargs=* -bang -range=% ' . s:letter . 'x call Trip("a user command")'
endfor

function! s:map() abort
  let l:plain = split('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ<>=~.,;0^$', '\zs')
  for l:key in l:plain + ['<Esc>', '<Tab>', '<C-A>', '<C-X>']
    for l:mode in ['n', 'x', 'o', 's', 'i', 'c', 'l']
      let l:name = string(substitute(l:key, '[<>]', '', 'g'))
      execute 'silent! ' . l:mode . 'noremap <expr> ' . l:key . ' Trip("a mapping of " . ' . l:name . ')'
    endfor
  endfor
  for l:word in ['foo', 'bar', 'a', 'word']
    execute 'iabbrev <expr> ' . l:word . ' Trip("an abbreviation")'
    execute 'cabbrev <expr> ' . l:word . ' Trip("an abbreviation")'
  endfor
endfunction

function! s:programs() abort
  for l:option in ['equalprg', 'formatprg', 'keywordprg', 'makeprg', 'grepprg', 'cscopeprg']
    if exists('+' . l:option)
      execute 'let &' . l:option . ' = "sh"'
    endif
  endfor
  let &operatorfunc = 'Trip'
  let &includeexpr = 'Trip("includeexpr")'
  for l:option in ['completefunc', 'omnifunc', 'tagfunc', 'thesaurusfunc', 'patchexpr', 'diffexpr', 'charconvert',
        \ 'printexpr']
    if exists('+' . l:option)
      execute 'let &' . l:option . ' = ' . (l:option =~# 'func$' ? '"Trip"' : '"Trip()"')
    endif
  endfor
endfunction

" Options that change how commands, patterns and keys are read.
function! s:oddities() abort
  set nomagic tildeop selectmode=mouse,key,cmd selection=exclusive gdefault virtualedit=all textwidth=20 nostartofline
  silent! set edcompatible
  silent! set langremap
  set iminsert=1 imsearch=1
  set langmap=i:,a!,xK,jZ,dQ
  for l:flag in split('aAbBcCdDeEfFgHiIjJkKlLmMnoOpPqrRsStuvwWxXyZ$!%*-+<>;~#{|&/\', '\zs')
    silent! execute 'set cpoptions+=' . escape(l:flag, '|\')
  endfor
endfunction

" ---- The wires ---------------------------------------------------------------
function! s:wire() abort
  augroup tripwires
    autocmd!
    for l:event in ['CmdlineEnter', 'CmdwinEnter', 'RecordingEnter', 'ShellCmdPost', 'ShellFilterPost', 'FuncUndefined',
          \ 'SourcePre', 'SourceCmd', 'BufWritePre', 'BufWriteCmd', 'FileWritePre', 'FileWriteCmd', 'FileAppendPre',
          \ 'FilterWritePre', 'FilterReadPre', 'FileReadPre', 'FileReadCmd', 'StdinReadPre', 'QuitPre', 'ExitPre',
          \ 'VimLeavePre', 'TermOpen', 'TerminalOpen', 'CmdUndefined', 'SpellFileMissing', 'DirChanged', 'ColorScheme',
          \ 'Syntax', 'EncodingChanged', 'QuickFixCmdPre', 'SessionLoadPost', 'BufFilePre', 'MenuPopup',
          \ 'CompleteChanged', 'FocusLost', 'VimSuspend']
      if exists('##' . l:event)
        execute 'autocmd ' . l:event . ' * call Trip("' . l:event . ' " . expand("<amatch>"))'
      endif
    endfor
    for l:event in ['BufReadPre', 'BufNewFile', 'BufNew']
      execute 'autocmd ' . l:event . ' * call s:named("' . l:event . '", expand("<afile>"))'
    endfor
  augroup END
endfunction

" Options that no safe command sets; the second list is compared while the buffer stays the same.
let s:kept = split('shell shellcmdflag shellpipe shellredir equalprg formatprg keywordprg makeprg grepprg operatorfunc '
      \ . 'hidden autowrite autowriteall magic cpoptions gdefault langmap clipboard runtimepath packpath path tags '
      \ . 'directory backupdir undodir exrc secure modeline eventignore verbosefile titlestring autochdir autoread '
      \ . 'writebackup selectmode tildeop')
let s:kept_here = split('formatexpr indentexpr includeexpr foldexpr modifiable readonly undolevels swapfile filetype '
      \ . 'syntax bufhidden buftype spell buflisted')

let s:values = '[' . join(map(copy(s:kept), '"&" . v:val'), ', ') . ']'
let s:values_here = '[' . join(map(copy(s:kept_here), '"&" . v:val'), ', ') . ']'

function! s:settings() abort
  return {'buffer': bufnr(''), 'values': eval(s:values), 'here': eval(s:values_here),
        \ 'else': [getcwd(), get(g:, 'vim_mcp_execute', 0), execute('command')]}
endfunction

function! s:compare(names, before, after) abort
  for l:index in range(len(a:names))
    if a:before[l:index] !=# a:after[l:index]
      call Trip('changed ' . a:names[l:index] . ' to ' . string(a:after[l:index]))
    endif
  endfor
endfunction

" ---- Running the commands ----------------------------------------------------
function! s:reset() abort
  noautocmd silent! tabonly!
  noautocmd silent! only!
  noautocmd buffer one.txt
  setlocal modifiable foldmethod=manual
  let &l:modified = 1
  noautocmd call setline(1, s:job.lines)
  noautocmd silent! execute (len(s:job.lines) + 1) . ',$delete _'
  if s:job.unmodifiable || s:job.odd && s:at % 7 == 3
    setlocal nomodifiable
  endif
  let @/ = s:at % 3 ? 'foo' : 'no such text'
  call cursor(1 + s:at % len(s:job.lines), 1 + s:at % 11)
endfunction

" As a client's command is run, by the method itself.
function! s:run(item) abort
  let s:armed = 1
  try
    return vim_mcp#execute#execute(extend({'safe': v:true, 'reason': '', 'timeout': 20000}, a:item)).output
  catch /^vim-mcp:/
    return v:exception
  finally
    let s:armed = 0
  endtry
endfunction

function! s:look_around(before, output) abort
  let l:after = s:settings()
  let s:armed = 1
  if a:before !=# l:after
    call s:compare(s:kept, a:before.values, l:after.values)
    call s:compare(['the directory', 'g:vim_mcp_execute', 'the commands'], a:before.else, l:after.else)
    if a:before.buffer == l:after.buffer
      call s:compare(s:kept_here, a:before.here, l:after.here)
    endif
  endif
  if filereadable(s:dir . '/marker')
    call Trip('a program was run: ' . get(readfile(s:dir . '/marker'), 0, ''))
    call delete(s:dir . '/marker')
  endif
  if sort(readdir('.')) !=# s:present
    call Trip('files here are now ' . string(readdir('.')))
    let s:present = sort(readdir('.'))
  endif
  if a:output =~# 'xyzzy' | call Trip('showed a setting') | endif
  if a:output =~# 'asked its user' | call Trip('asked a question') | endif
  if a:output =~# 'treasure' | call Trip('showed the text of another buffer') | endif
  if exists('*reg_recording') && reg_recording() !=# '' | call Trip('is recording') | endif
  if mode(1) !~# '^\%(n\|c\|cv\)$' | call Trip('is in mode ' . mode(1)) | endif
  if getcmdwintype() !=# '' | call Trip('is in the command-line window') | endif
  if exists('*job_info') && !empty(job_info()) | call Trip('has a job') | endif
  if exists('*nvim_list_chans') && len(nvim_list_chans()) > s:channels | call Trip('has a channel') | endif
  let s:armed = 0
endfunction

function! s:sandboxed(command) abort
  try
    call execute('sandbox ' . a:command, 'silent')
  catch /^Vim\%((\w*)\)\=:E\%(48\|12\|794\):/
    let s:armed = 1
    call Trip('does not run in the sandbox: ' . v:exception)
    let s:armed = 0
  catch /^Vim/
  endtry
endfunction

function! s:go() abort
  for l:item in s:job.commands
    let s:at += 1
    call writefile([s:at], s:dir . '/progress', 'S')
    call s:reset()
    let l:before = s:settings()
    let s:enough = len(s:notes) + 3
    let l:output = s:run(l:item)
    call s:look_around(l:before, l:output)
    if l:item.command =~# '^echo' && !l:item.keys
      call s:sandboxed(l:item.command)
    endif
  endfor
endfunction

filetype off
set nofsync hidden noswapfile nobackup nowritebackup noundofile shortmess+=A lazyredraw report=9999 nomore
let &shell = s:dir . '/bin/sh'
for s:name in ['one.txt', 'two.txt', 'three.txt']
  call bufadd(s:name)
  call setbufvar(s:name, '&buflisted', 1)
endfor
buffer one.txt
call setline(1, s:job.lines)
" Not in a function: after one, the last pattern, substitution and change are again what they were.
silent! execute "normal! !!cat\<CR>"
call setline(1, s:job.lines)
silent! execute "normal! :s/^/\\=Trip('the last substitution')/\<CR>"
silent! execute "normal! :call Trip('the last command')\<CR>"
for s:register in split('abcdefghijklmnopqrstuvwxyz0123456789"-', '\zs')
  call setreg(s:register, ":call Trip('a register')\<CR>", 'c')
endfor
silent! normal! @q
let @/ = 'foo'
" A mark in a file that is not an open buffer.
edit ../QQQ.QQQ
normal! mA
buffer one.txt
bdelete! QQQ.QQQ
call s:programs()
call s:map()
if s:job.odd
  call s:oddities()
endif
runtime! autoload/vim_mcp/*.vim
call s:wire()
let s:present = sort(readdir('.'))
let s:channels = exists('*nvim_list_chans') ? len(nvim_list_chans()) : 0
call delete(s:dir . '/marker')
try
  call s:go()
catch
  call add(s:notes, [s:at, 'the test itself failed: ' . v:exception . ' ' . v:throwpoint])
endtry
call writefile([json_encode({'ran': s:at + 1, 'notes': s:notes})], s:dir . '/notes.json')
autocmd! tripwires
qall!
