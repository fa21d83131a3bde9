" The popup that shows a question: who asks, what would be done, how to answer. It never takes the focus.
"
" Its rows are made here and in ask_rows.vim, so that both editors show the same: every line of the text is there. Of a
" long text a part is shown at a time; how much there is stands above it.

let s:save_cpo = &cpo
set cpo&vim

let s:max_width = 100

" Neovim's floats take these over from the window that the person is in: they would hide text, turn it round or move it.
let s:plain = {'wrap': v:false, 'foldenable': v:false, 'rightleft': v:false, 'diff': v:false, 'scrollbind': v:false,
      \ 'cursorbind': v:false, 'conceallevel': 0, 'winblend': 0}

let s:window = -1
let s:buffer = -1
let s:shown = {}

" Counting the rows of a long text: for so many ms, after so many of the person's.
let [s:slice, s:pause, s:counter] = [10, 5, -1]

" Show it in the lower right corner, over whatever is there.
function! vim_mcp#ask_window#show(question) abort
  let s:shown = a:question
  augroup vim_mcp_ask
    autocmd!
    autocmd VimResized,TabEnter * call timer_start(0, {-> s:again()})
    autocmd WinClosed * call timer_start(0, {-> s:again()})
    autocmd OptionSet paste call timer_start(0, {-> s:again()})
  augroup END
  call s:draw()
endfunction

function! vim_mcp#ask_window#close() abort
  let s:shown = {}
  if exists('#vim_mcp_ask')
    autocmd! vim_mcp_ask
    augroup! vim_mcp_ask
  endif
  call s:hide()
  call s:redraw()
endfunction

" On a command line the editors do not by themselves; Vim shows a popup there, but does not take it away.
function! s:redraw() abort
  if mode() ==# 'c'
    redraw
  endif
endfunction

" Whether what is drawn is seen: Vim draws nothing while messages wait for a key, Neovim nothing over the preview of :s.
" (Neovim's state(), unlike Vim's, has the flag for messages that have scrolled also when they are long over.)
function! vim_mcp#ask_window#is_in_sight() abort
  if has('nvim')
    return mode() !=# 'r' && !(getcmdtype() ==# ':' && &inccommand !=# '' && getcmdline() =~# s:previewed)
  endif
  return mode() !=# 'r' && (!exists('*state') || state('s') ==# '')
endfunction

" A command line that may be one of those with a preview.
let s:previewed = '\%(^\|\A\)s\a*[[:punct:]]'

" Show other rows of the text: a:pages further down, or up.
function! vim_mcp#ask_window#scroll(pages) abort
  if !empty(s:shown)
    let s:shown.top += a:pages * max([1, s:height - 1])
    call s:draw()
  endif
endfunction

" What is at a place of the screen: 'yes', 'always', 'no', '' elsewhere in the popup, 'beside' outside of it.
function! vim_mcp#ask_window#at(row, column) abort
  if s:window < 0
    return 'beside'
  endif
  let [row, column] = [a:row - s:place.row, a:column - s:place.column]
  if row < 0 || row > s:place.height + 1 || column < 0 || column > s:place.width + 1
    return 'beside'
  endif
  let row -= s:place.height - s:feet
  let found = filter(items(s:buttons), 'row == v:val[1][0] && column >= v:val[1][1] && column <= v:val[1][2]')
  return empty(found) ? '' : found[0][0]
endfunction

function! s:again() abort
  if !empty(s:shown)
    call s:draw()
  endif
endfunction

function! s:draw() abort
  let width = max([1, min([s:max_width, &columns - 4])])
  let text = s:text(s:rows(s:shown.lines, width), width)
  let s:place = {'width': width, 'height': len(text)}
  let s:place.row = max([1, &lines - &cmdheight - s:place.height - 2])
  let s:place.column = max([1, &columns - width - 1])
  try
    call {has('nvim') ? 's:float' : 's:popup'}(text)
  catch /:E\%(11\|523\|565\):/
    " Not while the text is locked.
    call timer_start(100, {-> s:again()})
  endtry
  call s:redraw()
endfunction

" All rows: who asks what, as many rows of what would be done as there is room for, how to answer. In half of the
" screen; what is not the text itself takes more where it has to. On the smallest screens who asks gives way to the
" rest.
function! s:text(rows, width) abort
  let foot = s:foot(a:width)
  let room = &lines - &cmdheight - 2
  let foot = len(foot) < room ? foot : foot[: s:buttons.no[0] - 1]
  let s:feet = len(foot)
  let room -= s:feet
  let s:height = min([len(a:rows), max([1, (&lines - &cmdheight) / 2 - 4])])
  let s:height = max([1, min([s:height, room - len(s:head(a:rows, a:width))])])
  let s:shown.top = max([0, min([s:shown.top, len(a:rows) - s:height])])
  let head = s:head(a:rows, a:width)
  let head = head[max([0, len(head) - max([0, room - s:height])]) :]
  return head + a:rows[s:shown.top : s:shown.top + s:height - 1] + foot
endfunction

