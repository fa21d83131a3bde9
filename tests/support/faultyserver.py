"""`ruff server` with faults: `python faultyserver.py [--start S] [--answer S] [--push] [--no-version]
[--die TEXT] [--mute TEXT]`.

It starts after S seconds, or gives its diagnostics S seconds late; it publishes them instead of being asked (`--push`),
without versions (`--no-version`); it dies, or gives no more diagnostics, when a text is opened that holds TEXT.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Any

Message = dict[str, Any]
_writing = threading.Lock()


def messages(stream: IO[bytes]) -> Iterator[Message]:
    """The messages of a stream, until it ends."""
    while header := stream.readline():
        length = int(header.partition(b":")[2])
        while stream.readline().strip():
            pass
        yield json.loads(stream.read(length))


def write(stream: IO[bytes], message: Message) -> None:
    """Write a message."""
    body = json.dumps(message).encode()
    with _writing:
        stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        stream.flush()


def from_client(message: Message, options: argparse.Namespace) -> None:
    """Make a client's message what the server is to get."""
    text = json.dumps(message.get("params", {}).get("textDocument", {}))
    if options.die and options.die in text:
        os._exit(1)
    if options.mute and options.mute in text:
        options.answer = float("inf")
    if options.push and message.get("method") == "initialize":
        message["params"]["capabilities"]["textDocument"].pop("diagnostic", None)


def from_server(message: Message, options: argparse.Namespace) -> float:
    """Make a server's message what the client is to get, and return how late, in seconds."""
    result = message.get("result")
    published = message.get("method") == "textDocument/publishDiagnostics"
    if options.push and isinstance(result, dict) and "capabilities" in result:
        result["capabilities"].pop("diagnosticProvider", None)
    if published and options.no_version:
        message["params"].pop("version", None)
    return float(options.answer) if published or (isinstance(result, dict) and "items" in result) else 0.0


def forward(source: IO[bytes], target: IO[bytes], change: Callable[[Message], float | None]) -> None:
    """Carry messages over until the source ends; then everything ends. What is late stays in order."""
    late: queue.Queue[tuple[float, Message]] = queue.Queue()
    threading.Thread(target=deliver, args=(late, target), daemon=True).start()
    for message in messages(source):
        delay = change(message)
        if delay:
            late.put((time.monotonic() + delay, message))
        else:
            write(target, message)
    os._exit(0)


def deliver(late: queue.Queue[tuple[float, Message]], target: IO[bytes]) -> None:
    """Write each message when its time has come."""
    while True:
        due, message = late.get()
        if math.isinf(due):
            return
        time.sleep(max(0.0, due - time.monotonic()))
        write(target, message)


def main() -> None:
    """Run the server."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--start", type=float, default=0.0)
    parser.add_argument("--answer", type=float, default=0.0)
    parser.add_argument("--push", action="store_true")
    parser.add_argument("--no-version", action="store_true")
    parser.add_argument("--die")
    parser.add_argument("--mute")
    options = parser.parse_args()
    time.sleep(options.start)
    server = subprocess.Popen(["ruff", "server"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert server.stdin is not None
    assert server.stdout is not None
    ends = (server.stdout, sys.stdout.buffer, lambda message: from_server(message, options))
    threading.Thread(target=forward, args=ends).start()
    forward(sys.stdin.buffer, server.stdin, lambda message: from_client(message, options))


if __name__ == "__main__":
    main()
