"""Reading a command line from left to right: text, patterns between delimiters, and ranges.

Where Vim's reading depends on the user's options ('magic', 'cpoptions'), a text is accepted only if every reading
ends it at the same place.
"""

from __future__ import annotations

import re
from typing import Final

DELIMITERS: Final = "/#,;@"
"""What may stand around the pattern of `:s` and `:g`: characters that start nothing else after these names."""

_ADDRESS: Final = re.compile(r"[0-9]{1,9}|[.$]|'[a-z<>\[\]'^.]|\\[/?&]")
_OFFSETS: Final = re.compile(r"(?: *[-+][0-9]{0,9})*")
_SEPARATOR: Final = re.compile(r" *[,;] *")
_SPACES: Final = re.compile(" *")
_ITEM: Final = re.compile(r"\\.|[^\\]", re.DOTALL)


class Refused(Exception):
    """The command is not known to be safe. The message is the sentence for whoever sent it."""


class Scanner:
    """A text and a position in it (0-based, in characters)."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Step over what matches here and return it; None, and no step, where nothing does."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def take_text(self, text: str) -> bool:
        """Step over `text` if it stands here."""
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def skip_spaces(self) -> None:
        """Step over spaces. Tabs are control characters, which are refused."""
        self.take(_SPACES)

    def peek(self) -> str:
        """The character here, '' at the end."""
        return self.text[self.at : self.at + 1]

    def rest(self) -> str:
        """What is left, without a step."""
        return self.text[self.at :]

    def take_rest(self) -> str:
        """Step to the end and return what was left."""
        rest = self.rest()
        self.at = len(self.text)
        return rest


def _collection(delimiter: str) -> re.Pattern[str]:
    # Possessive, as Vim's own reading is: a "]" that comes first is an item, it never closes.
    return re.compile(rf"\\?\[\^?+\]?+(?:\[:[a-z]+:\]|\\[^\[]|[^\]\[\\{re.escape(delimiter)}])*+\]")


_COLLECTIONS: Final = {delimiter: _collection(delimiter) for delimiter in DELIMITERS + "?"}


def take_pattern(scanner: Scanner, delimiter: str) -> bool:
    """Step over a regular expression and its closing delimiter; say whether there was one (else: up to the end).

    A delimiter inside [] does not end a pattern. Whether "[" or "\\[" opens [] depends on 'magic', and what closes
    it on 'cpoptions'; so each collection must close before the delimiter whichever way it is read.
    """
    start, escaped_bracket = scanner.at, False
    while (char := scanner.peek()) and char != delimiter:
        if scanner.take(_COLLECTIONS[delimiter]):
            continue
        item = None if char == "[" else scanner.take(_ITEM)
        if item is None:
            raise Refused(f"the pattern {scanner.text[start:]!r} has a '[' that nothing closes, or ends in a backslash")
        escaped_bracket |= item == "\\["
    _agree(scanner, scanner.text[start : scanner.at], escaped_bracket)
    return scanner.take_text(delimiter)


def _agree(scanner: Scanner, pattern: str, escaped_bracket: bool) -> None:
    """Refuse a pattern that ends elsewhere in another reading.

    "\\[" that opens a collection runs on to a later "]". After "-" Vim takes one character of a collection as it is,
    so that a backslash there escapes nothing.
    """
    if (escaped_bracket and "]" in scanner.rest()) or ("[" in pattern and "-\\" in pattern):
        raise Refused(
            f"where the pattern {pattern!r} ends depends on the user's options 'magic' and 'cpoptions': "
            "write a literal bracket as [[], and no backslash after a '-'"
        )


def take_range(scanner: Scanner) -> str:
    """Step over a range (`5`, `%`, `.,$`, `'<,'>`, `/from/;/to/-1`) and return it; '' where there is none.

    Marks in capitals and digits are no part of it: they lead to other files.
    """
    start = scanner.at
    if not scanner.take_text("%"):
        _take_address(scanner)
        if scanner.take(_SEPARATOR):
            _take_address(scanner)
    return scanner.text[start : scanner.at]


def _take_address(scanner: Scanner) -> None:
    delimiter = scanner.peek()
    if delimiter and delimiter in "/?":
        scanner.at += 1
        take_pattern(scanner, delimiter)
    else:
        scanner.take(_ADDRESS)
    scanner.take(_OFFSETS)
