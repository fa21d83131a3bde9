"""`show`: a file comes before the person's eyes, in the window for it, and nothing is lost or disturbed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, type_into_terminal, wait_mode
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_until


@pytest.fixture
def shower(home: EditorHome, inside: Inside, editor: tuple[Terminal, RawEditor]) -> tuple[Terminal, RawEditor]:
    """An editor, and files of ten lines to be shown."""
    terminal, link = editor
    command(terminal, "set noswapfile nohidden")
    return terminal, link


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of ten lines that is not open."""
    path = tmp_path / "project" / "ten lines.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"line {number}\n" for number in range(1, 11)))
    return path


def names(link: RawEditor) -> list[str]:
    """The last parts of the names in the windows, from top to bottom."""
    return [Path(window["name"]).name for window in sorted(state(link, "windows"), key=lambda window: window["row"])]


@pytest.mark.requirement("VIM-TOOL-04")
def test_the_file_takes_the_place_of_what_was_there(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    shown = link.request("show", file=str(path), line=3, column=2)
    assert shown == {
        "buffer": state(link, "current_buffer")["id"], "name": str(path), "line": 3, "column": 2, "text": "line 3",
        "readonly": False, "swap": None,
    }  # fmt: skip
    assert state(link, "cursor") == [3, 2]
    assert names(link) == ["ten lines.txt"]


def test_places_outside_of_the_text_are_the_nearest_inside(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    shown = link.request("show", file=str(path), line=999, column=999)
    assert (shown["line"], shown["column"], shown["text"]) == (10, 7, "line 10")
    shown = link.request("show", file=str(path), line=4)
    assert (shown["line"], shown["column"]) == (4, 1)
    shown = link.request("show", file=str(path))
    assert (shown["line"], shown["column"]) == (4, 1)
    for wrong in ({"line": "4"}, {"column": [1]}, {"line": 1.5}):
        assert refused(link, "show", file=str(path), **wrong)["code"] == -32602


def test_a_column_within_a_character_is_its_beginning(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    path.write_text("aé漢x\n")
    assert link.request("show", file=str(path), line=1, column=5)["column"] == 4


@pytest.mark.parametrize("hidden", ["hidden", "nohidden", "nohidden autowrite autowriteall"])
@pytest.mark.requirement("KEEP-01")
def test_unsaved_text_stays_in_sight_unless_it_may_be_hidden(
    shower: tuple[Terminal, RawEditor], path: Path, hidden: str
) -> None:
    terminal, link = shower
    command(terminal, f"set {hidden}")
    edit(link, lines=["unsaved"])
    link.request("show", file=str(path))
    assert names(link) == (["ten lines.txt"] if hidden == "hidden" else ["ten lines.txt", "one.txt"])
    one = path.parent / "one.txt"
    assert not one.exists()
    assert text(link, file=str(one)) == ["unsaved"]


def test_what_is_wiped_when_hidden_is_kept_when_it_has_changes(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    command(terminal, "set hidden bufhidden=wipe")
    edit(link, lines=["unsaved"])
    link.request("show", file=str(path))
    assert text(link, file=str(path.parent / "one.txt")) == ["unsaved"]


def test_a_window_that_shows_the_file_is_used(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    link.request("show", file=str(path))
    terminal.type(":split one.txt\r")
    wait_until(lambda: names(link) == ["one.txt", "ten lines.txt"], "two windows")
    shown = link.request("show", file=str(path), line=2)
    assert names(link) == ["one.txt", "ten lines.txt"]
    assert state(link, "current_buffer")["name"] == str(path)
    assert state(link, "cursor") == [2, 1]
    assert shown["line"] == 2


SPECIAL = {
    "help": ":help\r",
    "quickfix": ":copen\r",
    "a file tree": ":new | setlocal filetype=nerdtree buftype=nofile\r",
    "a preview": ":pedit other.txt\r:wincmd P\r",
    "a scratch buffer": ":new | setlocal buftype=nofile\r",
}


@pytest.mark.parametrize("special", SPECIAL)
def test_windows_for_other_things_are_left_alone(shower: tuple[Terminal, RawEditor], path: Path, special: str) -> None:
    terminal, link = shower
    terminal.type(SPECIAL[special])
    wait_until(lambda: len(state(link, "windows")) == 2 and names(link).count("one.txt") == 1, special)
    wait_until(lambda: not state(link, "current_buffer")["name"].endswith("one.txt"), special)
    there = state(link, "current_buffer")["id"]
    link.request("show", file=str(path), line=2)
    assert state(link, "current_buffer")["name"] == str(path)
    assert {window["buffer"] for window in state(link, "windows")} == {there, state(link, "current_buffer")["id"]}
    command(terminal, f"only | buffer {there} | setlocal buftype=nofile nobuflisted")
    link.request("show", file=str(path))
    assert len(state(link, "windows")) == 2


def test_an_editor_full_of_windows_gets_a_tab_page(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    terminal.type(":set winminheight=1\r" + ":new | setlocal modified\r" * 15 + ":\x1b")
    wait_until(lambda: len(state(link, "windows")) > 9, "windows")
    terminal.wait_screen(lambda screen: not screen.splitlines()[-1].startswith(":new"))
    wait_mode(link, "n")
    before = len(state(link, "windows"))
    link.request("show", file=str(path))
    after = state(link, "windows")
    assert len(after) == before + 1
    assert state(link, "current_buffer")["name"] == str(path)


def test_folds_open_and_the_way_back_is_kept(shower: tuple[Terminal, RawEditor], path: Path, inside: Inside) -> None:
    terminal, link = shower
    link.request("show", file=str(path), line=9)
    command(terminal, "3,6fold")
    assert inside.value(terminal, "foldclosed(4)") == 3
    link.request("show", file=str(path), line=4)
    assert inside.value(terminal, "foldclosed(4)") == -1
    terminal.type("\x0f")
    wait_until(lambda: bool(state(link, "cursor") == [9, 1]), "back where it was")


def test_an_ignored_file_may_be_shown_but_its_text_is_not_given(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    secret = path.parent / ".env"
    secret.write_text("SECRET=1\n")
    shown = link.request("show", file=str(secret), line=1)
    assert (shown["name"], shown["text"]) == (str(secret), "")
    terminal.wait_screen("SECRET=1")


def test_a_swap_file_is_noticed_where_its_event_is_ignored(
    shower: tuple[Terminal, RawEditor], path: Path, launch: Callable[..., Terminal], raw_hub: RawHub
) -> None:
    terminal, link = shower
    held = path.parent / "held.txt"
    held.write_text("held\n")
    holder = launch("held.txt", cwd=path.parent)
    raw_hub.editor()
    holder.type(":set swapfile\rOx\x1b:preserve\r")
    holder.wait_screen("preserved")
    command(terminal, "set swapfile eventignore=SwapExists")
    shown = link.request("show", file=str(held), line=1)
    assert shown["readonly"] is True
    assert shown["swap"]["pid"] == holder.editor_pid
    command(terminal, "echo 'still at work'")


BUSY = {
    "ihello": ("i", "insert mode", "hello"),
    "Rx": ("R", "replace mode", "x"),
    "v": ("v", "visual mode", ""),
    "d": ("no", "a pending operator", ""),
    ":echo": ("c", "the command line", ""),
}


@pytest.mark.parametrize("keys", BUSY)
def test_nothing_is_shown_while_the_person_types(shower: tuple[Terminal, RawEditor], path: Path, keys: str) -> None:
    terminal, link = shower
    mode, phrase, typed = BUSY[keys]
    terminal.type(keys)
    wait_mode(link, mode)
    wait_until(lambda: text(link) == [typed], "what was typed")
    began = time.monotonic()
    error = refused(link, "show", file=str(path))
    assert 0.9 < time.monotonic() - began < 5
    assert kind_of(error) == "busy"
    assert error["data"]["waiting_for"] == phrase
    assert state(link, "mode") == mode
    request = link.start("show", file=str(path))
    terminal.type("\x1bl")  # a key after Escape: Vim may wait to see whether Escape begins a key
    assert link.answer(request)["name"] == str(path)


def test_the_command_line_window_keeps_its_place(shower: tuple[Terminal, RawEditor], path: Path, kind: str) -> None:
    terminal, link = shower
    terminal.type("q:")
    wait_until(lambda: len(state(link, "windows")) == 2, "the command-line window")
    error = refused(link, "show", file=str(path))
    assert error["data"]["waiting_for"] == "the command-line window"
    request = link.start("show", file=str(path))
    terminal.type(":q\r")
    assert link.answer(request)["name"] == str(path)


def test_between_the_keys_of_a_command_nothing_moves(shower: tuple[Terminal, RawEditor], path: Path, kind: str) -> None:
    terminal, link = shower
    command(terminal, "set showcmd")
    edit(link, lines=["a|b|c"])
    terminal.type("f")
    terminal.wait_screen(lambda screen: screen.splitlines()[-1].rstrip().endswith("f"))
    if kind == "vim":
        assert refused(link, "show", file=str(path))["data"]["waiting_for"] == "a command that is typed half"
    request = link.start("show", file=str(path))
    terminal.type("|")
    assert link.answer(request)["name"] == str(path)
    assert next(window["cursor"] for window in state(link, "windows") if window["name"].endswith("one.txt")) == [1, 2]


def test_who_types_into_a_terminal_goes_on_typing(shower: tuple[Terminal, RawEditor], path: Path, kind: str) -> None:
    terminal, link = shower
    type_into_terminal(terminal, link, kind)
    shown = link.request("show", file=str(path), line=7)
    assert (shown["name"], shown["line"]) == (str(path), 7)
    terminal.type("fore | tr a-z A-Z\r")
    terminal.wait_screen("BEFORE")
    assert state(link, "mode") == "t"
    assert "ten lines.txt" in names(link)
    assert "one.txt" not in names(link)


def test_a_terminal_alone_gets_a_window_beside_it(shower: tuple[Terminal, RawEditor], path: Path, kind: str) -> None:
    terminal, link = shower
    terminal.type(":terminal\r" if kind != "vim" else ":terminal ++curwin\r")
    wait_until(lambda: bool(state(link, "current_buffer")["buftype"] == "terminal"), "a terminal")
    if kind != "vim":
        terminal.type("i")
    wait_mode(link, "t")
    assert link.request("show", file=str(path), line=7)["line"] == 7
    assert state(link, "mode") == "t"
    terminal.type("echo be''fore\r")
    terminal.wait_screen("before")
    assert len(state(link, "windows")) == 2
