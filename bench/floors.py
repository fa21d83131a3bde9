"""The floors: what nothing can be quicker than on this machine at this moment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.client import Spawned, read, request
from bench.measure import timed

PING = request("ping")
_SERVER = [sys.executable, str(Path(__file__).with_name("floor_server.py"))]


def python_start() -> float:
    """One start of an interpreter that does nothing, in seconds."""
    return timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))[0]


def python_starts(times: int = 3) -> Sequence[float]:
    """Several of them."""
    return [python_start() for _ in range(times)]


class FloorServer:
    """The bare stdio server."""

    def __init__(self, peer: Spawned):
        self.peer = peer

    def pings(self, times: int = 200) -> Sequence[float]:
        """Pings of it, in seconds each."""
        return self.peer.times(PING, times)

    def reads(self, path: Path, times: int = 1) -> Sequence[float]:
        """Reads of a whole file through it, in seconds each."""
        return self.peer.times(read(str(path)), times)


@contextmanager
def floor_server() -> Iterator[FloorServer]:
    """The bare server for the length of the block."""
    peer = Spawned(_SERVER)
    try:
        yield FloorServer(peer)
    finally:
        peer.close()
