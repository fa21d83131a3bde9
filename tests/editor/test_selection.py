"""What the hub is told of the user's selection: what, when, and when not."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused
from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]
Selection = dict[str, Any]
Scene = tuple[Terminal, RawEditor]

TEXT = ["one", "two", "thrée", "", "😀漢 a\tb", "", "last"]
NOTHING = {
    "file": "", "lines": [], "start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}, "empty": True,
}  # fmt: skip
QUIET = 0.8
"""Seconds; longer than any selection waits before it is told."""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with `TEXT`."""
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXT) + "\n")
    return path


@pytest.fixture
def scene(raw_hub: RawHub, launch: Launch, file: Path) -> Scene:
    """An editor with that file, which has told where its cursor is."""
    terminal = launch(file.name, cwd=file.parent)
    link = raw_hub.editor()
    assert told(link) == cursor(file, 0, 0)
    return terminal, link


def told(link: RawEditor) -> Selection:
    """The next selection that the editor tells."""
    selection: Selection = link.event("selection")["selection"]
    return selection


def wait_told(link: RawEditor, wanted: Selection) -> list[Selection]:
    """Wait until a selection is told; those before it."""
    before: list[Selection] = []
    deadline = time.monotonic() + TIMEOUT
    while (selection := told(link)) != wanted:
        before.append(selection)
        assert time.monotonic() < deadline, f"{wanted} was never told; told were {before}"
    return before


def is_quiet(link: RawEditor) -> bool:
    """Whether no selection is told for longer than one waits."""
    assert link.request("ping") == {}
    try:
        link.event("selection", timeout=QUIET)
    except AssertionError:
        return True
    return False


def cursor(file: Path, line: int, character: int) -> Selection:
    """A cursor there, and nothing selected."""
    place = {"line": line, "character": character}
    return {"file": str(file), "lines": [], "start": place, "end": place, "empty": True}


def selected(file: Path, lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> Selection:
    """Lines of text between two places (line, character)."""
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"file": str(file), "lines": lines, "start": places[0], "end": places[1], "empty": False}


# keys, the lines told, start and end
AREAS: dict[str, tuple[str, list[str], tuple[int, int], tuple[int, int]]] = {
    "one character": ("v", ["o"], (0, 0), (0, 1)),
    "characters over lines": ("lvj", ["ne", "tw"], (0, 1), (1, 2)),
    "backwards": ("jlvk", ["ne", "tw"], (0, 1), (1, 2)),
    "to the line end": ("2lv$", ["e"], (0, 2), (0, 3)),
    "to an empty line": ("2jvj", ["thrée", ""], (2, 0), (4, 0)),
    "multi-byte characters": ("4Glvjl", ["", "😀漢"], (3, 0), (4, 3)),
    "behind two units": ("5Glvl", ["漢 "], (4, 2), (4, 4)),
    "lines": ("2GVj", ["two", "thrée"], (1, 0), (2, 5)),
    "lines upwards": ("3GlVk", ["two", "thrée"], (1, 0), (2, 5)),
    "lines to an empty one": ("3GVj", ["thrée", ""], (2, 0), (4, 0)),
    "the last line": ("GV", ["last"], (6, 0), (6, 4)),
    "everything": ("ggVG", TEXT, (0, 0), (6, 4)),
    "a block": ("l\x16jl", ["ne", "wo"], (0, 1), (1, 3)),
    "a block from its other corner": ("2l\x16jh", ["ne", "wo"], (0, 1), (1, 3)),
    "a block to the line ends": ("l\x16jj$", ["ne", "wo", "hrée"], (0, 1), (2, 5)),
    "a block over an empty line": ("3G2l\x16jj", ["ré", "", "漢"], (2, 2), (4, 3)),
    "a block that ends in an empty line": ("2G2l\x16jj", ["two", "thr", ""], (1, 0), (4, 0)),
    "a block that halves a wide character": ("3G2l\x16jjjj", ["r", "", " ", "", "s"], (2, 2), (6, 3)),
    "select mode": ("vl\x07", ["on"], (0, 0), (0, 2)),
    "lines in select mode": ("Vj\x07", ["one", "two"], (0, 0), (1, 3)),
    "a block in select mode": ("l\x16jl\x07", ["ne", "wo"], (0, 1), (1, 3)),
}


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.requirement("SEL-01", "SEL-04")
def test_what_is_selected_is_told(scene: Scene, file: Path, area: str) -> None:
    terminal, link = scene
    keys, lines, start, end = AREAS[area]
    terminal.type(keys)
    wait_told(link, selected(file, lines, start, end))
    assert link.request("get_selection") == {"selection": selected(file, lines, start, end)}


