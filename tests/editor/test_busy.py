"""What the system shows of an editor that runs a shell command, and interrupting Vim there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until
from vim_mcp.editor.busy import interrupt, what_it_does

Launch = Callable[..., Terminal]


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        (":!sleep 5\r", "sleep 5"),
        (":silent !sleep 5 | cat\r", "sleep 5 | cat"),
        (":call system('sleep 5')\r", "sleep 5"),
        (":r !sleep 5\r", "sleep 5"),
        (":%!sleep 5; cat\r", "sleep 5; cat"),
        (":set makeprg=sleep\\ 5\r:make\r", "sleep 5"),
    ],
)
def test_a_shell_command_of_its_users_is_named(editor: tuple[Terminal, RawEditor], typed: str, command: str) -> None:
    terminal, _ = editor
    assert what_it_does(terminal.editor_pid) is None
    terminal.type(typed)
    wait_until(lambda: what_it_does(terminal.editor_pid) == f"the shell command `{command}`", command)


def test_jobs_and_terminals_are_no_command(editor: tuple[Terminal, RawEditor], kind: str, tmp_path: Path) -> None:
    terminal, _ = editor
    start = "job_start('cat')" if kind == "vim" else "jobstart('cat', {'on_stdout': {-> 1}})"
    terminal.type(f":let job = {start}\r:terminal\r")
    mark = tmp_path / "began"
    terminal.type(f"{'' if kind == 'vim' else 'i'}touch {mark}\r")
    wait_until(mark.exists, "the terminal's shell")
    assert what_it_does(terminal.editor_pid) is None


def test_a_process_that_is_no_more_does_nothing() -> None:
    assert what_it_does(2**22 + 1) is None


@pytest.mark.parametrize("kind", ["vim"], indirect=True)
@pytest.mark.parametrize("typed", [":!sleep 60\r", ":call system('sleep 60; sleep 60')\r", ":r !cat\r"])
def test_vim_and_its_command_are_interrupted(editor: tuple[Terminal, RawEditor], typed: str) -> None:
    terminal, link = editor
    terminal.type(typed)
    wait_until(lambda: what_it_does(terminal.editor_pid) is not None, typed)

    def has_ended() -> bool:
        interrupt(terminal.editor_pid)  # again and again, as the hub does: one may come between two programs
        return what_it_does(terminal.editor_pid) is None

    wait_until(has_ended, "the command's end")
    terminal.type("\r")
    assert link.request("ping") == {}
