"""Loaded buffers follow their files on disk: in every mode, without a question, with everybody's place kept."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.editor.test_edit_modes import LINES, STATES, State, begin, reset
from tests.support.editing import command, edit, state, text, wait_mode, wait_text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

PLACE = (
    "{'view': winsaveview(), 'marks': map(range(5), 'line(\"''\" . \"abcAB\"[v:val])'), 'mode': mode(1),"
    " 'folds': map(range(1, line('$')), '[foldlevel(v:val), foldclosed(v:val)]'), 'others':"
    " map(filter(getwininfo(), 'v:val.winid != win_getid()'), '[v:val.topline, getcurpos(v:val.winid)[1:2]]'),"
    " 'registers': map(split('\"01a-/', '\\zs'), 'getreg(v:val)'), 'jumps': getjumplist()[1]}"
)
KEPT = "[&undoreload, &eventignore, &g:autoread, getbufvar(1, '&l:autoread'), exists('#vim_mcp_disk'), v:errmsg]"
HUNDRED = [f"line {number}" for number in range(1, 101)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file that the editor shows."""
    return tmp_path / "project" / "one.txt"


@pytest.fixture
def saved(inside: Inside, editor: tuple[Terminal, RawEditor], file: Path) -> tuple[Terminal, RawEditor]:
    """An editor with a file of a hundred lines, saved."""
    terminal, link = editor
    command(terminal, "set noswapfile hidden")
    edit(link, lines=HUNDRED, save=True)
    return terminal, link


def put(path: Path, *lines: str) -> None:
    """Write lines to a file as a client does."""
    path.write_text("".join(f"{line}\n" for line in lines))


def follow(link: RawEditor, *files: Path) -> dict[str, list[str]]:
    """Have these files (default: all) followed, and return the base names of what was and what was not read again."""
    params = {"files": [str(path) for path in files]} if files else {}
    told: dict[str, list[str]] = link.request("follow_disk", **params)
    return {name: [os.path.basename(path) for path in paths] for name, paths in told.items() if paths}


def typing_in_saved(terminal: Terminal, link: RawEditor, file: Path) -> None:
    """Ten lines, saved, with the cursor on line 5."""
    reset(terminal, link)
    link.request("save", file=str(file))


CHANGES = {
    "lines in above": [*LINES[:1], "new a", "new b", *LINES[1:]],
    "lines out above": [*LINES[:1], *LINES[3:]],
    "a line changed below": [*LINES[:7], "eight", *LINES[8:]],
}


def outcome(changed: list[str], begun: State) -> list[str]:
    """What the person's keys make of the ten lines as they are on disk."""
    where = changed.index("line 5")
    return changed[:where] + begun.after + changed[where + 2 :]


@pytest.mark.parametrize("name", sorted(STATES.keys() - {"a literal key"}))
@pytest.mark.requirement("RELOAD-01")
def test_it_is_read_again_in_every_mode(editor: tuple[Terminal, RawEditor], kind: str, file: Path, name: str) -> None:
    """No key is lost, and what the person has begun ends as it would have."""
    terminal, link = editor
    command(terminal, "set noswapfile showcmd incsearch")
    begun = STATES[name]
    first = 1 if begun.mode in ("i", "R") else len(begun.keys)  # what is typed before it would be unsaved
    waits = name == "the command-line window" or (begun.deaf and kind != "vim")
    for changed in CHANGES.values():
        typing_in_saved(terminal, link, file)
        begin(terminal, link, replace(begun, keys=begun.keys[:first]))
        put(file, *changed)
        link.send({"type": "disk", "files": [str(file)]})
        if waits:  # until the person has gone on
            terminal.type("\x1b:q\r" if begun.shown == ":" else "\x1b")
        wait_text(link, changed, buffer=1)
        terminal.type((begun.keys if waits else begun.keys[first:]) + begun.rest)
        wait_text(link, outcome(changed, begun))


@pytest.mark.requirement("RELOAD-01", "RELOAD-04")
def test_between_two_keys_of_a_command_it_waits(editor: tuple[Terminal, RawEditor], kind: str, file: Path) -> None:
    """Here the rest of the command changes the text, which is then left alone."""
    terminal, link = editor
    command(terminal, "set noswapfile showcmd")
    typing_in_saved(terminal, link, file)
    begun = STATES["a literal key"]
    begin(terminal, link, begun)
    put(file, "new", *LINES)
    link.send({"type": "disk", "files": [str(file)]})
    if kind == "vim":
        assert text(link, buffer=1) == LINES
    terminal.type(begun.rest)
    terminal.wait_screen("changed on disk, unsaved here, kept")
    wait_text(link, LINES[:4] + begun.after + LINES[6:])


