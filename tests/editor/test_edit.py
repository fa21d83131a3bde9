"""The kinds of edits: what they change, what they answer, what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, wait_mode, wait_text
from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import EditorError, RawEditor

LINES = ["one", "two", "three", "four"]


@pytest.fixture
def link(home: EditorHome, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor with four lines."""
    edit(editor[1], lines=LINES)
    return editor[1]


def outcome(result: dict[str, Any]) -> list[int]:
    """Where and how much has changed."""
    return [result[key] for key in ("line", "end_line", "lines_added", "lines_removed")]


CASES: list[tuple[dict[str, Any], list[str], list[int]]] = [
    ({"kind": "insert", "line": 1, "lines": ["a", "b"]}, ["a", "b", *LINES], [1, 2, 2, 0]),
    ({"kind": "insert", "line": 3, "lines": ["a"]}, ["one", "two", "a", "three", "four"], [3, 3, 1, 0]),
    ({"kind": "insert", "line": 5, "lines": ["a"]}, [*LINES, "a"], [5, 5, 1, 0]),
    ({"kind": "insert", "line": 2, "lines": []}, LINES, [2, 1, 0, 0]),
    ({"kind": "insert", "line": 2, "lines": [""]}, ["one", "", "two", "three", "four"], [2, 2, 1, 0]),
    ({"kind": "replace", "line": 2, "end_line": 3, "lines": ["a"]}, ["one", "a", "four"], [2, 2, 1, 2]),
    ({"kind": "replace", "line": 2, "lines": ["a", "b"]}, ["one", "a", "b", "three", "four"], [2, 3, 2, 1]),
    ({"kind": "replace", "line": 2, "end_line": 3, "lines": ["two", "3"]}, ["one", "two", "3", "four"], [3, 3, 1, 1]),
    ({"kind": "replace", "line": 2, "end_line": 3, "lines": ["two", "three"]}, LINES, [2, 1, 0, 0]),
    ({"kind": "replace", "line": 1, "end_line": 4, "lines": []}, [""], [1, 0, 0, 4]),
    ({"kind": "replace", "line": 4, "end_line": 4, "lines": []}, LINES[:3], [4, 3, 0, 1]),
    ({"kind": "all", "lines": ["one", "2", *LINES[2:], "five"]}, ["one", "2", *LINES[2:], "five"], [2, 5, 2, 1]),
    ({"kind": "all", "lines": []}, [""], [1, 0, 0, 4]),
    ({"kind": "all", "lines": [""]}, [""], [1, 1, 1, 4]),
    ({"kind": "all", "lines": LINES}, LINES, [1, 0, 0, 0]),
    ({"kind": "substitute", "old_lines": ["hr"], "lines": ["HR"]}, ["one", "two", "tHRee", "four"], [3, 3, 1, 1]),
    ({"kind": "substitute", "old_lines": ["hree", "fo"], "lines": ["-"]}, ["one", "two", "t-ur"], [3, 3, 1, 2]),
    ({"kind": "substitute", "old_lines": ["two", ""], "lines": [""]}, ["one", "three", "four"], [2, 1, 0, 1]),
    ({"kind": "substitute", "old_lines": ["two", ""], "lines": []}, ["one", "three", "four"], [2, 1, 0, 1]),
    ({"kind": "substitute", "old_lines": ["", "two", ""], "lines": ["", ""]}, ["one", "three", "four"], [2, 1, 0, 1]),
    ({"kind": "substitute", "old_lines": ["four", ""], "lines": [""]}, LINES[:3], [4, 3, 0, 1]),
    ({"kind": "substitute", "old_lines": ["four", ""], "lines": ["4", "5", ""]}, [*LINES[:3], "4", "5"], [4, 5, 2, 1]),
    ({"kind": "substitute", "old_lines": ["four", ""], "lines": ["4"]}, [*LINES[:3], "4"], [4, 4, 1, 1]),
    ({"kind": "substitute", "old_lines": ["ur"], "lines": ["", ""]}, [*LINES[:3], "fo", ""], [4, 5, 2, 1]),
    ({"kind": "substitute", "old_lines": [*LINES, ""], "lines": [""]}, [""], [1, 0, 0, 4]),
    ({"kind": "substitute", "old_lines": ["o", "t"], "lines": ["o t"]}, ["one", "two three", "four"], [2, 2, 1, 2]),
]  # fmt: skip


