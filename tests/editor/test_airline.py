"""With the real vim-airline (Debian's vim-airline, unpacked by .ci/run: installed, it would change every editor)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.rawhub import RawEditor, RawHub
from tests.support.reviewing import NEW, TITLE, Desk

AIRLINE = ROOT / ".cache" / "airline" / "usr" / "share" / "vim-airline"


Start = Callable[..., tuple[Terminal, RawEditor]]


@pytest.fixture
def start(home: EditorHome, raw_hub: RawHub, launch: Callable[..., Terminal]) -> Start:
    """Start an editor with it and these lines in the vimrc."""
    if not AIRLINE.exists():
        assert os.environ.get("CI") != "true", "CI must test with vim-airline"
        pytest.skip("vim-airline is not in .cache/airline")

    def begin(*lines: str) -> tuple[Terminal, RawEditor]:
        home.add(f"set runtimepath^={AIRLINE} laststatus=2", "let g:airline_symbols_ascii = 1", *lines)
        terminal = launch("one.txt", size=(24, 120))
        link = raw_hub.editor()
        terminal.wait_screen("NORMAL", lambda screen: "Claude" not in screen)
        return terminal, link

    return begin


@pytest.mark.requirement("SEEN-01")
def test_what_claude_does_stands_in_its_status_line(start: Start) -> None:
    """In that of the current window: in others airline shows little."""
    terminal, link = start("split")
    for activity, clients, shown in (("working", 1, "Claude working"), ("waiting", 2, "2 Claudes waiting")):
        link.send({"type": "ide", "clients": clients, "activity": activity})
        terminal.wait_screen(shown)
        assert shown in terminal.text().split("\n")[11]
    terminal.type("\x17j")
    terminal.wait_screen(lambda screen: "2 Claudes waiting" in screen.split("\n")[-2])
    link.send({"type": "ide", "clients": 0, "activity": ""})
    terminal.wait_screen(lambda screen: "Claude" not in screen)


@pytest.mark.requirement("SEEN-01")
def test_it_can_be_turned_off(start: Start) -> None:
    terminal, link = start("let g:airline#extensions#vim_mcp#enabled = 0")
    link.send({"type": "ide", "clients": 1, "activity": "working"})
    link.request("ping")
    terminal.type(":redrawstatus | echo vim_mcp#statusline()\r")
    terminal.wait_screen(lambda screen: screen.split("\n")[-1].startswith("Claude working"))
    assert "Claude" not in terminal.text().split("\n")[-2]


@pytest.mark.requirement("IDE-REVIEW-04")
def test_a_diff_keeps_its_title(start: Start, tmp_path: Path) -> None:
    terminal, link = start("set noswapfile", "let g:vim_mcp_diff_focus = 'always'")
    desk = Desk(terminal, link, tmp_path, tmp_path)
    desk.propose()
    terminal.wait_screen(TITLE, "on disk")
    for keys in (":1tabnext\r", ":ClaudeCodeDiffs\r", "j", "\x17h", "l", "\x17l", "ix\x1b", "u"):
        terminal.type(f":redraw!\r{keys}")
        link.request("ping")
        if "tabnext" not in keys:
            terminal.wait_screen(TITLE, "on disk")
    terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)
    terminal.wait_screen(lambda screen: "one.txt" in screen.split("\n")[-2])
