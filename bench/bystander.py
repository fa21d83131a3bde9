"""A process that takes large messages over a WebSocket as the hub does, and has nothing to do with any editor.

As a program, python -m bench.bystander: prints its port, and answers until its input ends. What an editor is held up
while it works is the machine's doing, and not the hub's.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from websockets.asyncio.server import ServerConnection, serve

from tests.support.editors import ROOT
from tests.support.ideclient import IdeClient

_MOST = 64 * 1024 * 1024


@contextmanager
def bystander() -> Iterator[IdeClient]:
    """A client of one, for the length of the block."""
    argv = [sys.executable, "-m", "bench.bystander"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True) as process:
        assert process.stdout is not None
        client = IdeClient(int(process.stdout.readline()), "none", subprotocols=None, compression=None)
        yield client
        client.close()


async def _answer(connection: ServerConnection) -> None:
    async for message in connection:
        asked = json.loads(message)
        await connection.send(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {}}))


async def _serve() -> None:
    async with serve(_answer, "127.0.0.1", 0, max_size=_MOST, compression=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve())
