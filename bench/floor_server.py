"""The floor: a stdio server of the standard library alone, which does nothing and cannot be much quicker.

Usage: python floor_server.py [DEPTH]. With a depth of 2 or more it only passes each line on to another such process and
the answer back, as a relay and a hub do. `resources/read` answers with the text of the file that its `uri` names.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def _result(message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "resources/read":
        return {"contents": [{"uri": "", "text": Path(message["params"]["uri"]).read_text()}]}
    return {}


def _answer(line: bytes) -> bytes:
    message = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": _result(message)}
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _through(depth: int) -> Callable[[bytes], bytes]:
    if depth == 1:
        return _answer
    argv = [sys.executable, __file__, str(depth - 1)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    source, sink = process.stdout, process.stdin
    assert source is not None
    assert sink is not None

    def ask(line: bytes) -> bytes:
        sink.write(line)
        sink.flush()
        return source.readline()

    return ask


def main(depth: int) -> None:
    """Answer every line until the input ends."""
    ask = _through(depth)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(ask(line))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
