"""Which Ex commands a client may run under `g:vim_mcp_execute = 'safe'`, the default. Pure.

Requirements VIM-SEC-04, VIM-SEC-05, CMD-01. Default-deny: a command line is parsed as Vim parses it, and whatever is
not known to be harmless is refused. Nothing that is judged safe reaches a shell, another language, a file other than
through an open buffer, a function that is not on a short list, or the variables of vim-mcp; also not by way of what the
user did before (the last substitution, change, macro or mapping) and of what the user has set ('magic', 'cpoptions',
'tildeop', 'selectmode', …). What the user has made part of editing itself (autocommands, 'indentexpr', 'foldexpr',
'statusline') runs as it does under the user's own hands.

What the editor alone can see, it has to check before it runs a safe command:
- In the command-line window, a terminal buffer or a prompt buffer nothing is run that touches text (`Verdict.text`):
  what is put there reaches a shell. The same in a buffer whose text is not to be given. One check before the command
  is enough, since after a change of window or buffer no command that touches text is accepted.
- Keys (`Verdict.keys`) are typed only where 'modifiable' is on, since else an insertion fails and its text is taken for
  commands; and with 'langmap' empty for the time, since it would make other keys of them.
- Other characters than those of ASCII (`Verdict.ascii`) are accepted only where 'encoding' is utf-8: in the conversion
  to another one some vanish, and some become "?", "~" or a backslash.
- In Neovim the clipboard's program, which even `:registers` runs, is kept out by `g:loaded_clipboard_provider = 1` for
  the time; everywhere 'clipboard' is empty for the time, since it would make of each deletion a write to the clipboard.
- The command is run as legacy VimScript, by execute().
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from vim_mcp.excommand.commands import COMMANDS, TABLE
from vim_mcp.excommand.expression import FUNCTIONS
from vim_mcp.excommand.keys import CONTROLS
from vim_mcp.excommand.line import Line
from vim_mcp.excommand.scan import Refused

__all__ = ["SAFE_COMMANDS", "SAFE_FUNCTIONS", "Verdict", "judge"]

SAFE_COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {command.name: f"{command.usage}  {command.help}" for command in TABLE}
)
"""The safe set: each command's name with its usage, in the notation of Vim's help, and one line about it."""

SAFE_FUNCTIONS: Final = tuple(sorted(FUNCTIONS))
"""The functions that `:echo` may call."""

_LONGEST: Final = 10_000
_WAY_OUT: Final = "the user can be asked about such commands with g:vim_mcp_execute = 'ask', or allow all with 'all'"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a command line is known to be harmless."""

    safe: bool
    reason: str
    """'' when it is safe; else a sentence: what was refused and what to use instead."""
    text: bool = False
    """It reads or changes text of the buffer that is current when it starts."""
    keys: bool = False
    """It types keys in Normal mode."""
    ascii: bool = True
    """It holds no other characters."""
    quick: bool = False
    """It takes no time: it works on no text, matches no pattern, shows no other buffer and sets no option."""


def judge(command: str) -> Verdict:
    """Judge one command line, with or without a leading colon. Raises nothing."""
    line = Line(command, COMMANDS)
    try:
        if len(command) > _LONGEST:
            raise Refused(f"the command has {len(command)} characters, more than {_LONGEST}: use vim_edit for text")
        line.check()
        _check_characters(command, line.keys_at)
    except Refused as refused:
        return Verdict(False, f"Refused: {refused}. Otherwise {_WAY_OUT}.")
    quick = not (line.slow or line.touches_text or line.moved)
    return Verdict(True, "", line.touches_text, line.keys_at is not None, command.isascii(), quick)


def _check_characters(command: str, keys_at: int | None) -> None:
    """Refuse control characters: a newline separates commands, CTRL-V quotes, NUL ends. Keys may hold a few."""
    if command.isprintable():
        return
    for at, char in enumerate(command):
        expected = keys_at is not None and at >= keys_at and char in CONTROLS
        if unicodedata.category(char) in ("Cc", "Cs") and not expected:
            raise Refused(f"the character {char!r} is not accepted in a command")
