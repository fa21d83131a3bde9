"""Listening on a port of 127.0.0.1. Loads nothing heavy, so that callers can wait in the system's queue meanwhile."""

from __future__ import annotations

import errno
import random
import socket
from collections.abc import Callable

PORTS = range(10000, 65536)
_TRIES = 1000
_BACKLOG = 128


def listen(port: int) -> socket.socket:
    """Listen on `port`; what is left of an earlier hub's connections on it does not hinder. Raises OSError."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener


def listen_anywhere(taken: Callable[[int], bool] = lambda _port: False) -> socket.socket:
    """Listen on a random port of `PORTS` that is free and of which `taken` says false. Requirement WS-01.

    Raises OSError where none that was tried is free. The port is no secret: the token is.
    """
    for port in random.SystemRandom().sample(PORTS, _TRIES):
        if not taken(port):
            try:
                return listen(port)
            except OSError as error:  # any other concerns all ports
                if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                    raise
    raise OSError(errno.EADDRINUSE, f"none of {_TRIES} ports of 127.0.0.1 that were tried is free")
