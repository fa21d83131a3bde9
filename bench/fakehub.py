"""A hub that answers at once, so that the relay alone is measured: python -m bench.fakehub SOCKET.

Serves one relay after the other; a message whose method is `large` gets 10 MB back.
"""

from __future__ import annotations

import socket
import sys

from bench.texts import LARGE
from vim_mcp import __version__

_SMALL = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
_LARGE = b'{"jsonrpc":"2.0","id":1,"result":{"text":"' + b"x" * LARGE + b'"}}\n'


def _serve(connection: socket.socket) -> None:
    with connection, connection.makefile("rb", 1 << 20) as lines:
        lines.readline()
        connection.sendall(b'{"relay":{"version":"%s"}}\n' % __version__.encode())
        for line in lines:
            if b'"notifications/' not in line[:80]:
                connection.sendall(_LARGE if b'"method":"large"' in line[:80] else _SMALL)


def main(path: str) -> None:
    """Listen at `path` until ended."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("ready", flush=True)
    while True:
        _serve(listener.accept()[0])


if __name__ == "__main__":
    main(sys.argv[1])
