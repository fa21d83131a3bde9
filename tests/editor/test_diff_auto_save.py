"""Auto-saves that are not nested: no BufWriteCmd is asked, and yet they meet no error (docs/diff-review.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.autosaving import ACCEPTED, HINT, Start, is_private, told
from tests.support.editing import state
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import NEW
from tests.support.waiting import wait_until

# What brings an event about, twice.
EVENTS = {
    "InsertLeave": "Ax\x1bAx\x1b",
    "TextChanged": "xx",
    "CursorHold": "l",
    "FocusLost": "\x1b[O\x1b[I\x1b[O",
    "BufLeave": "\x17h\x17l\x17h\x17l",
}
COMMANDS = ["write", "silent write", "update", "wall"]

# How it ends, with the verdict.
ANSWERS = {
    ":w\r": ACCEPTED, ":x\r": ACCEPTED, "ZZ": ACCEPTED,
    ":ClaudeCodeDiffDeny\r": ("rejected", ""), ":q\r": ("rejected", ""),
}  # fmt: skip


def written(home: EditorHome) -> list[Path]:
    """The files that auto-saves have left anywhere."""
    return [path for place in (home.runtime, home.home) for path in place.rglob("*calc.py*") if path.is_file()]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_meets_no_error_and_leaves_nothing(
    start: Start, inside: Inside, home: EditorHome, kind: str, event: str, command: str
) -> None:
    (home.home / "backups").mkdir()
    desk = start("set backup backupdir=$HOME/backups updatetime=20", f"autocmd {event} * {command}")
    desk.terminal.type(EVENTS[event])
    if "write" in command or (event, kind) == ("TextChanged", "vim"):
        desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "[v:errmsg, &modified, mode()]") == ["", 0, "n"]
    desk.pends()
    wait_until(lambda: written(home) == [], "what CursorHold has just written to go")
    text = told(desk, inside, "getline(1, '$')")
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", "".join(f"{line}\n" for line in text).encode())
    desk.wait_closed()
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_the_answers_are_what_they_were(start: Start, home: EditorHome, inside: Inside, answer: str) -> None:
    desk = start("autocmd InsertLeave * write")
    assert is_private(desk, inside)
    desk.terminal.type("ggAx\x1bAy\x1b")
    desk.terminal.wait_screen(HINT)
    desk.terminal.type(":checktime\r" + answer)
    assert desk.verdict() == ANSWERS[answer]
    desk.wait_closed()
    assert told(desk, inside, "execute('messages')").count(HINT) == 1
    assert told(desk, inside, "[v:errmsg, len(getbufinfo()), exists('#vim_mcp_diff_private')]") == ["", 1, 0]
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_verdict_comes_before_the_hint(start: Start, inside: Inside) -> None:
    desk = start("autocmd InsertLeave * write")
    desk.terminal.type("ggAx\x1b:w\r")
    assert desk.verdict() == ("accepted", NEW.replace(b"one", b"onex"))
    desk.terminal.type(":call timer_start(800, {timer -> Tell(execute('messages'))})\r")
    assert HINT not in inside.told()


def test_several_at_once_and_one_shown_again(start: Start, inside: Inside, home: EditorHome) -> None:
    desk = start("autocmd InsertLeave * write")
    other = desk.propose(tab_name="other")
    desk.terminal.type("ggAx\x1b:tabnext\rggAy\x1b")
    wait_until(lambda: HINT in told(desk, inside, "execute('messages')"), "the hint, perhaps among other messages")
    assert told(desk, inside, "v:errmsg") == ""
    assert written(home) == []
    assert desk.link.request("close_diffs", reviews=[other]) == {"closed": 1}
    wait_until(lambda: len(list(home.runtime.glob("vim-mcp-review-*"))) == 1, "its directory to go")


def test_clients_take_it_for_no_file(start: Start, inside: Inside) -> None:
    desk = start("autocmd InsertLeave * write")
    assert is_private(desk, inside)
    assert sorted(buffer["buftype"] for buffer in state(desk.link, "buffers")) == ["", "acwrite", "acwrite"]
    desk.terminal.type(":ClaudeCodeAdd\r")
    desk.terminal.wait_screen("not mentioned: this buffer has no file")


def test_another_name_is_that_of_no_private_file(start: Start, inside: Inside, home: EditorHome) -> None:
    desk = start("autocmd InsertLeave * silent! write", "autocmd InsertLeave * if 0 | write | endif")
    assert is_private(desk, inside)
    mine = home.home / "mine"
    desk.terminal.type(f":file {mine}\rggAx\x1b")
    assert told(desk, inside, "&buftype") == "acwrite"
    assert not mine.exists()


def test_in_vim_a_hunk_that_the_other_side_puts_counts_as_no_change(start: Start, inside: Inside) -> None:
    desk = start("autocmd FocusLost * wall")
    assert told(desk, inside, "&buftype") == "acwrite"
    desk.terminal.type("\x17hgg]cdp")
    assert told(desk, inside, "filter(getbufinfo(), 'v:val.changed')") == []
    desk.terminal.type("dp\x1b[O")
    assert told(desk, inside, "v:errmsg") == ""


@pytest.mark.parametrize("lines", [[], ["autocmd InsertLeave * write"]], ids=["no file", "private files"])
def test_the_editor_remembers_nothing_of_it(start: Start, home: EditorHome, kind: str, lines: list[str]) -> None:
    option = "viminfofile" if kind == "vim" else "shadafile"
    desk = start(f"set {option}={home.home / 'info'}", *lines)
    desk.terminal.type("Ax\x1b\x17hgg\x17l:qa\r")
    assert desk.verdict() == ("rejected", "")
    desk.terminal.wait()
    assert b"one.txt" in (home.home / "info").read_bytes()
    assert b"calc.py" not in (home.home / "info").read_bytes()
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.parametrize("command", ["bwipeout", "bdelete"])
def test_the_file_s_side_may_be_deleted(start: Start, inside: Inside, home: EditorHome, command: str) -> None:
    desk = start()
    desk.terminal.type(f"\x17h:{command}\r:autocmd InsertLeave * write\r")
    wait_until(lambda: is_private(desk, inside), "private files")
    desk.terminal.type("ggAx\x1bAy\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""
    desk.terminal.type(":edit one.txt\r:ClaudeCodeDiffs\r")
    desk.terminal.wait_screen("claude-code: calc.py")
    desk.terminal.type(":w\r")
    assert desk.verdict() == ACCEPTED
    wait_until(lambda: list(home.runtime.glob("vim-mcp-review-*")) == [], "its directory to go")


@pytest.mark.parametrize("side", ["h", "l"], ids=["file", "proposal"])
@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_nested_one_is_told_once(start: Start, inside: Inside, side: str) -> None:
    desk = start("autocmd FocusLost * nested silent write")
    desk.terminal.type(f"\x17{side}\x1b[O\x1b[I")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "[v:errmsg, execute('messages clear')]") == ["", ""]
    desk.terminal.type("\x1b[O\x1b[I:call timer_start(800, {timer -> Tell(execute('messages'))})\r")
    assert HINT not in inside.told()
    desk.pends()


@pytest.mark.parametrize("event", ["BufEnter", "FocusGained"])
@pytest.mark.requirement("IDE-REVIEW-02")
def test_an_auto_read_does_not_empty_the_proposal(start: Start, inside: Inside, event: str) -> None:
    desk = start(f"autocmd {event} * silent! edit!")
    desk.terminal.type("\x17h\x17l\x1b[O\x1b[I")
    assert told(desk, inside, "[v:errmsg, &modified, getline(1, '$')]") == ["", 0, NEW.decode().split()]
    desk.pends()
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)


@pytest.mark.parametrize("keys", [":%delete\r\x17h", "\x17h:call deletebufline(winbufnr(winnr('#')), 1, '$')\r"])
def test_a_proposal_that_was_emptied_stays_so(start: Start, inside: Inside, keys: str) -> None:
    desk = start("autocmd BufEnter * silent! checktime")
    desk.terminal.type(f"{keys}\x17l\x1b[O\x1b[I")
    assert told(desk, inside, "getline(1, '$')") == [""]
    desk.terminal.type(":w\r")
    assert desk.verdict()[0] == "accepted"
