"""Files that another editor is working on: shown read-only without a question, never edited."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import edit, kind_of, refused, state, text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]


@pytest.fixture
def held(
    raw_hub: RawHub, inside: Inside, home: EditorHome, launch: Launch, tmp_path: Path
) -> tuple[Path, Terminal, Terminal, RawEditor]:
    """A file, the terminal of the editor that has unsaved changes in it, and another editor."""
    home.add("let g:swaps = 0", "autocmd SwapExists * let g:swaps += 1", "set hidden updatecount=1")
    path = tmp_path / "f.txt"
    path.write_text("on disk\n")
    holder = launch("f.txt", cwd=tmp_path)
    edit(raw_hub.editor(), "insert", line=1, lines=["unsaved"])
    terminal = launch("other.txt", cwd=tmp_path)
    return path, holder, terminal, raw_hub.editor()


def assert_refused(link: RawEditor, path: Path, pid: int) -> dict[str, Any]:
    """An edit of the file is refused because of its swap file."""
    error = refused(link, "edit", file=str(path), kind="insert", line=1, lines=["mine"], save=True)
    assert kind_of(error) == "swap"
    assert error["data"]["pid"] == pid
    assert Path(error["data"]["swap"]).exists()
    assert path.read_text() == "on disk\n"
    return error


@pytest.mark.requirement("KEEP-06")
def test_an_edit_is_refused_and_leaves_nothing_open(held: tuple[Path, Terminal, Terminal, RawEditor]) -> None:
    path, holder, _, link = held
    error = assert_refused(link, path, holder.editor_pid)
    assert str(holder.editor_pid) in error["message"]
    assert all(buffer["name"] != str(path) for buffer in state(link, "buffers"))
    swaps = list(Path(error["data"]["swap"]).parent.glob("*f.txt.s*"))
    assert len(swaps) == 1


@pytest.mark.requirement("KEEP-06")
def test_the_file_is_shown_read_only_without_a_question(
    held: tuple[Path, Terminal, Terminal, RawEditor], inside: Inside
) -> None:
    path, holder, terminal, link = held
    shown = link.request("show", file=str(path), line=1)
    assert shown["readonly"] is True
    assert shown["swap"]["pid"] == holder.editor_pid
    assert str(holder.editor_pid) in shown["swap"]["message"]
    assert shown["text"] == "on disk"
    assert inside.value(terminal, "[exists('#SwapExists'), exists('#vim_mcp_show'), mode(1), &shortmess =~# 'A']") == [
        1, 0, "n", 0,
    ]  # fmt: skip
    assert_refused(link, path, holder.editor_pid)
    assert text(link, file=str(path)) == ["on disk"]
    assert link.request("show", file=str(path))["swap"]["pid"] == holder.editor_pid


def test_the_file_can_be_edited_when_the_other_editor_has_left(
    held: tuple[Path, Terminal, Terminal, RawEditor],
) -> None:
    path, holder, _, link = held
    link.request("show", file=str(path))
    assert_refused(link, path, holder.editor_pid)
    holder.type(":wq\r")
    holder.wait()
    assert path.read_text() == "unsaved\non disk\n"
    edit(link, "insert", file=str(path), line=1, lines=["mine"], save=True)
    assert path.read_text() == "mine\nunsaved\non disk\n"
    assert link.request("show", file=str(path))["readonly"] is False


def test_a_crashed_editors_file_waits_for_its_user(held: tuple[Path, Terminal, Terminal, RawEditor]) -> None:
    path, holder, _, link = held
    wait_until(
        lambda: bool(list(path.parent.glob(".f.txt.s*")) or list(path.parent.rglob("*f.txt.swp"))), "a swap file"
    )
    os.kill(holder.editor_pid, signal.SIGKILL)
    holder.wait()
    error = assert_refused(link, path, 0)
    assert ":recover" in error["message"]
    assert link.request("show", file=str(path))["swap"]["pid"] == 0


def test_a_listed_file_that_is_not_loaded_is_read_but_not_edited(
    raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path
) -> None:
    home.add("set hidden")
    path = tmp_path / "f.txt"
    path.write_text("on disk\n")
    holder = launch("f.txt", cwd=tmp_path)
    raw_hub.editor()
    launch("other.txt", "f.txt", cwd=tmp_path)
    link = raw_hub.editor()
    assert text(link, file=str(path)) == ["on disk"]
    assert_refused(link, path, holder.editor_pid)
    readonly = [buffer["readonly"] for buffer in state(link, "buffers") if buffer["name"] == str(path)]
    assert readonly == [True]


def test_a_swap_file_of_another_file_of_the_same_name_is_no_hindrance(
    raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path
) -> None:
    home.add(f"set hidden directory={tmp_path / 'swap'}")
    for directory in ("swap", "one", "two"):
        (tmp_path / directory).mkdir()
    (tmp_path / "one" / "f.txt").write_text("one\n")
    (tmp_path / "two" / "f.txt").write_text("two\n")
    launch("f.txt", cwd=tmp_path / "one")
    raw_hub.editor()
    launch("other.txt", cwd=tmp_path)
    link = raw_hub.editor()
    path = tmp_path / "two" / "f.txt"
    edit(link, "insert", file=str(path), line=1, lines=["mine"], save=True)
    assert path.read_text() == "mine\ntwo\n"
