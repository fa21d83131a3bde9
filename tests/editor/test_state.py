"""`get_state`: what the person sees, in the seed's form and in sections."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, refused, state
from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]


@pytest.fixture
def link(home: EditorHome, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor with four lines."""
    edit(editor[1], lines=["one", "two", "thrée", "four"])
    return editor[1]


BUFFER = {
    "id": int, "name": str, "listed": bool, "loaded": bool, "modified": bool, "readonly": bool, "filetype": str,
    "buftype": str, "line_count": int, "changedtick": int, "current": bool, "visible": bool, "ignored": bool,
}  # fmt: skip
WINDOW = {
    "id": int, "number": int, "tab": int, "buffer": int, "name": str, "cursor": list, "top_line": int,
    "bottom_line": int, "row": int, "column": int, "width": int, "height": int, "current": bool, "type": str,
}  # fmt: skip


def types(thing: dict[str, Any]) -> dict[str, type]:
    """The type of each member."""
    return {name: type(value) for name, value in thing.items()}


@pytest.mark.requirement("VIM-STATE-01", "VIM-STATE-02")
def test_the_whole_state_is_in_the_specifications_form(link: RawEditor, tmp_path: Path) -> None:
    whole = link.request("get_state")
    assert set(whole) == {"current_buffer", "windows", "buffers", "cursor", "mode", "cwd"}
    current = whole["current_buffer"]
    assert types(current) == BUFFER | {"content": list}
    assert current["name"] == str(tmp_path / "project" / "one.txt")
    assert current["content"] == ["one", "two", "thrée", "four"]
    assert (current["line_count"], current["modified"], current["current"], current["ignored"]) == (
        4,
        True,
        True,
        False,
    )
    assert [types(buffer) for buffer in whole["buffers"]] == [BUFFER]
    assert whole["buffers"][0] | {"content": current["content"]} == current
    assert [types(window) for window in whole["windows"]] == [WINDOW]
    assert whole["windows"][0]["buffer"] == current["id"]
    assert (whole["cursor"], whole["mode"], whole["cwd"]) == ([1, 1], "n", str(tmp_path / "project"))


def test_sections_are_given_alone(link: RawEditor, tmp_path: Path) -> None:
    whole = link.request("get_state")
    content = whole["current_buffer"].pop("content")
    for section in whole:
        assert link.request("get_state", sections=[section]) == {section: whole[section]}
    assert link.request("get_state", sections=["content"])["current_buffer"]["content"] == content
    both = link.request("get_state", sections=["current_buffer", "content", "mode"])
    assert both == {"current_buffer": whole["current_buffer"] | {"content": content}, "mode": "n"}
    assert link.request("get_state", sections=[]) == {}
    for wrong in (["windows", "doors"], "mode", [1]):
        error = refused(link, "get_state", sections=wrong)
        assert error["code"] == -32602
        assert "`sections`" in error["message"]


def test_the_text_may_go_into_a_file(link: RawEditor, tmp_path: Path) -> None:
    path = tmp_path / "run" / "text"
    current = link.request("get_state", text_file=str(path))["current_buffer"]
    assert (current["text_file"], current["text_encoding"]) == (str(path), "utf-8")
    assert "content" not in current
    assert path.read_text() == "one\ntwo\nthrée\nfour"


