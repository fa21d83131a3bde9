"""What becomes of the locks of an earlier hub's editors: those that come back keep theirs, the others' are removed."""

from __future__ import annotations

import asyncio
import errno
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vim_mcp import endpoints
from vim_mcp.config import Config
from vim_mcp.connection import LineConnection
from vim_mcp.editor.directory import Directory
from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import EditorInfo
from vim_mcp.endpoints import Endpoints
from vim_mcp.ide import address
from vim_mcp.ide.lockfile import Lock, Locks
from vim_mcp.kernel.kernels import Kernels

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """The hub's event loop."""
    return "asyncio"


@pytest.fixture
def config(tmp_path: Path) -> Config:
    """A hub's, all in one directory."""
    run = tmp_path
    return Config(run, run / "socket", run / "registry", run / "preference", run / "log", run / "ide")


@pytest.fixture
def other_pid() -> Iterator[int]:
    """An editor that lives, and does not dial."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process.pid
    process.communicate(b"\n")


class Unconnected(LineConnection):
    """Nobody is at its other end."""

    def __init__(self) -> None:
        super().__init__(lambda _: None)

        self.kinds: list[str] = []

    def write(self, data: bytes) -> None:
        """What would be sent: keep of what kind it is."""
        self.kinds.append(json.loads(data)["type"])


def editor(config: Config, connection: Unconnected | None = None) -> Editor:
    """An editor of this process."""
    info = EditorInfo(os.getpid(), "/", "", (), "9.0", folders=("/",))
    return Editor("unnamed-root-1", info, connection or Unconnected(), config.runtime)


def lock(port: int, pid: int) -> Lock:
    """A lock that an earlier hub has given."""
    return Lock(port, pid, (), "Vim", f"token of {port}")


def reached(connection: Unconnected) -> list[str]:
    """What an editor was told of whether Claude Code finds it."""
    return [kind for kind in connection.kinds if kind in ("unreachable", "environment")]


async def next_moment() -> None:
    """Let timers of no time fire."""
    later = asyncio.Event()
    asyncio.get_running_loop().call_later(0.01, later.set)
    await later.wait()


@pytest.mark.requirement("LOCK-07")
async def test_after_a_while_only_the_locks_of_those_that_came_back_are_there(
    config: Config, other_pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    earlier = Locks(config.lock_directory, config.ledger)
    mine, its = lock(45671, os.getpid()), lock(45672, other_pid)
    earlier.write(mine)
    earlier.write(its)
    monkeypatch.setattr(endpoints, "PATIENCE", 0.0)
    directory = Directory()
    hub = Endpoints(config, directory, Kernels(config.runtime))
    hub.take_over()
    directory.add(editor(config))
    await next_moment()
    assert [path.name for path in config.lock_directory.iterdir()] == ["45671.lock"]
    assert hub.status("unnamed-root-1")["port"] == 45671
    hub.leave("stop")
    assert list(config.lock_directory.iterdir()) == []
    assert not config.ledger.exists()
    await hub.left()


@pytest.mark.requirement("LOCK-07")
@pytest.mark.parametrize(("reason", "left"), [("upgrade", ["45671.lock", "45672.lock"]), ("stop", []), ("idle", [])])
async def test_a_hub_that_leaves_for_a_newer_one_leaves_the_locks(
    config: Config, other_pid: int, reason: str, left: list[str]
) -> None:
    earlier = Locks(config.lock_directory, config.ledger)
    earlier.write(lock(45671, os.getpid()))
    earlier.write(lock(45672, other_pid))
    directory = Directory()
    hub = Endpoints(config, directory, Kernels(config.runtime))
    hub.take_over()
    directory.add(editor(config))
    hub.leave(reason)
    await hub.left()
    assert sorted(path.name for path in config.lock_directory.iterdir()) == left


@pytest.mark.requirement("LOCK-10")
async def test_what_fails_is_told_once_and_tried_again_with_what_the_editor_does(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(address, "_EVENTS", 0.0)
    config.lock_directory.write_text("in the way")
    directory, connection = Directory(), Unconnected()
    mine = editor(config, connection)
    hub = Endpoints(config, directory, Kernels(config.runtime))
    directory.add(mine)
    mine.on_event(frozenset({"cwd"}))
    assert hub.status("unnamed-root-1")["port"] is None
    assert reached(connection) == ["unreachable"]
    config.lock_directory.unlink()
    mine.on_event(frozenset({"cwd"}))
    (there,) = config.lock_directory.iterdir()
    assert there.name == f"{hub.status('unnamed-root-1')['port']}.lock"
    assert hub.status("unnamed-root-1")["ide_fault"] is None
    assert reached(connection) == ["unreachable", "environment"]
    there.unlink()
    config.lock_directory.rmdir()
    config.lock_directory.write_text("in the way again")
    mine.on_event(frozenset({"cwd"}))
    mine.on_event(frozenset({"cwd"}))
    assert reached(connection)[2:] == ["unreachable"]
    config.lock_directory.unlink()
    mine.on_event(frozenset({"cwd"}))
    assert list(config.lock_directory.iterdir()) == [there]
    assert reached(connection)[3:] == ["environment"]
    hub.leave("stop")
    await hub.left()


@pytest.mark.requirement("LOCK-10")
async def test_a_port_that_cannot_be_had_is_tried_again(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "_PAUSES", (0.0,))
    full = pytest.MonkeyPatch()

    def refuse(_taken: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    full.setattr(address, "listen_anywhere", refuse)
    directory, connection = Directory(), Unconnected()
    mine = editor(config, connection)
    hub = Endpoints(config, directory, Kernels(config.runtime))
    directory.add(mine)
    await next_moment()
    assert hub.status("unnamed-root-1")["ide_fault"] == "Too many open files"
    assert reached(connection) == ["unreachable"]
    full.undo()
    await next_moment()
    assert len(list(config.lock_directory.iterdir())) == 1
    assert reached(connection) == ["unreachable", "environment"]
    hub.leave("stop")
    await hub.left()


def broken(_name: str) -> object:
    """What an import of a package is that was installed by halves."""
    raise SyntaxError("invalid syntax")


@pytest.mark.requirement("LOCK-10")
async def test_without_the_library_there_is_no_port_and_that_is_told_once(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoints, "_AGAIN", 0.0)
    monkeypatch.setattr(endpoints, "_import", broken)
    directory, connection = Directory(), Unconnected()
    hub = Endpoints(config, directory, Kernels(config.runtime))
    directory.add(editor(config, connection))
    assert len(list(config.lock_directory.iterdir())) == 1
    for _ in range(3):
        await hub.left()
        await next_moment()
    assert list(config.lock_directory.iterdir()) == []
    status = hub.status("unnamed-root-1")
    assert status["port"] is None
    assert status["ide_fault"].startswith("The package websockets cannot be imported (invalid syntax)")
    assert reached(connection) == ["environment", "unreachable"]
    again = Unconnected()
    connection.on_close()
    directory.add(editor(config, again))
    await hub.left()
    assert reached(again) == ["unreachable"]
    monkeypatch.setattr(endpoints, "_import", importlib.import_module)
    while hub.status("unnamed-root-1")["port"] is None:
        await next_moment()
        await hub.left()
    assert hub.status("unnamed-root-1")["ide_fault"] is None
    assert reached(again) == ["unreachable", "environment"]
    assert len(list(config.lock_directory.iterdir())) == 1
    hub.leave("stop")
    await hub.left()
    await next_moment()


async def test_where_the_sessions_cannot_be_imported_it_is_told(
    config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vim_mcp.session.ide", None)
    with pytest.raises(RuntimeError, match=r"cannot be imported .*: install vim-mcp anew"):
        await Endpoints(config, Directory(), Kernels(config.runtime)).load_sessions()