function! s:head(rows, width) abort
  let number = vim_mcp#ask#count() > 1 ? '(1 of ' . vim_mcp#ask#count() . ') ' : ''
  let words = split(number . vim_mcp#ask#words(s:shown))
  if len(a:rows) > s:height
    let known = s:shown.layout.done ? len(a:rows) : 'more than ' . len(a:rows)
    call add(words, printf('[rows %d-%d of %s]', s:shown.top + 1, s:shown.top + s:height, known))
  endif
  let rows = ['']
  for word in words
    call s:put(rows, word, a:width)
  endfor
  return rows
endfunction

" The buttons, with the keys that do the same where there is room for them; where each is: its row, first and last
" column.
function! s:foot(width) abort
  let chords = vim_mcp#ask_keys#complete()
  let named = chords && a:width >= len('[always CTRL-\ a]')
  let [rows, s:buttons] = [[''], {}]
  for word in ['yes', 'always', 'no']
    let button = '[' . word . (named ? ' CTRL-\ ' . word[0] : '') . ']'
    let end = s:put(rows, button, a:width)
    let s:buttons[word] = [len(rows), end - len(button) + 1, end]
  endfor
  let hint = !chords ? ':VimMCPAnswer yes|always|no' : named ? 'CTRL-\ j/k scrolls' : 'CTRL-\ y/a/n'
  for part in len(hint) <= a:width ? [hint] : split(hint)
    call s:put(rows, part, a:width)
  endfor
  return rows
endfunction

" Put a word behind the last row, or into a new one where it has no room; returns the column in which it ends.
function! s:put(rows, word, width) abort
  let joined = a:rows[-1] ==# '' ? a:word : a:rows[-1] . ' ' . a:word
  if strdisplaywidth(joined) <= a:width
    let a:rows[-1] = joined
  else
    call filter(a:rows, 'v:val !=# ""')
    call extend(a:rows, vim_mcp#text#pieces(a:word, a:width))
  endif
  return strdisplaywidth(a:rows[-1])
endfunction

" As many rows of the text as are needed now; those of a long one are counted in the moments between.
function! s:rows(lines, width) abort
  if !has_key(s:shown, 'layout') || s:shown.layout.width != a:width
    let s:shown.layout = vim_mcp#ask_rows#new(a:lines, a:width)
  endif
  call vim_mcp#ask_rows#lay(s:shown.layout, s:shown.top + &lines, -1)
  if !s:shown.layout.done && empty(timer_info(s:counter))
    let s:counter = timer_start(s:pause, function('s:count', [s:shown]))
  endif
  return s:shown.layout.rows
endfunction

function! s:count(question, timer) abort
  if a:question isnot s:shown
    return
  endif
  call vim_mcp#ask_rows#lay(a:question.layout, -1, s:slice)
  if a:question.layout.done
    call s:draw()
  else
    let s:counter = timer_start(s:pause, function('s:count', [a:question]))
  endif
endfunction

function! s:popup(text) abort
  let options = {'line': s:place.row, 'col': s:place.column, 'pos': 'topleft', 'fixed': 1, 'wrap': 0, 'tabpage': -1,
        \ 'minwidth': s:place.width, 'maxwidth': s:place.width,
        \ 'minheight': s:place.height, 'maxheight': s:place.height,
        \ 'border': [], 'highlight': 'Pmenu', 'zindex': 300, 'callback': {window, result -> s:closed(window)}}
  if s:window > 0 && !empty(popup_getpos(s:window))
    call popup_setoptions(s:window, options)
    call popup_settext(s:window, a:text)
    return
  endif
  let s:window = popup_create(a:text, options)
endfunction

" By a plugin that clears all popups, perhaps.
function! s:closed(window) abort
  if a:window == s:window
    let s:window = -1
    call timer_start(0, {-> s:again()})
  endif
endfunction

function! s:float(text) abort
  if !bufexists(s:buffer)
    let s:buffer = nvim_create_buf(v:false, v:true)
    call setbufvar(s:buffer, '&modifiable', 1)
  endif
  call nvim_buf_set_lines(s:buffer, 0, -1, v:false, a:text)
  let options = {'relative': 'editor', 'row': s:place.row - 1, 'col': s:place.column - 1, 'width': s:place.width,
        \ 'height': s:place.height, 'focusable': v:false, 'style': 'minimal', 'border': 'single', 'zindex': 250}
  if s:window > 0 && nvim_win_is_valid(s:window) && nvim_win_get_tabpage(s:window) == nvim_get_current_tabpage()
    call nvim_win_set_config(s:window, options)
    return
  endif
  call s:hide()
  let s:window = nvim_open_win(s:buffer, v:false, extend(options, {'noautocmd': v:true}))
  for [name, value] in items(s:plain)
    noautocmd call nvim_win_set_option(s:window, name, value)
  endfor
endfunction

function! s:hide() abort
  if s:window < 0
    return
  elseif has('nvim')
    call s:close_float()
    return
  endif
  let [window, s:window] = [s:window, -1]
  call popup_close(window)
endfunction

function! s:close_float() abort
  try
    if nvim_win_is_valid(s:window)
      call nvim_win_close(s:window, v:true)
    endif
    let s:window = -1
  catch /E\%(11\|523\|565\):/
    " Neovim 0.7 refuses in the command-line window, every version while the text is locked.
    silent! call nvim_buf_set_lines(s:buffer, 0, -1, v:false, ['(The question has gone.)'])
    call timer_start(100, {-> s:hide_again()})
  endtry
endfunction

function! s:hide_again() abort
  if empty(s:shown)
    call s:hide()
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
