" Reading a request's parameters: each function returns the parameter a:name of
" a:params, or the optional default when it is missing or null, and throws
" -32602, naming the parameter, when it is missing or of another type.
"
" Numbers and strings come with nearly every request: what is as it should be is
" returned before anything else is looked at.

let s:number = type(0)
let s:string = type('')

function! vim_mcp#params#given(params, name) abort
  return get(a:params, a:name, v:null) isnot v:null
endfunction

" A whole number.
function! vim_mcp#params#number(params, name, ...) abort
  let l:value = get(a:params, a:name, a:0 ? a:1 : '')
  return type(l:value) == s:number ? l:value : s:typed(a:params, a:name, [s:number], 'a whole number', a:000)
endfunction

" A string.
function! vim_mcp#params#string(params, name, ...) abort
  let l:value = get(a:params, a:name, a:0 ? a:1 : 0)
  return type(l:value) == s:string ? l:value : s:typed(a:params, a:name, [s:string], 'a string', a:000)
endfunction

" true or false, returned as 1 or 0.
function! vim_mcp#params#bool(params, name, ...) abort
  return s:typed(a:params, a:name, [type(v:true)], 'true or false', a:000) ? 1 : 0
endfunction

" A list of strings.
function! vim_mcp#params#strings(params, name, ...) abort
  let l:value = s:typed(a:params, a:name, [type([])], 'a list of strings', a:000)
  if !empty(filter(copy(l:value), 'type(v:val) != 1'))
    call s:wrong(a:name, 'a list of strings')
  endif
  return l:value
endfunction

" One of the strings of a:choices.
function! vim_mcp#params#choice(params, name, choices, ...) abort
  let l:value = call('vim_mcp#params#string', [a:params, a:name] + a:000)
  if index(a:choices, l:value) < 0
    call s:wrong(a:name, 'one of ' . join(a:choices, ', '))
  endif
  return l:value
endfunction

function! s:typed(params, name, types, phrase, defaults) abort
  let l:Value = get(a:params, a:name, v:null)
  if l:Value is v:null && !empty(a:defaults)
    return a:defaults[0]
  elseif l:Value is v:null
    call vim_mcp#methods#invalid('`' . a:name . '` is missing: it must be ' . a:phrase)
  elseif index(a:types, type(l:Value)) < 0
    call s:wrong(a:name, a:phrase)
  endif
  return l:Value
endfunction

function! s:wrong(name, phrase) abort
  call vim_mcp#methods#invalid('`' . a:name . '` must be ' . a:phrase)
endfunction
