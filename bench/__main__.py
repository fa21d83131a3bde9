"""Run the bench: python -m bench [--no-fail] [--rounds N] [PART...]."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench import calls, forwarding, freshness, hook, ide, many, memory, plugin, review, start
from bench.budgets import REFERENCE
from bench.floors import floor_server, python_starts
from bench.measure import interleave
from bench.report import HEADER, Row

PARTS: dict[str, Callable[[Path, int], Iterator[Row]]] = {
    "start": start.run,
    "hook": hook.run,
    "calls": calls.run,
    "many": many.run,
    "memory": memory.run,
    "plugin": plugin.run,
    "forwarding": forwarding.run,
    "ide": ide.run,
    "review": review.run,
    "freshness": freshness.run,
}


def main() -> int:
    """Print a line for each thing measured; 1 if a budget is missed, unless --no-fail says that this is no failure."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--no-fail", action="store_true", help="exit with 0 even when a budget is missed")
    parser.add_argument("--rounds", type=int, default=5, help="how often each pair is measured (default: 5)")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these of: {', '.join(PARTS)}")
    options = parser.parse_args()
    if unknown := set(options.parts) - PARTS.keys():
        parser.error(f"no part {unknown.pop()!r}: there are {', '.join(PARTS)}")
    missed = [row.what for row in _rows(options.parts or list(PARTS), options.rounds) if not row.ok]
    for what in missed:
        print(f"misses its budget: {what}")
    return 1 if missed and not options.no_fail else 0


def _rows(parts: list[str], rounds: int) -> Iterator[Row]:
    print(_floors(rounds), HEADER, sep="\n\n", flush=True)
    for part in parts:
        with tempfile.TemporaryDirectory(prefix="bench-", dir=_memory()) as directory:
            for row in PARTS[part](Path(directory), rounds):
                print(row, flush=True)
                yield row


def _memory() -> str | None:
    """A file system in memory, as a session's own runtime directory is; None where this machine shows none."""
    return next((path for path in (f"/run/user/{os.getuid()}", "/dev/shm") if os.access(path, os.W_OK)), None)


def _floors(rounds: int) -> str:
    with floor_server() as server:
        start, ping = interleave(rounds, python_starts, server.pings)
    slower = start.median / REFERENCE
    return (
        f"Floors: `python -c pass` takes {start.median:.1f} ms ({slower:.2f} times as long as where the budgets were "
        f"set), a ping of a bare stdio server {ping.median:.3f} ms"
    )


if __name__ == "__main__":
    sys.exit(main())
