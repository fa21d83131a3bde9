"""Which files' diagnostics have changed: told without being asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub

Scene = tuple[Terminal, RawEditor]


@pytest.fixture
def scene(raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path) -> Scene:
    """An editor with three files open, of which one is private."""
    for name in ("one.py", "two.py", ".env"):
        (tmp_path / name).write_text("x\n")
    terminal = launch("one.py", "two.py", ".env", cwd=tmp_path)
    link = raw_hub.editor()
    link.event("BufEnter")
    return terminal, link


def is_quiet(link: RawEditor) -> bool:
    """Whether nothing of diagnostics is told for longer than they are collected."""
    try:
        link.event("diagnostics", timeout=0.5)
    except AssertionError:
        return True
    return False


def diagnose(buffer: str, *messages: str) -> str:
    """The Ex command that sets the diagnostics of a buffer in Neovim."""
    found = [{"lnum": 0, "col": 0, "message": message} for message in messages]
    lua = "vim.diagnostic.set(vim.api.nvim_create_namespace(_A[1]), _A[2], _A[3])"
    return f"call luaeval('{lua}', ['test', bufnr('{buffer}'), {found}])"


@pytest.mark.parametrize("kind", ["nvim", "nvim07"], indirect=True)
@pytest.mark.requirement("DGN-01", "DGN-02")
def test_neovim_names_the_files_of_diagnostics_that_changed(scene: Scene, tmp_path: Path) -> None:
    terminal, link = scene
    terminal.type(f":{diagnose('one.py', 'bad')} | {diagnose('two.py', 'bad')} | {diagnose('.env', 'bad')}\r")
    files = [str(tmp_path / "one.py"), str(tmp_path / "two.py")]
    assert link.event("diagnostics") == {"type": "diagnostics", "files": files}
    assert is_quiet(link)
    command(terminal, diagnose("one.py"))
    assert link.event("diagnostics")["files"] == files[:1]
    command(terminal, "VimMCPPause on")
    command(terminal, diagnose("one.py", "worse"))
    assert is_quiet(link)


@pytest.mark.parametrize("kind", ["vim"], indirect=True)
@pytest.mark.requirement("DGN-01")
def test_vim_names_the_files_that_its_lists_hold_or_held(scene: Scene, tmp_path: Path) -> None:
    terminal, link = scene
    one, two = str(tmp_path / "one.py"), str(tmp_path / "two.py")
    command(terminal, "cgetexpr ['one.py:1:1: bad', '.env:1:1: bad']")
    assert link.event("diagnostics") == {"type": "diagnostics", "files": [one]}
    command(terminal, "lgetexpr ['two.py:1:1: bad']")
    assert link.event("diagnostics")["files"] == [one, two]
    command(terminal, "cgetexpr []")
    assert link.event("diagnostics")["files"] == [one, two]
    command(terminal, "lgetexpr []")
    assert link.event("diagnostics")["files"] == [two]


@pytest.mark.parametrize("kind", ["vim"], indirect=True)
@pytest.mark.requirement("DGN-01")
def test_a_long_list_of_vims_does_not_hold_its_user_up(inside: Inside, scene: Scene, tmp_path: Path) -> None:
    terminal, link = scene
    (tmp_path / "log").write_text("".join(f"one.py:{line}:1: bad {line}\n" for line in range(1, 10001)))
    begun = time.monotonic()
    command(terminal, "cgetfile log")
    assert link.event("diagnostics")["files"] == [str(tmp_path / "one.py")]
    told = time.monotonic() - begun
    timed = "{since -> [filter(getqflist(), {_, item -> bufexists(item.bufnr)}), reltimefloat(reltime(since))][1]}"
    read = inside.value(terminal, f"{timed}(reltime())")
    assert told < 1.0 + 20 * read, f"{told:.2f} s, where looking through the list once takes {read:.2f} s"
