"""Something that listens on the hub's socket, answers each caller with a line, and hangs up."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.editors import TIMEOUT


@contextlib.contextmanager
def answering(runtime: Path, answer: Callable[[], bytes]) -> Iterator[None]:
    """Make the directory `runtime` with the socket in it, both the user's alone; `answer` is asked for each caller."""
    runtime.mkdir(mode=0o700)
    path = runtime / "vim-mcp-server.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen()

    def serve() -> None:
        while True:
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            with caller:
                caller.recv(4096)
                caller.sendall(answer())

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(TIMEOUT)
