""":ClaudeCodeFollow shows where Claude reads and changes, and disturbs nobody."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, state, type_into_terminal, wait_mode
from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor
from tests.support.stage import numbered
from tests.support.waiting import wait_until


class Following:
    """An editor that shows one.txt and, above it or below, the places of Claude's in files of 60 lines."""

    def __init__(self, terminal: Terminal, link: RawEditor, project: Path):
        self.terminal, self.link, self.project = terminal, link, project

    def place(self, name: str, *lines: int) -> None:
        """A tool of Claude's has been at these lines (first, last), or at all."""
        path = self.project / name
        if not path.exists():
            path.write_text(numbered(60))
        self.link.send({"type": "place", "file": str(path), "lines": list(lines) or None})

    def others(self) -> list[dict[str, Any]]:
        """The windows that are not the current one."""
        return [window for window in state(self.link, "windows") if not window["current"]]

    def current(self) -> Any:
        """The current window's id and file."""
        return [(window["id"], window["name"]) for window in state(self.link, "windows") if window["current"]]

    def shown(self) -> list[tuple[str, int]]:
        """The files and cursors' lines in them."""
        return [(Path(window["name"]).name, window["cursor"][0]) for window in self.others()]

    def wait(self, *wanted: tuple[str, int]) -> None:
        """Wait until they are these."""
        wait_until(lambda: self.shown() == list(wanted), f"{wanted} is shown")


@pytest.fixture
def following(editor: tuple[Terminal, RawEditor], tmp_path: Path) -> Following:
    """One that follows."""
    terminal, link = editor
    command(terminal, "set noswapfile")
    terminal.type(":ClaudeCodeFollow\r")
    terminal.wait_screen("vim-mcp: follows Claude; the same command ends it")
    return Following(terminal, link, tmp_path / "project")


@pytest.mark.requirement("FOLLOW-02")
def test_each_place_is_shown_and_nothing_else_changes(following: Following) -> None:
    """In the midst of an insertion, too."""
    current = following.current()
    following.terminal.type("ihello")
    wait_mode(following.link, "i")
    following.place("two.txt", 30, 32)
    following.wait(("two.txt", 30))
    following.terminal.wait_screen("line 28", "line 33")
    following.place("three.txt")
    following.wait(("three.txt", 1))
    following.place("two.txt", 99, 120)
    following.wait(("two.txt", 60))
    following.terminal.type(" there")
    following.terminal.wait_screen("hello there")
    following.terminal.type("\x1bu")
    following.terminal.wait_screen(lambda screen: "hello" not in screen)
    assert following.current() == current


@pytest.mark.requirement("FOLLOW-02")
def test_who_types_into_a_terminal_sees_it_too(following: Following, kind: str) -> None:
    """As in that of `:ClaudeCode`: it is from there that one follows."""
    type_into_terminal(following.terminal, following.link, kind)
    terminal = following.current()
    following.place("two.txt", 30, 32)
    wait_until(lambda: ("two.txt", 30) in following.shown(), "the place is shown")
    assert following.current() == terminal
    wait_mode(following.link, "t")


@pytest.mark.requirement("FOLLOW-02")
def test_it_ends_with_its_window_or_by_the_command(following: Following) -> None:
    for ending, again in (("ClaudeCodeFollow", "vertical ClaudeCodeFollow"), ("only", "tab ClaudeCodeFollow")):
        following.place("two.txt", 7, 7)
        following.wait(("two.txt", 7))
        command(following.terminal, ending)
        following.wait()
        following.place("two.txt", 8, 8)
        following.link.request("ping")
        assert following.shown() == []
        command(following.terminal, again)
        following.wait(("two.txt", 8))
    command(following.terminal, "tabnext | split | tabprevious")
    command(following.terminal, "ClaudeCodeFollow")
    wait_until(lambda: len(state(following.link, "windows")) == 2, "its window alone has gone")
    assert state(following.link, "windows")[0]["current"]


@pytest.mark.requirement("FOLLOW-02")
def test_it_waits_for_a_prompt_and_leaves_its_person_in_peace(following: Following) -> None:
    following.place("two.txt", 7, 7)
    following.wait(("two.txt", 7))
    command(following.terminal, "wincmd w")
    following.place("three.txt", 8, 8)
    following.link.request("ping")
    assert following.shown() == [("one.txt", 1)]
    command(following.terminal, "wincmd w")
    following.place("three.txt", 9, 9)
    following.wait(("three.txt", 9))
    following.terminal.type(":call confirm('really?')\r")
    following.terminal.wait_screen("really?")
    following.place("two.txt", 9, 9)
    following.terminal.type("\r")
    following.wait(("two.txt", 9))


@pytest.mark.requirement("FOLLOW-02")
def test_what_clients_edit_is_followed(following: Following) -> None:
    path = following.project / "four.txt"
    path.write_text(numbered(60))
    edit(following.link, "replace", file=str(path), line=40, end_line=40, lines=["changed"])
    following.wait(("four.txt", 40))
    following.terminal.wait_screen("changed")
    following.place("two.txt", 7, 7)
    following.link.request("get_text", file=str(path))  # the hub reads it for itself
    following.wait(("two.txt", 7))


@pytest.mark.requirement("FOLLOW-02")
def test_files_that_were_not_open_do_not_pile_up(following: Following) -> None:
    for number in range(5):
        following.place(f"{number}.txt", 3, 3)
        following.wait((f"{number}.txt", 3))
    names = partial(state, following.link, "buffers")
    assert {Path(buffer["name"]).name for buffer in names()} == {"one.txt", "4.txt"}
    command(following.terminal, "ClaudeCodeFollow")
    wait_until(lambda: {Path(buffer["name"]).name for buffer in names()} == {"one.txt"}, "the last one has gone")
