"""Watching a process end: EOF alone does not tell, since an editor's children inherit its sockets."""

from __future__ import annotations

import asyncio
import os
import select
import socket
import struct
from collections.abc import Callable
from typing import Any


def watch_exit(pid: int, callback: Callable[[], None]) -> Callable[[], None]:
    """Call `callback` once when the process `pid` ends; returns a function that stops watching.

    A pid that is not (or no longer) a process of this system, such as one in a container, is not watched: then the
    end of its connection must do. Requirement LEAVE-01.
    """
    descriptor = _open(pid)
    if descriptor is None:
        return lambda: None
    loop = asyncio.get_running_loop()
    watching = True

    def stop() -> None:
        nonlocal watching
        if watching:
            watching = False
            loop.remove_reader(descriptor.fileno())
            descriptor.close()

    def ended() -> None:
        stop()
        callback()

    loop.add_reader(descriptor.fileno(), ended)
    return stop


class _PidFd:
    """Linux: readable when the process has ended."""

    def __init__(self, pid: int):
        self._fd = os.pidfd_open(pid)

    def fileno(self) -> int:
        return self._fd

    def close(self) -> None:
        os.close(self._fd)


class _Kqueue:
    """macOS and the BSDs: the same by a kernel queue."""

    def __init__(self, pid: int):
        kernel: Any = select  # these names are missing where this class is not used
        self._queue = kernel.kqueue()
        event = kernel.kevent(pid, kernel.KQ_FILTER_PROC, kernel.KQ_EV_ADD, kernel.KQ_NOTE_EXIT)
        try:
            self._queue.control([event], 0)
        except OSError:
            self._queue.close()
            raise

    def fileno(self) -> int:
        return int(self._queue.fileno())

    def close(self) -> None:
        self._queue.close()


def _open(pid: int) -> _PidFd | _Kqueue | None:
    try:
        return _PidFd(pid) if hasattr(os, "pidfd_open") else _Kqueue(pid)
    except OSError:
        return None


def alive(pid: object) -> bool:
    """Whether `pid` is a running process of this system."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def peer_uid(connection: socket.socket) -> int | None:
    """The user at the other end of a unix socket, or None where the system does not tell."""
    if hasattr(socket, "SO_PEERCRED"):
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", credentials)[1])
    return _peer_uid_of_macos(connection)


def _peer_uid_of_macos(connection: socket.socket) -> int | None:
    level, option, size = 0, 1, 76  # SOL_LOCAL, LOCAL_PEERCRED, sizeof(struct xucred)
    try:
        version, uid = struct.unpack_from("II", connection.getsockopt(level, option, size))
    except OSError:
        return None
    return int(uid) if version == 0 else None