@pytest.mark.requirement("VIM-TOOL-04")
def test_edits(link: RawEditor) -> None:
    for change, lines, where in CASES:
        edit(link, lines=LINES)
        before = state(link, "current_buffer")["changedtick"]
        result = edit(link, **change)
        assert text(link) == lines, change
        assert outcome(result) == where, change
        assert result["buffer"] == state(link, "current_buffer")
        assert result["changedtick"] == result["buffer"]["changedtick"]
        assert (result["changedtick"] > before) is (lines != LINES)
        assert (result["saved"], result["created"]) == (False, True)


def test_the_first_lines_of_an_empty_file_leave_no_empty_line_behind(link: RawEditor) -> None:
    for line in (1, 2):
        edit(link, lines=[])
        assert outcome(edit(link, "insert", line=line, lines=["a", "b"])) == [1, 2, 2, 0]
        assert text(link) == ["a", "b"]


def test_an_edit_that_changes_nothing_is_nothing_to_undo(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    edit(link, "replace", line=1, lines=["1"])
    edit(link, lines=["1", "two", "three", "four"])
    terminal.type("u")
    wait_text(link, LINES)


@pytest.mark.parametrize(
    ("lines", "old", "new", "wanted"),
    [
        (["a\n", "b"], ["\n"], ["N"], ["aN", "b"]),
        (["a", "", "b\n"], ["a", "", "b"], ["x"], ["x\n"]),
        (["a\x010\x02b\nc"], ["b\nc"], ["x"], ["a\x010\x02x"]),
        (["é", "e\u0301"], ["e\u0301"], ["x"], ["é", "x"]),
        (["漢字", "漢"], ["字", "漢"], ["x"], ["漢x"]),
        ([r"\n \1 & ~ .*", "x"], [r"\1 & ~ .*"], [r"&\0~"], [r"\n &\0~", "x"]),
        (["Case", "case"], ["Case"], ["x"], ["x", "case"]),
        (["a\tb  c"], ["\tb "], ["-"], ["a- c"]),
    ],
)
def test_text_is_found_and_replaced_as_it_is(
    link: RawEditor,
    editor: tuple[Terminal, RawEditor],
    lines: list[str],
    old: list[str],
    new: list[str],
    wanted: list[str],
) -> None:
    command(editor[0], "set ignorecase smartcase nomagic gdefault")
    edit(link, lines=lines)
    edit(link, "substitute", old_lines=old, lines=new)
    assert text(link) == wanted


@pytest.mark.parametrize(
    ("old", "kind", "data"),
    [
        (["five"], "not_found", {"lines": []}),
        (["three", "five"], "not_found", {"lines": [3]}),
        (["one", "three"], "not_found", {"lines": [3]}),
        (["four", "", ""], "not_found", {"lines": [4]}),
        (["o"], "ambiguous", {"count": 3, "lines": [1, 2, 4]}),
        (["e"], "ambiguous", {"count": 3, "lines": [1, 3, 3]}),
        (["", ""], "ambiguous", {"count": 4, "lines": [1, 2, 3, 4]}),
    ],
)
@pytest.mark.requirement("KEEP-05")
def test_text_must_occur_exactly_once(link: RawEditor, old: list[str], kind: str, data: dict[str, Any]) -> None:
    error = refused(link, "edit", buffer=0, kind="substitute", old_lines=old, lines=["x"])
    assert all(str(line) in error["message"] for line in data["lines"])
    assert kind_of(error) == kind
    assert error["data"] == {"kind": kind, **data}
    assert text(link) == LINES


def test_overlapping_occurrences_are_two(link: RawEditor) -> None:
    edit(link, lines=["aaa"])
    error = refused(link, "edit", buffer=0, kind="substitute", old_lines=["aa"], lines=["x"])
    assert (kind_of(error), error["data"]["count"]) == ("ambiguous", 2)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"kind": "append", "lines": []}, "`kind`"),
    ({"lines": []}, "`kind`"),
    ({"kind": "all"}, "`lines`"),
    ({"kind": "all", "lines": "x"}, "`lines`"),
    ({"kind": "all", "lines": ["x", 1]}, "`lines`"),
    ({"kind": "insert", "lines": ["x"]}, "`line`"),
    ({"kind": "insert", "line": 0, "lines": ["x"]}, "`line`"),
    ({"kind": "insert", "line": 6, "lines": ["x"]}, "`line`"),
    ({"kind": "insert", "line": "1", "lines": ["x"]}, "`line`"),
    ({"kind": "replace", "line": 5, "lines": ["x"]}, "`line`"),
    ({"kind": "replace", "line": 2, "end_line": 5, "lines": ["x"]}, "`end_line`"),
    ({"kind": "replace", "line": 3, "end_line": 2, "lines": ["x"]}, "`end_line`"),
    ({"kind": "substitute", "lines": ["x"]}, "`old_lines`"),
    ({"kind": "substitute", "old_lines": [], "lines": ["x"]}, "`old_lines`"),
    ({"kind": "substitute", "old_lines": [""], "lines": ["x"]}, "`old_lines`"),
    ({"kind": "all", "lines": ["x"], "save": "yes"}, "`save`"),
    ({"kind": "all", "lines": ["x"], "changedtick": "1"}, "`changedtick`"),
]


