"""What Claude has changed in a turn is listed, and taken back across files once its user has seen that and said so."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.support.editing import command, edit, state, text, wait_text
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.turns import NEW, OLD, Turn
from tests.support.waiting import wait_until


@pytest.fixture
def turn(inside: Inside, editor: tuple[Terminal, RawEditor], tmp_path: Path) -> Turn:
    """A turn that has begun, with one.txt as it was before."""
    terminal, link = editor
    command(terminal, "set noswapfile hidden")
    own = Turn(terminal, link, inside, tmp_path / "project")
    own.one.write_text(OLD)
    link.request("follow_disk")
    own.begin()
    return own


@pytest.mark.requirement("TURN-01")
@pytest.mark.parametrize("expected", [True, False])
def test_each_place_is_listed(turn: Turn, expected: bool) -> None:
    """Of a loaded file also what a shell command has done."""
    turn.write(turn.one, NEW, expected)
    wanted = [["one.txt", 3, "+2 -1 three"], ["one.txt", 10, "+0 -1 line 10"], ["one.txt", 20, "+1 -1 twenty"]]
    assert turn.listed() == wanted
    turn.write(turn.one, NEW + "21\n", expected)
    assert turn.listed() == [*wanted[:2], ["one.txt", 20, "+2 -1 twenty"]]
    assert turn.value("getqflist({'title': 1}).title") == ":ClaudeCodeChanges"


@pytest.mark.requirement("TURN-01")
def test_files_that_are_not_open_new_ones_and_ones_that_are_gone(turn: Turn) -> None:
    other, gone = turn.project / "other.txt", turn.project / "gone.txt"
    other.write_text("a\nb\n")
    gone.write_text("x\n")
    turn.write(other, "a\nc\n")
    turn.write(turn.project / "new dir" / "é.txt", "1\n2\n")
    turn.link.send({"type": "expect", "file": str(gone)})
    turn.link.request("ping")
    gone.unlink()
    assert turn.listed() == [["other.txt", 2, "+1 -1 c"], ["é.txt", 1, "+2 -0 1"], ["gone.txt", 1, "+0 -1 x"]]
    assert turn.value("bufloaded('other.txt')") == 0


@pytest.mark.requirement("TURN-01")
def test_the_next_turn_begins_anew(turn: Turn) -> None:
    turn.write(turn.one, NEW)
    turn.end()
    assert len(turn.listed()) == 3
    turn.begin()
    turn.terminal.type(":ClaudeCodeChanges\r")
    turn.terminal.wait_screen("Claude has changed no file in this turn")
    turn.write(turn.one, NEW + "21\n")
    assert turn.listed() == [["one.txt", 21, "+1 -0 21"]]


@pytest.mark.requirement("TURN-01")
def test_what_changes_after_the_turn_is_not_claudes(turn: Turn) -> None:
    turn.end()
    turn.write(turn.one, NEW, expected=False)
    assert turn.value("len(getqflist())") == 0
    turn.terminal.type(":ClaudeCodeChanges\r")
    turn.terminal.wait_screen("Claude has changed no file in this turn")


@pytest.mark.requirement("TURN-02")
def test_a_turn_is_taken_back_across_files_and_brought_again(turn: Turn) -> None:
    """Nothing is done before `:w`, and buffers that hold a file follow it and can be undone."""
    other, new = turn.project / "other.txt", turn.project / "new dir" / "below" / "é.txt"
    other.write_bytes(b"\xff\r\nno end")
    turn.write(turn.one, NEW)
    turn.write(other, b"\xff\r\nno end, but longer\r\n")
    turn.write(new, "1\n")
    turn.end()
    before = {path: path.read_bytes() for path in (turn.one, other, new)}
    shown = turn.revert()
    assert shown[0] == ("What Claude has changed in its last turn.   :w takes it back   :q leaves everything as it is")
    assert shown[2:5] == [
        "  one.txt  +3 -3",
        "  other.txt  +1 -1",
        "  new dir/below/é.txt  removed: the turn has made it",
    ]
    assert shown[8:12] == ["@@ -3,2 +3,1 @@", "-three", "-and more", "+line 3"]
    turn.terminal.type(":q\r")
    wait_until(lambda: len(state(turn.link, "windows")) == 1, "closed")
    assert {path: path.read_bytes() for path in before} == before
    turn.revert()
    turn.confirm()
    assert turn.one.read_text() == OLD
    assert other.read_bytes() == b"\xff\r\nno end"
    assert not (turn.project / "new dir").exists()
    assert text(turn.link, file=str(turn.one)) == OLD.splitlines()
    turn.terminal.type("u")
    wait_until(
        lambda: "there is again" in text(turn.link)[0] or "is there again" in text(turn.link)[0], "brought again"
    )
    assert {path: path.read_bytes() for path in before} == before
    assert text(turn.link, file=str(turn.one)) == NEW.splitlines()


@pytest.mark.requirement("TURN-02")
def test_undo_in_a_file_goes_back_before_the_taking_back(turn: Turn) -> None:
    turn.write(turn.one, NEW)
    turn.revert()
    turn.confirm()
    turn.terminal.type(":q\r")
    wait_text(turn.link, OLD.splitlines())
    turn.terminal.type("u")
    wait_text(turn.link, NEW.splitlines())
    turn.terminal.type("u")
    wait_text(turn.link, OLD.splitlines())


@pytest.mark.requirement("TURN-03")
def test_what_is_the_persons_is_left_alone_and_named(turn: Turn) -> None:
    """Unsaved changes, files that they have written since, and those that changed after the turn's end."""
    names = ["unsaved.txt", "saved.txt", "later.txt", "made.txt", "fine.txt"]
    paths = {name: turn.project / name for name in names}
    for name in names:
        if name != "made.txt":
            paths[name].write_text("old\n")
        turn.write(paths[name], "claude\n")
    for name in ("unsaved.txt", "saved.txt"):
        command(turn.terminal, f"silent edit {name} | call setline(1, 'mine')")
    command(turn.terminal, "silent write")
    turn.end()
    for name in ("later.txt", "made.txt"):
        paths[name].write_text("mine\n")
    shown = turn.revert()
    assert shown[2:7] == [
        "  unsaved.txt  left alone: its buffer has unsaved changes",
        "  saved.txt  left alone: you have written it since",
        "  later.txt  left alone: it has changed since the turn ended",
        "  made.txt  left alone: it has changed since the turn ended",
        "  fine.txt  +1 -1",
    ]
    turn.confirm()
    told = {name: path.read_text() for name, path in paths.items()}
    mine = {"saved.txt": "mine\n", "later.txt": "mine\n", "made.txt": "mine\n"}
    assert told == {"unsaved.txt": "claude\n", **mine, "fine.txt": "old\n"}
    assert text(turn.link, file=str(paths["unsaved.txt"])) == ["mine"]


