" Questions to the person: whether a client may do what only they can let through. One is shown at a time, the oldest.
"
" A question is a dictionary:
"   question, client, kind   as they were asked for; kind is a key of s:kinds
"   lines                    what would be done
"   since                    when it came before the person's eyes; [] before
"   timed                    whether its time runs
"   top                      the first row of its text that is shown (ask_window.vim)

let s:save_cpo = &cpo
set cpo&vim

" Those without an answer, the oldest first.
let s:waiting = []

" What the person has let through for as long as this editor runs: kind and text -> 1.
let s:always = {}

" What a question asks, by its kind.
let s:kinds = {'execute': 'may it run this Ex command?', 'execute_code': 'may it run this code?'}

" The cells of a client's name that are shown: it is of the client's own choosing, and must not take the question's
" place.
let s:name = 40

let s:answers = {'yes': 'once', 'always': 'always', 'no': 'no'}

" How long a question waits for its answer by default, in ms.
let s:patience = 120000
let s:timer = -1

" How soon to look again whether one is in sight, in ms.
let s:step = 100

" The method `ask`. It is answered at once; the person's answer is told later.
function! vim_mcp#ask#ask(params) abort
  let question = {'since': [], 'timed': 0, 'top': 0, 'lines': vim_mcp#lines#given(a:params, 'lines')}
  for name in ['question', 'client', 'kind']
    let question[name] = vim_mcp#params#string(a:params, name)
  endfor
  if !has_key(s:kinds, question.kind)
    call vim_mcp#methods#invalid('`kind` is none of ' . join(sort(keys(s:kinds)), ', '))
  elseif has_key(s:always, s:key(question))
    call s:tell(question, 'always')
  elseif empty(filter(copy(s:waiting), 'v:val.question ==# question.question'))
    " Not twice: the hub asks again where it got no answer in time.
    call add(s:waiting, question)
    call s:present()
  endif
  return {}
endfunction

" The method `cancel_question`: who has asked does not want to know any more.
function! vim_mcp#ask#cancel(params) abort
  let ids = vim_mcp#params#strings(a:params, 'questions')
  let cancelled = filter(copy(s:waiting), 'index(ids, v:val.question) >= 0')
  call s:remove(cancelled, 'withdrawn by who asked')
  return {'cancelled': len(cancelled)}
endfunction

" The connection is lost or ended, so nobody waits for answers.
function! vim_mcp#ask#forget() abort
  call s:remove(copy(s:waiting), 'gone with the connection')
endfunction

" Clients are kept out from now on: whatever they ask is refused.
function! vim_mcp#ask#refuse() abort
  let refused = copy(s:waiting)
  for question in refused
    call s:tell(question, 'no')
  endfor
  call s:remove(refused, 'refused, since you keep clients out')
endfunction

" The question that is shown, or {}.
function! vim_mcp#ask#current() abort
  return get(s:waiting, 0, {})
endfunction

" What is asked in it, in words.
function! vim_mcp#ask#words(question) abort
  let asker = a:question.client ==# '' ? 'a client' : vim_mcp#ask_rows#visible(a:question.client)
  return vim_mcp#text#fitting(asker, s:name) . ' asks: ' . s:kinds[a:question.kind]
endfunction

" How many questions wait.
function! vim_mcp#ask#count() abort
  return len(s:waiting)
endfunction

" :VimMCPAnswer, its maps, chords and buttons: 'yes', 'always' or 'no'.
function! vim_mcp#ask#answer(word) abort
  let question = vim_mcp#ask#current()
  if !has_key(s:answers, a:word)
    let given = a:word ==# '' ? '' : ', not "' . a:word . '"'
    call vim_mcp#notice#error(':VimMCPAnswer takes "yes", "always" or "no"' . given)
  elseif empty(question)
    call vim_mcp#notice#error('nobody asks anything now')
  elseif empty(question.since) || vim_mcp#calm#is_new(question.since)
    call vim_mcp#notice#unasked('the question has only just come up: answer it again')
  elseif exists('*reg_executing') && reg_executing() !=# ''
    " It was recorded as the answer to another.
    call vim_mcp#notice#unasked('a macro answers no question: answer it yourself')
  else
    call s:settle(question, s:answers[a:word], 'you have answered: ' . a:word)
  endif
endfunction

" :VimMCPQuestion: all that would be done, in a window of its own to be read at leisure.
function! vim_mcp#ask#open(mods) abort
  let question = vim_mcp#ask#current()
  if empty(question)
    call vim_mcp#notice#error('nobody asks anything now')
  else
    call vim_mcp#question_window#open(vim_mcp#place#mods(a:mods), question, vim_mcp#ask#words(question))
  endif
endfunction

" Completion of :VimMCPAnswer.
function! vim_mcp#ask#complete(lead, line, position) abort
  return "yes\nalways\nno"
endfunction

" With an answer for always also those that wait with the same text.
function! s:settle(question, answer, how) abort
  let [settled, key] = [[a:question], s:key(a:question)]
  if a:answer ==# 'always'
    let s:always[key] = 1
    let settled = filter(copy(s:waiting), 's:key(v:val) ==# key')
  endif
  for question in settled
    call s:tell(question, a:answer)
  endfor
  call s:remove(settled, a:how)
endfunction

" These do not wait any more; a:how says why.
function! s:remove(questions, how) abort
  let ids = map(copy(a:questions), 'v:val.question')
  call filter(s:waiting, 'index(ids, v:val.question) < 0')
  for question in exists('*vim_mcp#question_window#settled') ? a:questions : []
    call vim_mcp#question_window#settled(question, a:how)
  endfor
  call s:present()
endfunction

function! s:key(question) abort
  return a:question.kind . ' ' . join(a:question.lines, "\r\n")
endfunction

function! s:tell(question, answer) abort
  call vim_mcp#transport#send({'type': 'answer', 'question': a:question.question, 'answer': a:answer})
endfunction

" Shows the first question, if there is one, and its number among those that wait.
function! s:present() abort
  let question = vim_mcp#ask#current()
  if empty(question)
    call timer_stop(s:timer)
    call vim_mcp#ask_keys#unmap()
    call vim_mcp#ask_window#close()
    return
  endif
  if !question.timed
    let question.timed = 1
    call timer_stop(s:timer)
    let s:timer = timer_start(vim_mcp#setting('ask_timeout', s:patience), function('s:expire', [question]))
  endif
  call vim_mcp#ask_keys#map()
  call vim_mcp#ask_window#show(question)
  call s:see(question)
endfunction

" Note when it came into sight. Until then another may still be seen in its place, and is what an answer is meant for.
function! s:see(question, ...) abort
  if vim_mcp#ask#current() isnot a:question || !empty(a:question.since)
    return
  elseif vim_mcp#ask_window#is_in_sight()
    let a:question.since = reltime()
  else
    call timer_start(s:step, function('s:see', [a:question]))
  endif
endfunction

function! s:expire(question, timer) abort
  if vim_mcp#ask#current() is a:question
    call vim_mcp#notice#unasked('a question was not answered in time: that is a no')
    call s:settle(a:question, 'unanswered', 'not answered in time')
  endif
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
