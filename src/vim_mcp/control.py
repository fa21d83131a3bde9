"""What a person asks the hub from a shell: `vim-mcp stop` and `logs`, and how it is asked. Standard library only."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from vim_mcp import paths, starter
from vim_mcp.starter import HubUnreachable

_FOLLOW_PAUSE = 0.2


def ask(question: dict[str, Any]) -> dict[str, Any] | None:
    """The hub's answer to a line of section 3 of the protocol, None where no hub runs.

    Raises `HubUnreachable` when one runs and does not answer within `starter.TIMEOUT` seconds.
    """
    connection = starter.connect()
    if connection is None:
        return None
    with connection:
        return _ask(connection, question)


def _ask(connection: socket.socket, question: dict[str, Any]) -> dict[str, Any]:
    try:
        connection.sendall(json.dumps(question).encode() + b"\n")
        with connection.makefile("rb") as lines:
            line = lines.readline()
        answer = json.loads(line) if line else "nothing"
    except TimeoutError:
        answer = f"nothing in {starter.TIMEOUT:.0f} seconds"
    except (OSError, ValueError) as error:
        answer = f"nonsense ({error})"
    if isinstance(answer, dict):
        return answer
    raise starter.unanswering(f"The hub on {connection.getpeername()} answered {answer}", starter.peer(connection)[0])


def stop() -> int:
    """End the hub; 0 also where none runs, since then there is nothing left to stop."""
    answer = ask({"type": "stop"})
    if answer is None:
        print("No hub runs")
    elif not _gone():
        raise HubUnreachable(f"The hub said it would stop, and still listens. Its log: {paths.log_path()}")
    else:
        print("The hub has stopped; a client, or :VimMCPReconnect in an editor, starts one again")
    return 0


def _gone() -> bool:
    deadline = time.monotonic() + starter.TIMEOUT
    while (connection := starter.connect()) is not None:
        connection.close()
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def logs(lines: int, follow: bool) -> int:
    """Print the last `lines` lines of the hub's log, and with `follow` what comes after them, rotated or not."""
    path = Path(paths.log_path())
    if not path.exists():
        print(f"vim-mcp: there is no log yet at {path}: no hub has run here", file=sys.stderr)
        return 1
    for text in _log_text(path, lines, follow):
        print(text, end="", flush=True)
    return 0


def _log_text(path: Path, lines: int, follow: bool) -> Iterator[str]:
    log = _open_log(path)
    yield "".join(_last(path, log, lines))
    while follow:
        yield log.read()
        if _is_rotated(path, log):
            yield log.read()
            log.close()
            log = _open_log(path)
        time.sleep(_FOLLOW_PAUSE)
    log.close()


def _open_log(path: Path) -> TextIO:
    return path.open(encoding="utf-8", errors="replace")


def _last(path: Path, log: TextIO, lines: int) -> list[str]:
    """The last lines of the log, its predecessor's included where it has fewer; `log` is then read to its end."""
    text = log.readlines()
    older = path.with_name(path.name + ".1")
    if len(text) < lines and older.exists():
        text = older.read_text("utf-8", "replace").splitlines(keepends=True) + text
    return text[-lines:] if lines else []


def _is_rotated(path: Path, log: TextIO) -> bool:
    try:
        return not os.path.samestat(path.stat(), os.fstat(log.fileno()))
    except FileNotFoundError:  # the next file is made with its first line
        return False