@pytest.mark.requirement("VIM-RES-05")
def test_windows_are_described_where_they_are(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    terminal.type(
        ":set splitbelow splitright\r:vsplit\r:2\r:split two.txt\r:tabnew three.txt\r:tabprevious\r:copen 3\r"
    )
    wait_until(lambda: len(state(link, "windows")) == 5, "five windows")
    windows = state(link, "windows")
    first, second, third, quickfix = [window for window in windows if window["tab"] == 1]
    assert [Path(window["name"]).name for window in windows if window["type"] == ""] == [
        "one.txt", "one.txt", "two.txt", "three.txt",
    ]  # fmt: skip
    assert quickfix["type"] == "quickfix"
    assert [window["current"] for window in windows] == [False, False, False, True, False]
    assert [window["number"] for window in windows] == [1, 2, 3, 4, 1]
    assert second["cursor"] == [2, 1]
    assert second["column"] == first["width"] + 2
    assert third["row"] > second["row"] + second["height"]
    assert (first["top_line"], first["bottom_line"]) == (1, 4)
    assert len({window["id"] for window in windows}) == 5
    assert all(buffer["visible"] for buffer in state(link, "buffers"))


@pytest.mark.requirement("VIM-RES-04")
def test_buffers_are_those_that_are_listed_or_shown(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    terminal.type(":set hidden\r:edit two.txt\r:badd three.txt\r:call bufadd('four.txt')\r:help\r")
    wait_until(lambda: len(state(link, "windows")) == 2, "the help")
    buffers = {Path(buffer["name"]).name: buffer for buffer in state(link, "buffers")}
    assert set(buffers) == {"one.txt", "two.txt", "three.txt", "help.txt"}
    assert [name for name, buffer in buffers.items() if buffer["visible"]] == ["two.txt", "help.txt"]
    assert [name for name, buffer in buffers.items() if not buffer["loaded"]] == ["three.txt"]
    assert [name for name, buffer in buffers.items() if buffer["current"]] == ["help.txt"]
    assert (buffers["help.txt"]["buftype"], buffers["help.txt"]["listed"]) == ("help", False)
    assert buffers["help.txt"]["readonly"] is True
    assert buffers["three.txt"]["line_count"] == 0


def test_pushed_state_has_no_text_and_is_bounded(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    terminal.type(":for i in range(600) | call setbufvar(bufadd('b' . i), '&buflisted', 1) | endfor\r:edit two.txt\r")
    wait_until(lambda: len(state(link, "buffers")) > 600, "buffers")
    pushed: dict[str, Any] = {"buffers": []}
    while len(pushed["buffers"]) < 200:
        pushed = link.events.get(timeout=TIMEOUT).get("state", pushed)
    whole = link.request("get_state")
    assert len(pushed["buffers"]) == 200
    assert set(pushed) == {*whole, "access", "execute_code", "folders"}
    assert "content" not in pushed["current_buffer"]


def context(link: RawEditor) -> Any:
    """The section of that name."""
    return link.request("get_state", sections=["context"])["context"]


@pytest.mark.requirement("VIM-RES-07")
def test_the_context_of_the_cursor(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    edit(link, lines=[str(number) for number in range(1, 11)])
    assert context(link) == {"line_text": "1", "before": [], "after": ["2", "3", "4"], "selection": None}
    terminal.type("5G")
    wait_until(lambda: bool(state(link, "cursor")[0] == 5), "line 5")
    assert context(link) == {"line_text": "5", "before": ["2", "3", "4"], "after": ["6", "7", "8"], "selection": None}
    terminal.type("9G")
    wait_until(lambda: bool(state(link, "cursor")[0] == 9), "line 9")
    assert context(link) == {"line_text": "9", "before": ["6", "7", "8"], "after": ["10"], "selection": None}


SELECTIONS = [
    ("vjl", "v", [1, 1], [2, 2], ["one", "tw"]),
    ("G$vkkh", "v", [2, 3], [4, 4], ["o", "thrée", "four"]),
    ("G$vkk", "v", [2, 4], [4, 4], ["", "thrée", "four"]),
    ("3Gfrvl", "v", [3, 3], [3, 5], ["ré"]),
    ("3Gfév", "v", [3, 4], [3, 5], ["é"]),
    ("jVj", "V", [2, 1], [3, 6], ["two", "thrée"]),
    ("3GVk", "V", [2, 1], [3, 6], ["two", "thrée"]),
    ("Go\x1bggVG", "V", [1, 1], [5, 1], ["one", "two", "thrée", "four", ""]),
    ("lv", "v", [1, 2], [1, 2], ["n"]),
    ("l\x16jjl", "\x16", [1, 2], [3, 3], ["ne", "wo", "hr"]),
    ("2l\x16jjh", "\x16", [1, 3], [3, 2], ["ne", "wo", "hr"]),
    ("l\x16jj$", "\x16", [1, 2], [3, 7], ["ne", "wo", "hrée"]),
    ("gh", "v", [1, 1], [1, 1], ["o"]),
]


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.requirement("VIM-RES-07")
def test_what_is_selected(link: RawEditor, editor: tuple[Terminal, RawEditor], selection: tuple[Any, ...]) -> None:
    keys, mode, start, end, lines = selection
    editor[0].type(f"gg0{keys}")
    wait_selection(link, {"mode": mode, "start": start, "end": end, "text": lines})


def wait_selection(link: RawEditor, wanted: dict[str, Any]) -> None:
    """Wait until this is what is selected."""
    wait_until(lambda: bool(context(link)["selection"] == wanted), f"{wanted}")


def test_an_exclusive_selection_ends_before_its_end(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    command(terminal, "set selection=exclusive")
    terminal.type("3Gv4l")
    wait_selection(link, {"mode": "v", "start": [3, 1], "end": [3, 5], "text": ["thré"]})


def test_a_block_over_wide_characters_and_tabs(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    edit(link, lines=["abcdef", "a漢字b", "a\tb", "xy"])
    terminal.type("gg02l\x163j")
    wait_selection(link, {"mode": "\x16", "start": [1, 3], "end": [4, 3], "text": ["c", " ", " ", ""]})
    terminal.type("oh")
    wait_selection(link, {"mode": "\x16", "start": [1, 2], "end": [4, 3], "text": ["bc", "漢", "  ", "y"]})


def test_a_long_selection_is_cut(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, _ = editor
    edit(link, lines=[str(number) for number in range(1, 1001)])
    terminal.type("ggVG")
    wait_until(lambda: bool((found := context(link)["selection"]) and found["end"] == [1000, 4]), "all lines")
    assert context(link)["selection"]["text"] == [str(number) for number in range(1, 201)]


@pytest.mark.requirement("KEEP-07")
def test_helper_buffers_are_nowhere(
    raw_hub: RawHub, launch: Launch, home: EditorHome, kind: str, tmp_path: Path
) -> None:
    home.add(f"set undofile undodir={tmp_path}")
    (tmp_path / "three.txt").write_text("3\n")
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    edit(link, file=str(tmp_path / "two.txt"), lines=["2"], save=True)
    refused(link, "edit", file=str(tmp_path / "three.txt"), kind="substitute", old_lines=["x"], lines=[])
    link.request("show", file=str(tmp_path / "two.txt"))
    link.request("search", pattern="x", scope="all")
    terminal.type(f":redir! > {tmp_path}/ls | silent ls! | redir END | mksession! {tmp_path}/session\r")
    write = "set viminfofile= | wviminfo!" if kind == "vim" else "set shadafile= | wshada!"
    terminal.type(f":{write} {tmp_path}/info\r:qa!\r")
    terminal.wait()
    listed = (tmp_path / "ls").read_text()
    assert "one.txt" in listed
    assert "two.txt" in listed
    assert len(listed.strip().splitlines()) == 2
    assert "three.txt" not in (tmp_path / "session").read_text()
    remembered = (tmp_path / "info").read_bytes()  # what v:oldfiles is made of
    assert b"two.txt" in remembered
    assert b"three.txt" not in remembered
    undo = [path.name for path in tmp_path.iterdir() if "%" in path.name]
    assert all(name.endswith("two.txt") for name in undo)
