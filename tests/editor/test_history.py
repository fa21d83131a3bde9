""":VimMCPHistory: what clients did here, going there, and undoing one of their edits."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.editing import command, edit, refused, state, text, wait_text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

LINES = [f"line {number}" for number in range(1, 21)]


@pytest.fixture
def link(home: EditorHome, inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor whose person has typed twenty lines."""
    terminal, link = editor
    command(terminal, "set hidden noswapfile | call setline(1, map(range(1, 20), '\"line \" . v:val'))")
    return link


@pytest.fixture
def terminal(editor: tuple[Terminal, RawEditor]) -> Terminal:
    """That editor's terminal."""
    return editor[0]


def history(terminal: Terminal, link: RawEditor) -> list[str]:
    """Open the history; its lines without the times."""
    command(terminal, "VimMCPHistory")
    lines = text(link)
    assert "<CR>" in lines[0]
    return [re.sub(r"^\d\d:\d\d:\d\d  ", "", line) for line in lines[1:]]


@pytest.mark.requirement("HIST-01")
def test_who_did_what_where(link: RawEditor, terminal: Terminal, tmp_path: Path) -> None:
    assert history(terminal, link) == ["nothing yet"]
    terminal.type("q")
    wait_until(lambda: len(state(link, "windows")) == 1, "closed")
    edit(link, "replace", line=5, lines=["a", "b"], client="claude-code 2.1")
    edit(link, "all", file=str(tmp_path / "project" / "two.txt"), lines=["2"], save=True, client="other\tone")
    link.request("show", file=str(tmp_path / "project" / "two.txt"), line=1)
    link.request("get_text")
    refused(link, "edit", buffer=0, kind="substitute", old_lines=["nothing"], lines=[], client="other")
    refused(link, "edit", buffer=0, kind="nothing", lines=[])
    refused(link, "get_text", buffer=99)
    assert history(terminal, link) == [
        "other  edit  (not done: the text to replace does not occur in the buffer, nothing was changed)",
        "-  show  two.txt:1",
        "other^Ione  edit  two.txt:1  +1 -0 lines, saved",
        "claude-code 2.1  edit  one.txt:5  +2 -1 lines",
    ]
    assert history(terminal, link)[0].startswith("other  edit")
    assert len(state(link, "windows")) == 2
    terminal.type("q")
    wait_until(lambda: len(state(link, "windows")) == 1, "closed")


@pytest.mark.requirement("HIST-01")
def test_enter_goes_there(link: RawEditor, terminal: Terminal, tmp_path: Path) -> None:
    edit(link, "replace", line=5, lines=["a"])
    link.request("show", file=str(tmp_path / "project" / "two.txt"))
    history(terminal, link)
    terminal.type("3G\r")
    wait_until(lambda: bool(state(link, "cursor") == [5, 1] and text(link)[4] == "a"), "line 5 of one.txt")
    assert len(state(link, "windows")) == 2


def test_only_the_last_actions_are_kept(link: RawEditor, terminal: Terminal) -> None:
    for number in range(203):
        edit(link, "replace", line=number % 20 + 1, lines=[str(number)])
    lines = history(terminal, link)
    assert len(lines) == 200
    assert lines[0] == "-  edit  one.txt:3  +1 -1 lines"


def undo(terminal: Terminal, link: RawEditor, entry: int, said: str) -> None:
    """Undo entry number `entry`, counted from the newest (1), and wait for what the editor says."""
    history(terminal, link)
    terminal.type(f":{entry + 1}\ru")
    terminal.wait_screen(lambda screen: screen.splitlines()[-1].startswith(f"vim-mcp: {said}"))


@pytest.mark.requirement("HIST-01")
def test_one_edit_is_undone_under_others(link: RawEditor, terminal: Terminal) -> None:
    edit(link, "replace", line=5, end_line=6, lines=["five", "and a half", "six"])
    edit(link, "insert", line=1, lines=["above"])
    edit(link, "replace", line=20, lines=["below"])
    terminal.type("ggOof the person\x1b")
    wait_until(lambda: text(link)[0] == "of the person", "typed")
    undo(terminal, link, 3, "undone")
    wanted = ["of the person", "above", *LINES[:18], "line 19", "line 20"]
    wanted[19] = "below"
    assert text(link, buffer=1) == wanted[:19] + text(link, buffer=1)[19:]
    assert text(link, buffer=1)[5:8] == ["line 4", "line 5", "line 6"]
    assert "below" in text(link, buffer=1)
    assert history(terminal, link)[2].endswith("(undone)")
    undo(terminal, link, 3, "not undone: it has been undone already")
    terminal.type("q")
    terminal.type("u")
    wait_until(lambda: "and a half" in text(link), "the undoing is undone")


