" Files whose text is never given to a client: g:vim_mcp_ignore.
"
" A pattern is a file pattern of Vim's. Without a slash it is matched against
" the name's last part, with one against the whole name; case matters.

let s:save_cpo = &cpo
set cpo&vim

let s:default = ['.env*', '*.pem', '*.key', '*.p12', '*.pfx', '*.kdbx', '*.jks', '*.keystore', '*.ppk',
      \ 'id_rsa*', 'id_dsa*', 'id_ecdsa*', 'id_ed25519*',
      \ '.netrc', '_netrc', '.pgpass', '.htpasswd', '.git-credentials',
      \ 'credentials', 'credentials.*', '.npmrc', '.pypirc', 'secrets.*', '*/.gnupg/*', '*/.aws/*', '*/.kube/config',
      \ '.viminfo*', '*.shada']

" The patterns that s:tail and s:whole were made of, and the names known so far.
let s:compiled = []
let s:tail = ''
let s:whole = ''
let s:known = {}
let s:max_known = 2000

" Whether a full file name matches, by itself or by what its links lead to.
function! vim_mcp#ignore#matches(name) abort
  if a:name ==# ''
    return 0
  endif
  let l:patterns = get(g:, 'vim_mcp_ignore', s:default)
  let l:patterns = type(l:patterns) == type('') ? split(l:patterns, ',') : l:patterns
  if l:patterns !=# s:compiled
    call s:compile(l:patterns)
  endif
  let l:target = resolve(a:name)
  return s:known_match(a:name) || l:target !=# a:name && s:known_match(l:target)
endfunction

" A link may lead elsewhere tomorrow: names are remembered, not links.
function! s:known_match(name) abort
  if !has_key(s:known, a:name)
    if len(s:known) > s:max_known
      let s:known = {}
    endif
    let s:known[a:name] = s:matches(a:name)
  endif
  return s:known[a:name]
endfunction

" Throw the error `ignored` when a file's name matches.
function! vim_mcp#ignore#refuse(name) abort
  if vim_mcp#ignore#matches(a:name)
    call vim_mcp#methods#fail('ignored', a:name . ' matches g:vim_mcp_ignore (private keys, secrets and the like): '
          \ . 'its text is neither given nor changed')
  endif
endfunction

function! s:matches(name) abort
  let l:reviewed = stridx(a:name, 'vim-mcp') >= 0 ? [vim_mcp#diff_buffers#reviewed(a:name)] : []
  return !empty(filter(s:owners(a:name) + [a:name] + l:reviewed, 's:matches_itself(v:val)'))
endfunction

function! s:matches_itself(name) abort
  return s:tail !=# '' && fnamemodify(a:name, ':t') =~# s:tail || s:whole !=# '' && a:name =~# s:whole
endfunction

" The files whose text a swap, undo or backup file of Vim's may hold: it is called
" after its file, perhaps with a dot before it, or with % for each / of the path.
function! s:owners(name) abort
  let l:tail = fnamemodify(a:name, ':t')
  let l:stem = substitute(l:tail, '\%(\.s[a-z][a-z]\|\.un\~\|\~\)$', '', '')
  if l:stem ==# l:tail && l:tail !~# '%'
    return []
  endif
  let l:names = [l:stem, substitute(l:stem, '^\.', '', '')]
  let l:names = map(l:names, 'fnamemodify(a:name, ":h") . "/" . v:val') + [tr(l:stem, '%', '/')]
  let l:told = l:tail =~# '\.s[a-z][a-z]$' && exists('*swapinfo') ? get(swapinfo(a:name), 'fname', '') : ''
  return l:names + (l:told ==# '' ? [] : [substitute(l:told, '^\~[^/]*', escape($HOME, '\&~'), '')])
endfunction

function! s:compile(patterns) abort
  let s:compiled = copy(a:patterns)
  let s:known = {}
  let s:tail = s:regular(filter(copy(a:patterns), 'v:val !~# "/"'))
  let s:whole = s:regular(map(filter(copy(a:patterns), 'v:val =~# "/"'), 's:anchored(v:val)'))
endfunction

function! s:anchored(pattern) abort
  return a:pattern =~# '^[/*]' ? a:pattern : a:pattern =~# '^\~/' ? $HOME . a:pattern[1:] : '*/' . a:pattern
endfunction

function! s:regular(patterns) abort
  return join(map(copy(a:patterns), 'glob2regpat(v:val)'), '\|')
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