@pytest.mark.requirement("SEL-02", "SEL-03")
def test_it_is_told_when_it_has_been_still_and_once(scene: Scene, file: Path) -> None:
    terminal, link = scene
    typed = time.monotonic()
    terminal.type("lljjh")
    assert told(link) == cursor(file, 2, 1)
    assert time.monotonic() - typed >= 0.3
    command(terminal, "doautocmd CursorMoved")
    command(terminal, "normal! lh")
    assert is_quiet(link)


@pytest.mark.slow
@pytest.mark.requirement("SEL-01")
def test_escape_and_a_move_clear_it(scene: Scene, file: Path) -> None:
    terminal, link = scene
    terminal.type("Vj")
    wait_told(link, selected(file, ["one", "two"], (0, 0), (1, 3)))
    terminal.type("\x1b")
    assert told(link) == cursor(file, 1, 0)
    terminal.type("j")
    assert told(link) == cursor(file, 2, 0)
    terminal.type("ox")
    wait_told(link, cursor(file, 3, 1))


def test_it_stays_when_the_user_goes_straight_to_another_window(scene: Scene, file: Path, tmp_path: Path) -> None:
    terminal, link = scene
    lines = selected(file, ["two", "thrée"], (1, 0), (2, 5))
    other = tmp_path / "other.txt"
    other.write_text("here\nand there\n")
    command(terminal, "split other.txt | wincmd p")
    link.request("get_selection")
    terminal.type("2GVj\x17k")
    assert wait_told(link, lines) is not None
    assert is_quiet(link)
    assert link.request("get_selection") == {"selection": lines}
    terminal.type("j")
    assert told(link) == cursor(other, 1, 0)
    terminal.type("\x17j\x0e")
    wait_told(link, cursor(file, 3, 0))
    terminal.type("2GVj")
    wait_told(link, lines)
    terminal.type(":\x15wincmd k")
    assert is_quiet(link)
    terminal.type("\r")
    assert is_quiet(link)
    terminal.type("\x17j")
    assert told(link) == cursor(file, 1, 0)
    terminal.type("2GVj")
    wait_told(link, lines)
    terminal.type("\x1b")
    wait_told(link, cursor(file, 2, 0))
    command(terminal, "wincmd k")
    wait_told(link, cursor(other, 1, 0))


SPECIAL = [
    "help",
    "copen",
    "terminal",
    "new | setlocal buftype=prompt",
    "new | setlocal buftype=nofile",
]


@pytest.mark.parametrize("window", SPECIAL)
@pytest.mark.requirement("SEL-05")
def test_the_last_one_stays_while_the_user_is_in_a_special_window(scene: Scene, file: Path, window: str) -> None:
    terminal, link = scene
    lines = selected(file, ["one", "two"], (0, 0), (1, 3))
    terminal.type("Vj")
    wait_told(link, lines)
    terminal.type(f":\x15{window}\r")
    assert is_quiet(link)
    assert link.request("get_selection") == {"selection": lines}


@pytest.mark.requirement("SEL-05")
def test_a_move_just_before_a_special_window_counts(scene: Scene, file: Path) -> None:
    terminal, link = scene
    terminal.type("Vj")
    wait_told(link, selected(file, ["one", "two"], (0, 0), (1, 3)))
    terminal.type("\x1bj:help\r")
    assert told(link) == cursor(file, 2, 0)
    assert is_quiet(link)


