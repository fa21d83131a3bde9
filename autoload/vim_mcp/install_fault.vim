" What an installation failed of, as what its programs have said tells, and what to do about it.

let s:save_cpo = &cpo
set cpo&vim

let s:wheels = 'or without one from wheels: :help vim-mcp-offline'

" A pattern of what was said, the fault in a few words (80 columns have room for about 25 characters), and its remedy,
" in which {place} is the directory of the environment. The first that fits counts: pip also finds nothing to install
" where it does not reach its index.
let s:faults = [
      \ ['no Python 3\.11', 'no Python 3.11 with venv',
      \  'Install Python 3.11 or newer with its venv module (Debian: python3-venv)'],
      \ ['No space left on device\|Disk quota exceeded', 'the disk is full', 'Make room in {place}'],
      \ ['Read-only file system\|Permission denied', 'a place is not writable',
      \  'Make {place} writable, or start the editor with an XDG_DATA_HOME that is'],
      \ ['connection broken by\|Could not fetch URL', 'pip has no network', 'Again with a network, ' . s:wheels],
      \ ['No matching distribution found', 'pip finds not all it needs', 'Let pip see its index, ' . s:wheels],
      \ ]

" The fault and its remedy; of an unknown one the last line that tells of an error, else the last one.
function! vim_mcp#install_fault#of(lines, place) abort
  let l:said = join(a:lines, "\n")
  for [l:pattern, l:what, l:remedy] in s:faults
    if l:said =~? l:pattern
      return [l:what, substitute(l:remedy, '{place}', escape(fnamemodify(a:place, ':~'), '\&~'), '')]
    endif
  endfor
  let l:errors = filter(copy(a:lines), 'v:val =~? "^error: " && v:val !~# "subprocess-exited-with-error"')
  let l:last = get(l:errors + a:lines[-1:], 0, 'its program said nothing')
  return [substitute(l:last, '\c^error: ', '', ''), 'The lines above say more']
endfunction

let &cpo = s:save_cpo
unlet s:save_cpo
