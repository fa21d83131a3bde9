"""An edit changes its text and nothing else: places, marks, folds, registers, options."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.editing import command, edit, state, text, wait_text
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

LINES = [f"line {number}" for number in range(1, 101)]

SITUATION = (
    "{'view': winsaveview(), 'registers': map(split('\"01a-/.', '\\zs'), 'getreg(v:val)'), 'jumps': getjumplist()[1],"
    " 'marks': [getpos(\"'[\")[1], getpos(\"']\")[1], getpos(\"'.\")[1]], 'search': @/, 'shm': &shm, 'ul': &l:ul,"
    " 'windows': map(getwininfo(), '[v:val.winid, v:val.height, v:val.width]'), 'previous': winnr('#'),"
    " 'changes': map(getchangelist(bufnr())[0], 'v:val.lnum'), 'alternate': bufnr('#'), 'current': win_getid()}"
)


@pytest.fixture
def hundred(inside: Inside, editor: tuple[Terminal, RawEditor]) -> tuple[Terminal, RawEditor]:
    """An editor with a hundred lines, the cursor in line 50, and a life before: a search, registers, a change."""
    terminal, link = editor
    command(terminal, "set noswapfile hidden shortmess-=S")
    edit(link, lines=LINES)
    terminal.type('gg"ayy:edit two.txt\r:edit #\r')
    terminal.type("/line 20\r/line 50\rzz2lrX")
    wait_until(lambda: "liXe 50" in text(link), "the change in line 50")
    return terminal, link


def moved(situation: dict[str, Any], by: int) -> dict[str, Any]:
    """The same situation `by` lines further down."""
    view = situation["view"] | {key: situation["view"][key] + by for key in ("lnum", "topline")}
    marks = [line + by for line in situation["marks"]]
    return situation | {"view": view, "marks": marks, "changes": [line + by for line in situation["changes"]]}


@pytest.mark.parametrize(
    ("change", "by"),
    [
        ({"kind": "insert", "line": 10, "lines": ["one", "two"]}, 2),
        ({"kind": "replace", "line": 10, "end_line": 12, "lines": ["one"]}, -2),
        ({"kind": "replace", "line": 10, "end_line": 10, "lines": ["one"]}, 0),
        ({"kind": "replace", "line": 90, "end_line": 92, "lines": []}, 0),
        ({"kind": "substitute", "old_lines": ["line 55"], "lines": ["55", "more"]}, 0),
        ({"kind": "all", "lines": ["first", *LINES[:49], "liXe 50", *LINES[50:90]]}, 1),
    ],
)
@pytest.mark.requirement("KEEP-02")
def test_the_person_stays_where_they_were(
    hundred: tuple[Terminal, RawEditor], inside: Inside, change: dict[str, Any], by: int
) -> None:
    terminal, link = hundred
    before = inside.value(terminal, SITUATION)
    edit(link, **change)
    assert inside.value(terminal, SITUATION) == moved(before, by)


def test_the_cursor_goes_with_the_text_behind_it(hundred: tuple[Terminal, RawEditor]) -> None:
    terminal, link = hundred
    terminal.type("$")
    wait_until(lambda: bool(state(link, "cursor") == [50, 7]), "the line's end")
    edit(link, "substitute", old_lines=["liXe 50"], lines=["a longer liXe 50"])
    assert state(link, "cursor") == [50, 16]
    edit(link, "substitute", old_lines=["longer liXe"], lines=["é"])
    assert state(link, "cursor") == [50, 7]
    edit(link, "substitute", old_lines=[" é 50"], lines=[""])
    assert state(link, "cursor") == [50, 1]


def test_other_windows_stay_where_they_were(hundred: tuple[Terminal, RawEditor], inside: Inside) -> None:
    terminal, link = hundred
    terminal.type(":split\r:80\rzt:tabnew\r:buffer one.txt\r:60\rzt:tabprevious\r:wincmd w\r")
    wait_until(lambda: len(state(link, "windows")) == 3, "three windows")
    before = {window["id"]: window for window in state(link, "windows")}
    edit(link, "insert", line=10, lines=["one", "two"])
    for window in state(link, "windows"):
        then = before[window["id"]]
        assert window["cursor"] == [then["cursor"][0] + 2, then["cursor"][1]]
        assert window["top_line"] == then["top_line"] + 2
        assert (window["height"], window["width"]) == (then["height"], then["width"])


MARKED = '[getpos("\'a")[1], getpos("\'b")[1], foldclosed(31), foldclosedend(31), foldclosed(71), foldclosedend(71)]'


@pytest.mark.requirement("KEEP-03")
def test_marks_and_folds_stay_between_the_changes_of_a_whole_text(
    hundred: tuple[Terminal, RawEditor], inside: Inside
) -> None:
    terminal, link = hundred
    command(terminal, "25mark a | 75mark b | set foldmethod=manual | 30,33fold | 70,73fold")
    assert inside.value(terminal, MARKED) == [25, 75, 30, 33, 70, 73]
    new = ["LINE 1", *LINES[1:49], "liXe 50", *LINES[50:85], "new", *LINES[85:]]
    result = edit(link, "all", lines=new)
    assert text(link) == new
    assert (result["line"], result["end_line"]) == (1, 86)
    assert (result["lines_added"], result["lines_removed"]) == (2, 1)
    assert inside.value(terminal, MARKED) == [25, 75, 30, 33, 70, 73]
    edit(link, "all", lines=["zero", *new])
    assert inside.value(terminal, MARKED.replace("31", "32").replace("71", "72")) == [26, 76, 31, 34, 71, 74]


@pytest.mark.requirement("KEEP-03", "VIM-TOOL-04")
def test_undo_brings_back_unmodified(hundred: tuple[Terminal, RawEditor], inside: Inside) -> None:
    terminal, link = hundred
    command(terminal, "write")
    edit(link, "replace", line=3, lines=["three"])
    assert state(link, "current_buffer")["modified"] is True
    terminal.type("u")
    wait_until(lambda: not state(link, "current_buffer")["modified"], "unmodified again")
    assert text(link)[2] == "line 3"


def test_two_edits_are_two_steps_also_in_a_buffer_that_nobody_sees(hundred: tuple[Terminal, RawEditor]) -> None:
    terminal, link = hundred
    other = state(link, "current_buffer")["name"].replace("one.txt", "two.txt")
    edit(link, "all", file=other, lines=["1", "2", "3"])
    edit(link, "replace", file=other, line=2, lines=["two"])
    terminal.type(":buffer two.txt\r")
    wait_until(lambda: bool(state(link, "current_buffer")["name"] == other), "two.txt")
    for wanted in (["1", "2", "3"], [""]):
        terminal.type("u")
        wait_text(link, wanted)


@pytest.mark.parametrize("undolevels", ["-1", "0", "5"])
def test_settings_for_undo_stay_as_they_are(
    hundred: tuple[Terminal, RawEditor], inside: Inside, undolevels: str
) -> None:
    terminal, link = hundred
    command(terminal, f"setlocal undolevels={undolevels} | setglobal undolevels=77")
    edit(link, "replace", line=3, lines=["three"])
    assert inside.value(terminal, "[&l:ul, &g:ul]") == [int(undolevels), 77]
    command(terminal, "setlocal undolevels<")
    edit(link, "replace", line=3, lines=["drei"])
    assert inside.value(terminal, "&ul") == 77