@pytest.mark.parametrize("selection", ["exclusive", "old"])
@pytest.mark.requirement("SEL-04")
def test_the_option_selection_counts(scene: Scene, file: Path, selection: str) -> None:
    terminal, link = scene
    exclusive = selection == "exclusive"
    command(terminal, f"set selection={selection}")
    terminal.type("3Gvlll")
    wait_told(link, selected(file, ["thr" if exclusive else "thré"], (2, 0), (2, 3 if exclusive else 4)))
    terminal.type("\x1b1G0\x16jll")
    lines = ["on", "tw"] if exclusive else ["one", "two"]
    wait_told(link, selected(file, lines, (0, 0), (1, 2 if exclusive else 3)))
    terminal.type("\x1b1G0vj")
    lines = ["one", ""] if exclusive else ["one", "t"]
    wait_told(link, selected(file, lines, (0, 0), (1, 0 if exclusive else 1)))


def test_where_there_is_no_text_nothing_is_selected(scene: Scene, file: Path, tmp_path: Path) -> None:
    terminal, link = scene
    terminal.type("4GV")
    wait_told(link, cursor(file, 3, 0))
    terminal.type("\x1b")
    command(terminal, "edit empty.txt")
    wait_told(link, cursor(tmp_path / "empty.txt", 0, 0))
    terminal.type("VGv\x16")
    assert is_quiet(link)
    terminal.type("\x1b")
    command(terminal, "enew")
    wait_told(link, NOTHING)


