"""A client that adds as little as it can: a line out, a line back, nothing decoded."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measure import timed

_CHUNK = 1 << 20
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1.0"},
}


class Failed(Exception):
    """A call that is timed must not fail; the message holds the beginning of the answer."""


class Peer:
    """Speaks line-delimited JSON-RPC on two descriptors."""

    def __init__(self, reading: int, writing: int):
        self._reading = reading
        self._writing = writing
        self._rest = b""

    def send(self, line: bytes) -> None:
        """Write a line, however long."""
        view = memoryview(line)
        while view:
            view = view[os.write(self._writing, view) :]

    def line(self) -> bytes:
        """The next line, with its end."""
        pieces, rest = [], self._rest
        while b"\n" not in rest:
            pieces.append(rest)
            rest = os.read(self._reading, _CHUNK)
            if not rest:
                raise Failed("the peer hung up")
        end = rest.index(b"\n") + 1
        self._rest = rest[end:]
        return b"".join([*pieces, rest[:end]])

    def answer(self) -> bytes:
        """The next line that answers a request."""
        while not (line := self.line()).startswith(b'{"jsonrpc":"2.0","id":'):
            pass
        return line

    def call(self, line: bytes) -> bytes:
        """Send a request (see `request`) and return its answer; raises `Failed` for an error."""
        self.send(line)
        answer = self.answer()
        if b'"error":{"code"' in answer[:60] or b'"isError":true' in answer[-3000:]:
            raise Failed(answer[:600].decode("utf-8", "replace"))
        return answer

    def times(self, line: bytes, count: int) -> list[float]:
        """How long each of `count` calls took, one after the other, in seconds."""
        return timed(lambda: self.call(line), count)

    def burst(self, line: bytes, count: int) -> None:
        """Send a request `count` times at once and wait for all answers."""
        self.send(line * count)
        for _ in range(count):
            self.answer()

    def initialize(self) -> bytes:
        """Shake hands and return the answer."""
        answer = self.call(request("initialize", **INITIALIZE))
        self.send(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        return answer


def request(method: str, **params: Any) -> bytes:
    """A request's line. All have the same id: none is sent before the last was answered."""
    return _line({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def tool(name: str, **arguments: Any) -> bytes:
    """The line of a tool call."""
    return request("tools/call", name=name, arguments=arguments)


def read(uri: str) -> bytes:
    """The line of a resource's read."""
    return request("resources/read", uri=uri)


def _line(message: Any) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class Spawned(Peer):
    """A server that is started as MCP clients start theirs; `pid` is its process."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str] | None = None, cwd: Path | None = None):
        self._process = subprocess.Popen(
            list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=cwd, bufsize=0
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        super().__init__(self._process.stdout.fileno(), self._process.stdin.fileno())
        self.pid = self._process.pid

    def close(self) -> None:
        """End its input and wait for its end."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(15)
        self._process.stdout.close()


class Dialled(Peer):
    """A connection to the hub's socket as a relay has it, without the relay."""

    def __init__(self, path: Path, cwd: Path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        super().__init__(self._socket.fileno(), self._socket.fileno())
        self.send(_line({"type": "client", "version": "0", "pid": os.getpid(), "cwd": str(cwd)}))
        self.line()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