def test_scattered_changes_are_undone_together(link: RawEditor, terminal: Terminal) -> None:
    new = ["zero", *LINES[:4], "5", *LINES[5:15], *LINES[17:], "last"]
    edit(link, "all", lines=new)
    assert text(link) == new
    undo(terminal, link, 1, "undone")
    assert text(link, buffer=1) == LINES


@pytest.mark.parametrize("lines", [[], ["all", "else"]])
def test_a_whole_text_is_brought_back(link: RawEditor, terminal: Terminal, lines: list[str]) -> None:
    edit(link, "all", lines=lines)
    undo(terminal, link, 1, "undone")
    assert text(link, buffer=1) == LINES


@pytest.mark.requirement("HIST-01")
def test_what_has_changed_since_is_not_undone(link: RawEditor, terminal: Terminal) -> None:
    edit(link, "replace", line=5, lines=["five"])
    terminal.type("5Gx")
    wait_until(lambda: text(link)[4] == "ive", "typed")
    undo(terminal, link, 1, "not undone: the text has changed there since")
    assert text(link, buffer=1)[4] == "ive"
    edit(link, "replace", buffer=1, line=8, end_line=9, lines=[])
    command(terminal, "wincmd p | 7,8d | wincmd p")
    wait_until(lambda: "line 7" not in text(link, buffer=1), "deleted")
    undo(terminal, link, 1, "not undone: the text has changed there since")


def test_what_stands_in_two_places_is_not_undone_at_the_wrong_one(link: RawEditor, terminal: Terminal) -> None:
    edit(link, "all", lines=["a", "b", "c", "x", "a", "b", "c"])
    edit(link, "replace", line=2, lines=["B"])
    edit(link, "replace", line=6, lines=["B"])
    terminal.type("ggOnew\x1b")
    wait_until(lambda: text(link)[0] == "new", "typed")
    undo(terminal, link, 1, "not undone: the text has changed there since")
    assert text(link, buffer=1) == ["new", "a", "B", "c", "x", "a", "B", "c"]


def test_what_cannot_be_undone_says_so(link: RawEditor, terminal: Terminal, tmp_path: Path) -> None:
    link.request("show", file=str(tmp_path / "project" / "two.txt"))
    undo(terminal, link, 1, "not undone: there is no change of text to undo")
    edit(link, "insert", buffer=1, line=1, lines=["x" * 100_000] * 20)
    undo(terminal, link, 1, "not undone: there is no change of text to undo")
    edit(link, file=str(tmp_path / "project" / "three.txt"), lines=["3"], save=True)
    command(terminal, "bdelete three.txt")
    undo(terminal, link, 1, "not undone: its buffer is not loaded any more")


def test_the_oldest_texts_are_let_go_when_they_are_too_much(link: RawEditor, terminal: Terminal) -> None:
    for _ in range(9):
        edit(link, "insert", buffer=1, line=1, lines=["x" * 99_999] * 10)
    undo(terminal, link, 9, "not undone: there is no change of text to undo")
    undo(terminal, link, 1, "undone")
    assert len(text(link, buffer=1)) == len(LINES) + 80


def test_a_file_in_the_lists_window_is_not_taken_for_the_list(link: RawEditor, terminal: Terminal) -> None:
    edit(link, "replace", line=5, lines=["a"])
    history(terminal, link)
    command(terminal, "buffer one.txt")
    history(terminal, link)
    assert text(link, buffer=1) == [*LINES[:4], "a", *LINES[5:]]
    assert len(state(link, "windows")) == 3


def test_there_is_one_list_in_all_tab_pages(link: RawEditor, terminal: Terminal) -> None:
    edit(link, "replace", line=5, lines=["a"])
    history(terminal, link)
    command(terminal, "tabnew")
    assert len(history(terminal, link)) == 1
    assert [window["tab"] for window in state(link, "windows")] == [1, 1, 2]
    terminal.type("q")
    wait_until(lambda: len(state(link, "windows")) == 2, "closed")


def test_the_list_leaves_nothing_behind(link: RawEditor, terminal: Terminal, inside: Inside) -> None:
    edit(link, "replace", line=5, lines=["a"])
    before = inside.value(terminal, "[len(getbufinfo()), &undolevels, @/, winrestcmd()]")
    history(terminal, link)
    assert state(link, "current_buffer")["listed"] is False
    assert inside.value(terminal, "[&modifiable, &swapfile, &buftype, bufname()]") == [
        0, 0, "nofile", "vim-mcp://history",
    ]  # fmt: skip
    terminal.type("q")
    wait_until(lambda: len(state(link, "windows")) == 1, "closed")
    assert inside.value(terminal, "[len(getbufinfo()), &undolevels, @/, winrestcmd()]") == before
    wait_text(link, [*LINES[:4], "a", *LINES[5:]])