@pytest.mark.requirement("TURN-03")
def test_a_file_that_changes_while_it_is_shown_is_left_alone(turn: Turn) -> None:
    turn.write(turn.one, NEW)
    turn.revert()
    turn.one.write_text("mine\n")
    turn.confirm()
    assert turn.one.read_text() == "mine\n"
    assert "  one.txt  left alone: it has changed since this was shown" in text(turn.link)


@pytest.mark.requirement("TURN-03")
@pytest.mark.parametrize("line", ["wall", "wa", "silent! update", "call timer_start(0, {-> execute('write')})"])
def test_no_other_write_takes_anything_back(turn: Turn, kind: str, line: str) -> None:
    turn.write(turn.one, NEW)
    turn.revert()
    command(turn.terminal, line)
    assert turn.one.read_text() == NEW
    assert "takes it back" in text(turn.link)[0]


@pytest.mark.requirement("TURN-01", "TURN-02")
def test_a_clients_own_edits_count(turn: Turn) -> None:
    """Of `edit`, saved: they are no person's."""
    edit(turn.link, "replace", buffer=0, line=3, lines=["three"], save=True)
    assert turn.listed() == [["one.txt", 3, "+1 -1 three"]]
    assert "  one.txt  +1 -1" in turn.revert()
    turn.confirm()
    assert turn.one.read_text() == OLD


@pytest.mark.requirement("TURN-02")
@pytest.mark.parametrize("expected", [True, False])
@pytest.mark.parametrize("old", [b"", b"\n", b"x", b"\xef\xbb\xbfx\n", b"x\r\ny\r\n", b"x\r\ny", b"a\0b\n", b"\xe9\n"])
def test_every_byte_comes_back(turn: Turn, old: bytes, expected: bool) -> None:
    """Kept before a tool writes, or made of the buffer that a shell command's change finds."""
    if (old, expected) == (b"\n", False):
        pytest.skip("one empty line cannot be told from an empty file then")
    turn.one.write_bytes(old)
    command(turn.terminal, "silent edit!")
    turn.begin()
    turn.write(turn.one, b"other\n", expected)
    turn.revert()
    turn.confirm()
    assert turn.one.read_bytes() == old


@pytest.mark.slow
@pytest.mark.requirement("TURN-02")
def test_of_very_much_the_oldest_is_left_out(turn: Turn) -> None:
    paths = [turn.project / f"{number}.txt" for number in range(6)]
    for path in paths:
        path.write_bytes(b"123456789\n" * 900_000)
        turn.write(path, "short\n")
    turn.terminal.wait_screen("too much has changed to keep it")
    assert turn.value("map(vim_mcp#turn#names(), 'fnamemodify(v:val, \":t\")')") == [path.name for path in paths[1:]]


@pytest.mark.requirement("TURN-04")
def test_what_they_do_is_told_for_status_lines(turn: Turn) -> None:
    def is_told(does: str) -> bool:
        return bool(turn.value("vim_mcp#activity()") == does)

    for does in ("working", "waiting", "idle", ""):
        turn.link.send({"type": "ide", "clients": 1, "activity": does})
        wait_until(partial(is_told, does), does)
