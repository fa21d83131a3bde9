"""Random Ex command lines that try to be misread: safe commands with traps in every place where text may stand.

A trap is harmless only as long as Vim and the policy agree on what is text and what is a command.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import TypeVar

from vim_mcp.excommand import SAFE_FUNCTIONS, Verdict, judge
from vim_mcp.excommand.commands import COMMANDS, TABLE
from vim_mcp.excommand.line import MODIFIERS
from vim_mcp.excommand.names import spellings

T = TypeVar("T")
Maker = Callable[["CommandLines"], str]

_TRAPS = (
    "|call Trip(1)", "|Trip", "\\|call Trip(1)", "|!touch x", "\\=Trip(1)", "/\\=Trip(1)/", "/|call Trip(1)",
    "]/|Trip|", "#|Trip|", "\"|Trip", "'|Trip", ",|Trip|s,", ";Trip", "@q", ":call Trip(1)", ":Trip", "/e|Trip",
    "/g/\\=Trip(1)", "/normal! @q", "|Trip|\"", "Trip(1)", "->Trip()", ".run()", "(1)", "{Trip(1)}", "[Trip(1)]",
    "`touch x`", "$(touch x)", "+Trip", "++enc=Trip", "%:p", "~x{a,b}", "\nTrip", "\nTrip\n", "\x16|Trip",
    "\r:Trip\r", "\0|Trip",
)  # fmt: skip
_PATTERN = (
    "a", "b", "foo", "o", ".", "*", "\\w", "\\+", "^", "$", "[", "]", "\\[", "\\]", "[^", "[]", "[^]", "[a-z]",
    "[[:alpha:]]", "[:", ":]", "-", "-\\", "\\\\", "\\/", "/", "#", "\\#", ",", ";", "@", "|", "\\|", "\"", "'",
    "~", "\\~", "\\v", "\\V", "\\m", "\\M", "\\(", "\\)", "\\%[", "\\%(", "\\{-}", "\\{", "{", "}", "\\zs", "\\n",
    "&", "\\&", "\\_[", "\\%#=1", "[\\]", "[\\\\]", "[a-\\]", "é", "[[]", "[\\/]", "\\e", "[\\e]", "\\?", "?", " ",
    "(", ")", "\\c",
)  # fmt: skip
_BRACKETS = (
    "[", "]", "\\[", "\\]", "[^", "[]", "[^]", "[]a]", "[^]a]", "\\\\", "-", "-\\", "[-\\", "\\v", "\\V", "a",
    "\\/", "\\e", "[a-\\]", "[a\\]", "\\a", "[[:alpha:]", "[:", ":]", "[a-", "\\[a]", "\\[x\\]", "^", "[[.a.]",
    "[[=a=]", "\\%[", "\\_[", "x]",
)  # fmt: skip
_LONGER_PATTERNS = (
    "s{end}{pattern}{end}{text}{end}e|ec '{close}{end}\\=Trip(1){end}'",
    "s{end}{pattern}{end}{text}{end}e|ec '{close}{end}{end}|Trip|'",
    "g{end}{pattern}{end}p|ec '{close}{end}Trip|'",
    "/{pattern}{end}p|ec '{close}{end}Trip|'",
    "?{pattern}{end}p|ec '{close}{end}Trip|'",
    "sor /{pattern}{end}|ec '{close}{end}|Trip|'",
)
_STARTERS = (
    "i", "a", "I", "A", "o", "O", "cc", "S", "s", "C", "c", "R", "~", "d", "r", "f", "y", "gu", "zf", '"a', "3",
)  # fmt: skip
_MOTIONS = (
    "", "", "n", "N", "fZ", "tZ", "'z", "`z", "i(", "it", "ib", "%", "]]", "w", "w", "h", "l", "$", "0", "*", "g;",
    "]c",
)  # fmt: skip
_DANGEROUS_TEXT = (
    ":Trip\x1b", "@q", "K", "ZQ", ":Trip\r", "gf", "&", ".", "Q", "q", "x:Trip\x1b", "fx:Trip\x1b",
    "\x12=Trip(1)\r", "iK", "d@q",
)  # fmt: skip
_REPLACEMENT = (
    "a", "x y", "&", "\\&", "~", "\\~", "\\0", "\\1", "\\r", "\\n", "\\t", "\\\\", "\\/", "/", "#", ",", "|", "\\|",
    "\"", "%", "\\=", "=", "\\u", "\\L", "\\e", "", "é", "[", "]", " ",
)  # fmt: skip
_KEYS = (
    "i", "I", "a", "A", "o", "O", "cc", "S", "s", "c", "C", "R", "d", "dd", "y", "yy", ">", ">>", "<<", "g~", "gu",
    "gUU", "g?", "gw", "zf", "gq", "=", "!", "w", "b", "e", "h", "j", "k", "l", "0", "$", "^", "G", "gg", "f", "t",
    "F", "T", ";", ",", "n", "N", "*", "#", "%", "(", "{", "}", "[[", "])", "[c", "]m", "iw", "i(", "a\"", "it",
    "ip", "'a", "`a", "''", "'<", "'A", "v", "V", "gv", "o", "x", "X", "D", "p", "P", "gp", "J", "gJ", "u", "U",
    "r", "~", ".", "&", "@", "@q", "@@", "q", "qa", "Q", "K", "Z", "ZZ", "ZQ", ":", "/", "?", "\"a", "\"_", "\"+",
    "\"=", "1", "3", "12", "999", "ma", "zo", "zM", "zR", "zE", "z=", "zg", "gf", "g&", "g@", "gQ", "g;", "ga",
    "\x1b", "\x1b", "\x1b", "\x01", "\x18", "\t", " ", "\r", "\x16", "\x12", "foo ", "bar", "é", "|", "d\x1b", "vd",
    "diw", "dfx", "dn", "d'z", "d%", "yi(", "vap", "g_", "cw", "ciw", "gi", "gI", "\x0f", "\x17",
)  # fmt: skip
_ARGUMENTS = (
    "", "", "", "1", "2", "3", "a", "b", "x", "A", "_", "-", "+", "*", "=", "#", "%", "$", "0", ".", ".+1", "$-1",
    "'a", "''", "'<", "a 2", "99", "+2", "-1", "one.txt", "two.txt", "three", "t", "one", "../x", "~nosuch{a}",
    "$HOME", "`ls`", "*.txt", "+Trip 2", "h", "w", "p", "s", "v", "n", "o", "T", "=", "_", "c", "q", "f", "]", "gF",
    "^", "|", "a-d", "abc", "\"abc", "\"", "n /o/", "/\\a/ r", "/[/]/", "u", "f", "10s", "1f", "all", "all&", "nu",
    "nonu", "invlist", "ts=4", "ts=", "sw?", "shell?", "shell=x", "ft=ruby", "ft?", "ve=all", "tw=20 nu",
    "fdm=indent", "fdm=expr", "ff=dos", "ff=unix", "cc=80", "hls!", "hls&", "ts+=2", "ma", "noma", "magic", "cpo?",
    "list nolist", "tw=0", "1,3", ">>", "lp", "#", "term://sh", "scp://h/x", "/etc/passwd", "x=y", "|", "2 |", "-x",
    "&", "&&", "c", "clear",
)  # fmt: skip
_ATOMS = (
    "1", "0x1f", "2.5", "'a'", "'it''s'", '"x\\n"', '"\\<Esc>"', "g:text", "g:list", "g:dict", "g:Ref", "b:number",
    "v:version", "v:true", "v:lua", "&ts", "&l:sw", "&shell", "@a", '@"', "@+", "@=", "@:", "g:vim_mcp_execute",
    "g:vim_mcp_secret", "s:x", "foo", "l:x", "$HOME", "[1, 2]", "{'a': 1}", "#{a: 1}", "{-> Trip(1)}", "{x -> x}",
    "g:dict.key", "g:dict.run", "g:list[0]", "g:dict['Ref']", "g:list[0:1]", "(1)", "g:{'text'}", "g:foo#bar",
    "function('Trip')", '"a|Trip"', "'a|Trip'", "g:dict['run']", "[]", "{}", "g:list[:]", "b:changedtick",
    "g:Ref(1)", "g:Ref (1)", "g:dict.run()", "g:dict.run ()", "g:dict['run']()", "g:dict['Ref'] (1)",
    "g:{'Ref'}(1)", "g:Ref->call([1])", "exists('g:list[Trip(1)]')", "'x'->Trip()", "[g:Ref][0](1)", "(g:Ref)(1)",
    "g:dict.Ref(1)", "g:R{'ef'}(1)", "Trip (1)",
)  # fmt: skip
_OPERATORS = (
    " + ", "+", "-", " - ", "*", " . ", ".", "..", " .. ", " == ", "==#", " =~ ", "!~?", " is ", " isnot ", " ? ",
    " : ", "?", ":", " ?? ", " && ", "||", "|", " ", "  ", "->", " ->", "(", ")", "[", "]", ",", "%", "/", ">",
    "<=", "<<", " !", "{", "}",
)  # fmt: skip


class CommandLines:
    """An endless, repeatable source of command lines."""

    def __init__(self, seed: int):
        self._random = Random(seed)
        self._nested = False

    def safe(self, count: int) -> Iterator[tuple[str, Verdict]]:
        """`count` command lines that the policy lets through, each with the verdict; every kind has its share."""
        makers = (
            CommandLines._mixed, CommandLines._substitute, CommandLines._bracketed, CommandLines._global,
            CommandLines._fallible, CommandLines._normal, CommandLines._echo, CommandLines._bracketed,
            CommandLines._elsewhere, CommandLines._plain, CommandLines._mixed, CommandLines._fallible,
            CommandLines._bracketed, CommandLines._sort, CommandLines._echo,
        )  # fmt: skip
        for number in range(count):
            yield self._safe(makers[number % len(makers)])

    def _safe(self, make: Maker) -> tuple[str, Verdict]:
        while True:
            line = self._maybe(": ") + self._modifiers() + make(self)
            verdict = judge(line)
            if verdict.safe:
                return line, verdict

    def _pick(self, choices: tuple[T, ...]) -> T:
        return choices[int(self._random.random() * len(choices))]

    def _maybe(self, text: str, chance: float = 0.2) -> str:
        return text if self._random.random() < chance else ""

    def _some(self, pieces: tuple[str, ...], most: int, trap: float = 0.15) -> str:
        length = self._random.randint(0, most)
        return "".join(self._pick(_TRAPS if self._random.random() < trap else pieces) for _ in range(length))

    def _mixed(self) -> str:
        makers = (
            CommandLines._plain, CommandLines._plain, CommandLines._substitute, CommandLines._global,
            CommandLines._normal, CommandLines._echo, CommandLines._sort, CommandLines._range,
        )  # fmt: skip
        commands = (self._modifiers() + self._pick(makers)(self) for _ in range(self._pick((1, 2, 2, 3))))
        return self._pick(("|", " | ", "|:")).join(commands)

    def _bracketed(self) -> str:
        """A pattern that may end later in Vim's reading: what follows is then an expression, or a command."""
        pattern = "".join(self._pick(_BRACKETS) for _ in range(self._pick((1, 1, 2, 2, 3, 4))))
        form, end = self._pick(_LONGER_PATTERNS), self._pick(("/", "/", "#"))
        if not form.startswith(("s{", "g{")):
            end = "?" if form.startswith("?") else "/"
        text = self._maybe("x")
        return form.format(end=end, pattern=pattern, text=text, close=self._pick(("]", "\\]", "]]", ":]]", "")))

    def _fallible(self) -> str:
        """Keys whose text becomes commands if what stands before it fails."""
        before = "".join(self._pick(_KEYS) for _ in range(self._pick((0, 0, 1, 2))))
        keys = before + self._pick(_STARTERS) + self._pick(_MOTIONS) + self._pick(_DANGEROUS_TEXT)
        return f"{self._maybe('sil! ', 0.3)}{self._maybe('%', 0.3)}norm! {keys}"

    def _elsewhere(self) -> str:
        """Text of a buffer that becomes current on the way."""
        there = self._pick(
            ("b 2", "bn", "sb two.txt", "2b", "bl", "'A", "'0", "new|b2", "tabnew|bl", "b two", "ls|bn", "1")
        )
        then = self._pick(("%p", "%nu", "l", "echo getline(1)", "ls", "1,2#", "noh", "1", "ju", "vsp", "%s/t/x/"))
        return self._pick((f"{there}|{then}", f"{there}|{then}", there))

    def _modifiers(self) -> str:
        words = [self._pick(spellings(self._pick(MODIFIERS))) for _ in range(self._pick((0, 0, 0, 1, 2)))]
        return "".join(self._pick((word + " ", word + "! ", word + ":", word + " :")) for word in words)

    def _range(self) -> str:
        if self._nested:  # the whole buffer for each of its lines, which the commands make more, takes for ever
            return self._pick(("", "", ".", ".,+1", "-", "'a", "$"))
        two = self._address() + self._pick((",", ";")) + self._address()
        return self._pick(("", "", "", "%", "*", self._address(), two, two))

    def _address(self) -> str:
        plain = ("", "1", "2", ".", "$", "'a", "''", "'<", "'A", "'0", "+1", "-", "3-2", "\\/", "99")
        return self._pick((*plain, f"/{self._pattern()}/", f"?{self._pattern()}?"))

    def _pattern(self) -> str:
        return self._some(_PATTERN, 5)

    def _name(self, name: str) -> str:
        return self._pick(tuple(spelling for spelling, command in COMMANDS.items() if command.name == name))

    def _delimiter(self) -> str:
        return self._pick(("/", "/", "/", "#", ",", ";", "@", "|", '"', "=", "+", "!", "~", "&", ":", "a", " "))

    def _substitute(self) -> str:
        end = self._delimiter()
        expression = self._pick(("\\=Trip(1)", "\\\\=Trip(1)", "\\\\\\=Trip(1)", "~\\=Trip(1)", "\\=Trip(1)~", "~"))
        text = self._maybe(self._pick(_TRAPS)) or self._maybe(expression) or self._some(_REPLACEMENT, 4)
        flags = self._pick(
            ("", "g", "e", "ge", "n", "c", "&", "&&", "gi 2", "r", "#", "|Trip", "g|Trip", " e", 'e"|Trip')
        )
        start = f"{self._range()}{self._name('substitute')}{self._maybe(' ')}"
        pattern = self._pick((".", "^", self._pattern(), self._pattern(), self._pattern()))
        return f"{start}{end}{pattern}{end}{text}{self._maybe(end, 0.8)}{flags}"

    def _global(self) -> str:
        end, nested = self._delimiter(), self._nested
        start = f"{self._range()}{self._name(self._pick(('global', 'vglobal')))}{self._maybe('!')}{self._maybe(' ')}"
        self._nested = True
        makers = (CommandLines._plain, CommandLines._substitute, CommandLines._normal, CommandLines._mixed)
        body = self._modifiers() + self._pick(makers)(self)
        self._nested = nested
        return f"{start}{end}{self._pattern()}{self._maybe(end, 0.9)}{body}"

    def _normal(self) -> str:
        start = f"{self._range()}{self._name('normal')}{self._maybe('!', 0.95)}{self._maybe(' ', 0.9)}"
        return start + self._some(_KEYS, 7, trap=0.08)

    def _echo(self) -> str:
        parts = [self._atom()]
        for _ in range(self._pick((0, 0, 1, 1, 2, 3))):
            parts += [self._pick(_OPERATORS), self._atom()]
        return f"{self._name(self._pick(('echo', 'echon')))} {''.join(parts)}"

    def _atom(self) -> str:
        if self._random.random() < 0.3:
            others = (
                "Trip",
                "system",
                "g:Ref",
                "g:dict.run",
                "execute",
                "eval",
                "g:dict['run']",
                "call",
                "expand",
                "has",
            )
            name = self._pick(self._pick((SAFE_FUNCTIONS, SAFE_FUNCTIONS, others)))
            atoms = (*_ATOMS, "'.'", "'$'", "1", "'%'", "'foo'", "'g:text'")
            arguments = ", ".join(self._pick(atoms) for _ in range(self._pick((0, 1, 1, 2))))
            return f"{name}{self._maybe(' ', 0.05)}({arguments})"
        return self._pick(_TRAPS if self._random.random() < 0.03 else _ATOMS)

    def _sort(self) -> str:
        pattern = self._maybe(f" /{self._pattern()}/", 0.6)
        start = f"{self._range()}{self._name('sort')}{self._maybe('!')}"
        return f"{start}{self._maybe(' n', 0.3)}{pattern}{self._maybe(' r', 0.3)}"

    def _plain(self) -> str:
        command = self._pick(TABLE)
        spelling = self._pick(spellings(command.notation))
        argument = self._pick(_TRAPS if self._random.random() < 0.1 else _ARGUMENTS)
        return f"{self._range()}{spelling}{self._maybe('!')}{self._maybe(' ', 0.9)}{argument}"
