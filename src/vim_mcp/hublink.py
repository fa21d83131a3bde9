"""A relay's connection to one hub, and the few words that the two say between themselves. Standard library only."""

from __future__ import annotations

import json
import os
import socket

from vim_mcp import __version__, starter
from vim_mcp.releases import release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TO_RELAY = b'{"relay":'
"""How a line begins that is for the relay itself; all others are the client's."""
_CHUNK = 1 << 16
_LONG = 1 << 18
_FOREVER = 1_000_000.0
"""Seconds, eleven days. With no limit at all Python would wait in recv(), where Linux wakes a thread also whenever the
hub has read what another has sent; with one it waits in poll(), which is woken only by what there is to read."""


class Link:
    """A connection that `starter` has made; it waits at most `starter.TIMEOUT` seconds until told otherwise."""

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self._lines = connection.makefile("rb", _CHUNK)

    def send(self, line: bytes) -> None:
        """Send a whole line. Raises OSError where the hub has gone before it took all of it."""
        self._connection.sendall(line)

    def send_object(self, content: dict[str, Any]) -> None:
        """Send one of our own messages."""
        self.send(json.dumps(content).encode() + b"\n")

    def read(self) -> bytes | bytearray:
        """The next line with its end; b"" when the hub is gone (or silent for too long). Half a line counts as none."""
        try:
            begun = self._lines.readline(_LONG)
            line = self._to_its_end(begun) if len(begun) == _LONG else begun
        except OSError:
            return b""
        return line if line.endswith(b"\n") else b""

    def _to_its_end(self, line: bytes) -> bytearray:
        """A line of megabytes, which readline() would hold twice at once."""
        whole = bytearray(line)
        while not whole.endswith(b"\n") and (piece := self._lines.readline(_LONG)):
            whole += piece
        return whole

    def be_patient(self, seconds: float | None) -> None:
        """From now on the hub may be silent for so many seconds, None: as long as it likes."""
        self._connection.settimeout(_FOREVER if seconds is None else seconds)

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._connection.close()


def relay_part(line: bytes | bytearray) -> dict[str, Any]:
    """What a line between hub and relay says; {} for any other."""
    try:
        content = json.loads(line)["relay"]
    except (ValueError, KeyError, TypeError):
        return {}
    return content if isinstance(content, dict) else {}


def greet(link: Link, state: object, instance: str | None = None) -> str:
    """Say who calls, and for which editor (default: VIM_MCP_INSTANCE's); the hub's version, "" where it does not greet.

    `state` is what an earlier hub has given to be kept.
    """
    hello = {
        "type": "client", "version": __version__, "pid": os.getpid(), "cwd": _directory(),
        "instance": instance or os.environ.get("VIM_MCP_INSTANCE") or None, "state": state,
    }  # fmt: skip
    try:
        link.send_object(hello)
    except OSError:
        return ""
    return str(relay_part(link.read()).get("version", ""))


def _directory() -> str | None:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return None


def step_down(link: Link) -> bool:
    """Ask the older hub behind `link` to make way; once it has left, `link` is closed and the answer is true."""
    connection = starter.connect()
    if connection is None:
        return False
    asking = Link(connection)
    try:
        asking.send_object({"type": "step_down", "version": __version__})
        agreed = bool(json.loads(asking.read())["stepping_down"])
    except (OSError, ValueError, KeyError, TypeError):  # gone, or older than this question
        agreed = False
    asking.close()
    while agreed and link.read():
        pass
    if agreed:
        link.close()
    return agreed


def is_older(version: str) -> bool:
    """Whether a hub's version is before ours; one that is no version is not, nor is a pre-release of ours."""
    return () < release(version) < release(__version__)