@pytest.mark.parametrize(
    ("keys", "mode", "rest", "after"),
    [
        ("d", "no", "d", ["line 6"]),
        ("gh", "s", "X\x1b", ["Xine 5", "line 6"]),
        (":s/line/LINE/", "c", "\r", ["LINE 5", "line 6"]),
    ],
)
@pytest.mark.requirement("RELOAD-01")
def test_where_lines_must_not_move_it_waits(
    editor: tuple[Terminal, RawEditor], file: Path, keys: str, mode: str, rest: str, after: list[str]
) -> None:
    terminal, link = editor
    command(terminal, "set noswapfile")
    typing_in_saved(terminal, link, file)
    terminal.type(keys)
    wait_mode(link, mode)
    put(file, "new", *LINES)
    assert follow(link, file) == {"later": ["one.txt"]}
    assert text(link, buffer=1) == LINES
    terminal.type("\x1b\x1b")
    wait_text(link, ["new", *LINES], buffer=1)
    terminal.type(keys + rest)
    wait_text(link, ["new", *LINES[:4], *after, *LINES[6:]])


@pytest.mark.requirement("RELOAD-01", "RELOAD-02")
def test_everything_is_where_it_was(saved: tuple[Terminal, RawEditor], inside: Inside, file: Path) -> None:
    terminal, link = saved
    for number, mark in ((20, "a"), (70, "b"), (5, "c"), (40, "A"), (90, "B")):
        command(terminal, f"{number}mark {mark}")
    terminal.type('"ayy:set foldmethod=manual | 60,64fold | 61,62fold | 80,82fold | 60foldopen\r')
    terminal.type(":30split\r:80\rzt:tabnew\r:buffer one.txt\r:60\rzt:tabprevious\r:wincmd w\r:50\rzt")
    wait_until(lambda: len(state(link, "windows")) == 3, "three windows")
    before = inside.value(terminal, PLACE)
    put(file, "new 1", "new 2", *HUNDRED[:9], "ten", *HUNDRED[10:])
    assert follow(link) == {"read": ["one.txt"]}
    after = inside.value(terminal, PLACE)
    assert text(link)[:3] == ["new 1", "new 2", "line 1"]
    assert after["marks"] == [line + 2 for line in before["marks"]]
    moved = {key: before["view"][key] + 2 for key in ("lnum", "topline")}
    assert after["view"] == before["view"] | moved
    assert after["folds"][2:] == [[level, closed + 2 if closed > 0 else closed] for level, closed in before["folds"]]
    assert after["others"] == [[top + 2, [line + 2, column]] for top, [line, column] in before["others"]]
    for key in ("mode", "registers", "jumps"):
        assert after[key] == before[key], key


@pytest.mark.requirement("RELOAD-02")
def test_folds_by_indent_stay_open_and_closed(saved: tuple[Terminal, RawEditor], inside: Inside, file: Path) -> None:
    terminal, link = saved
    lines = [line for number in range(5) for line in (f"head {number}", "\tone", "\ttwo")]
    edit(link, lines=lines[3:], save=True)
    command(terminal, "setlocal foldmethod=indent foldlevel=0 | 5foldopen")
    closed = "map(range(1, line('$')), 'foldclosed(v:val)')"
    assert inside.value(terminal, closed) == [-1, 2, 2, -1, -1, -1, -1, 8, 8, -1, 11, 11]
    put(file, *lines)
    follow(link, file)
    assert inside.value(terminal, closed)[3:] == [-1, 5, 5, -1, -1, -1, -1, 11, 11, -1, 14, 14]


@pytest.mark.requirement("RELOAD-03")
@pytest.mark.parametrize("lines", [12, 20000])
def test_it_is_one_step_that_undo_goes_back_before(
    saved: tuple[Terminal, RawEditor], inside: Inside, file: Path, lines: int
) -> None:
    """Also where 'undoreload' would have dropped all undo."""
    terminal, link = saved
    old = [f"old {number}" for number in range(lines)]
    edit(link, lines=old, save=True)
    terminal.type("GonewX\x1b:w\r")
    wait_text(link, [*old, "newX"])
    put(file, "first", *old, "last")
    assert follow(link, file) == {"read": ["one.txt"]}
    assert state(link, "current_buffer")["modified"] is False
    assert text(link, first=1, last=1) == ["first"]
    terminal.type("u")
    wait_until(lambda: text(link, first=1, last=1) == ["old 0"], "undone")
    assert text(link) == [*old, "newX"]
    terminal.type("u")
    wait_until(lambda: len(text(link)) == lines, "what was typed before undone")
    terminal.type("\x12\x12")
    wait_text(link, ["first", *old, "last"])