@pytest.mark.slow
@pytest.mark.requirement("SEL-06")
def test_much_text_is_cut_between_characters(scene: Scene, file: Path) -> None:
    terminal, link = scene
    for line in ("x" * 99, "é" * 40_000, "a" + "é" * 40_000, "ab" + "😀" * 20_000, ""):
        lines = [line] * 70_000 if len(line) < 100 else [line] * 2
        edit(link, file=str(file), lines=lines)
        terminal.type("\x1bggVG")
        last = (len(lines), 0) if not line else (len(lines) - 1, len(line.encode("utf-16-le")) // 2)
        found: Selection = {"end": None}
        while found["end"] != {"line": last[0], "character": last[1]}:
            found = told(link)
        text = "\n".join(found["lines"])
        assert "\n".join(lines).startswith(text)
        assert 65536 - 4 < len(text.encode()) <= 65536


@pytest.mark.requirement("SEL-06")
def test_a_tall_block_is_bounded(scene: Scene, file: Path) -> None:
    terminal, link = scene
    edit(link, file=str(file), lines=["x" * 300] * 30_000)
    terminal.type("gg0\x16G$")
    wide = ["x" * 300] * (65536 // 301)
    rest = "x" * (65536 % 301)
    wait_told(link, selected(file, [*wide, rest], (0, 0), (29_999, 300)))
    edit(link, file=str(file), lines=["\txé"] * 100_000)
    terminal.type("\x1bgg0\x16G$")
    wait_told(link, selected(file, ["\txé"] * 200, (0, 0), (99_999, 3)))


# lines, 'virtualedit', keys, what is in each line's columns (spaces at its end do not count)
BLOCKS: dict[str, tuple[list[str], str, str, list[str]]] = {
    "characters that combine": (["e\u0301a\u0301x", "abc"], "", "l\x16j", ["a\u0301", "b"]),
    "characters that combine before it": (["e\u0301e\u0301abc", "abcde"], "", "3l\x16jl", ["bc", "de"]),
    "behind the end of a line": (["abcdef", "a"], "block", "2l\x16jll", ["cde", ""]),
    "within a tab": (["abcdef", "\tx"], "all", "2l\x16jl", ["cd", ""]),
}


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.requirement("SEL-04")
def test_a_block_holds_what_its_columns_show(scene: Scene, block: str) -> None:
    terminal, link = scene
    lines, virtualedit, keys, wanted = BLOCKS[block]
    edit(link, lines=lines)
    command(terminal, f"set virtualedit={virtualedit}")
    terminal.type("gg0" + keys)

    def columns() -> list[str]:
        return [line.rstrip(" ") for line in link.request("get_selection")["selection"]["lines"]]

    wait_until(lambda: columns() == wanted, f"the columns {wanted}")


@pytest.mark.parametrize("block", ["characters that combine", "characters that combine before it"])
@pytest.mark.requirement("SEL-04")
def test_what_stands_far_behind_a_block_changes_nothing(scene: Scene, block: str) -> None:
    terminal, link = scene
    lines, _, keys, wanted = BLOCKS[block]
    for behind in ("x" * 70_000, "é" * 70_000, "\t" * 70_000):
        edit(link, lines=[line + behind for line in lines])
        terminal.type("\x1bgg0" + keys)
        wait_until(lambda: link.request("get_selection")["selection"]["lines"] == wanted, f"the columns {wanted}")


@pytest.mark.requirement("SEL-07")
def test_nothing_is_told_of_private_files(scene: Scene, file: Path, tmp_path: Path) -> None:
    terminal, link = scene
    (tmp_path / ".env").write_text("TOKEN=secret\n")
    command(terminal, "edit .env")
    wait_told(link, NOTHING)
    terminal.type("V")
    assert is_quiet(link)
    assert link.request("get_selection") == {"selection": NOTHING}
    terminal.type("\x1b")
    command(terminal, "let g:vim_mcp_ignore = []")
    terminal.type("vl")
    wait_told(link, selected(tmp_path / ".env", ["TO"], (0, 0), (0, 2)))


@pytest.mark.requirement("SEL-08")
def test_the_user_turns_it_off_and_on(scene: Scene, file: Path) -> None:
    terminal, link = scene
    terminal.type("V")
    wait_told(link, selected(file, ["one"], (0, 0), (0, 3)))
    terminal.type("\x1b")
    wait_told(link, cursor(file, 0, 0))
    command(terminal, "VimMCPSelection off")
    assert told(link) == NOTHING
    terminal.type("Vj")
    assert is_quiet(link)
    assert link.request("get_selection") == {"selection": NOTHING}
    terminal.type("\x1b")
    command(terminal, "VimMCPSelection")
    assert told(link) == cursor(file, 1, 0)
    terminal.type(":VimMCPSelection maybe\r")
    terminal.wait_screen('not "maybe"')
    assert is_quiet(link)


@pytest.mark.requirement("SEL-08", "ACCESS-01")
def test_without_access_nothing_is_told(scene: Scene, file: Path) -> None:
    terminal, link = scene
    command(terminal, "VimMCPPause on")
    assert told(link) == NOTHING
    terminal.type("Vj")
    assert is_quiet(link)
    assert kind_of(refused(link, "get_selection")) == "access"
    terminal.type("\x1b")
    command(terminal, "VimMCPPause off")
    assert told(link) == cursor(file, 1, 0)
    command(terminal, "let g:vim_mcp_access = 'off'")
    terminal.type("Vj")
    assert told(link) == NOTHING
    assert is_quiet(link)


@pytest.mark.requirement("SEL-08")
def test_an_editor_without_access_tells_nothing_from_the_start(
    raw_hub: RawHub, launch: Launch, home: EditorHome, file: Path
) -> None:
    home.add("let g:vim_mcp_selection = 0")
    launch(file.name, cwd=file.parent)
    assert is_quiet(raw_hub.editor())


def test_the_next_hub_is_told_too(scene: Scene, raw_hub: RawHub, home: EditorHome, file: Path) -> None:
    terminal, link = scene
    lines = selected(file, ["one"], (0, 0), (0, 3))
    terminal.type("V")
    wait_told(link, lines)
    terminal.type(":\x15help\r")
    terminal.wait_screen("help.txt")
    raw_hub.close()
    again = RawHub(home.runtime)
    assert told(again.editor()) == lines
    again.close()


def test_who_connects_from_a_special_window_has_come_from_a_file(
    raw_hub: RawHub, launch: Launch, home: EditorHome, file: Path
) -> None:
    home.add("let g:vim_mcp_enabled = 0")
    terminal = launch(file.name, cwd=file.parent)
    terminal.type("3G:help\r")
    terminal.wait_screen("help.txt")
    terminal.type(":VimMCPStart\r")
    link = raw_hub.editor()
    assert told(link) == cursor(file, 2, 0)
    assert link.request("get_selection")["selection"] == cursor(file, 2, 0)


def test_after_stopping_nothing_is_watched(inside: Inside, scene: Scene) -> None:
    terminal, link = scene
    command(terminal, "VimMCPStop")
    assert link.closed.wait(TIMEOUT)
    left = "exists('#vim_mcp_selection') + exists('#vim_mcp_diagnostics') + len(timer_info())"
    assert inside.value(terminal, left) == 0
