"""Edits and the disk: what is read again, what is written, and what is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, wait_text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until


@pytest.fixture
def link(home: EditorHome, inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor's connection."""
    command(editor[0], "set noswapfile hidden")
    return editor[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Where that editor works."""
    return tmp_path / "project"


def rewrite(path: Path, content: str) -> None:
    """Change a file on disk, as another program does some seconds later."""
    path.write_text(content)
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))


@pytest.mark.requirement("KEEP-01")
def test_unsaved_changes_are_never_replaced(link: RawEditor, project: Path) -> None:
    path = project / "f"
    path.write_text("disk\n")
    edit(link, "insert", file=str(path), line=1, lines=["unsaved"])
    rewrite(path, "disk has changed\n")
    edit(link, "insert", file=str(path), line=1, lines=["again"])
    assert text(link, file=str(path)) == ["again", "unsaved", "disk"]
    for _ in range(2):
        error = refused(link, "edit", file=str(path), kind="insert", line=1, lines=["more"], save=True)
        assert kind_of(error) == "changed"
        assert "disk" in error["message"]
        assert text(link, file=str(path)) == ["again", "unsaved", "disk"]
    assert path.read_text() == "disk has changed\n"


@pytest.mark.requirement("KEEP-04")
def test_a_file_that_changed_on_disk_is_read_again_first(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    path = project / "f"
    path.write_text("one\ntwo\n")
    ticks = link.request("get_text", buffer=link.request("show", file=str(path))["buffer"])["changedtick"]
    rewrite(path, "zero\none\ntwo\n")
    assert kind_of(refused(link, "edit", file=str(path), kind="all", lines=[], changedtick=ticks)) == "changed"
    edit(link, "substitute", file=str(path), old_lines=["two"], lines=["2"], save=True)
    assert path.read_text() == "zero\none\n2\n"
    terminal, _ = editor
    for wanted in (["zero", "one", "two"], ["one", "two"]):
        terminal.type("u")
        wait_text(link, wanted)


@pytest.mark.requirement("KEEP-01")
def test_a_prompt_about_the_file_on_disk_is_declined(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    path = project / "f"
    path.write_text("disk\n")
    link.request("show", file=str(path))
    edit(link, "insert", line=1, lines=["unsaved"])
    rewrite(path, "disk has changed\n")
    terminal.type(":checktime\r")
    terminal.wait_screen("W12")
    terminal.type("o")  # keep what is in the buffer
    wait_until(lambda: bool(state(link, "mode") == "n"), "normal mode")
    error = refused(link, "edit", buffer=0, kind="insert", line=1, lines=["more"], save=True)
    assert kind_of(error) == "changed", error
    assert path.read_text() == "disk has changed\n"
    terminal.type("iyes \x1b")
    wait_until(lambda: "yes " in "".join(text(link)), "what is typed next")
    assert path.read_text() == "disk has changed\n"


@pytest.mark.parametrize("autoread", ["autoread", "noautoread"])
@pytest.mark.requirement("VIM-SCOPE-01")
def test_saving_runs_what_the_person_has_set_up(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path, autoread: str
) -> None:
    terminal, _ = editor
    path = project / "f.txt"
    command(terminal, f"set {autoread} confirm")
    command(terminal, "autocmd BufWritePre *.txt call append('$', expand('<afile>:t') . bufnr())")
    result = edit(link, "all", file=str(path), lines=["one"], save=True)
    number = result["buffer"]["id"]
    assert path.read_text() == f"one\nf.txt{number}\n"
    assert (result["buffer"]["line_count"], result["buffer"]["modified"]) == (2, False)
    link.request("show", file=str(path))
    edit(link, "all", lines=["two"], save=True)
    assert path.read_text() == f"two\nf.txt{number}\n"


def test_a_write_that_fails_says_why_and_loses_nothing(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    path = project / "new" / "f.txt"
    command(terminal, "autocmd BufWritePre *.txt throw 'no writing today'")
    error = refused(link, "edit", file=str(path), kind="all", lines=["one"], save=True)
    assert kind_of(error) == "vim"
    assert "no writing today" in error["message"]
    assert "unsaved" in error["message"]
    assert text(link, file=str(path)) == ["one"]
    assert list(project.iterdir()) == []


def test_saving_keeps_options(
    link: RawEditor, inside: Inside, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    path = project / "f.txt"
    path.write_text("one")
    command(terminal, "set confirm shortmess=a undoreload=77")
    edit(link, "insert", file=str(path), line=1, lines=["new"], save=True)
    assert path.read_text() == "new\none"
    options = "[&confirm, &shortmess, &undoreload, getbufvar('f.txt', '&fixeol'), getbufvar('f.txt', '&eol')]"
    assert inside.value(terminal, options) == [1, "a", 77, 1, 0]
    left = "filter(getcompletion('', 'augroup'), \"index(['vim_mcp_disk', 'vim_mcp_within'], v:val) >= 0\")"
    assert inside.value(terminal, left) == []


def test_what_the_file_cannot_hold_is_not_written(link: RawEditor, project: Path) -> None:
    path = project / "f.txt"
    path.write_bytes("größer\n".encode("latin1"))
    error = refused(link, "edit", file=str(path), kind="insert", line=1, lines=["漢"], save=True)
    assert kind_of(error) == "refused"
    assert "latin1" in error["message"]
    assert path.read_bytes() == "größer\n".encode("latin1")
    edit(link, "insert", file=str(path), line=1, lines=["漢"])
    assert kind_of(refused(link, "edit", file=str(path), kind="insert", line=2, lines=["x"], save=True)) == "refused"
    edit(link, "all", file=str(path), lines=["Größe"], save=True)
    assert path.read_bytes() == "Größe\n".encode("latin1")


def test_a_hidden_buffer_is_saved_where_all_events_are_ignored(
    editor: tuple[Terminal, RawEditor], tmp_path: Path
) -> None:
    terminal, link = editor
    path = tmp_path / "project" / "hidden.txt"
    path.write_text("one\n")
    command(terminal, "set eventignore=all")
    assert edit(link, "all", file=str(path), lines=["two"], save=True)["saved"] is True
    assert path.read_text() == "two\n"
    terminal.type(":echo 'ei' &eventignore\r")
    terminal.wait_screen("ei all")