@pytest.mark.requirement("RELOAD-04")
def test_unsaved_changes_are_left_alone_and_told_once(
    saved: tuple[Terminal, RawEditor], inside: Inside, file: Path
) -> None:
    terminal, link = saved
    terminal.type("oMINE\x1b")
    wait_until(lambda: "MINE" in text(link), "the change")
    mine = text(link)
    put(file, "theirs")
    assert follow(link, file) == {"unsaved": ["one.txt"]}
    terminal.wait_screen("changed on disk, unsaved here, kept (:e! reads it): one")
    for _ in range(3):
        assert follow(link) == {}
    assert text(link) == mine
    told = "len(filter(split(execute('messages'), '\\n'), 'v:val =~# \"unsaved here, kept\"'))"
    assert inside.value(terminal, told) == 1
    put(file, "theirs", "again")
    assert follow(link, file) == {"unsaved": ["one.txt"]}
    wait_until(lambda: inside.value(terminal, told) == 2, "told again of another change")
    assert file.read_text() == "theirs\nagain\n"


@pytest.mark.requirement("RELOAD-04")
def test_files_that_are_gone_keep_their_buffers(saved: tuple[Terminal, RawEditor], inside: Inside, file: Path) -> None:
    terminal, link = saved
    command(terminal, "let v:errmsg = ''")
    file.unlink()
    assert follow(link) == {}
    assert text(link) == HUNDRED
    assert inside.value(terminal, "v:errmsg") == ""
    put(file, "back")
    assert follow(link) == {"read": ["one.txt"]}
    assert text(link) == ["back"]


@pytest.mark.requirement("RELOAD-01")
@pytest.mark.parametrize("how", ["in place", "by rename", "longer", "shorter", "empty"])
def test_however_it_was_written(saved: tuple[Terminal, RawEditor], file: Path, how: str) -> None:
    """Also within the second in which it was read, and in the same size."""
    _, link = saved
    written = {"longer": HUNDRED * 2, "shorter": HUNDRED[:3], "empty": []}.get(how, [*HUNDRED[:-1], "LINE 100"])
    if how == "by rename":
        put(file.with_suffix(".new"), *written)
        os.replace(file.with_suffix(".new"), file)
    else:
        put(file, *written)
    assert follow(link, file) == {"read": ["one.txt"]}
    assert text(link) == (written or [""])


