"""Ex commands that do what a client's must not, in a user's editor full of traps (see `tripwires`)."""

from __future__ import annotations

# Each of these trips a wire, in every editor, when it is run: the wires are live, and the policy has to refuse it.
# The first ones repeat what the user did last.
LIVE = r"""
%&
%&&
%~
g/foo/&
normal! &
normal! .
normal! @@
normal! @q
@q
!touch x
%!cat
2,3!sort
r !ls
w !cat
call Trip(1)
call system('ls')
execute 'call Trip(1)'
eval Trip(1)
let g:x = Trip(1)
let g:vim_mcp_execute = 'all'
if Trip(1) | endif
while Trip(1) == 1 | endwhile
Trip
Ax
echo Trip(1)
echo g:Ref(1)
echo g:Ref (1)
echo g:dict.run()
echo g:dict['run']()
echo [g:Ref][0](1)
echo 'x'->Trip()
echo {-> Trip(1)}()
echo g:{Trip(1)}
echo map([1], 'Trip(1)')
echo filter([1], 'Trip(1)')
echo substitute('a', 'a', '\=Trip(1)', '')
echo call('Trip', [1])
echo execute('call Trip(1)')
echo eval('Trip(1)')
echo exists('g:list[Trip(1)]')
echo exists("g:list[Trip(1)]")
echo searchpair('a', '', 'z', '', 'Trip(1)')
echo expand('`ls`')
echo glob('`ls`')
echo expand('%:p', 0, Trip(1))
echo writefile(['x'], 'written')
echo g:vim_mcp_secret
echo get(g:, 'vim_mcp_secret')
echo 1 | call Trip(1)
silent! echo [] || @q
sil! keepjumps echon {}||@q
echo "a" | call Trip(1)
echo 'a|b' | Trip
s/^/\=Trip(1)/
s#^#\=Trip(1)#
s/^/\=Trip(1)
silent! %s/^/\=Trip(1)/e
g/foo/call Trip(1)
g/foo/s/^/\=Trip(1)/
g/foo/normal! @q
v/foo/Trip
global!/foo/normal ifoo
g/foo/s/foo/bar/|Trip
normal ifoo
normal! ggwK
normal! :call Trip(1)
normal! !!ls
normal! ==
normal! gqq
normal! g@w
normal! qa
normal! Q
normal! 'A
normal! q:
windo call Trip(1)
bufdo normal! @q
tabdo Trip
put =Trip(1)
1d | call Trip(1)
1d|Trip
sort /x/ | call Trip(1)
noautocmd call Trip(1)
silent! call Trip(1)
sandbox call Trip(1)
verbose call Trip(1)
filter /x/ call Trip(1)
2,3call Trip(1)
/foo/call Trip(1)
:::Trip
silent keepjumps Trip
source one.txt
runtime syntax/vim.vim
edit created
buffer +call\ Trip(1) 2
split +call\ Trip(1)
bnext +call\ Trip(1)
sbuffer +Trip 2
new made
tabedit built
write
w >>one.txt
saveas saved
mksession session
terminal
make
grep x
cexpr Trip(1)
cgetexpr system('ls')
command Other Trip
set shell=x
set shellcmdflag=x
set equalprg=x
set keywordprg=x
set formatexpr=Trip()
set indentexpr=Trip()
set includeexpr=Trip()
set foldexpr=Trip()
set operatorfunc=Other
set runtimepath=/tmp
set dictionary=~nosuch{a,b}
set filetype=ruby
set nomodifiable
set readonly
set undolevels=-1
set magic!
set cpoptions=x
set nohidden
set eventignore=all
set verbosefile=verbose
set exrc
set path=x
set autowrite
set spell
cd /
lcd ..
'A
""".strip().splitlines()

# Control characters: Vim takes some of them for ends of commands, or for keys.
LIVE += [
    "echo 1\nTrip", "s/foo/x/\ncall Trip(1)", "g/foo/p\nTrip", "1d\nTrip", "normal! :Trip\r",
    "normal! i\x12=Trip(1)\r\x1b",
    "normal! i\x0f:Trip\r\x1b", "normal! dfZ:Trip\r", "silent! normal! ciZ\x1b:Trip\r", "normal! cib\x1b@q",
]  # fmt: skip

# These end the editor, or a part of it that is needed to tell.
FATAL = [
    "normal! ZQ", "normal! ZZ", "qall!", "quit!", "cquit", "x", "wq", "xall", "normal! :qa!\r", "silent! qa!",
    "g/foo/qall!",
]  # fmt: skip
