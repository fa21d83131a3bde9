"""The layout "unified": a proposal in one window, answered as in the others."""

from __future__ import annotations

import pytest

from tests.support.editing import command
from tests.support.editors import EditorHome
from tests.support.reviewing import NEW, OLD, Desk
from tests.support.stage import numbered


@pytest.fixture
def unified(home: EditorHome, desk: Desk) -> Desk:
    """An editor with that layout."""
    command(desk.terminal, "let g:vim_mcp_diff_layout = 'unified' | set laststatus=2")
    return desk


def order(screen: str, *texts: str) -> bool:
    """Whether these are rows of the screen, in this order, one below the other."""
    rows = [row.strip() for row in screen.splitlines()]
    return any(rows[first : first + len(texts)] == list(texts) for first in range(len(rows)))


@pytest.mark.requirement("IDE-SHOW-04")
def test_one_window_shows_what_comes_and_what_goes(unified: Desk) -> None:
    unified.propose()
    unified.terminal.wait_screen("calc.py, 2 changes", lambda screen: order(screen, "one", "two", "2", "three", "four"))
    assert len(unified.windows()) == 2, "and that of the file in the first tab page"
    unified.terminal.type(":w\r")
    assert unified.verdict() == ("accepted", NEW)
    unified.wait_closed()


@pytest.mark.requirement("IDE-SHOW-04")
@pytest.mark.parametrize(
    ("keys", "verdict"),
    [
        (":q\r", ("rejected", "")),
        (":ClaudeCodeDiffDeny no\r", ("rejected", "no")),
        ("ZZ", ("accepted", NEW)),
        ("Gofive\x1b:x\r", ("accepted", NEW + b"five\n")),
    ],
)
def test_verdicts_are_those_of_the_others(unified: Desk, keys: str, verdict: tuple[str, object]) -> None:
    unified.propose()
    unified.terminal.wait_screen("calc.py, 2 changes", lambda screen: order(screen, "one", "two", "2", "three", "four"))
    unified.terminal.type(keys)
    assert unified.verdict() == verdict
    unified.wait_closed()


@pytest.mark.requirement("IDE-SHOW-04")
def test_it_follows_what_its_user_types(unified: Desk) -> None:
    command(unified.terminal, "nmap \\n <Plug>(claude-diff-next)")
    unified.propose()
    unified.terminal.wait_screen("calc.py, 2 changes", lambda screen: order(screen, "one", "two", "2", "three", "four"))
    unified.terminal.type("gg\\ncctwo\x1b")
    unified.terminal.wait_screen("calc.py, 1 change", lambda screen: order(screen, "one", "two", "three", "four"))
    unified.terminal.type("ggdd")
    unified.terminal.wait_screen("calc.py, 2 changes", lambda screen: order(screen, "two", "three", "four"))
    unified.terminal.type(":w\r")
    assert unified.verdict() == ("accepted", b"two\nthree\nfour\n")


@pytest.mark.requirement("IDE-SHOW-04")
@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (OLD, b"three\n", ["one", "two", "three"]),
        (OLD, b"one\n", ["one", "two", "three"]),
        (OLD, b"1\ntwo\n3\n", ["one", "1", "two", "three", "3"]),
        (b"one\n", b"\tx\n", ["one", "x"]),
        (b"", b"1\n2\n", ["1", "2"]),
        (b"one\ntwo\n", b"", ["one", "two"]),
    ],
)
def test_the_first_and_the_last_line(unified: Desk, old: bytes, new: bytes, shown: list[str]) -> None:
    unified.propose(new, old)
    unified.terminal.wait_screen("calc.py, ", lambda screen: order(screen, *shown))
    unified.terminal.type(":w\r")
    assert unified.verdict() == ("accepted", new)


@pytest.mark.requirement("IDE-SHOW-04")
def test_a_long_line_that_goes_is_shown_whole(unified: Desk) -> None:
    """Also above the first line of the text, where the window begins."""
    unified.propose(b"new\nlast\n", b"begin" + b"-" * 200 + b"end\nlast\n")
    unified.terminal.wait_screen("begin---", "---end", lambda screen: order(screen, "new", "last"))


@pytest.mark.requirement("IDE-SHOW-04")
def test_a_large_one_has_its_changes_counted(unified: Desk) -> None:
    """It begins at the first."""
    old = numbered(5000)
    unified.propose(old.replace("line 3000\n", "three thousand\n").encode(), old.encode())
    unified.terminal.wait_screen("calc.py, 1 change", lambda screen: order(screen, "line 3000", "three thousand"))
