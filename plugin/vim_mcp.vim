" vim-mcp: lets MCP clients see and drive this editor. See :help vim-mcp
"
" This file is all that an editor's start pays for, so it only names things: every function lives in autoload/. It
" has no continuation lines, because 'cpoptions' is the user's.

if exists('g:loaded_vim_mcp')
  finish
endif
let g:loaded_vim_mcp = 1

if has('nvim') ? !has('nvim-0.7.2') : v:version < 800 || !has('channel') || !has('job') || !has('timers')
  " An editor that cannot take part starts as if the plugin were not there, and says why when it is asked.
  command! -bang -nargs=* VimMCPStart echomsg 'vim-mcp needs Neovim 0.7.2, or Vim 8.0 with +channel, +job and +timers'
  command! -bang -nargs=* VimMCPReconnect VimMCPStart
  command! -bang -nargs=* VimMCPStatus VimMCPStart
  finish
endif

command! -bar -nargs=* VimMCPStart call vim_mcp#alone#call(<q-args>, 'vim_mcp#start')
command! -bar -nargs=* VimMCPStop call vim_mcp#alone#call(<q-args>, 'vim_mcp#stop')
command! -bar -nargs=* VimMCPReconnect call vim_mcp#alone#call(<q-args>, 'vim_mcp#reconnect')
command! -bar -nargs=* VimMCPStatus call vim_mcp#alone#call(<q-args>, 'vim_mcp#status')
command! -bar -nargs=* VimMCPLog call vim_mcp#alone#call(<q-args>, 'vim_mcp#log')
command! -bar -nargs=* VimMCPDoctor call vim_mcp#alone#call(<q-args>, 'vim_mcp#doctor#open', <q-mods>)
command! -bar -bang -nargs=? -complete=file VimMCPInstall call vim_mcp#install#run(<q-args>, <bang>0)
command! -bar -bang -nargs=? -complete=custom,vim_mcp#on_off VimMCPPause call vim_mcp#pause(<bang>0 ? 'off' : <q-args>)
command! -bar -nargs=? -complete=custom,vim_mcp#ask#complete VimMCPAnswer call vim_mcp#ask#answer(<q-args>)
command! -bar -nargs=* VimMCPQuestion call vim_mcp#alone#call(<q-args>, 'vim_mcp#ask#open', <q-mods>)
command! -nargs=* -complete=custom,vim_mcp#kernel#complete VimMCPKernel call vim_mcp#kernel#command(<q-args>)
command! -bar -nargs=* -bang -range VimMCPRunCell call vim_mcp#cell#run(<q-args>, <bang>0, <range>, <line1>, <line2>)
command! -bar -nargs=* VimMCPKernelOutput call vim_mcp#alone#call(<q-args>, 'vim_mcp#kernel_output#open', <q-mods>)
command! -bar -nargs=* VimMCPHistory call vim_mcp#alone#call(<q-args>, 'vim_mcp#history#open')
command! -bar -nargs=? -complete=custom,vim_mcp#on_off VimMCPSelection call vim_mcp#selection#command(<q-args>)
command! -bar -nargs=* -range ClaudeAtMention call vim_mcp#mention#command(<q-args>, <range>, <line1>, <line2>)
command! -count=0 -nargs=* ClaudeCode call vim_mcp#terminal#toggle(<range>, <count>, <q-mods>, [<f-args>])
command! -bar -nargs=* -count=0 ClaudeCodeFocus call vim_mcp#terminal#focus(<q-args>, <range>, <count>, <q-mods>)
command! -bar -nargs=* -bang -range ClaudeCodeSend call vim_mcp#mention#go(<q-args>, <range>, <line1>, <line2>, <bang>0)
command! -nargs=* -complete=file ClaudeCodeAdd call vim_mcp#mention#add([<f-args>])
command! -bar -nargs=* -range ClaudeCodeTreeAdd call vim_mcp#trees#command(<q-args>, <range>, <line1>, <line2>)
command! -bang -range -nargs=* ClaudeCodeAsk call vim_mcp#prompt#ask(<range>, <line1>, <line2>, <q-args>, !<bang>0)
command! -bar -nargs=* ClaudeCodeDiffAccept call vim_mcp#alone#call(<q-args>, 'vim_mcp#diff_commands#accept')
command! -nargs=? ClaudeCodeDiffDeny call vim_mcp#diff_commands#deny(<q-args>)
command! -bar -nargs=? ClaudeCodeDiffs call vim_mcp#diff_commands#list(+<q-args>)
command! -bar -nargs=* ClaudeCodeFollow call vim_mcp#alone#call(<q-args>, 'vim_mcp#follow#toggle', <q-mods>)
command! -bar -nargs=* ClaudeCodeChanges call vim_mcp#alone#call(<q-args>, 'vim_mcp#changes#list')
command! -bar -nargs=* ClaudeCodeRevert call vim_mcp#alone#call(<q-args>, 'vim_mcp#revert#open')
command! -bar -nargs=* ClaudeCodeCloseAllDiffs call vim_mcp#alone#call(<q-args>, 'vim_mcp#diff_commands#close_all')
nnoremap <silent> <Plug>(vim-mcp-run-cell) :<C-U>VimMCPRunCell<CR>
xnoremap <silent> <Plug>(vim-mcp-run-cell) :VimMCPRunCell<CR>
nnoremap <silent> <Plug>(claude-at-mention) :<C-U>ClaudeAtMention<CR>
xnoremap <silent> <Plug>(claude-at-mention) :ClaudeAtMention<CR>
nnoremap <silent> <Plug>(claude-code) :<C-U>ClaudeCode<CR>
xnoremap <silent> <Plug>(claude-code) :<C-U>ClaudeCode<CR>
if has('nvim') || has('terminal') && has('patch-8.2.1978')
  tnoremap <silent> <Plug>(claude-code) <Cmd>ClaudeCode<CR>
  tnoremap <silent> <Plug>(claude-focus) <Cmd>ClaudeCodeFocus<CR>