@pytest.mark.requirement("RELOAD-01")
@pytest.mark.parametrize(
    ("old", "new", "fileformat"),
    [
        (b"a\r\nb\r\n", b"a\r\nc\r\n", "dos"),
        (b"a\nb\n", b"a\r\nc\r\n", "dos"),
        (b"a\nb\n", b"a\nc", "unix"),
        (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nc\n", "unix"),
    ],
)
def test_line_ends_and_the_last_one(
    saved: tuple[Terminal, RawEditor], inside: Inside, file: Path, old: bytes, new: bytes, fileformat: str
) -> None:
    terminal, link = saved
    file.write_bytes(old)
    follow(link, file)
    file.write_bytes(new)
    follow(link, file)
    assert text(link) == ["a", "c"]
    told = inside.value(terminal, "[&fileformat, &endofline, &bomb]")
    assert told == [fileformat, int(new.endswith(b"\n")), int(new.startswith(b"\xef"))]
    command(terminal, "set nofixendofline | write!")
    assert file.read_bytes() == new


@pytest.mark.requirement("RELOAD-01")
@pytest.mark.parametrize("setting", ["set autoread", "set noautoread", "setlocal autoread", "set eventignore=all"])
def test_whatever_the_person_has_set(
    saved: tuple[Terminal, RawEditor], inside: Inside, file: Path, setting: str
) -> None:
    terminal, link = saved
    command(terminal, setting)
    before = inside.value(terminal, KEPT)
    for lines in (["one"], ["two"]):
        put(file, *lines)
        assert follow(link, file) == {"read": ["one.txt"]}
        assert text(link) == lines
    assert inside.value(terminal, KEPT) == before
    command(terminal, "set eventignore=")
    terminal.type("u")
    wait_text(link, ["one"])


@pytest.mark.requirement("RELOAD-01")
@pytest.mark.parametrize("choice", ["ask", "", "edit", "reload"])
def test_autocommands_of_the_person_are_heard_and_nothing_is_asked(
    saved: tuple[Terminal, RawEditor], inside: Inside, file: Path, choice: str
) -> None:
    terminal, link = saved
    command(terminal, "let g:heard = []")
    command(terminal, f"autocmd FileChangedShell * let v:fcs_choice = '{choice}' | let g:heard += [v:fcs_reason]")
    command(terminal, "autocmd FileChangedShellPost * let g:heard += ['post']")
    put(file, "one")
    assert follow(link, file) == {"read": ["one.txt"]}
    assert text(link) == ["one"]
    assert inside.value(terminal, "g:heard") == ["changed", "post"]


@pytest.mark.requirement("RELOAD-01")
def test_a_touched_file_is_not_read(saved: tuple[Terminal, RawEditor], inside: Inside, file: Path) -> None:
    terminal, link = saved
    before = inside.value(terminal, "changenr()")
    os.utime(file, (2_000_000_000, 2_000_000_000))
    assert follow(link, file) == {}
    assert inside.value(terminal, "changenr()") == before
    terminal.type("oMINE\x1b:w\r")
    wait_until(lambda: "MINE" in file.read_text(), "a write without a question")


@pytest.mark.requirement("RELOAD-01")
def test_hidden_buffers_and_other_names_of_a_file(
    saved: tuple[Terminal, RawEditor], file: Path, inside: Inside
) -> None:
    terminal, link = saved
    (file.parent / "link").symlink_to(".")
    command(terminal, "edit two.txt")
    put(file, "one")
    assert follow(link, file.parent / "link" / "one.txt") == {"read": ["one.txt"]}
    assert text(link, file=str(file)) == ["one"]
    assert state(link, "current_buffer")["name"].endswith("two.txt")
    command(terminal, "bunload one.txt")
    put(file, "two")
    assert follow(link) == {}
    assert inside.value(terminal, "bufloaded('one.txt')") == 0


@pytest.mark.requirement("RELOAD-01")
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize(("text_on_disk", "language"), [("", "en"), ("made\n", "en"), ("made\n", "de")])
def test_a_file_that_is_made_after_its_buffer(
    saved: tuple[Terminal, RawEditor], file: Path, hidden: bool, text_on_disk: str, language: str
) -> None:
    """Vim would ask about it, and by no event."""
    terminal, link = saved
    command(terminal, f"let $LANGUAGE = '{language}'")
    new = file.with_name("[New] file.txt")
    command(terminal, "edit \\[New]\\ file.txt" + (" | call setbufvar('%', 'x', 1) | edit one.txt" if hidden else ""))
    assert follow(link) == {}
    new.write_text(text_on_disk)
    assert follow(link) == {"read": [new.name]}
    assert text(link, file=str(new)) == ["made"] * bool(text_on_disk) or [""]
    put(new, "again")
    assert follow(link) == {"read": [new.name]}
    assert text(link, file=str(new)) == ["again"]
    assert state(link, "current_buffer")["name"] == str(file if hidden else new)


@pytest.mark.requirement("RELOAD-04")
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_file_that_is_made_while_its_text_is_typed(
    saved: tuple[Terminal, RawEditor], file: Path, language: str
) -> None:
    terminal, link = saved
    command(terminal, f"let $LANGUAGE = '{language}'")
    new = file.with_name("new.txt")
    terminal.type(":edit new.txt\riMINE")
    wait_mode(link, "i")
    wait_until(lambda: text(link) == ["MINE"], "the text")
    put(new, "theirs")
    assert follow(link) == {"unsaved": ["new.txt"]}
    assert follow(link) == {}
    terminal.type("!\x1b")
    wait_text(link, ["MINE!"])
    assert new.read_text() == "theirs\n"


@pytest.mark.requirement("RELOAD-05")
def test_it_can_be_turned_off(saved: tuple[Terminal, RawEditor], file: Path) -> None:
    terminal, link = saved
    command(terminal, "let g:vim_mcp_autoread = 0")
    put(file, "one")
    assert follow(link) == {}
    assert text(link) == HUNDRED
    command(terminal, "let g:vim_mcp_autoread = 1")
    assert follow(link) == {"read": ["one.txt"]}


@pytest.mark.requirement("RELOAD-01")
def test_also_while_clients_are_paused(saved: tuple[Terminal, RawEditor], file: Path) -> None:
    """It is the person's own view that follows; the hub is told the names alone."""
    terminal, link = saved
    command(terminal, "VimMCPPause on")
    put(file, "one")
    assert follow(link, file) == {"read": ["one.txt"]}


@pytest.mark.requirement("RELOAD-01")
def test_a_hundred_files_at_once(saved: tuple[Terminal, RawEditor], home: EditorHome, file: Path) -> None:
    terminal, link = saved
    names = [file.with_name(f"{number}.txt") for number in range(100)]
    for name in names:
        put(name, "old")
    command(terminal, "silent args [0-9]*.txt | silent argdo let b:x = 1")
    for name in names[::2]:
        put(name, "new!")
    told: dict[str, Any] = follow(link)
    assert sorted(told["read"]) == sorted(name.name for name in names[::2])
    assert {text(link, file=str(name))[0] for name in names[::2]} == {"new!"}
