"""One hub for each socket: who holds the lock beside the socket may bind it, and nobody else touches its file.

The lock is `flock` on `<socket>.lock`. A hub that ends in any way loses it, so what it leaves behind can be told from
what is in use: a socket file is stale when its lock is free and nobody answers on it, and only the lock's holder
removes it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

from vim_mcp.paths import ConfigError

BACKLOG = 512
"""Callers that may wait to be accepted, all editors and clients of a user at once included."""


class HubRunning(Exception):
    """Another process holds the lock, or answers on the socket; `pid` is its process id where it is known."""

    def __init__(self, path: Path, pid: int | None = None):
        who = f" (process {pid})" if pid else ""
        super().__init__(f"Another hub{who} runs on {path}: see `vim-mcp status`, end it with `vim-mcp stop`")
        self.pid = pid


class SocketUnusable(ConfigError):
    """The socket or its lock cannot be made at its place; the message says why and what to do."""


class SocketLock:
    """The right to serve a socket, with the socket bound in it.

    Use: `with SocketLock.acquire(path) as lock: listener = lock.bind()`; leaving the block removes both files.
    """

    def __init__(self, path: Path, descriptor: int):
        self.path = path
        self._descriptor = descriptor
        self.listeners: list[socket.socket] = []
        """Those that `bind` has made; `release` closes them."""
        self._bound: tuple[int, int] | None = None

    @classmethod
    def acquire(cls, path: Path) -> Self:
        """Take the lock of the socket at `path`, without waiting. Raises `HubRunning` or `SocketUnusable`."""
        return cls(path, _lock(path))

    def bind(self) -> socket.socket:
        """Bind the socket, mode 0600 from the first instant, and listen; a stale file in its place is removed.

        Raises `HubRunning` when somebody answers there all the same, `SocketUnusable` when something else lies there.
        """
        _remove_stale(self.path)
        listener = socket.socket(socket.AF_UNIX)
        before = os.umask(0o177)
        try:
            listener.bind(str(self.path))
        except OSError as error:
            listener.close()
            raise _unusable(self.path, error) from None
        finally:
            os.umask(before)
        listener.listen(BACKLOG)
        self.listeners.append(listener)
        self._bound = _identity(self.path)
        return listener

    def is_bound(self) -> bool:
        """Whether callers still reach us: the socket's file is there, and it is the one that we have made."""
        return self._bound is not None and _identity(self.path) == self._bound

    def rebind(self) -> socket.socket:
        """Bind anew after the socket's file vanished; connections that stand go on, the old listener stays open.

        Raises `HubRunning` when another hub has taken the place meanwhile: then this one is to leave.
        """
        if self.is_bound():
            return self.listeners[-1]
        if _identity(_lock_path(self.path)) != _identity(self._descriptor):
            descriptor = _lock(self.path)
            os.close(self._descriptor)
            self._descriptor = descriptor
        return self.bind()

    def release(self) -> None:
        """Remove the socket and the lock, where they are still ours, and let the next hub come. Safe to repeat."""
        if self._descriptor < 0:
            return
        if self.is_bound():
            self.path.unlink(missing_ok=True)
        if _identity(_lock_path(self.path)) == _identity(self._descriptor):
            _lock_path(self.path).unlink(missing_ok=True)
        for listener in self.listeners:
            listener.close()
        os.close(self._descriptor)
        self._descriptor, self.listeners, self._bound = -1, [], None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def _lock_path(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


def _identity(place: Path | int) -> tuple[int, int] | None:
    """Which file lies at a path or behind a descriptor: its device and inode; None where there is none."""
    try:
        status = os.fstat(place) if isinstance(place, int) else os.lstat(place)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _lock(path: Path) -> int:
    """Lock and return a descriptor of the lock file; one that was removed while we took it does not count."""
    place = _lock_path(path)
    while True:
        descriptor = _open(place)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pid = _pid(os.pread(descriptor, 32, 0))
            os.close(descriptor)
            raise HubRunning(path, pid) from None
        if _identity(place) == _identity(descriptor):
            _write_pid(descriptor)
            return descriptor
        os.close(descriptor)


def holder(path: Path) -> int | None:
    """The process id that the lock of the socket at `path` names, None where none is held (or told)."""
    try:
        return _pid(_lock_path(path).read_bytes())
    except OSError:
        return None


def _open(place: Path) -> int:
    try:
        descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _unusable(place, error) from None
    if os.fstat(descriptor).st_uid != os.getuid():
        os.close(descriptor)
        raise SocketUnusable(f"{place} belongs to another user: set VIM_MCP_SOCKET to a path of your own")
    return descriptor


def _pid(text: bytes) -> int | None:
    return int(text) if text.strip().isdigit() else None


def _write_pid(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)


def _remove_stale(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise SocketUnusable(f"{path} is no socket: move it away, or set VIM_MCP_SOCKET to another path")
        if answers(path):
            raise HubRunning(path)
        try:
            path.unlink()
        except PermissionError as error:
            raise _unusable(path, error) from None


def answers(path: Path) -> bool:
    """Whether a process listens on the socket at `path`; it may have lost its lock, when somebody removed that file."""
    with socket.socket(socket.AF_UNIX) as caller:
        caller.setblocking(False)
        try:
            caller.connect(str(path))
        except OSError as error:
            return error.errno == errno.EAGAIN
    return True


def _unusable(place: Path, error: OSError) -> SocketUnusable:
    return SocketUnusable(f"{place} cannot be the hub's socket: {error.strerror}. Set VIM_MCP_SOCKET to another path")
