"""What a client takes for known of files' diagnostics, so that old ones which have only moved do not look new to it."""

from __future__ import annotations

import os.path
from collections.abc import Mapping, Sequence
from typing import Any

_MAX_FILES = 1000
_SAME = ("message", "severity", "source", "code", "line_hash")
"""What two diagnostics have in common that are one and the same, wherever its line has got to."""

Diagnostic = dict[str, Any]
"""One as the editor gives it, with its range."""


class Known:
    """One client's. Claude Code compares what it is told of a file after a write with what it was told before it, and
    takes for new what has another message or another range: so does an old error below a line that was put in.
    """

    def __init__(self) -> None:
        self._files: dict[str, list[Diagnostic]] = {}

    def begin(self, file: str, diagnostics: Sequence[Diagnostic]) -> None:
        """The client has asked for a file's diagnostics, to compare later ones with them."""
        real = os.path.realpath(file)
        self._files.pop(real, None)
        self._files[real] = list(diagnostics)
        if len(self._files) > _MAX_FILES:
            del self._files[next(iter(self._files))]

    def told(self, files: Mapping[str, Sequence[Diagnostic]]) -> dict[str, list[Diagnostic]]:
        """All files' diagnostics as the client is to be told them: one that it knows has the range that it knows."""
        told = {name: self._compared(os.path.realpath(name), found) for name, found in files.items()}
        real = {os.path.realpath(name): found for name, found in told.items()}
        self._files = {name: real.get(name, []) for name in self._files}
        return told

    def _compared(self, file: str, diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
        left = list(self._files.get(file, []))
        stayed = [_take(left, item, (*_SAME, "range")) for item in diagnostics]
        return [old or _moved(left, item) for old, item in zip(stayed, diagnostics, strict=True)]


def _moved(left: list[Diagnostic], item: Diagnostic) -> Diagnostic:
    old = _take(left, item, _SAME)
    return {**item, "range": old["range"]} if old else item


def _take(left: list[Diagnostic], item: Diagnostic, keys: Sequence[str]) -> Diagnostic | None:
    """The first of `left` that is as `item` in all `keys`, taken out; None where there is none."""
    found = next((old for old in left if all(old.get(key) == item.get(key) for key in keys)), None)
    if found is not None:
        left.remove(found)
    return found
