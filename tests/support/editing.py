"""What tests of reading and editing do again and again, over an editor's raw connection."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import TIMEOUT, Terminal
from tests.support.rawhub import EditorError, RawEditor
from tests.support.waiting import wait_until

Error = dict[str, Any]


def text(link: RawEditor, **which: Any) -> list[str]:
    """The lines of a buffer (`buffer=` or `file=`; default: the current one)."""
    lines: list[str] = link.request("get_text", **which)["lines"]
    return lines


def state(link: RawEditor, section: str) -> Any:
    """One section of the editor's state."""
    return link.request("get_state", sections=[section])[section]


def edit(link: RawEditor, kind: str = "all", **params: Any) -> dict[str, Any]:
    """Edit the current buffer, or that of `file=` or `buffer=`, and return the result."""
    which = {} if {"file", "buffer"} & params.keys() else {"buffer": 0}
    result: dict[str, Any] = link.request("edit", kind=kind, **which, **params)
    return result


def refused(link: RawEditor, method: str, **params: Any) -> Error:
    """The error that a request is answered with."""
    with pytest.raises(EditorError) as caught:
        link.request(method, **params)
    return caught.value.error


def kind_of(error: Error) -> str:
    """The error's `data.kind`; it must be of code 1004."""
    assert error["code"] == 1004, error
    return str(error["data"]["kind"])


_numbers = itertools.count(1)


def command(terminal: Terminal, line: str) -> None:
    """Run an Ex command in an editor in normal mode, and wait until it has been run."""
    number = next(_numbers)
    terminal.type(f":{line}\r:echo 'done' {number}\r")
    terminal.wait_screen(lambda screen: f"done {number}" in screen)


def wait_mode(link: RawEditor, mode: str) -> None:
    """Wait until the editor is in `mode` (a mode(1))."""
    wait_until(lambda: bool(state(link, "mode") == mode), f"mode {mode!r}")


def wait_text(link: RawEditor, wanted: list[str], **which: Any) -> None:
    """Wait until a buffer (`buffer=` or `file=`; default: the current one) has these lines."""
    deadline = time.monotonic() + TIMEOUT
    while (found := text(link, **which)) != wanted:
        assert time.monotonic() < deadline, f"the text is {found}, not {wanted}"


def type_into_terminal(terminal: Terminal, link: RawEditor, kind: str) -> None:
    """Open a terminal window beside the present one, and type the beginning of a command into it."""
    before = len(state(link, "windows"))
    terminal.type(":split | terminal\r" if kind != "vim" else ":terminal\r")
    wait_until(lambda: len(state(link, "windows")) == before + 1, "a terminal window")
    if kind != "vim":
        terminal.type("i")
    wait_mode(link, "t")
    terminal.type("echo be")
    terminal.wait_screen("echo be")


def mentioned(link: RawEditor, project: Path) -> tuple[str, ...] | tuple[str, int, int]:
    """The next mention: the name from the project on, and its lines."""
    message = link.event("mention")
    name = str(Path(message["file"]).relative_to(project))
    return (name, message["first"], message["last"]) if "first" in message else (name,)
