" Telling the user something without ever leaving the editor at a hit-enter prompt.

" How many cells a message may take before the editor asks for Enter.
function! s:room() abort
  return exists('v:echospace') ? v:echospace : &columns - 30
endfunction

" `text` on one line that fits `room` cells: line breaks become blanks, and what is too long loses its tail.
function! s:one_line(text, room) abort
  let text = substitute(a:text, '[[:cntrl:]]\+', ' ', 'g')
  if strdisplaywidth(text) <= a:room
    return text
  endif
  while text !=# '' && strdisplaywidth(text) > a:room - 3
    let text = strcharpart(text, 0, strchars(text) - 1)
  endwhile
  return text . '...'
endfunction

" Answers a command that the user has typed; the message history gets it too.
function! vim_mcp#notice#echo(text) abort
  redraw
  echomsg s:one_line('vim-mcp: ' . a:text, s:room())
endfunction

" The same for what went wrong.
function! vim_mcp#notice#error(text) abort
  echohl ErrorMsg
  call vim_mcp#notice#echo(a:text)
  echohl None
endfunction

" Tells what nobody asked for. While a command line or a prompt is open it waits; where there is no line for
" messages ('cmdheight' 0), only the message history gets it.
function! vim_mcp#notice#unasked(text, ...) abort
  if mode(1) =~# '^[cr!]'
    call timer_start(1000, function('vim_mcp#notice#unasked', [a:text]))
  elseif &cmdheight == 0
    silent echomsg 'vim-mcp: ' . a:text
  else
    echohl WarningMsg
    call vim_mcp#notice#echo(a:text)
    echohl None
  endif
endfunction
