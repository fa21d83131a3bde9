"""A command line: commands with bars between, each with modifiers, a range, a name, a "!" and an argument."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from vim_mcp.excommand.names import full, spellings
from vim_mcp.excommand.refusals import REFUSALS
from vim_mcp.excommand.scan import Refused, Scanner, take_range

_MODIFIERS: Final = (
    "sil[ent] keepj[umps] kee[pmarks] keepa[lt] keepp[atterns] loc[kmarks] abo[veleft] lefta[bove] bel[owright] "
    "rightb[elow] to[pleft] bo[tright] vert[ical] tab"
)
MODIFIERS: Final = tuple(_MODIFIERS.split())
"""What may stand before a command. `silent` may have a "!"."""

_MODIFIER: Final = re.compile(
    rf"(?:silent!|sil!|sile!|silen!|(?:{'|'.join(word for name in MODIFIERS for word in spellings(name))})"
    r"(?![A-Za-z!]))[ :]*"
)
_START: Final = re.compile("[ :]*")
_NAME: Final = re.compile(r"k(?=[a-z](?![A-Za-z]))|[A-Za-z]+|\S?")
_COUNT: Final = re.compile("[0-9]*")


@dataclass(frozen=True, slots=True)
class Command:
    """One command of the safe set."""

    notation: str
    """Its name as in Vim's help: `d[elete]`."""
    argument: Callable[[Line], None]
    """Steps over an argument that is known to be harmless, or raises `Refused`; what it leaves over is refused."""
    help: str
    """One line for a person: what it does, and how it is limited."""
    syntax: str = ""
    """What follows the name."""
    range: str = "lines"
    """What may stand before the name: "lines", "count" or ""."""
    bang: str = "no"
    """Whether a "!" stands after the name: "no", "may" or "must"."""
    text: bool = True
    """It reads or changes text of the current buffer."""
    moves: bool = False
    """Another window or buffer may be current afterwards."""
    nests: bool = field(kw_only=True, default=False)
    """`:global` may run it."""
    loud: bool = field(kw_only=True, default=False)
    """Its errors must end the line: `silent!` may not stand before it."""

    @property
    def name(self) -> str:
        """The whole name."""
        return full(self.notation)

    @property
    def usage(self) -> str:
        """The command with everything that may stand around it, in the notation of Vim's help."""
        before = {"lines": "[range]", "count": "[count]", "": ""}[self.range]
        bang = {"no": "", "may": "[!]", "must": "!"}[self.bang]
        return f":{before}{self.notation}{bang} {self.syntax}".rstrip()


class Line(Scanner):
    """A command line that is being checked, and what has become known of it."""

    def __init__(self, text: str, commands: Mapping[str, Command]) -> None:
        super().__init__(text)
        self._commands = commands
        self._nested = False
        self.touches_text = False
        self.keys_at: int | None = None
        self.moved = False
        self.slow = False

    def check(self) -> None:
        """Step over commands up to the end. Raises `Refused` for the first that is not known to be safe."""
        self._check_command()
        while self.take_text("|"):
            self._check_command()
        if self.peek():
            raise Refused(f"what follows at {self.rest()[:40]!r} is not understood")

    def check_nested(self) -> None:
        """Step over the commands that `:global` runs for each line."""
        if self._nested:
            raise Refused("a :global within a :global is not accepted")
        self._nested = True
        if self.peek():
            self.check()

    def _check_command(self) -> None:
        self.take(_START)
        silenced = False
        while modifier := self.take(_MODIFIER):
            silenced |= "!" in modifier
        lines = take_range(self)
        self.skip_spaces()
        if self.peek() in ("", "|"):
            self._check_range_alone(lines)
            return
        command = self._check_named(lines, self.take(_NAME) or "")
        if silenced and command.loud:
            raise Refused(
                f"'silent!' before :{command.name} is not accepted: after an error the rest would be commands"
            )

    def _check_range_alone(self, lines: str) -> None:
        if not lines:
            raise Refused("there is no command where one is expected: at the start, after a '|' or after a modifier")
        self.note_text("a range")

    def _check_named(self, lines: str, name: str) -> Command:
        command = self._commands.get(name)
        if command is None:
            raise _unknown(name)
        self._check_form(command, lines, self.take_text("!"))
        self.skip_spaces()
        command.argument(self)
        self.skip_spaces()
        if self.peek() not in ("", "|"):
            raise Refused(f"what follows at {self.rest()[:40]!r} is not understood: the safe form is {command.usage}")
        self.moved |= command.moves
        return command

    def _check_form(self, command: Command, lines: str, bang: bool) -> None:
        wrong_bang = command.bang == ("no" if bang else "must")
        if wrong_bang or not _fits(lines, command.range):
            raise Refused(f"':{lines}{command.name}{'!' * bang}' is not accepted: the safe form is {command.usage}")
        if self._nested and not command.nests:
            raise Refused(f":global does not run :{command.name} here; run it by itself")
        if command.text:
            self.note_text(f":{command.name}")

    def note_text(self, what: str) -> None:
        """Note that `what` reads or changes the current buffer's text. Raises `Refused` after a change of window.

        The editor looks once, before the first command, whether the current buffer's text may be touched.
        """
        if self.moved:
            raise Refused(f"{what} would work on the window or buffer just gone to: send it as a command of its own")
        self.touches_text = True


def _fits(lines: str, kind: str) -> bool:
    return not lines or kind == "lines" or (kind == "count" and _COUNT.fullmatch(lines) is not None)


def _unknown(name: str) -> Refused:
    why = REFUSALS.get(name)
    if why is None and name[:1].isupper():
        why = "the user's own commands may do anything"
    return Refused(f"':{name}' is not among the commands that are known to be harmless{': ' if why else ''}{why or ''}")
