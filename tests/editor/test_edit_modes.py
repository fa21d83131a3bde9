"""Edits while the person is in the middle of something: no key is lost, and what they do ends as it would have."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, text, wait_mode, wait_text
from tests.support.editors import Terminal
from tests.support.rawhub import EditorError, RawEditor
from tests.support.waiting import wait_until

LINES = [f"line {number}" for number in range(1, 11)]

EDITS: dict[str, dict[str, Any]] = {
    "lines in above": {"kind": "insert", "line": 2, "lines": ["new a", "new b"]},
    "lines out above": {"kind": "replace", "line": 2, "end_line": 3, "lines": []},
    "a line changed above": {"kind": "replace", "line": 3, "end_line": 3, "lines": ["three"]},
    "a line changed below": {"kind": "replace", "line": 8, "end_line": 8, "lines": ["eight"]},
}
MOVING = ["lines in above", "lines out above"]


@dataclass(frozen=True)
class State:
    """Something that the person has begun on line 5: the keys typed so far, how to know that they have arrived (a mode,
    or what the screen's last line ends with), the keys still to be typed, and what becomes of lines 5 and 6."""

    keys: str
    rest: str
    after: list[str]
    mode: str = ""
    shown: str = ""
    deaf: bool = False
    """Neovim serves no request between these keys."""
    held: bool = False
    """No editor's text changes between these keys."""


STATES = {
    "insert": State("ihello", " you \x1b", ["hello you line 5", "line 6"], mode="i"),
    "replace": State("RLI", "NE\x1b", ["LINE 5", "line 6"], mode="R"),
    "one normal command in insert": State("i\x0f", "~X\x1b", ["LXine 5", "line 6"], mode="niI"),
    "visual": State("vl", "d", ["ne 5", "line 6"], mode="v"),
    "visual lines": State("Vj", "d", [], mode="V"),
    "visual lines, cursor at their top": State("jVk", "d", [], mode="V"),
    "visual block": State("\x16jl", "d", ["ne 5", "ne 6"], mode="\x16"),
    "visual block to the line's end": State("\x16j$", "AX\x1b", ["line 5X", "line 6X"], mode="\x16"),
    "the command line": State(":normal xx", "x\r", ["e 5", "line 6"], shown=":normal xx"),
    "a register": State('"a', "dd", ["line 6"], shown='"a'),
    "find": State("f", "ix", ["lne 5", "line 6"], shown="f", deaf=True),
    "a count": State("2", "x", ["ne 5", "line 6"], shown="2", deaf=True),
    "g": State("g", "Uiw", ["LINE 5", "line 6"], shown="g", deaf=True),
    "a literal key": State("i\x16", "065\x1b", ["Aline 5", "line 6"], shown="^V", held=True),
    "the command-line window": State("q:", ":q\r", ["line 5", "line 6"], shown=":"),
}


def reset(terminal: Terminal, link: RawEditor) -> None:
    """The ten lines again, with the cursor on line 5."""
    wait_mode(link, "n")
    edit(link, lines=LINES)
    command(terminal, "call cursor(5, 1)")


@pytest.fixture
def typing(editor: tuple[Terminal, RawEditor]) -> tuple[Terminal, RawEditor]:
    """An editor with ten lines and the cursor on line 5."""
    terminal, link = editor
    command(terminal, "set noswapfile showcmd incsearch")
    reset(terminal, link)
    return terminal, link


def begin(terminal: Terminal, link: RawEditor, begun: State) -> None:
    """Type what the state begins with and wait until the editor has read it."""
    terminal.type(begun.keys)
    if begun.mode:
        wait_mode(link, begun.mode)
    else:
        terminal.wait_screen(lambda screen: screen.splitlines()[-1].rstrip().endswith(begun.shown))


def expected(change: dict[str, Any], lines_5_and_6: list[str]) -> list[str]:
    """The ten lines after both the change and what the person did."""
    lines = LINES[:4] + lines_5_and_6 + LINES[6:]
    if change["line"] > 5:
        return [change["lines"][0] if line == f"line {change['line']}" else line for line in lines]
    new: list[str] = change["lines"]
    return lines[: change["line"] - 1] + new + lines[change.get("end_line", change["line"] - 1) :]


@pytest.mark.parametrize("name", STATES)
@pytest.mark.requirement("BUSY-03")
def test_an_edit_disturbs_no_typing(typing: tuple[Terminal, RawEditor], kind: str, name: str) -> None:
    terminal, link = typing
    begun = STATES[name]
    deaf = begun.held or (begun.deaf and kind != "vim")
    for change in EDITS.values():
        reset(terminal, link)
        begin(terminal, link, begun)
        request = link.start("edit", buffer=1, **change)
        if not deaf:
            link.answer(request)
        terminal.type(begun.rest)
        if deaf:
            link.answer(request)
        wanted = expected(change, begun.after)
        wait_text(link, wanted)


@pytest.mark.parametrize(
    ("keys", "mode", "rest", "phrase", "after"),
    [
        ("d", "no", "d", "a pending operator", ["line 6"]),
        ("gh", "s", "X\x1b", "select mode", ["Xine 5", "line 6"]),
        (":s/line/LINE/", "c", "\r", "the command line", ["LINE 5", "line 6"]),
    ],
)
@pytest.mark.requirement("BUSY-04")
def test_lines_do_not_move_under_what_would_lose_its_place(
    typing: tuple[Terminal, RawEditor], keys: str, mode: str, rest: str, phrase: str, after: list[str]
) -> None:
    terminal, link = typing
    terminal.type(keys)
    wait_mode(link, mode)
    terminal.wait_screen(lambda screen: mode != "c" or keys in screen)
    for change in MOVING:
        error = refused(link, "edit", buffer=0, **EDITS[change])
        assert kind_of(error) == "busy"
        assert error["data"]["waiting_for"] == phrase
    assert text(link) == LINES
    edit(link, **EDITS["a line changed below"])
    terminal.type(rest)
    wanted = expected(EDITS["a line changed below"], after)
    wait_text(link, wanted)


@pytest.mark.parametrize("keys", ["d/line 8", "d:call search('line 8')", "i\x0fd/line 8"])
@pytest.mark.requirement("BUSY-04")
def test_an_operator_with_a_command_line_keeps_where_it_began(
    typing: tuple[Terminal, RawEditor], kind: str, keys: str
) -> None:
    terminal, link = typing
    command(terminal, "set noincsearch")
    terminal.type(keys)
    terminal.wait_screen(lambda screen: keys.lstrip("di\x0f") in screen.splitlines()[-1])
    for change in MOVING:
        assert kind_of(refused(link, "edit", buffer=0, **EDITS[change])) == "busy"
    terminal.type("\r\x1b")
    wait_text(link, LINES[:4] + LINES[7:])


@pytest.mark.slow
@pytest.mark.requirement("BUSY-03")
def test_edits_between_the_keys_of_an_insertion_take_none_of_them(
    typing: tuple[Terminal, RawEditor], kind: str
) -> None:
    terminal, link = typing
    command(terminal, "let @a = 'REG'")
    terminal.type("O")
    wait_mode(link, "i")
    requests = []
    for number in range(15):
        for key in "\x12a\x0ba:\x16065":
            requests.append(link.start("edit", buffer=0, kind="replace", line=9, lines=[f"{number} {key!r}"]))
            terminal.type(key)
            if kind == "vim":  # Neovim serves nothing between them
                link.request("ping")
    terminal.type("\x1b")
    wait_mode(link, "n")
    assert text(link)[4] == "REG\u00e4A" * 15
    for request in requests:
        with contextlib.suppress(EditorError):
            link.answer(request)
    wait_until(lambda: text(link)[4] == "REG\u00e4A" * 15, "all that was typed")


@pytest.mark.requirement("BUSY-04")
def test_an_edit_waits_a_moment_for_a_pending_operator(typing: tuple[Terminal, RawEditor]) -> None:
    terminal, link = typing
    terminal.type("d")
    wait_mode(link, "no")
    request = link.start("edit", buffer=0, **EDITS["lines in above"])
    terminal.type("d")
    link.answer(request)
    assert text(link) == expected(EDITS["lines in above"], ["line 6"])


def test_a_prompt_keeps_edits_out(typing: tuple[Terminal, RawEditor], kind: str) -> None:
    terminal, link = typing
    terminal.type(":%s/line/LINE/c\r")
    terminal.wait_screen("replace with LINE")
    request = link.start("edit", buffer=0, **EDITS["lines in above"])
    if kind == "vim":
        with pytest.raises(EditorError) as caught:
            link.answer(request)
        assert kind_of(caught.value.error) == "busy"
        assert caught.value.error["data"]["waiting_for"] == "a confirmation prompt"
    terminal.type("yq")
    if kind == "vim":
        wait_text(link, ["LINE 1", *LINES[1:]])
    else:
        link.answer(request)
        assert text(link) == ["LINE 1", "new a", "new b", *LINES[1:]]


def test_what_is_typed_before_and_after_an_edit_is_undone_apart(typing: tuple[Terminal, RawEditor]) -> None:
    terminal, link = typing
    terminal.type("otwo ")
    wait_until(lambda: "two " in text(link), "two")
    before = text(link)
    edit(link, **EDITS["lines in above"])
    between = text(link)
    terminal.type("three\rfour\x1b")
    wait_mode(link, "n")
    after = text(link)
    assert after[7:9] == ["two three", "four"]
    for wanted in (between, before, LINES):
        terminal.type("u")
        wait_text(link, wanted)
    terminal.type("\x12\x12\x12")
    wait_text(link, after)


@pytest.mark.parametrize("keys", ["", "x", "ione\x1b", "Vjd", ":s/line/LINE/\r"])
@pytest.mark.requirement("KEEP-03")
def test_u_undoes_the_edit_and_nothing_else(typing: tuple[Terminal, RawEditor], keys: str) -> None:
    terminal, link = typing
    terminal.type(keys + ":\x1b")
    wait_mode(link, "n")
    wait_until(lambda: keys == "" or text(link) != LINES, "what was typed")
    before = text(link)
    edit(link, "all", lines=["else"])
    terminal.type("u")
    wait_text(link, before)
    terminal.type("\x12")
    wait_text(link, ["else"])
