" Files that a client has the person look at without meaning to keep them open.
"
" They come in an ordinary window, where a person reads and yanks as ever: the
" preview window is for what belongs to the line being edited, and its next user
" would replace the file. But their buffer goes when it is hidden, so that a
" client that shows twenty files leaves no twenty buffers behind. What is edited,
" written or opened for good stays.

let s:save_cpo = &cpo
set cpo&vim

" Make a buffer a preview, which a window shows and which was not there before.
function! vim_mcp#preview#begin(bufnr) abort
  call setbufvar(a:bufnr, 'vim_mcp_preview', getbufvar(a:bufnr, '&bufhidden'))
  call setbufvar(a:bufnr, '&bufhidden', 'wipe')
  augroup vim_mcp_preview
    execute 'autocmd! * <buffer=' . a:bufnr . '>'
    for [l:events, l:condition] in [['InsertEnter,BufWritePost', 1], ['TextChanged,TextChangedI', '&modified']]
      execute 'autocmd' l:events '<buffer=' . a:bufnr . '> if' l:condition
            \ '| call vim_mcp#preview#keep(' . a:bufnr . ') | endif'
    endfor
  augroup END
endfunction

" Let a buffer stay; one that is no preview is left as it is.
function! vim_mcp#preview#keep(bufnr) abort
  let l:bufhidden = getbufvar(a:bufnr, 'vim_mcp_preview', 0)
  if type(l:bufhidden) != type('')
    return
  endif
  execute 'autocmd! vim_mcp_preview * <buffer=' . a:bufnr . '>'
  call setbufvar(a:bufnr, 'vim_mcp_preview', 0)
  if getbufvar(a:bufnr, '&bufhidden') ==# 'wipe'
    call setbufvar(a:bufnr, '&bufhidden', l:bufhidden)
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
