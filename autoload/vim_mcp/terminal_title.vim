" The titles of Claude's terminals, which show whether it works: when its user ends a turn by Escape, no hook tells.

let s:save_cpo = &cpo
set cpo&vim

" What a title begins with while Claude rests; while it works, by something else. Where it never
" does there is no telling.
let s:rests = "\u2733"

" A look every so many ms; so many in a row must show that it rests, for hooks and titles come apart.
let s:step = 1000
let s:enough = 3
let s:timer = -1

" Until its first title has shown that it works, oftener for a while: a turn may be ended as soon as it has begun.
let s:early_step = 100
let s:early_looks = 30
let s:early = -1

" By the number of a session: `worked`: its title has shown that; `rests`: how often it has shown that in a row.
let s:seen = {}

" What Claude does (see ide.vim) is something else now: while it works the titles are looked at.
function! vim_mcp#terminal_title#watch(activity) abort
  call timer_stop(s:timer)
  call timer_stop(s:early)
  if a:activity ==# 'working'
    call map(s:seen, 'extend(v:val, {"rests": 0})')
    call s:look(-1)
    let s:timer = timer_start(s:step, function('s:look'), {'repeat': -1})
    let s:early = timer_start(s:early_step, function('s:look_early'), {'repeat': s:early_looks})
  endif
endfunction

function! s:look(timer) abort
  call vim_mcp#terminal#titles(function('s:take'))
endfunction

function! s:look_early(timer) abort
  if !empty(s:seen) && empty(filter(copy(s:seen), '!v:val.worked'))
    call timer_stop(s:early)
  else
    call vim_mcp#terminal#titles(function('s:see'))
  endif
endfunction

" The title of a session, and the function that gives its process.
function! s:take(number, title, Process) abort
  let l:seen = s:see(a:number, a:title, a:Process)
  let l:seen.rests = s:shows_rest(a:title) ? l:seen.rests + 1 : 0
  if l:seen.worked && l:seen.rests == s:enough && vim_mcp#link#connected()
    call vim_mcp#transport#send({'type': 'rested', 'pid': a:Process()})
  endif
endfunction

" What is known of a session, with what its title shows now.
function! s:see(number, title, Process) abort
  let l:seen = extend(s:seen, {a:number : {'worked': 0, 'rests': 0}}, 'keep')[a:number]
  let l:seen.worked = l:seen.worked || a:title !=# '' && !s:shows_rest(a:title)
  return l:seen
endfunction

function! s:shows_rest(title) abort
  return stridx(a:title, s:rests) == 0
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
