"""Run a command and keep a copy of what goes in and out of it.

Usage: python record.py DIRECTORY COMMAND...
Each line that the client or the server writes becomes a line of DIRECTORY/<pid>.jsonl:
{"from": "client"|"server", "line": "…"}. A file for each process, since a client may start the command twice.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO


def copy(source: IO[bytes], target: IO[bytes], name: str, record: IO[str]) -> None:
    """Copy lines until the source ends, then close the target, as the other end's leaving is told on."""
    for line in source:
        record.write(json.dumps({"from": name, "line": line.decode()}) + "\n")
        record.flush()
        target.write(line)
        target.flush()
    target.close()


def main() -> int:
    """Splice the command's input and output; its exit status is ours."""
    with (Path(sys.argv[1]) / f"{os.getpid()}.jsonl").open("w") as record:
        server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert server.stdin is not None
        assert server.stdout is not None
        inward = threading.Thread(target=copy, args=(sys.stdin.buffer, server.stdin, "client", record), daemon=True)
        inward.start()
        copy(server.stdout, sys.stdout.buffer, "server", record)
        return server.wait()


if __name__ == "__main__":
    os._exit(main())  # at once: a thread may still wait for the client's next line
