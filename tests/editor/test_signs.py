"""Signs stand at the lines that Claude has changed, where their user wants them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.turns import NEW, OLD, Turn
from tests.support.waiting import wait_until

PLACED = "map(sign_getplaced('{}', {{'group': '*'}})[0].signs, '[v:val.lnum, v:val.name[10:]]')"
Start = Callable[..., Turn]


@pytest.fixture
def start(
    home: EditorHome, inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path
) -> Callable[..., Turn]:
    """Start an editor on one.txt, with signs or without, in which a turn has begun."""

    def start(wanted: int = 1) -> Turn:
        home.add("set noswapfile hidden", f"let g:vim_mcp_signs = {wanted}")
        project = tmp_path / "project"
        project.mkdir()
        (project / "one.txt").write_text(OLD)
        terminal = launch("one.txt", cwd=project)
        link = raw_hub.editor()
        link.event("BufEnter")
        turn = Turn(terminal, link, inside, project)
        link.send({"type": "listening", "pids": [1]})
        turn.begin()
        return turn

    return start


def lower(signs: list[Any]) -> list[Any]:
    """The same one line further down."""
    return [[line + 1, name] for line, name in signs]


def signs(turn: Turn, name: str = "one.txt") -> Any:
    """The lines that have signs, and what they say."""
    return sorted(turn.value(PLACED.format(name)))


def wait_signs(turn: Turn, wanted: list[Any]) -> None:
    """Wait until these lines have signs."""
    wait_until(lambda: signs(turn) == wanted, f"the signs {wanted}")


@pytest.mark.requirement("SIGNS-01")
@pytest.mark.parametrize("expected", [True, False])
def test_lines_are_marked_and_keep_their_signs(start: Start, expected: bool) -> None:
    """Through the user's own edits, further ones of Claude's, and turns."""
    turn = start()
    turn.write(turn.one, NEW, expected)
    first = [[3, "Changed"], [4, "Changed"], [10, "Removed"], [20, "Changed"]]
    assert signs(turn) == first
    turn.terminal.wait_screen("~ three", "_ line 9", "~   twenty")
    command(turn.terminal, "1put! ='the users' | silent write")
    assert signs(turn) == lower(first)
    turn.end()
    turn.begin()
    now = turn.one.read_text()
    turn.write(turn.one, now.replace("line 6\n", "line 6\nmore\n"), expected)
    wanted = [[4, "Changed"], [5, "Changed"], [9, "Added"], [12, "Removed"], [22, "Changed"]]
    assert signs(turn) == wanted
    edit(turn.link, "insert", line=1, lines=["by a tool"])
    assert signs(turn) == [[1, "Added"], *lower(wanted)]


@pytest.mark.requirement("SIGNS-01")
def test_what_is_as_it_was_has_no_sign(start: Start) -> None:
    turn = start()
    turn.write(turn.one, NEW)
    turn.write(turn.one, NEW.replace("three\nand more\n", "line 3\n"))
    assert signs(turn) == [[9, "Removed"], [19, "Changed"]]
    turn.write(turn.one, OLD)
    assert signs(turn) == []


@pytest.mark.requirement("SIGNS-01")
def test_a_file_that_was_not_open_has_its_signs_when_it_is_opened(start: Start) -> None:
    turn = start()
    other, new = turn.project / "other.txt", turn.project / "new.txt"
    other.write_bytes(b"a\r\nb\r\n")
    turn.write(other, b"a\r\nc\r\n")
    turn.write(new, "1\n")
    command(turn.terminal, "edit other.txt")
    assert signs(turn, "other.txt") == [[2, "Changed"]]
    command(turn.terminal, "edit new.txt")
    assert [line for line, _ in signs(turn, "new.txt")] == [1]


@pytest.mark.requirement("SIGNS-01")
def test_a_new_session_begins_without_signs(start: Start) -> None:
    turn = start()
    turn.write(turn.one, NEW)
    for pids in ([], [1], [1, 2], [2, None]):
        turn.link.send({"type": "listening", "pids": pids})
    turn.link.request("ping")
    assert len(signs(turn)) == 4
    turn.link.send({"type": "listening", "pids": [3]})
    turn.link.request("ping")
    assert signs(turn) == []


@pytest.mark.requirement("SIGNS-01")
def test_nothing_is_marked_unless_it_is_wanted(start: Start) -> None:
    turn = start(0)
    turn.write(turn.one, NEW)
    assert signs(turn) == []
    assert turn.value("sign_getdefined()") == []


@pytest.mark.requirement("SIGNS-01")
def test_what_is_undone_has_no_sign_until_it_is_redone(start: Start) -> None:
    turn = start()
    turn.write(turn.one, NEW, True)
    marked = signs(turn)
    assert marked
    edit(turn.link, kind="insert", file=str(turn.one), line=1, lines=["top"])
    both = signs(turn)
    assert both == [[1, "Added"], *lower(marked)]
    for change, wanted in (("undo", marked), ("undo", []), ("redo", marked), ("redo", both)):
        command(turn.terminal, change)
        wait_signs(turn, wanted)
