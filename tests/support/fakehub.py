"""A hub that misbehaves on command: it listens on the hub's socket and says to relays what a test tells it to."""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import threading
from pathlib import Path
from typing import Any

from tests.support.editors import TIMEOUT
from vim_mcp import __version__

Message = dict[str, Any]


class FakeConnection:
    """One caller of the fake hub."""

    def __init__(self, connection: socket.socket):
        connection.settimeout(TIMEOUT)
        self._connection = connection
        self._lines = connection.makefile("rb", 1 << 16)

    def read_line(self) -> bytes:
        """The caller's next line, b"" once it has hung up."""
        return self._lines.readline()

    def receive(self, size: int) -> bytes:
        """The caller's next bytes, `size` of them."""
        data: bytes = self._lines.read(size)
        return data

    def read(self) -> Message:
        """The caller's next message."""
        line = self.read_line()
        assert line, "the caller hung up"
        message: Message = json.loads(line)
        return message

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._connection.sendall(data)

    def send(self, message: Message) -> None:
        """Send a message as the hub writes it."""
        self.send_bytes(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def answer(self, request: Message, **result: Any) -> None:
        """Answer a request of the client's."""
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def to_relay(self, **content: Any) -> None:
        """Tell the relay itself something."""
        self.send({"relay": content})

    def handshake(self) -> list[Message]:
        """Answer the client's `initialize`; it and `notifications/initialized` are returned."""
        initialize = self.read()
        assert initialize["method"] == "initialize"
        self.answer(initialize, serverInfo={"name": "fake"})
        return [initialize, self.read()]

    def close(self) -> None:
        """Hang up, as a killed process does."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._lines.close()
        self._connection.close()


class FakeHub:
    """Listens at `<runtime>/vim-mcp-server.sock`; every caller waits in a queue until the test takes it."""

    def __init__(self, runtime: Path):
        self.path = runtime / "vim-mcp-server.sock"
        self._callers: queue.Queue[FakeConnection] = queue.Queue()
        self._taken: list[FakeConnection] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                caller = FakeConnection(self._listener.accept()[0])
                self._taken.append(caller)
                self._callers.put(caller)

    def caller(self) -> FakeConnection:
        """The next caller, before it has said anything."""
        try:
            return self._callers.get(timeout=TIMEOUT)
        except queue.Empty:
            raise AssertionError("nobody called") from None

    def relay(self, version: str = __version__) -> tuple[FakeConnection, Message]:
        """The next caller, a relay, greeted with the hub's `version`: its connection and its first line."""
        caller = self.caller()
        hello = caller.read()
        assert hello["type"] == "client"
        caller.to_relay(version=version)
        return caller, hello

    def close(self) -> None:
        """Vanish: no file, no listener, every caller hung up on."""
        self.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join(TIMEOUT)
        for caller in self._taken:
            caller.close()
