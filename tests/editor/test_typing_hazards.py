"""What a person has half done when a client's call comes: it is not damaged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import EditorError, RawEditor, RawHub

Launch = Callable[..., Terminal]


def insert_line(link: RawEditor, file: Path) -> str:
    """Put a line above all; "done" or what the editor is busy with."""
    try:
        link.request("edit", file=str(file), kind="insert", line=1, lines=["TOP"], save=False)
    except EditorError as error:
        return str(error.error["data"].get("waiting_for"))
    return "done"


@pytest.fixture
def opened(launch: Launch, raw_hub: RawHub, tmp_path: Path) -> tuple[Terminal, RawEditor, Path]:
    """An editor on a file of four lines."""
    file = tmp_path / "four.txt"
    file.write_text("one\ntwo\nelephant eleven\nPRECIOUS LINE\n")
    terminal = launch(str(file))
    link = raw_hub.editor()
    terminal.wait_screen("PRECIOUS LINE")
    link.request("get_text", first=1, last=1)  # from here on it is registered, and watches its modes
    return terminal, link, file


@pytest.mark.parametrize("key", ["\x0e", "\x10", "\x05"])
def test_lines_above_a_completion_stay_where_they_are(opened: tuple[Terminal, RawEditor, Path], key: str) -> None:
    terminal, link, file = opened
    terminal.type("Gomy text el\x0e")
    terminal.wait_screen(lambda screen: "my text ele" in screen)
    assert insert_line(link, file) == "a completion"
    terminal.type(f"{key}\x1b")
    terminal.wait_screen(lambda screen: "INSERT" not in screen and "my text el" in screen)
    lines = link.request("get_text", first=1, last=-1)["lines"]
    assert lines[:4] == ["one", "two", "elephant eleven", "PRECIOUS LINE"]
    assert lines[4].startswith("my text el")


def test_a_blockwise_insertion_reaches_all_its_lines(opened: tuple[Terminal, RawEditor, Path]) -> None:
    terminal, link, file = opened
    terminal.type("gg\x16jjI##")
    terminal.wait_screen("##one")
    assert insert_line(link, file) == "a blockwise insertion"
    terminal.type("!\x1b")
    terminal.wait_screen("##!elephant")
    assert link.request("get_text", first=1, last=3)["lines"] == ["##!one", "##!two", "##!elephant eleven"]
    terminal.type("GoX")
    terminal.wait_screen("X")
    assert insert_line(link, file) == "done", "an ordinary insertion is none"


def test_a_file_is_shown_beside_the_terminal_that_is_typed_into(
    home: EditorHome, opened: tuple[Terminal, RawEditor, Path], kind: str
) -> None:
    terminal, link, file = opened
    terminal.type(":set hidden | terminal cat\r" if kind == "vim" else ":set hidden | split | terminal cat\r")
    if kind != "vim":
        terminal.type("i")
    terminal.type("first\r")
    terminal.wait_screen(lambda screen: screen.count("first") >= 2)
    shown = link.request("show", file=str(file), line=4)
    assert (shown["line"], shown["text"]) == (4, "PRECIOUS LINE")
    terminal.type("second\r")
    terminal.wait_screen(lambda screen: screen.count("second") >= 2)
    assert link.request("get_text", file=str(file))["lines"] == ["one", "two", "elephant eleven", "PRECIOUS LINE"]
    buffers = link.request("get_state", sections=["buffers"])["buffers"]
    assert [b["modified"] for b in buffers if b["name"] == str(file)] == [False]
