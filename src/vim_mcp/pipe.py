"""A raw splice between stdin/stdout and the hub's socket, for a Vim that cannot dial a unix socket itself."""

from __future__ import annotations

import os
import socket
import threading

from vim_mcp import starter

_CHUNK = 1 << 18


def run(start: bool) -> int:
    """Pass bytes both ways until either end closes; a hub is started if there is none and `start` is true.

    Raises `starter.HubUnreachable` where there is no hub.
    """
    connection = starter.dial() if start else starter.connect()
    if connection is None:
        raise starter.HubUnreachable("No hub runs, and --no-start was given")
    connection.settimeout(None)
    threading.Thread(target=_send, args=(connection,), daemon=True).start()
    while data := _receive(connection):
        _write(data)
    return 0


def _send(connection: socket.socket) -> None:
    """Pass stdin on to its end, then hang up: the editor has gone, and nobody reads what may still come."""
    try:
        while data := os.read(0, _CHUNK):
            connection.sendall(data)
    finally:
        os._exit(0)


def _receive(connection: socket.socket) -> bytes:
    try:
        return connection.recv(_CHUNK)
    except ConnectionError:
        return b""


def _write(data: bytes) -> None:
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(1, view) :]
    except BrokenPipeError:
        os._exit(0)
