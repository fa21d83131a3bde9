"""`open_diff` and `close_diffs`: what Claude proposes, and every way to answer."""

from __future__ import annotations

from pathlib import Path

from tests.support.editing import state
from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor
from tests.support.reviewing import Desk
from tests.support.waiting import wait_until


def test_a_write_accepts(editor: tuple[Terminal, RawEditor], desk: Desk) -> None:
    terminal, link = editor
    desk.propose(b"one\n2\n", old=b"one\ntwo\n")
    terminal.type(":w\r")
    assert desk.verdict() == ("accepted", b"one\n2\n")
    wait_until(lambda: len(state(link, "windows")) == 1, "the windows as before")


def test_leaving_rejects(editor: tuple[Terminal, RawEditor], desk: Desk) -> None:
    terminal, link = editor
    desk.propose(b"one\n2\n", old=b"one\ntwo\n")
    terminal.type(":q\r")
    assert desk.verdict() == ("rejected", "")
    wait_until(lambda: len(state(link, "windows")) == 1, "the windows as before")
