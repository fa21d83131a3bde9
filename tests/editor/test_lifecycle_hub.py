"""Editors and the real hub: they start it, share it, and find the next one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import TIMEOUT
from tests.support.rawhub import RawHub
from tests.support.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A runtime directory without a hub."""
    own = Stage(tmp_path, "let g:vim_mcp_reconnect_interval = 300")
    yield own
    own.close()


def _status(stage: Stage, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The hub's status once it is as wanted; no hub counts as not as wanted."""
    deadline, status = time.monotonic() + TIMEOUT, {}
    while time.monotonic() < deadline:
        try:
            status = stage.status()
        except (OSError, ValueError):
            status = {}
        if status and wanted(status):
            return status
        time.sleep(0.02)
    raise AssertionError(f"the hub's status never was as wanted: {status}")


def _files(status: dict[str, Any]) -> list[str]:
    return sorted(Path(instance["main_file"]).name for instance in status["instances"])


@pytest.mark.slow
@pytest.mark.requirement("LINK-01", "VIM-CONN-04")
def test_the_first_editor_starts_the_hub_and_others_share_it(stage: Stage, kind: str) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        stage.editor(kind, name)
    _status(stage, lambda status: _files(status) == ["a.txt", "b.txt", "c.txt"])


@pytest.mark.slow
@pytest.mark.requirement("G5", "VIM-CONN-07", "VIM-ERR-04")
def test_editors_start_the_next_hub_when_theirs_was_killed(stage: Stage, kind: str) -> None:
    for name in ("a.txt", "b.txt"):
        stage.editor(kind, name)
    first = _status(stage, lambda status: len(status["instances"]) == 2)
    killed = stage.kill_hub()
    then = _status(stage, lambda status: status["pid"] != killed and len(status["instances"]) == 2)
    ids = [sorted(entry["instance_id"] for entry in status["instances"]) for status in (first, then)]
    assert ids[0] == ids[1]


@pytest.mark.requirement("VIM-ERR-05")
def test_a_dead_socket_is_replaced(stage: Stage, kind: str) -> None:
    dead = RawHub(stage.runtime)
    aside = stage.directory / "aside"
    dead.path.rename(aside)
    dead.close()
    aside.rename(dead.path)
    stage.editor(kind, "a.txt")
    _status(stage, lambda status: _files(status) == ["a.txt"])


@pytest.mark.parametrize("kind", ["vim"], indirect=True)
def test_a_dead_socket_is_replaced_through_the_job_too(stage: Stage, kind: str) -> None:
    stage.home.add("let g:vim_mcp_transport = 'job'")
    test_a_dead_socket_is_replaced(stage, kind)


@pytest.mark.slow
@pytest.mark.requirement("HUB-06")
def test_after_vim_mcp_stop_editors_wait_for_somebody_to_start_a_hub(stage: Stage, kind: str) -> None:
    terminal = stage.editor(kind, "a.txt")
    _status(stage, lambda status: _files(status) == ["a.txt"])
    assert stage.run("stop").returncode == 0
    deadline = time.monotonic() + 1.5  # several looks at the socket
    while time.monotonic() < deadline:
        assert not stage.socket.exists(), "an editor has started a hub that its user had stopped"
        time.sleep(0.02)
    terminal.type(":VimMCPReconnect\r")
    _status(stage, lambda status: _files(status) == ["a.txt"])
