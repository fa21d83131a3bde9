"""Searching: every match with its place, bounded in number and time, and without a trace."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, wait_mode, wait_text
from tests.support.editors import TIMEOUT, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]
Place = tuple[int, int, int, int]

LINES = ["foo bar foo", "", "bébé x", "foobarfoo", "a", "b", "\tend"]

SNAPSHOT = (
    "[winsaveview(), getreg('/'), v:hlsearch, histget('/', -1), getjumplist(), getchangelist(), getpos(\"''\"),"
    ' getpos("\'<"), getpos("\'>"), &cpo, &ignorecase, &smartcase, &magic, &wrapscan, &eventignore, &report,'
    " getcurpos(), winnr('#'), bufnr('#'), map(getwininfo(), 'v:val.winid'), winrestcmd(),"
    " map(getbufinfo(), '[v:val.bufnr, v:val.name, v:val.lnum, v:val.loaded, v:val.listed, v:val.changedtick,"
    " v:val.hidden]'), execute('autocmd vim_mcp_within', 'silent!'), undotree().seq_cur, getmarklist(bufnr('')),"
    " map(range(1, winnr('$')), {_, n -> getcurpos(win_getid(n))}), foldclosed(1), v:errmsg, v:searchforward]"
)
"""What a search must leave as it is."""


@pytest.fixture
def link(inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor with `LINES` that `inside` can look into: its connection."""
    edit(editor[1], lines=LINES)
    return editor[1]


