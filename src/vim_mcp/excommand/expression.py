"""The expressions that `:echo` may show: literals, variables, options, registers, operators and a few functions.

No lambda, no method call, no name made of pieces, no function that is not in `FUNCTIONS`: nothing here runs code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from vim_mcp.excommand.scan import Refused, Scanner


def _quoted(content: str) -> re.Pattern[str]:
    return re.compile(rf"'(?:{content})'|\"(?:{content})\"", re.ASCII)


# A buffer by number or plain name: "~", "$", "`" and wildcards may be expanded, with the help of a shell.
_BUFFER: Final = re.compile(r"'(?:[\w./ -]*|[%#$])'|\"(?:[\w./ -]*|[%#$])\"|[0-9]*", re.ASCII)
# With ":p", ":." or ":~" a buffer's own name that begins with "~" is expanded likewise.
_EXPAND: Final = _quoted(r"(?:%|#[0-9]{0,9})(?::[htre])*|<cword>|<cWORD>")
# Asking Neovim for the feature "python3" or "clipboard" starts a program.
_HAS: Final = _quoted(
    r"nvim(?:-[0-9.]+)?|patch-[0-9.]+|unix|linux|mac|macunix|win32|gui_running|terminal|popupwin|textprop|folding|"
    r"conceal|signs|spell|diff|quickfix|timers|lambda|vim9script"
)
# A name may hold an index, which exists() evaluates, and "#", which may load a script.
_EXISTS: Final = _quoted(r"[gbwtv]:\w+|&[a-z]+|[*:]\w+|##?\w+")

_PURE: Final = """
abs byte2line ceil changenr char2nr col count empty escape float2nr floor foldclosed foldclosedend foldlevel
get getcurpos getcwd getline getpos has_key indent index items join keys len line line2byte localtime match
matchend matchlist matchstr max min mode nextnonblank nr2char prevnonblank round shiftwidth split str2float
str2nr strcharpart strchars strdisplaywidth stridx string strlen strpart strridx strwidth tabpagebuflist
tabpagenr tabpagewinnr tolower toupper trim trunc type undotree values virtcol win_getid win_id2win wincol
winheight winlayout winline winnr winsaveview winwidth wordcount"""

FUNCTIONS: Final[Mapping[str, re.Pattern[str] | None]] = {
    **dict.fromkeys(_PURE.split()),
    **dict.fromkeys(("bufexists", "buflisted", "bufloaded", "bufname", "bufnr", "bufwinid", "bufwinnr"), _BUFFER),
    "exists": _EXISTS,
    "expand": _EXPAND,
    "has": _HAS,
}
"""The functions that may be called. With a pattern: what their one argument must look like, literally."""

_SECRET: Final = re.compile("api|auth|bearer|claude|cred|key|pass|private|pwd|secret|token|vim_?mcp", re.IGNORECASE)
_TEXT: Final = re.compile(r"getline\(|<c", re.IGNORECASE)
# Matching a pattern takes any time; so do folds by an expression of the user's.
_SLOW: Final = re.compile(r"[=!]~|match|split\(|fold")

# After a name: nothing that would make it longer, an item's name, or a call; Vim skips spaces before "(".
_NAME_ENDS: Final = r"(?![\w:#{(\[]| +\(|\.(?!\.))"
_VARIABLE: Final = re.compile(
    r"(?:[gbwt]:[A-Za-z_]\w*|v:(?:count1?|errmsg|false|hlsearch|maxcol|null|numbermax|progname|register|searchforward|"
    r"shell_error|statusmsg|true|version|warningmsg))" + _NAME_ENDS.replace(r"\[", ""),
    re.ASCII,
)
_OPTION: Final = re.compile("&(?:[lg]:)?[a-z]+" + _NAME_ENDS, re.ASCII)
_REGISTER: Final = re.compile(r'@["a-zA-Z0-9:./%#_-]' + _NAME_ENDS, re.ASCII)
_NUMBER: Final = re.compile(r"(?:0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?)?)(?!\w)", re.ASCII)
_STRING: Final = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"\\]|\\[nrteb0-7xXuU\\\"])*\"")
_CALL: Final = re.compile(r"([a-z][a-z0-9_]*)\( *")
_KEY: Final = re.compile(r"(?:'(?:[^']|'')*'|\"[^\"\\]*\"|[0-9]+) *: *")
_BARE_KEY: Final = re.compile("[A-Za-z0-9_-]+: *")

_UNARY: Final = re.compile(r"(?:[-+!](?!>) *)*")
_OPERATOR: Final = re.compile(
    r" *(?:\|\||&&|(?:[=!]=|[=!]~|>=|<=|>|<|\bis\b|\bisnot\b)[#?]?|\.\.|(?<= )\.(?= )|[-+*/%])(?![>.=~]) *"
)
_QUESTION: Final = re.compile(r" *\?(?!\?) *")
_COLON: Final = re.compile(" *: *")
_COMMA: Final = re.compile(" *, *")
_CLOSED: Final = {"(": re.compile(r" *\)"), "[": re.compile(r" *\]"), "{": re.compile(r" *\}")}
# What the second of several expressions may begin with: what cannot belong to the first.
_NEXT: Final = re.compile(r" +(?=['\"@0-9a-z]|&[a-z])")
_MAX_DEPTH: Final = 20


def reads_text(expressions: str) -> bool:
    """Whether the expressions may show text of the current buffer."""
    return _TEXT.search(expressions) is not None


def takes_time(expressions: str) -> bool:
    """Whether a value of the expressions may take long to compute."""
    return _SLOW.search(expressions) is not None


def take_expressions(scanner: Scanner) -> None:
    """Step over the arguments of `:echo`: any number of expressions with spaces between. Raises `Refused`."""
    if scanner.peek() in ("", "|"):
        return
    _take_expression(scanner, 0)
    while scanner.take(_NEXT):
        _take_expression(scanner, 0)


def _take_expression(scanner: Scanner, depth: int) -> None:
    """Operands with operators between. Which of them binds tighter makes no difference to what runs."""
    if depth > _MAX_DEPTH:
        raise Refused("the expression is nested too deep to be checked")
    _take_operand(scanner, depth)
    while scanner.take(_OPERATOR):
        _take_operand(scanner, depth)
    if scanner.take(_QUESTION):
        _take_expression(scanner, depth + 1)
        _need(scanner, _COLON)
        _take_expression(scanner, depth + 1)


def _take_operand(scanner: Scanner, depth: int) -> None:
    scanner.take(_UNARY)
    if any(scanner.take(plain) for plain in (_NUMBER, _STRING, _OPTION, _REGISTER)):
        return
    if name := scanner.take(_VARIABLE):
        _check_name(name)
    elif call := _CALL.match(scanner.text, scanner.at):
        _take_call(scanner, call[1], depth)
    else:
        _take_composite(scanner, depth)
    _take_indexes(scanner, depth)


def _take_call(scanner: Scanner, name: str, depth: int) -> None:
    if name not in FUNCTIONS:
        raise Refused(
            f"the function {name}() is not on the list of functions that may be called; those are: "
            + " ".join(sorted(FUNCTIONS))
        )
    scanner.take(_CALL)
    literal = FUNCTIONS[name]
    if literal is None:
        _take_items(scanner, "(", depth)
        return
    argument = scanner.take(literal)
    if argument is None or not scanner.take(_CLOSED["("]):
        raise Refused(f"the argument of {name}() must be one of the plain literals that are known to be harmless")
    _check_name(argument)


def _take_composite(scanner: Scanner, depth: int) -> None:
    if scanner.take_text("("):
        scanner.skip_spaces()
        _take_expression(scanner, depth + 1)
        _need(scanner, _CLOSED["("])
    elif scanner.take_text("["):
        _take_items(scanner, "[", depth)
    elif scanner.take_text("#{"):
        _take_items(scanner, "{", depth, _BARE_KEY)
    elif scanner.take_text("{"):
        _take_items(scanner, "{", depth, _KEY)
    else:
        raise _not_understood(scanner)


def _take_items(scanner: Scanner, opening: str, depth: int, key: re.Pattern[str] | None = None) -> None:
    """What stands behind `opening`, up to its end: expressions, or keys and expressions, with commas between."""
    scanner.skip_spaces()
    while not scanner.take(_CLOSED[opening]):
        if key:
            _need(scanner, key)
        _take_expression(scanner, depth + 1)
        if not scanner.take(_COMMA):
            _need(scanner, _CLOSED[opening])
            return


def _take_indexes(scanner: Scanner, depth: int) -> None:
    """`[1]`, `[1:2]`, `['key']`: as many as follow at once; never a call of what was found there."""
    while scanner.take_text("["):
        scanner.skip_spaces()
        if not scanner.take(_COLON):
            _take_expression(scanner, depth + 1)
            if scanner.take(_CLOSED["["]):
                continue
            _need(scanner, _COLON)
        if not scanner.take(_CLOSED["["]):
            _take_expression(scanner, depth + 1)
            _need(scanner, _CLOSED["["])


def _need(scanner: Scanner, pattern: re.Pattern[str]) -> None:
    if scanner.take(pattern) is None:
        raise _not_understood(scanner)


def _check_name(name: str) -> None:
    if _SECRET.search(name):
        raise Refused(f"{name} may hold a secret or a setting of vim-mcp, which are not given")


def _not_understood(scanner: Scanner) -> Refused:
    return Refused(
        f"the expression is not understood at {scanner.rest()[:40]!r}; :echo takes literals, g: b: w: t: variables, "
        "&options, @registers, operators and calls of a few pure functions"
    )
