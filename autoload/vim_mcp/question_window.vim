" :VimMCPQuestion: a question with all that would be done, in a window to be read at leisure. It stays when the question
" has gone, and says so.

let s:save_cpo = &cpo
set cpo&vim

let s:buffer = -1
let s:question = {}
let s:words = ''

" Go to the window, opening it if need be, with a:question in it, which a:words ask.
function! vim_mcp#question_window#open(mods, question, words) abort
  if !vim_mcp#scratch#go(s:buffer)
    let s:buffer = vim_mcp#scratch#new((a:mods ==# '' ? 'topleft' : a:mods) . ' new', 'vim-mcp://question', 'wipe')
    setlocal wrap nofoldenable nonumber norelativenumber
  endif
  let [s:question, s:words] = [a:question, a:words]
  let lines = map(copy(a:question.lines), 'vim_mcp#ask_rows#visible(v:val)')
  call vim_mcp#scratch#fill(s:buffer, [a:words, '(:VimMCPAnswer yes, always or no; q closes this window)', ''] + lines)
  call cursor(1, 1)
endfunction

" A question has gone; a:how says in a word or two what became of it.
function! vim_mcp#question_window#settled(question, how, ...) abort
  if a:question isnot s:question || !bufloaded(s:buffer)
    return
  endif
  let text = getbufline(s:buffer, 4, '$')
  try
    call vim_mcp#scratch#fill(s:buffer, ['[' . a:how . '] ' . s:words, '(q closes this window)', ''] + text)
    let s:question = {}
  catch /:E\%(523\|565\):/
    " Not while the text is locked.
    call timer_start(100, function('vim_mcp#question_window#settled', [a:question, a:how]))
  endtry
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
