"""A Vim that cannot dial a unix socket reaches the hub through `vim-mcp pipe` (forced here by its setting)."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal
from tests.support.inside import methods
from tests.support.processes import children, command_line
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_ended

Launch = Callable[..., Terminal]

pytestmark = pytest.mark.parametrize("kind", ["vim"], indirect=True)  # Neovim always dials the socket itself


@pytest.fixture
def link(raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path) -> tuple[Terminal, RawEditor]:
    """A Vim that is connected through the job."""
    home.add("let g:vim_mcp_transport = 'job'", f"let g:vim_mcp_command = '{ROOT}/.venv/bin/vim-mcp'")
    home.add("let g:vim_mcp_reconnect_interval = 200")
    cases = {
        "size": "return a:reply({'result': len(a:params.text)})",
        "fill": "return a:reply({'result': repeat('x', 10000000)})",
        "child": "let g:child = job_start(['sleep', '1000'])",
    }
    lines = [line for name, case in cases.items() for line in (f"if a:method ==# '{name}'", case, "endif")]
    home.add(methods(tmp_path, *lines))
    terminal = launch("one.txt")
    connection = raw_hub.editor()
    assert connection.request("ping") == {}  # it has read that it is registered
    return terminal, connection


def _pipes(pid: int) -> list[int]:
    """The `vim-mcp pipe` processes that an editor has started and that run."""
    return [child for child in children(pid) if "pipe" in command_line(child)]


@pytest.mark.slow
@pytest.mark.requirement("VIM-PLAT-03")
def test_the_protocol_is_the_same_through_the_job(link: tuple[Terminal, RawEditor]) -> None:
    terminal, connection = link
    assert connection.hello["info"]["pid"] == terminal.pid
    assert len(_pipes(terminal.pid)) == 1
    started = [connection.start("ping") for _ in range(20)]
    assert [connection.answer(request) for request in started] == [{}] * 20
    assert connection.request("size", text="é" * 5_000_000) == 10_000_000
    assert len(connection.request("fill")) == 10_000_000


def test_a_lost_hub_is_found_again_through_the_job(
    link: tuple[Terminal, RawEditor], raw_hub: RawHub, home: EditorHome
) -> None:
    terminal, connection = link
    old = _pipes(terminal.pid)[0]
    raw_hub.close()
    hub = RawHub(home.runtime)
    again = hub.editor()
    assert again.hello["instance_id"] == connection.hello["instance_id"]
    assert again.request("ping") == {}
    assert _pipes(terminal.pid) != [old]
    hub.close()


def test_leaving_says_goodbye_and_ends_the_job(link: tuple[Terminal, RawEditor]) -> None:
    terminal, connection = link
    pipe = _pipes(terminal.pid)[0]
    assert connection.request("child") == {}  # a child keeps Vim's pipes open
    terminal.type(":qa!\r")
    connection.event("bye")
    connection.close()  # as the hub does
    terminal.wait()
    wait_ended(pipe)


def test_a_killed_vim_leaves_no_job_behind(link: tuple[Terminal, RawEditor]) -> None:
    terminal, connection = link
    pipe = _pipes(terminal.pid)[0]
    os.kill(terminal.pid, signal.SIGKILL)
    assert connection.closed.wait(TIMEOUT)
    wait_ended(pipe)


def test_stopping_ends_the_job(link: tuple[Terminal, RawEditor]) -> None:
    terminal, connection = link
    pipe = _pipes(terminal.pid)[0]
    terminal.type(":VimMCPStop\r")
    connection.event("bye")
    assert connection.closed.wait(TIMEOUT)
    wait_ended(pipe)