endif
nnoremap <Plug>(claude-ask) :ClaudeCodeAsk<Space>
xnoremap <Plug>(claude-ask) :ClaudeCodeAsk<Space>
nnoremap <silent> <Plug>(claude-focus) :<C-U>ClaudeCodeFocus<CR>
nnoremap <silent> <expr> <Plug>(claude-send) vim_mcp#mention#operator()
nnoremap <silent> <expr> <Plug>(claude-send-line) vim_mcp#mention#operator() . '_'
xnoremap <silent> <Plug>(claude-send) :ClaudeCodeSend<CR>
nnoremap <silent> <Plug>(claude-add) :<C-U>ClaudeCodeAdd<CR>
nnoremap <silent> <Plug>(claude-tree-add) :<C-U>ClaudeCodeTreeAdd<CR>
xnoremap <silent> <Plug>(claude-tree-add) :ClaudeCodeTreeAdd<CR>
nnoremap <silent> <Plug>(claude-diff-accept) :<C-U>ClaudeCodeDiffAccept<CR>
nnoremap <silent> <Plug>(claude-diff-deny) :<C-U>ClaudeCodeDiffDeny<CR>
nnoremap <silent> <Plug>(vim-mcp-answer-yes) :<C-U>VimMCPAnswer yes<CR>
nnoremap <silent> <Plug>(vim-mcp-answer-always) :<C-U>VimMCPAnswer always<CR>
nnoremap <silent> <Plug>(vim-mcp-answer-no) :<C-U>VimMCPAnswer no<CR>
nnoremap <silent> <Plug>(claude-diff-next) :<C-U>call vim_mcp#diff_commands#change(']c')<CR>
nnoremap <silent> <Plug>(claude-diff-previous) :<C-U>call vim_mcp#diff_commands#change('[c')<CR>

" `:` in Visual mode puts lines before the command. Those that take a number are refused with lines.
augroup vim_mcp_typed
  autocmd!
  autocmd CmdlineLeave : if getcmdline() =~# "'<,'>.*ClaudeCode" | call vim_mcp#typed#without_lines() | endif
augroup END

" A timer of 0 ms fires once the first screen is up and the editor waits for a key: the start is not slowed, and an
" editor that was told to leave by then (`vim -c q`) has left without a trace.
if v:vim_did_enter
  call timer_start(0, 'vim_mcp#autostart')
else
  augroup vim_mcp_autostart
    autocmd!
    autocmd StdinReadPre * let g:vim_mcp_stdin = 1
    autocmd VimEnter * call timer_start(0, 'vim_mcp#autostart')
    if exists('##UIEnter')
      autocmd UIEnter * call timer_start(0, 'vim_mcp#autostart')
    endif
  augroup END
endif
