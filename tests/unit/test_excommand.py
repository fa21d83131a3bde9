"""The Ex-command policy: what is safe, what is refused and why."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.attacks import FATAL, LIVE
from tests.support.commandlines import CommandLines
from vim_mcp.excommand import SAFE_COMMANDS, SAFE_FUNCTIONS, Verdict, judge
from vim_mcp.excommand.commands import COMMANDS, TABLE
from vim_mcp.excommand.names import full, spellings
from vim_mcp.excommand.refusals import REFUSALS

SAFE = r"""
5
:5
  : : 3
$
%
1,5
.,+3
'<,'>p
/foo/
/foo
?foo?-1
/from/;/to/-1d
s/a/b/
s/a/b
%s/foo/bar/g
%s/foo/bar/gei
:%s#a/b#c#g
s,a,b,|s;c;d;
s/a\/b/c\/d/
s/\v(a|b)+/\1\r&/g
s/[a-z]*[^]]//
s/[\/|"]/x/
s/\[x\]/y/g
s/a|b/c|d/ | noh
s/a/"quoted"/
'<,'>s/^/# /
silent! %s/a/b/e
silent! 5d | silent echo 1
keepjumps keeppatterns %s/\s\+$//e
g/foo/d
g!/foo/d
v/foo/d
g/foo/normal! A;
g/foo/s/a/b/g|s/c/d/
g/foo
g/^$/,/./-1join
g#a/b#m0
g/x/t.
g/[|]/d
d
d x
d 3
d a 3
1,3y a
put
put! a
m0
m$
m.+2
'a,'bm'c
t.
co $
1,2t'a
join
j!
>
>>>
1,5<<
sort
sort! n
%sort /\d\+/ rx
sort u | undo
undo
undo 0
u 3
redo
earlier 10m
later 1f
normal! dd
norm! 3dwifoo
k a
ka
mark b
delm a-d x
left
right 80
ce 40
ret 4
ret!
fold
2,5foldopen!
foldc
p
p#
#
nu
list
=
ascii
file
echo 1
echo
echo 1 + 2 * -3 'a' "b\n"
echo [1, 'x'] + [2] 3
echo {'k': 1}
echo #{k: 2} 'x'
echo line('.') col('$') getline(1, '$')[0:2]
echo g:foo b:bar w:baz t:qux v:version
echo &ts &l:sw &g:tw @a @" @/
echo bufname('%') bufnr('foo.txt') expand('%:t') expand("<cword>") exists('*foo') exists('g:x') has('nvim')
echo mode() winnr('$') tabpagenr() getpos("'<")
echo g:list[0]['key'][1:]
echo len(getline(1)) > 3 ? 'long' : "short"
echo 'a' . 'b' .. "c" =~# 'x' && !0 || g:x is 1
echo 'it''s | not the end' | echo "nor \" | here"
echo (1 + 2) * [3][0]
echo get(g:dict, 'key', 0)
echon 'x'
set number
set nonu invlist hls!
set ts=4 sw=4 et
set shell? foldexpr?
set ft?
setl tw=80
set
set all
set ve=block,onemore
set fdm=marker ff=unix
noh
nohlsearch
registers
display
registers "abc
di a
ls
ls!
buffers +
files
tabs
marks
marks ab
jumps
changes
undolist
messages
pwd
version
redraw!
wincmd w
2wincmd w
winc =
sp
vsplit | wincmd l | buffer 3
vertical new
tab split
topleft vnew
close
only
hide
res +5
vertical resize 80
tabnew
tabn 3
tabnext
tabm 0
tabc
b 3
3b
b foo.txt
b 3rd.txt
buffer src/main.py
b#
bnext
bp 2
bfirst
bl
sb 2
copen
copen 15
ccl
lopen
s/a/b/ | ls | bnext
""".strip("\n").splitlines()
SAFE += ["5,10normal! I// ", "normal! 0x\x1biab\x1bj\x01", "normal! o\ttabbed"]


@pytest.mark.requirement("VIM-SEC-04")
@pytest.mark.parametrize("command", SAFE)
def test_what_is_useful_and_harmless_is_safe(command: str) -> None:
    verdict = judge(command)
    assert (verdict.safe, verdict.reason) == (True, "")


@pytest.mark.requirement("VIM-SEC-04", "CMD-01")
@pytest.mark.parametrize("command", [*LIVE, *FATAL])
def test_what_has_been_seen_to_do_harm_is_refused(command: str) -> None:
    verdict = judge(command)
    assert not verdict.safe
    assert verdict.reason.startswith("Refused: ")
    assert "\n" not in verdict.reason


REFUSED = r"""
!
!!
:!ls
silent !ls
normal! cwfoo
normal! ciwfoo
normal! 3ccx
normal! sx
normal! Cx
normal! Rx
normal! vd
normal! 1000000000ix
normal! 100ix
normal! 5
normal! "a
normal! d
normal! "+p
normal! "*yy
normal! "=1
normal! ~
normal! .
normal! n.
normal! dwK
normal! gv
normal! gQ
normal! z=
normal! zg
normal! ]f
normal! gF
normal! 'A
normal! '0
normal! :
normal! /x
normal! dd:
normal! q
s
s g
sg
&
&&
~
s/a
s/a/b/c
s/a/b/&
s/a/b/gc
s/a/b/r
s/a/~/
s/a/x\~/
s/a/%/
s/a/\=1/
s/a/\\=1/
s/a/x\=1/
s|a|b|
s"a"b"
s\/a/
s&a&b&
s a b
s/[/x/
s/[/]x/|ec '/]/\=1/'
s/[]/x/|echo ']/\=1/'
s/\[a/x/|echo '/]/\=1/'
s/[a-\\]/x/
s/a/b/ x
smagic/a/b/
sno/a/b/
g/a/g/b/d
g/a/!ls
g/a/w
g/a/normal x
g/a/wincmd w
g/a/b 2
g/a/sort
g/a/undo
g|a|d
g\/d
global
d "x
d | !
d | |
d ||d
|
d|
silent
silent|d
silent! echo 1
sil! silent echon 1
silent!echo 1
2silent d
d!
d +
y *
put =1
put +
put %
m /a/
t'A
'Ad
'0
'A,'Bd
*d
%,5d
5,6,7d
12345678901d
3 5d
k A
ka b
delm!
delm A
echo $HOME
echo system('ls')
echo Foo()
echo foo#bar()
echo g:foo#bar
echo s:x
echo x
echo l:x
echo a:x
echo g:
echo b:
echo g:{'x'}
echo g:x{'y'}
echo g:x.y
echo g:x.y()
echo g:x()
echo g:x ()
echo g:x->len()
echo g:x[0]()
echo g:x (1)
echo (g:x)(1)
echo {-> 1}
echo {x -> x}
echo {x, y -> x}()
echo function('x')
echo funcref('x')
echo call('x', [])
echo eval('1')
echo execute('ls')
echo map([1], '1')
echo substitute('a', 'b', 'c', '')
echo input('x')
echo getreg('a')
echo readfile('x')
echo @+
echo @*
echo @=
echo v:lua
echo v:lua.x()
echo v:argv
echo v:oldfiles
echo "\<Esc>"
echo $"x{1}"
echo $'x{1}'
echo `ls`
echo g:vim_mcp_execute
echo g:api_key
echo b:GithubToken
echo exists('g:vim_mcp_execute')
echo exists('x[0]')
echo exists(g:x)
echo exists('g:a#b')
echo has('python3')
echo has('clipboard')
echo expand('%:p')
echo expand('<sfile>')
echo expand('<cfile>')
echo expand('*.txt')
echo expand('~')
echo expand('%', 0, 1)
echo bufname('~x')
echo bufnr('x', 1)
echo bufexists('$HOME')
echo 1 2)
echo (1
echo [1
echo 'a
echo "a
echo 1 "comment
echo 1 \| ls
echom 1
echoerr 1
set shell=sh
set sh=sh
set equalprg=x formatexpr=x
set foldexpr=x
set foldmethod=expr
set modeline
set ts=4|set sh=x
set ts=4 sh=x
set ts=4\ sh=x
set ts+=1
set ts&
set all&
set path+=x
set noreadonly
set modifiable
set ft=python
set syntax=off
set spell
set bg=dark
set nocp
set cpo+=x
set magic
set tildeop
set undolevels=0
set t_Co=8
set tags=~x
set nu"x
setg nu
registers +
reg *
marks "
wincmd q
wincmd ]
wincmd f
wincmd ^
wincmd gf
wincmd |
sp foo
sp +x
vs foo
new foo
tabe foo
tabnew +x
close!
only!
hide d
tabc!
b!
b! 3
b +x 3
b term://sh
b scp://h/x
b ~x
b `x`
b $X
b *
bn!
bn +x
bd
bw
e foo
e!
w
wq
w !cat
r foo
so %
clist
llist
cn
cc
ll
make
grep x
vimgrep /x/ *
lua x
=1
= x
py3 x
call x()
exe 'x'
let x = 1
unlet x
if 1
while 1
function x
try
au X * y
nmap x y
command X y
Foo
FooBar!
Next
X
term
shell
cd /
help
tag x
@a
@@
@:
*
norm x
normal x
normal!@a
noautocmd d
confirm q
browse e
verbose set ts?
unsilent ls
sandbox ls
filter /x/ ls
noswapfile b 2
legacy ls
vim9cmd ls
diffthis
sleep 1
startinsert
a
i
c
redir @a
windo d
bufdo d
argdo d
tabdo d
cdo d
foldd d
b 2|d
b 2|echo getline(1)
new|put a
wincmd w|normal! x
tabnext|marks
vsplit|5
" comment
d " comment
ls "x
d |"
#!x
{
}
d}
d x y
dl
dp
delp
kab
kee
foo
diff
nosuch
""".strip("\n").splitlines()


@pytest.mark.requirement("VIM-SEC-04", "CMD-01")
@pytest.mark.parametrize("command", ["", " ", ":", *REFUSED])
def test_what_is_not_known_to_be_harmless_is_refused(command: str) -> None:
    assert not judge(command).safe


@pytest.mark.requirement("VIM-SEC-05")
@pytest.mark.parametrize("character", [chr(code) for code in (*range(32), *range(127, 160), 0xD800, 0xDFFF)])
def test_control_characters_stand_in_keys_alone(character: str) -> None:
    for command in (f"s/a/{character}/", f"echo '{character}'", f"g/{character}/d", f"d{character}", f"{character}d"):
        assert not judge(command).safe
    assert judge(f"normal! ia{character}").safe == (character in "\t\x1b")
    assert judge(f"normal! {character}").safe == (character in "\x01\x18\x1b")


@pytest.mark.requirement("VIM-SEC-04")
@pytest.mark.parametrize(
    ("command", "way"),
    [
        ("w", "vim_edit with save: true"),
        ("e foo", "vim_edit"),
        ("cnext", "vim_navigate"),
        ("vimgrep /x/ *", "vim_search"),
        ("normal x", "norm[al]! {keys}"),
        ("normal! ciwfoo", "use d"),
        ("s/a/b/c", ":[range]s[ubstitute] /pattern/text/[egiInp#l] [count]"),
        ("set modeline", "set shiftwidth?"),
        ("echo system('ls')", "line"),
        ("b 2 | d", "of its own"),
        ("bufdo d", ":global"),
        ("quit", ":close"),
        ("!ls", "g:vim_mcp_execute"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_way_out(command: str, way: str) -> None:
    assert way in judge(command).reason


@pytest.mark.parametrize(
    ("command", "text", "keys"),
    [
        ("s/a/b/", True, False), ("5", True, False), ("p", True, False), ("echo getline(1)", True, False),
        ("marks", True, False), ("echo expand('<cword>')", True, False), ("normal! dd", True, True),
        ("g/a/normal! x", True, True),
        ("ls", False, False), ("b 2", False, False), ("vsplit|b 2|ls", False, False),
        ("set ts?", False, False),
        ("echo 1", False, False), ("echo bufnr('%')", False, False), ("registers ab", False, False),
        ("noh|b 2", False, False),
    ],
)  # fmt: skip
def test_the_verdict_says_what_the_editor_has_to_check(command: str, text: bool, keys: bool) -> None:
    verdict = judge(command)
    assert verdict == Verdict(True, "", text, keys, quick=verdict.quick)


def test_the_verdict_says_what_takes_no_time() -> None:
    for command in ("ls", "set nu?", "echo 1 + len(g:x)", "noh | registers ab", "undolist"):
        assert judge(command).quick
    slow = (
        "echo g:x =~ 'a'",
        "echo 'a' !~# 'b' | ls",
        "echo match('a', 'b')",
        "echo split('a', 'b')",
        "echo foldlevel(1)",
    )
    sets = ("set nu", "setl ts=4 | ls")  # there may be autocommands for OptionSet
    for command in (*slow, *sets, "b 2", "vsplit", "s/a/b/", "echo getline(1)", "marks", "normal! x", "noh|bnext"):
        assert judge(command).safe
        assert not judge(command).quick


def test_the_verdict_tells_characters_that_an_encoding_may_turn_into_others() -> None:
    assert judge("s/a/b/").ascii
    assert not judge("s/a/ü/").ascii
    assert not judge("s/a/\\\u0301=x/").ascii


@given(st.text())
@example("set \n")
@example("setlocal nu\t")
def test_every_text_is_judged(command: str) -> None:
    verdict = judge(command)
    assert verdict.safe == (verdict.reason == "")


@settings(deadline=None)
@given(
    st.integers(), st.text(alphabet=st.sampled_from(list("/\\[]|'\"~=&:!\n\x1b @x")), max_size=4), st.integers(0, 60)
)
def test_what_is_put_into_a_safe_command_is_judged_too(seed: int, put: str, at: int) -> None:
    line, _ = next(CommandLines(seed).safe(1))
    changed = line[:at] + put + line[at:]
    if judge(changed).safe:
        controls = [char for char in changed if unicodedata.category(char) == "Cc"]
        assert not controls or "norm" in changed
        assert "\n" not in changed
        assert "\\=" not in changed or not changed.lstrip(": ").startswith("s/")


@pytest.mark.requirement("VIM-SEC-04")
def test_length_and_depth_are_bounded() -> None:
    assert judge("s/a/" + "b" * 9000 + "/").safe
    assert "10000" in judge("s/a/" + "b" * 10000 + "/").reason
    assert not judge("echo " + "(" * 500 + "1" + ")" * 500).safe
    assert not judge("echo " + "[" * 4000).safe


def test_no_name_is_both_safe_and_refused() -> None:
    assert not set(COMMANDS) & set(REFUSALS)
    assert len(COMMANDS) == sum(len(spellings(command.notation)) for command in TABLE)


def test_the_table_is_fit_for_a_help_page() -> None:
    assert set(SAFE_COMMANDS) == {full(command.notation) for command in TABLE}
    for name, line in SAFE_COMMANDS.items():
        assert "\n" not in line
        assert line.startswith(":")
        assert COMMANDS[name].help in line
    assert "line" in SAFE_FUNCTIONS
    assert "system" not in SAFE_FUNCTIONS
