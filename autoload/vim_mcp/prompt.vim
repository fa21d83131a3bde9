" :ClaudeCodeAsk: a prompt, pasted into the terminal of a session, as a person would paste it, and sent by Enter.
"
" Prompts stand in a queue until Claude hears this editor: before that it may ask whether it may work here at all. Enter
" is pressed only once the prompt is seen on the screen: where it is not, Claude asks something, and Enter would answer
" that.

let s:save_cpo = &cpo
set cpo&vim

" Dictionaries: `number` of the session, `text`, `submit`. The first may be on its way (`seen`: how often it stood on
" the screen before it was pasted, `tries`: the looks that are left).
let s:queue = []
let s:timer = -1
let s:complaint = -1

" A look at the screen every so many ms, and so many looks.
let s:step = 50
let s:tries = 100

" How much of a prompt's end is looked for, in characters without blanks.
let s:tail = 30

" Longer texts are shown as this.
let s:folded = '[Pastedtext#'

" Ask a:text, with a mention of the lines a:first to a:last before it where a:range says that the user has named any;
" with a:submit 0 it is only put there. Below :global the line is meant, and one text about several lines is one prompt.
function! vim_mcp#prompt#ask(range, first, last, text, submit) abort
  let [l:text, l:below] = [s:clean(a:text), vim_mcp#global#runs()]
  let l:about = a:range || l:below
  if l:text ==# '' && !l:about
    call vim_mcp#notice#error('what shall Claude be asked? :ClaudeCodeAsk {text}')
    return
  endif
  let l:file = l:about ? vim_mcp#mention#file() : ''
  if l:about && l:file ==# ''
    return
  endif
  let l:places = l:about ? [{'file': l:file, 'lines': [a:first, a:last]}] : []
  let l:prompt = {'text': l:text, 'submit': a:submit && l:text !=# '', 'places': l:places}
  if l:below
    call s:gather(l:prompt)
  else
    call s:put_gathered()
    call s:put(l:prompt)
  endif
endfunction

" Prompts of a :global that runs, each text with all the places that it is about.
let s:gathered = []

function! s:gather(prompt) abort
  if empty(s:gathered)
    call timer_start(0, {timer -> s:put_gathered()})
  endif
  for l:known in s:gathered
    if [l:known.text, l:known.submit] ==# [a:prompt.text, a:prompt.submit]
      call vim_mcp#mention#join(l:known.places, a:prompt.places[0])
      return
    endif
  endfor
  call add(s:gathered, a:prompt)
endfunction

function! s:put_gathered() abort
  let [l:prompts, s:gathered] = [s:gathered, []]
  for l:prompt in l:prompts
    call s:put(l:prompt)
  endfor
endfunction

function! s:put(prompt) abort
  let l:surplus = vim_mcp#mention#surplus(a:prompt.places)
  if l:surplus !=# ''
    call vim_mcp#notice#error('not asked: ' . l:surplus)
    return
  endif
  let l:session = s:session()
  if !empty(l:session)
    let l:mentions = join(map(a:prompt.places, 's:mention(l:session, v:val)'), '')
    call s:enqueue({'number': l:session.number, 'text': l:mentions . a:prompt.text, 'submit': a:prompt.submit})
  endif
endfunction

" What remains of a text when nothing in it is a key but its characters and line ends. One that ends in a name behind an
" @ would have Enter complete that.
function! s:clean(text) abort
  let l:text = substitute(a:text, '[\x01-\x08\x0b-\x1f\x7f\u80-\u9f]', '', 'g')
  return l:text . (l:text =~# '@\S*$' ? ' ' : '')
endfunction

" The session to ask, {} where there is none, which the user is told.
function! s:session() abort
  let l:here = vim_mcp#terminal#current()
  if !l:here && vim_mcp#ide#clients()
    call vim_mcp#notice#error('Claude runs elsewhere: ask it there')
    return {}
  elseif l:here && !vim_mcp#terminal#can(l:here, 'write')
    call vim_mcp#notice#error('nothing can be typed into it from here: ask it there')
    return {}
  endif
  return vim_mcp#terminal#session()
endfunction

" As the CLI writes them; names within the directory that it runs in are relative.
function! s:mention(session, place) abort
  let [l:below, l:file, l:lines] = [get(a:session, 'cwd', getcwd()) . '/', a:place.file, a:place.lines]
  let l:name = stridx(l:file, l:below) == 0 ? strpart(l:file, strlen(l:below)) : l:file
  let l:name .= '#L' . l:lines[0] . (l:lines[1] > l:lines[0] ? '-' . l:lines[1] : '')
  return (l:name =~# '[^[:alnum:]/._#-]' ? '@"' . l:name . '" ' : '@' . l:name . ' ')
endfunction

function! s:enqueue(prompt) abort
  call add(s:queue, a:prompt)
  call s:run()
  if index(s:queue, a:prompt) >= 0 && !has_key(a:prompt, 'seen')
    call vim_mcp#notice#echo('the prompt waits for Claude')
    call timer_stop(s:complaint)
    let s:complaint = timer_start(max([0, vim_mcp#setting('send_timeout', 20000)]), function('s:complain'))
  elseif !a:prompt.submit
    call vim_mcp#terminal#attend()
  elseif vim_mcp#terminal#ask(a:prompt.number, 'visible', []) is 0
    call vim_mcp#notice#echo('asked: :ClaudeCode shows the answer')
  endif
endfunction

function! s:complain(timer) abort
  if !empty(s:queue)
    call vim_mcp#notice#unasked('a prompt still waits for Claude: :ClaudeCodeFocus')
  endif
endfunction

" A Claude hears now: go on with what waits.
function! vim_mcp#prompt#go_on() abort
  call s:run()
endfunction

function! s:run() abort
  if empty(s:queue) || has_key(s:queue[0], 'seen') || !vim_mcp#terminal#hears(s:queue[0].number)
    return
  endif
  let l:prompt = s:queue[0]
  let l:screen = s:screen(l:prompt.number)
  call extend(l:prompt, {'seen': s:count(l:screen, l:prompt), 'tries': s:tries})
  call vim_mcp#terminal#ask(l:prompt.number, 'write', ["\<Esc>[200~" . l:prompt.text . "\<Esc>[201~"])
  let s:timer = timer_start(s:step, function('s:look'), {'repeat': -1})
endfunction

function! s:look(timer) abort
  let l:prompt = s:queue[0]
  let l:prompt.tries -= 1
  let l:there = s:count(s:screen(l:prompt.number), l:prompt) > l:prompt.seen
  if l:there || l:prompt.tries <= 0
    call timer_stop(a:timer)
    call remove(s:queue, 0)
    call s:end(l:prompt, l:there)
    call s:run()
  endif
endfunction

function! s:end(prompt, there) abort
  if !a:there
    call vim_mcp#notice#unasked('Claude takes no prompt now: :ClaudeCodeFocus shows why')
  elseif a:prompt.submit
    call vim_mcp#terminal#ask(a:prompt.number, 'write', ["\r"])
  endif
endfunction

" The screen without blanks, since lines are broken where there is no room.
function! s:screen(number) abort
  let l:lines = vim_mcp#terminal#ask(a:number, 'screen', [])
  return type(l:lines) == type([]) ? substitute(join(l:lines, ''), '\s\+', '', 'g') : ''
endfunction

" How often a prompt's end stands there, or a text that is not shown.
function! s:count(screen, prompt) abort
  let l:end = matchstr(substitute(a:prompt.text, '\_s\+', '', 'g'), '.\{,' . s:tail . '}$')
  return count(a:screen, l:end) + count(a:screen, s:folded)
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
