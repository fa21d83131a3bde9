"""Leaving the editor, by each of its commands, while Claude's terminal runs in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.editor.test_terminal import Scene, program, scene
from tests.support.editing import command
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.standin import started
from tests.support.waiting import has_ended, wait_ended

__all__ = ["program", "scene"]

MAPS = (
    "nnoremap <F3> <Cmd>wqa<CR>",
    "tnoremap <F3> <Cmd>xall<CR>",
    "tnoremap <F5> <Cmd>wqa<CR>",
    "tnoremap <F6> <Cmd>qa<CR>",
    "inoremap <F3> <Cmd>silent! wqa<CR>",
    "nnoremap <F4> <Cmd>bwipe!<CR>",
)
Begin = Callable[..., tuple[Terminal, int]]


@pytest.fixture
def begin(scene: Scene, inside: Inside) -> Begin:
    """An editor whose file has unsaved text, with Claude's terminal: (its screen, the program's process)."""

    def start(*commands: str) -> tuple[Terminal, int]:
        terminal, link = scene
        for line in ("set hidden", "nnoremap <F2> :wqa<CR>", *MAPS):
            command(terminal, line)
        terminal.type("imine\x1b:ClaudeCode\r")
        pid = started(inside, link)[0]
        terminal.type("\x1c\x0e")
        for line in commands:
            command(terminal, line)
        return terminal, pid

    return start


WRITING = {
    "from the terminal": ":wqa\r", "beside it": ":wincmd p\r:xall\r", "silently": ":silent wqa\r", "mapped": "\x1bOQ",
    "from Insert mode": ":wincmd p\ri\x0f:xa!\r", "mapped by <Cmd>": "\x1bOR",
    "by <Cmd> beside it": ":wincmd p\r\x1bOR",
    "by <Cmd> from the terminal": "i\x1bOR", "by <Cmd> from Insert mode": ":wincmd p\ri\x1bOR",
    "once more": ":wincmd p\r:new | call setline(1, 'x')\r:wqa\r\r\x1bOS@:", "nothing": ":wincmd p | w\r\x1bOR",
}  # fmt: skip


@pytest.mark.requirement("TERM-03")
@pytest.mark.parametrize("way", WRITING)
def test_all_is_written_and_the_editor_left(begin: Begin, tmp_path: Path, way: str) -> None:
    terminal, pid = begin()
    terminal.type(WRITING[way])
    assert terminal.wait() == 0
    assert (tmp_path / "one.txt").read_text() == "mine\n"
    wait_ended(pid)


@pytest.mark.requirement("TERM-03")
@pytest.mark.parametrize("keys", ["\x1b[15~", "\x1b[17~"], ids=["wqa", "qa"])
@pytest.mark.parametrize("before", ["", "\x17p\x17p", "\x1c\x0ei"], ids=["at once", "come back", "normal mode"])
def test_a_mapping_in_the_terminal_leaves_where_nothing_is_to_be_written(
    scene: Scene, inside: Inside, kind: str, keys: str, before: str
) -> None:
    terminal, link = scene
    if before.startswith("\x17") and kind != "vim":
        pytest.skip("CTRL-W is the program's")
    command(terminal, "set noruler noshowcmd")
    for line in MAPS:
        command(terminal, line)
    terminal.type(":ClaudeCode\r")
    pid = started(inside, link)[0]
    terminal.type(before + keys)
    assert terminal.wait() == 0
    wait_ended(pid)


STAYING: dict[str, tuple[list[str], str, str]] = {
    "from the terminal": ([], ":qa\r", "E37"),
    "the last window": (["only"], ":q\r", "E37"),
    "another file": (["wincmd p", "edit two.txt"], ":qa\r", "E37"),
    "another tab page": (["tabedit two.txt"], ":qa\r", 'not left, since "one.txt" is not saved'),
    "what has no name": (["new", "call setline(1, 'new')"], ":wqa\r", "E141"),
    "what has no name, by <Cmd>": (["new", "call setline(1, 'new')"], "\x1bOR", "E141"),
    "the terminal, deleted": (["wincmd p", "wall", "wincmd p"], ":bdelete\r", "(add ! to"),
    "the terminal, written": (["wincmd p", "wall", "wincmd p"], ":w\r", ""),
}


@pytest.mark.requirement("TERM-03")
@pytest.mark.parametrize("way", STAYING)
def test_the_program_outlives_that_the_editor_stays(begin: Begin, way: str) -> None:
    commands, keys, complaint = STAYING[way]
    terminal, pid = begin(*commands)
    terminal.type(keys)
    terminal.wait_screen(complaint)
    terminal.type("\r:wincmd t | echo 'and on'\r")
    terminal.wait_screen("and on")
    assert not has_ended(pid)


@pytest.mark.requirement("TERM-03")
def test_who_forces_it_is_not_led_elsewhere(begin: Begin, inside: Inside) -> None:
    terminal, _ = begin("autocmd VimLeavePre * call Tell(&buftype)")
    terminal.type(":qa!\r")
    assert inside.told() == "terminal"
    assert terminal.wait() == 0


@pytest.mark.requirement("TERM-03")
def test_what_was_refused_for_another_terminal_is_not_done_later(begin: Begin, kind: str) -> None:
    """Not when that one has ended: in Vim, which refuses it."""
    if kind != "vim":
        pytest.skip("Neovim ends the user's terminals")
    terminal, pid = begin("let g:other = term_start('cat', {'hidden': 1})", "wall", "wincmd p")
    terminal.type(":wqa\r")
    terminal.wait_screen("E948: Job still running")
    command(terminal, "call job_stop(term_getjob(g:other), 'kill')")
    command(terminal, "while term_getstatus(bufnr('!cat')) =~ 'running' | sleep 5m | endwhile")
    terminal.type(":echo 'and on'\r")
    terminal.wait_screen("and on")
    terminal.type(":echo 'further'\r")
    terminal.wait_screen("further")
    assert not has_ended(pid)


@pytest.mark.requirement("TERM-03")
def test_a_terminal_of_the_users_is_theirs(begin: Begin, kind: str) -> None:
    """Vim stays for it, as without ours; Neovim ends it."""
    terminal, _ = begin("call term_start('cat', {'hidden': 1})" if kind == "vim" else "enew | call termopen('cat')")
    terminal.type(":wqa\r")
    if kind == "vim":
        terminal.wait_screen("E948: Job still running")
    else:
        assert terminal.wait() == 0