@pytest.mark.requirement("VIM-ERR-10")
def test_wrong_parameters_are_named_and_change_nothing(link: RawEditor) -> None:
    for params, name in WRONG:
        error = refused(link, "edit", buffer=0, **params)
        assert error["code"] == -32602, params
        assert name in error["message"], params
    assert refused(link, "edit", buffer="1", kind="all", lines=[])["code"] == -32602
    assert kind_of(refused(link, "edit", buffer=77, kind="all", lines=[])) == "not_found"
    assert text(link) == LINES


@pytest.mark.requirement("KEEP-04")
def test_a_changedtick_that_is_not_the_present_one_changes_nothing(
    link: RawEditor, editor: tuple[Terminal, RawEditor]
) -> None:
    ticks = link.request("get_text")["changedtick"]
    assert edit(link, "replace", line=1, lines=["1"], changedtick=ticks)["changedtick"] > ticks
    error = refused(link, "edit", buffer=0, kind="all", lines=[], changedtick=ticks)
    assert kind_of(error) == "changed"
    assert error["data"]["changedtick"] == state(link, "current_buffer")["changedtick"]
    ticks = link.request("get_text")["changedtick"]
    editor[0].type("x")
    wait_text(link, ["", "two", "three", "four"])
    assert kind_of(refused(link, "edit", buffer=0, kind="all", lines=[], changedtick=ticks)) == "changed"
    assert text(link) == ["", "two", "three", "four"]


@pytest.mark.slow
@pytest.mark.requirement("SCALE-02")
def test_ten_megabytes(link: RawEditor) -> None:
    lines = [f"{number:09}" for number in range(1_000_000)]
    edit(link, lines=lines)
    assert text(link, first=999_999, last=1_000_000) == lines[-2:]
    edit(link, "substitute", old_lines=["000500000", "0005"], lines=["here", "00-05"])
    assert text(link, first=500_001, last=500_002) == ["here", "00-0500001"]
    edit(link, "insert", line=1, lines=["x" * 500_000])
    for kind in ("all", "substitute"):
        error = refused(link, "edit", buffer=0, kind=kind, old_lines=["here"], lines=["x"])
        assert kind_of(error) == "limit"
        assert "`insert` or `replace`" in error["message"]
    edit(link, "replace", line=1, end_line=1_000_001, lines=[])
    assert text(link) == [""]


def test_text_that_is_locked_is_not_changed(link: RawEditor, editor: tuple[Terminal, RawEditor], kind: str) -> None:
    terminal, _ = editor
    change = {"kind": "insert" if kind == "vim" else "replace", "line": 1, "lines": ["new"]}
    command(terminal, "nnoremap <expr> ,w [execute('echo 12 * 12', ''), getchar(), 'x'][2]")
    terminal.type("3G,w")
    terminal.wait_screen("144")
    request = link.start("edit", buffer=0, **change)
    if kind == "vim":
        with pytest.raises(EditorError, match="locks the text"):
            link.answer(request)
        assert text(link) == LINES
    terminal.type(" ")
    wait_mode(link, "n")
    if kind == "vim":
        wait_text(link, ["one", "two", "hree", "four"])
    else:
        link.answer(request)
        wait_text(link, ["new", "two", "hree", "four"])
