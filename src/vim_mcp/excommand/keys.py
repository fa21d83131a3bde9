"""The keys that `:normal!` may type: motions, operators and insertions that stay in the buffer and run no code.

What Vim does with a key depends on its mode, so that this follows the modes. The one thing that must not happen is
that Vim takes inserted text for commands: <Esc> even executes a command line that was begun by mistake. So an
insertion begins only with keys that cannot fail where 'modifiable' is on (`ciw` can, `diwi` cannot), and no key is
accepted whose meaning depends on options ('tildeop') or on what was done before (`.`, `@`, `&`).
"""

from __future__ import annotations

import re
from typing import Final

from vim_mcp.excommand.scan import Refused, Scanner

CONTROLS: Final = "\x01\x09\x18\x1b"
"""The control characters that keys may hold: CTRL-A, <Tab> (in inserted text), CTRL-X, <Esc>."""

_ESC: Final = "\x1b"
_CHAR: Final = r"[^\x00-\x1f\x7f-\x9f]"
# Counts repeat what follows: three digits are enough for a person, and cannot fill the memory. Possessive, since the
# "0" of a count must never pass for the motion.
_COUNT: Final = "(?:[1-9][0-9]{0,2}+(?![0-9]))?+"
# "+ and "* are the system's clipboard, "= evaluates.
_REGISTER: Final = '(?:"[a-zA-Z0-9"_-])'
_PREFIX: Final = f"(?:{_REGISTER}{_COUNT}|{_COUNT}{_REGISTER}?+)"
_LINE_MOTION: Final = r"[0-9]{0,9}(?:G|gg|go|\|)"
_MOTION: Final = (
    rf"(?:{_LINE_MOTION}|{_COUNT}(?:[hjklwWbBeE0^$HMLnN;,%(){{}}*#_+ -]|[fFtT]{_CHAR}|g[ejkE0^$mMo_*#]|"
    r"['`][a-z<>\[\]'`.^]|\[[\[\](){}mMcz]|\][\[\](){}mMcz]|z[jk]))"
)
_OBJECT: Final = rf"{_COUNT}[ia][wWspbBt()\[\]{{}}<>\"'`]"
_OPERATOR: Final = "(?:[dy<>]|g[~uU?w]|zf)"

_NORMAL: Final = re.compile(
    rf"{_PREFIX}(?:"
    rf"{_MOTION}|{_OPERATOR}(?:{_MOTION}|{_OBJECT})|{_COUNT}(?:dd|yy|<<|>>|zF|g~~|g~g~|guu|gugu|gUU|gUgU|g\?\?|gww)|"
    rf"[xXDYJpPuU\x01\x18\x1b]|g[pPJ;,]|m[a-z]|r{_CHAR}|z[tbz.oOcCaAvxXmMrRnNidDE])"
)
# With a count, cc and S fail where there are not so many lines. Text that is wrapped as it is typed is slow.
_INSERT: Final = re.compile(rf"(?:[1-9][0-9]?+)?+[iaIAoO]|{_REGISTER}?(?:cc|S)")
_INSERTED: Final = re.compile(rf"(?:\t|{_CHAR})*")

_PROMPT: Final = "it opens a command line; give the Ex command itself, or a range such as /pattern/"
_SELECTION: Final = (
    "a key that fails would leave the user in Visual mode; use an operator with a text object, or a range such as '<,'>"
)
_REASONS: Final = {
    "c": "it starts an insertion only if the motion succeeds; use d with the same motion, and then i or a",
    "s": "it depends on the text whether it works; use x and then i",
    "C": "it depends on the text whether it works; use D and then A",
    "R": "overwriting is not offered; use vim_edit",
    ".": "it repeats the user's last change, which may be a filter through a program",
    "&": "it repeats the user's last substitution, which may be an expression",
    "@": "it runs a register's contents as commands",
    "q": "it records or opens the command-line window",
    "Q": "it enters Ex mode or runs a register",
    "K": "it runs the program of 'keywordprg'",
    "Z": "it writes files or quits",
    ":": _PROMPT,
    "/": _PROMPT,
    "?": _PROMPT,
    "!": "it filters text through a program",
    "=": "it may run the program of 'equalprg'",
    "~": "its meaning depends on 'tildeop'; use g~l",
    "v": _SELECTION,
    "V": _SELECTION,
    '"': "that register is the clipboard, read-only or an expression",
}


def check_keys(keys: str) -> None:
    """Raise `Refused` unless every key is known to be harmless wherever 'modifiable' is on."""
    scanner = Scanner(keys)
    while scanner.peek():
        if scanner.take(_INSERT):
            _check_inserted(scanner)
        elif scanner.take(_NORMAL) is None:
            raise _refusal(scanner)


def _check_inserted(scanner: Scanner) -> None:
    scanner.take(_INSERTED)
    if scanner.peek() and not scanner.take_text(_ESC):
        raise Refused(
            f"the character {scanner.peek()!r} in inserted text may run a command; "
            "only text, <Tab> and the closing <Esc> are accepted: use o or vim_edit for more lines"
        )


def _refusal(scanner: Scanner) -> Refused:
    key = scanner.peek()
    why = _REASONS.get(key, "it is not among the motions, operators and insertions that are known to be harmless")
    return Refused(f"the key {key!r} of :normal!, at {scanner.rest()[:20]!r}, is refused: {why}")
