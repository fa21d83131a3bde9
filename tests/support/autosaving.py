"""Looking into an editor whose person has an auto-save, with a diff open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.inside import Inside
from tests.support.reviewing import NEW, Desk

HINT = ":ClaudeCodeDiffAccept accepts calc.py, that did not"
"""What an auto-save is told, once for each diff."""

ACCEPTED = ("accepted", NEW.replace(b"one", b"onexy"))
"""The verdict where `x` and `y` have been put behind the first line."""

SAVE = ["function! Save()", "  silent write", "endfunction"]

Start = Callable[..., Desk]


def told(desk: Desk, inside: Inside, expression: str) -> Any:
    """The value of an expression; the editor waits for no key."""
    assert "Press ENTER" not in desk.terminal.text()
    return inside.value(desk.terminal, expression)


def is_private(desk: Desk, inside: Inside) -> bool:
    """Whether the diff is one of ordinary buffers."""
    return bool(told(desk, inside, "[&buftype, bufname('%') =~# '/vim-mcp-review-']") == ["", 1])


def errors(desk: Desk, inside: Inside) -> int:
    """How many there were in the diff."""
    return int(told(desk, inside, "len(split(execute('messages'), 'E676', 1)) - 1"))


def is_met(desk: Desk, inside: Inside) -> None:
    """An auto-save on InsertLeave is known, meets no error, and is told how to accept."""
    assert is_private(desk, inside)
    desk.terminal.type("Ax\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""
