"""The socket's lock: one holder, whatever was left behind and whatever vanishes."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from vim_mcp.socketlock import HubRunning, SocketLock, SocketUnusable, answers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the socket is to be."""
    return tmp_path / "hub.sock"


@pytest.fixture
def held(path: Path) -> Iterator[SocketLock]:
    """A lock with its socket bound."""
    with SocketLock.acquire(path) as lock:
        lock.bind()
        yield lock


def leave_stale_socket(path: Path) -> None:
    """Leave what a killed process leaves: a socket's file that nobody serves."""
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))


def lock_file(path: Path) -> Path:
    """The lock of the socket at `path`."""
    return path.with_name(path.name + ".lock")


@pytest.mark.requirement("HUB-01")
def test_a_second_one_is_told_who_holds_it(path: Path, held: SocketLock) -> None:
    with pytest.raises(HubRunning, match=rf"Another hub \(process {os.getpid()}\) runs on {path}") as running:
        SocketLock.acquire(path)
    assert running.value.pid == os.getpid()
    assert held.is_bound()


@pytest.mark.requirement("VIM-SEC-01")
def test_the_socket_and_its_lock_are_for_the_owner_alone(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    real = socket.socket.listen

    def listen(self: socket.socket, backlog: int) -> None:
        modes.append(path.stat().st_mode & 0o777)
        real(self, backlog)

    monkeypatch.setattr(socket.socket, "listen", listen)
    before = os.umask(0)
    try:
        with SocketLock.acquire(path) as lock:
            lock.bind()
            assert os.umask(0) == 0
            assert lock_file(path).stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    assert modes == [0o600]


def test_callers_reach_the_socket(path: Path) -> None:
    with SocketLock.acquire(path) as lock, socket.socket(socket.AF_UNIX) as caller:
        listener = lock.bind()
        caller.connect(str(path))
        caller.sendall(b"hello")
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.recv(5) == b"hello"


@pytest.mark.requirement("HUB-03")
def test_nothing_is_left_after_the_release(path: Path) -> None:
    with SocketLock.acquire(path) as lock:
        lock.bind()
        assert sorted(entry.name for entry in path.parent.iterdir()) == ["hub.sock", "hub.sock.lock"]
    assert list(path.parent.iterdir()) == []
    lock.release()
    with SocketLock.acquire(path) as again:
        again.bind()


@pytest.mark.requirement("HUB-02")
def test_the_holder_of_the_lock_removes_a_stale_socket(path: Path) -> None:
    leave_stale_socket(path)
    with SocketLock.acquire(path) as lock:
        with pytest.raises(HubRunning):
            SocketLock.acquire(path)
        assert path.exists()
        lock.bind()
        assert answers(path)


def test_what_is_no_socket_is_not_removed(path: Path) -> None:
    path.write_text("precious")
    with SocketLock.acquire(path) as lock, pytest.raises(SocketUnusable, match=rf"^{path} is no socket: move it away"):
        lock.bind()
    assert path.read_text() == "precious"
    assert not lock_file(path).exists()


def test_a_symbolic_link_is_not_followed(path: Path) -> None:
    target = path.with_name("target")
    lock_file(path).symlink_to(target)
    with pytest.raises(SocketUnusable):
        SocketLock.acquire(path)
    assert not target.exists()


def test_a_missing_directory_is_a_clear_refusal(tmp_path: Path) -> None:
    with pytest.raises(SocketUnusable, match=r"cannot be the hub's socket: No such file or directory\. Set "):
        SocketLock.acquire(tmp_path / "not" / "there.sock")


def test_a_hub_that_lost_its_lock_file_is_not_robbed(path: Path, held: SocketLock) -> None:
    lock_file(path).unlink()
    with SocketLock.acquire(path) as second, pytest.raises(HubRunning):
        second.bind()
    assert held.is_bound()
    assert answers(path)


def test_a_lock_file_removed_while_it_was_taken_does_not_count(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The earlier holder removes its file between our opening and our locking it."""
    import fcntl

    real = fcntl.flock
    calls: list[int] = []

    def flock(descriptor: int, operation: int) -> None:
        if not calls:
            lock_file(path).unlink()
        calls.append(descriptor)
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)
    with SocketLock.acquire(path):
        assert len(calls) == 2
        with pytest.raises(HubRunning):
            SocketLock.acquire(path)


def test_a_vanished_socket_is_bound_anew(path: Path, held: SocketLock) -> None:
    path.unlink()
    assert not held.is_bound()
    held.rebind()
    assert held.is_bound()
    assert answers(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_rebinding_what_is_bound_changes_nothing(path: Path, held: SocketLock) -> None:
    before = path.stat().st_ino
    held.rebind()
    assert path.stat().st_ino == before


def test_everything_vanished_and_nobody_came(path: Path, held: SocketLock) -> None:
    path.unlink()
    lock_file(path).unlink()
    held.rebind()
    with pytest.raises(HubRunning):
        SocketLock.acquire(path)
    assert answers(path)


def test_everything_vanished_and_another_came(path: Path, held: SocketLock) -> None:
    path.unlink()
    lock_file(path).unlink()
    with SocketLock.acquire(path) as other:
        other.bind()
        with pytest.raises(HubRunning):
            held.rebind()
        held.release()
        assert other.is_bound()
        assert lock_file(path).exists()


def test_the_kernel_frees_the_lock_of_a_killed_process(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from vim_mcp.socketlock import SocketLock\n"
        f"lock = SocketLock.acquire(Path({str(path)!r})); lock.bind(); print('bound', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == b"bound\n"
    with pytest.raises(HubRunning) as running:
        SocketLock.acquire(path)
    assert running.value.pid == child.pid
    child.kill()
    child.wait(10)
    child.stdin.close()
    child.stdout.close()
    assert path.exists()
    with SocketLock.acquire(path) as lock:
        lock.bind()
        assert answers(path)


@pytest.mark.requirement("HUB-01")
def test_of_many_at_once_one_gets_it(path: Path) -> None:
    leave_stale_socket(path)
    start, winners = threading.Barrier(8), []

    def race() -> None:
        start.wait(10)
        try:
            lock = SocketLock.acquire(path)
            lock.bind()
        except HubRunning:
            return
        winners.append(lock)

    threads = [threading.Thread(target=race) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert len(winners) == 1
    assert winners[0].is_bound()
    winners[0].release()
    assert list(path.parent.iterdir()) == []