@pytest.fixture
def terminal(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> Terminal:
    """The terminal of the same editor."""
    return editor[0]


def search(link: RawEditor, pattern: str, **params: Any) -> dict[str, Any]:
    """Search and return the result."""
    result: dict[str, Any] = link.request("search", pattern=pattern, **params)
    return result


def places(link: RawEditor, pattern: str, **params: Any) -> list[Place]:
    """Where each match begins, and the place behind it."""
    found = search(link, pattern, **params)
    assert found["total"] == len(found["matches"])
    return [(m["line"], m["column"], m["end_line"], m["end_column"]) for m in found["matches"]]


# ---- what is found


@pytest.mark.requirement("VIM-TOOL-05")
def test_a_match_has_its_buffer_place_and_text(link: RawEditor, tmp_path: Path) -> None:
    name = str(tmp_path / "project" / "one.txt")
    match = {"buffer": 1, "name": name, "line": 4, "column": 4, "end_line": 4, "end_column": 7, "text": "foobarfoo"}
    assert search(link, "foo\\zsbar") == {
        "matches": [match], "total": 1, "truncated": False, "timed_out": False, "skipped": [],
    }  # fmt: skip


FOUND: dict[str, list[Place]] = {
    "foo": [(1, 1, 1, 4), (1, 9, 1, 12), (4, 1, 4, 4), (4, 7, 4, 10)],
    "nothing": [],
    "é": [(3, 2, 3, 4), (3, 5, 3, 7)],
    "é.": [(3, 2, 3, 5), (3, 5, 3, 8)],
    "foo\\zebar": [(4, 1, 4, 4)],
    "\\v(foo)@<=bar": [(4, 4, 4, 7)],
    "\\Vfoo b": [(1, 1, 1, 6)],
    "^$": [(2, 1, 2, 1)],
    "x$": [(3, 8, 3, 9)],
    "x\\n": [(3, 8, 4, 1)],
    "a\\nb": [(5, 1, 6, 2)],
    "a\\_s\\+b\\n\\t": [(5, 1, 7, 2)],
    "x\\zs\\nfoo": [(3, 9, 4, 4)],
    "\\%^foo": [(1, 1, 1, 4)],
    "end\\%$": [(7, 2, 7, 5)],
    "\\%3l\\%2c.": [(3, 2, 3, 4)],
    "\\%#=1b.r": [(1, 5, 1, 8), (4, 4, 4, 7)],
    "\\%#=2b.r": [(1, 5, 1, 8), (4, 4, 4, 7)],
    "x*\\%3l$": [(3, 8, 3, 9)],
    "\\(o\\)\\1": [(1, 2, 1, 4), (1, 10, 1, 12), (4, 2, 4, 4), (4, 8, 4, 10)],
    "foo\\|x": [(1, 1, 1, 4), (1, 9, 1, 12), (3, 8, 3, 9), (4, 1, 4, 4), (4, 7, 4, 10)],
    "\\<\\k\\+\\>\\n\\n": [(1, 9, 3, 1)],
    "end\\n": [(7, 2, 8, 1)],
}


def test_vims_own_patterns(link: RawEditor) -> None:
    assert {pattern: places(link, pattern) for pattern in FOUND} == FOUND


def test_empty_matches(link: RawEditor) -> None:
    assert places(link, "^") == [(n, 1, n, 1) for n in range(1, 8)]
    assert places(link, "$") == [
        (n, len(line.encode()) + 1, n, len(line.encode()) + 1) for n, line in enumerate(LINES, 1)
    ]
    assert places(link, "\\n") == [(n, len(line.encode()) + 1, n + 1, 1) for n, line in enumerate(LINES, 1)]
    assert places(link, "\\%1l\\%<6co*") == [(1, 1, 1, 1), (1, 2, 1, 4), (1, 4, 1, 4), (1, 5, 1, 5)]


def test_the_cursors_place_in_a_pattern_is_the_users(link: RawEditor, terminal: Terminal, inside: Inside) -> None:
    terminal.type("gg2w")
    assert inside.value(terminal, "getcurpos()[1:2]") == [1, 9]
    for pattern in ("\\%#.", "\\v%#.", "\\%.l\\%.c."):
        assert places(link, pattern) == [(1, 9, 1, 10)]
    assert places(link, "foo\\%#") == []


def test_the_users_case_options_apply(link: RawEditor, terminal: Terminal, inside: Inside) -> None:
    assert search(link, "FOO")["total"] == 0
    terminal.type(":set ignorecase smartcase\r")
    assert inside.value(terminal, "&smartcase") == 1
    assert search(link, "FOO")["total"] == 0
    assert search(link, "FOO\\c")["total"] == 4
    assert search(link, "foo\\C")["total"] == 4
    terminal.type(":set nosmartcase nomagic\r")
    assert inside.value(terminal, "&magic") == 0
    assert search(link, "FOO")["total"] == 4
    assert search(link, "f.o")["total"] == 0
    assert search(link, "f\\.o")["total"] == 4


def test_last_visual_area(link: RawEditor, terminal: Terminal, inside: Inside) -> None:
    terminal.type("ggVj\x1b")
    assert inside.value(terminal, 'line("\'>")') == 2
    assert places(link, "\\%Vfoo") == [(1, 1, 1, 4), (1, 9, 1, 12)]


def test_a_long_line_is_given_in_part(link: RawEditor) -> None:
    edit(link, lines=["é" * 1000 + "needle" + "é" * 1000, "short"])
    (match,) = search(link, "needle")["matches"]
    assert (match["column"], match["end_column"]) == (2001, 2007)
    assert match["text"].strip("é") == "needle"
    assert 490 <= len(match["text"].encode()) <= 500
    assert match["text_column"] == 2001 - 2 * match["text"].index("needle")
    assert "text_column" not in search(link, "short")["matches"][0]


def test_bytes_that_are_no_characters(link: RawEditor, terminal: Terminal, inside: Inside) -> None:
    terminal.type(':call setline(1, ["a\\xffb\\x80needle", "nul\\nneedle"])\r')
    assert inside.value(terminal, "strlen(getline(1))") == 10
    first, second = search(link, "needle")["matches"]
    assert (first["column"], second["column"]) == (5, 5)
    assert first["text"].startswith("a")
    assert second["text"] == "nul\nneedle"


def test_few_are_given_all_are_counted(link: RawEditor) -> None:
    edit(link, lines=["x x x"] * 500)
    found = search(link, "x", limit=7)
    assert (len(found["matches"]), found["total"], found["truncated"]) == (7, 1500, True)
    assert (found["matches"][6]["line"], found["matches"][6]["column"]) == (3, 1)
    assert search(link, "x", limit=0) | {"timed_out": False} == {
        "matches": [], "total": 1500, "truncated": True, "timed_out": False, "skipped": [],
    }  # fmt: skip


# ---- errors


def test_an_invalid_pattern_is_vims_error(link: RawEditor) -> None:
    invalid = {"foo\\(": "E54", "\\%[a": "E69", "a\\{1,2": "E554", "\\%d99999999999": "E678", "\\v(a+": "E54"}
    for pattern, number in invalid.items():
        for scope in ("current", "all"):
            error = refused(link, "search", pattern=pattern, scope=scope)
            assert (kind_of(error), error["data"]["vim_error"]) == ("vim", number)
    assert search(link, "foo")["total"] == 4


def test_wrong_parameters(link: RawEditor) -> None:
    for params in ({}, {"pattern": ""}, {"pattern": 1}, {"pattern": "a", "scope": "x"}, {"pattern": "a", "limit": "x"}):
        assert refused(link, "search", **params)["code"] == -32602


# ---- time


def test_a_pattern_that_takes_for_ever_ends_in_time(link: RawEditor) -> None:
    edit(link, lines=["a" * 20000, "ab"])
    for pattern in ("\\%#=1\\v(a+)+b", "\\%#=1\\(\\(a\\+\\)\\+\\)\\+[bc]", "\\%#=2\\v(a{1,50})+[bc]"):
        begun = time.monotonic()
        assert search(link, pattern, timeout=300)["timed_out"]
        assert time.monotonic() - begun < TIMEOUT / 2
    assert search(link, "b")["total"] == 1


def test_a_hundred_thousand_lines(link: RawEditor, terminal: Terminal, inside: Inside) -> None:
    terminal.type(':call setline(1, map(range(100000), \'"line " . v:val . " of a long text"\'))\r')
    assert inside.value(terminal, "line('$')") == 100000
    assert places(link, "line 99999\\>") == [(100000, 1, 100000, 11)]
    assert search(link, "not there") == {
        "matches": [], "total": 0, "truncated": False, "timed_out": False, "skipped": [],
    }  # fmt: skip
    found = search(link, "long", limit=3, timeout=10000)
    assert len(found["matches"]) == 3
    assert found["total"] == 100000 or found["timed_out"]


# ---- several buffers


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The directory of `one.txt` with more files."""
    directory = tmp_path / "project"
    (directory / "shown.txt").write_text("a needle\n")
    (directory / "hidden.txt").write_text("another needle\n")
    (directory / "unloaded.txt").write_bytes("one\r\nneedle é\r\ntwo needles\r\n".encode())
    (directory / "latin.txt").write_bytes("é needle\n".encode("latin-1"))
    (directory / ".env").write_text("needle=secret\n")
    (directory / "unlisted.txt").write_text("needle\n")
    (directory / "empty.txt").write_text("")
    return directory


OPEN = (
    ":set hidden | split shown.txt | edit hidden.txt | normal! G\r:buffer shown.txt\r:edit .env | edit unlisted.txt | "
    "setlocal nobuflisted | buffer shown.txt | wincmd p | badd unloaded.txt | badd latin.txt | badd nowhere.txt | "
    "badd empty.txt\r"
)


@pytest.mark.requirement("VIM-TOOL-05")
def test_all_listed_buffers(link: RawEditor, terminal: Terminal, inside: Inside, project: Path) -> None:
    terminal.type(OPEN)
    before = inside.value(terminal, SNAPSHOT)
    found = search(link, "needle", scope="all")
    assert inside.value(terminal, SNAPSHOT) == before
    names: dict[str, list[tuple[int, int, str]]] = {}
    for match in found["matches"]:
        names.setdefault(Path(match["name"]).name, []).append((match["line"], match["column"], match["text"]))
    assert names == {
        "shown.txt": [(1, 3, "a needle")],
        "hidden.txt": [(1, 9, "another needle")],
        "unloaded.txt": [(2, 1, "needle é"), (3, 5, "two needles")],
        "latin.txt": [(1, 4, "é needle")],
    }
    assert found["total"] == 5
    assert found["skipped"] == [str(project / ".env")]
    listed = {buffer["name"]: buffer["id"] for buffer in state(link, "buffers")}
    assert all(listed[match["name"]] == match["buffer"] for match in found["matches"])


def test_the_current_buffer_comes_first_and_alone(
    link: RawEditor, terminal: Terminal, inside: Inside, project: Path
) -> None:
    terminal.type(OPEN + ":buffer hidden.txt\r")
    assert inside.value(terminal, "bufname()") == "hidden.txt"
    assert [Path(match["name"]).name for match in search(link, "needle")["matches"]] == ["hidden.txt"]
    assert Path(search(link, "needle", scope="all", limit=1)["matches"][0]["name"]).name == "hidden.txt"


@pytest.mark.requirement("ACCESS-02")
def test_a_private_current_buffer_is_not_searched(
    link: RawEditor, terminal: Terminal, inside: Inside, project: Path
) -> None:
    terminal.type(":edit! .env\r")
    assert inside.value(terminal, "getline(1)") == "needle=secret"
    assert search(link, "needle") == {
        "matches": [], "total": 0, "truncated": False, "timed_out": False, "skipped": [str(project / ".env")],
    }  # fmt: skip


def test_unsaved_text_is_what_is_searched(link: RawEditor, terminal: Terminal, inside: Inside, project: Path) -> None:
    terminal.type(":set hidden | edit hidden.txt | call setline(1, 'unsaved') | buffer 1\r")
    assert inside.value(terminal, "bufnr()") == 1
    assert [m["text"] for m in search(link, "unsaved\\|another", scope="all")["matches"]] == ["unsaved"]


def test_a_buffer_that_cannot_be_reached_is_named(
    link: RawEditor, terminal: Terminal, inside: Inside, project: Path
) -> None:
    terminal.type(":set hidden | edit hidden.txt | buffer 1 | set eventignore=all\r")
    assert inside.value(terminal, "&eventignore") == "all"
    found = search(link, "foo", scope="all")
    assert (found["total"], found["skipped"]) in [(4, [str(project / "hidden.txt")]), (4, [])]
    assert search(link, "needle", scope="all")["total"] == (0 if found["skipped"] else 1)


def test_a_file_that_would_ask_for_a_key_or_never_end_is_skipped(
    link: RawEditor, terminal: Terminal, inside: Inside, kind: str, project: Path
) -> None:
    os.mkfifo(project / "fifo")
    (project / "locked").write_bytes(b"VimCrypt~03!" + bytes(range(128, 160)))
    terminal.type(":badd fifo | badd locked\r")
    assert inside.value(terminal, "bufexists('locked')") == 1
    skipped = search(link, "foo", scope="all")["skipped"]
    assert str(project / "fifo") in skipped
    assert (str(project / "locked") in skipped) == (kind == "vim")


# ---- whatever the user is doing


STATES = {
    "normal": ("", "n", "x", "oo bar foo"),
    "insert": ("i", "i", "hi\x1b", "hifoo bar foo"),
    "insert at the end": ("A", "i", "hi\x1b", "foo bar foohi"),
    "replace": ("R", "R", "hi\x1b", "hio bar foo"),
    "visual": ("ve", "v", "d", " bar foo"),
    "visual block": ("\x16l", "\x16", "d", "o bar foo"),
    "operator-pending": ("d", "no", "w", "bar foo"),
    "command line": (":s/o", "c", "//\r", "fo bar foo"),
    "search line": ("/ba", "c", "\rx", "foo ar foo"),
    "command-line window": ("q:", "n", ":q\rx", "oo bar foo"),
}


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("scope", ["current", "all"])
@pytest.mark.requirement("BUSY-03", "KEEP-02")
def test_searching_in_any_mode_takes_no_key_and_moves_nothing(
    link: RawEditor, terminal: Terminal, inside: Inside, kind: str, project: Path, name: str, scope: str
) -> None:
    begun, mode, rest, line = STATES[name]
    terminal.type(f":set incsearch hlsearch\r{OPEN}gg")
    assert inside.value(terminal, "[bufnr(), line('.')]") == [1, 1]
    terminal.type(begun)
    wait_mode(link, mode)
    if name == "command-line window":
        wait_until(lambda: len(state(link, "windows")) == 3, "the command-line window")
    for _ in range(3):
        found = search(link, "needle\\|foo", scope=scope)
        assert found["total"] == {"current": 0 if name == "command-line window" else 4, "all": 9}[scope]
    terminal.type(rest)
    wait_text(link, [line, *LINES[1:]], buffer=1)


def test_an_insertion_stays_one_step_to_undo(link: RawEditor, terminal: Terminal) -> None:
    terminal.type("ggione ")
    wait_until(lambda: text(link)[0].startswith("one "), "the first word")
    search(link, "foo", scope="all")
    terminal.type("two \x1b")
    wait_text(link, ["one two foo bar foo", *LINES[1:]])
    terminal.type("u")
    wait_text(link, LINES)


def test_a_terminal_goes_on(link: RawEditor, terminal: Terminal, kind: str, tmp_path: Path) -> None:
    terminal.type(":terminal\r" if kind == "vim" else ":terminal\ri")
    wait_mode(link, "t")
    search(link, "foo", scope="all")
    mark = tmp_path / "typed"
    terminal.type(f"touch {mark}\r")
    wait_until(mark.exists, "the shell's work")
    assert state(link, "mode") == "t"


@pytest.mark.requirement("KEEP-02")
def test_the_users_search_and_screen_stay(link: RawEditor, terminal: Terminal, inside: Inside, project: Path) -> None:
    terminal.type(OPEN + ":set hlsearch scrolloff=2 ignorecase\r/foo\rggzfjzo2lma")
    inside.value(terminal, SNAPSHOT)
    before = inside.value(terminal, SNAPSHOT)
    for scope in ("current", "all"):
        search(link, "needle\\|bar", scope=scope)
        refused(link, "search", pattern="\\(", scope=scope)
    assert inside.value(terminal, SNAPSHOT) == before
    terminal.type("n")
    assert inside.value(terminal, "[line('.'), col('.'), @/]") == [1, 9, "foo"]


def test_where_new_buffers_cannot_be_changed_files_are_searched_all_the_same(
    editor: tuple[Terminal, RawEditor], tmp_path: Path
) -> None:
    terminal, link = editor
    (tmp_path / "project" / "unloaded.txt").write_text("needle\n")
    command(terminal, "set nomodifiable | badd unloaded.txt")
    found = search(link, "needle", scope="all")
    assert [match["text"] for match in found["matches"]] == ["needle"]
    assert found["skipped"] == []
