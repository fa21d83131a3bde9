"""What single calls cost through stdio on a real editor."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench import budgets
from bench.budgets import Budget
from bench.client import Spawned, read, request, tool
from bench.floors import floor_server, python_starts
from bench.measure import interleave
from bench.report import Row, row
from bench.stages import NAMES, editors_here, stage_in
from bench.start import spawn
from bench.terminal import editor
from bench.texts import write_large, write_source
from tests.support.stage import Stage

_CALLS: tuple[tuple[str, bytes, Budget | None], ...] = (
    ("ping", request("ping"), budgets.PING_CALL),
    ("vim://state, 360 lines", read("vim://state"), budgets.STATE),
    ("vim_execute", tool("vim_execute", command="echo 1"), budgets.EXECUTE),
    ("vim://buffer/current, 360 lines", read("vim://buffer/current"), None),
    ("vim://cursor", read("vim://cursor"), None),
    ("vim_search", tool("vim_search", pattern="method_12"), None),
    ("vim_navigate", tool("vim_navigate", direction="line", count=20), None),
    ("tools/list", request("tools/list"), None),
)
_WHOLE = read("vim://buffer/current?first=1&last=-1")


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """Each call on each kind of editor, then 10 MB of text."""
    small = write_source(directory / "small.py")
    large = write_large(directory / "large.txt")
    for kind in editors_here():
        yield from _small(directory / f"{kind}-small", kind, small, rounds)
        yield from _large(directory / f"{kind}-large", kind, large, rounds)


@contextmanager
def client_of(stage: Stage, kind: str, file: Path) -> Iterator[Spawned]:
    """A new editor on `file`, and a client that is tied to it."""
    with editor(stage, kind, file) as running:
        peer = spawn(stage, VIM_MCP_INSTANCE=running.instance)
        yield peer
        peer.close()


def _of(kind: str, budget: Budget | None) -> Budget | None:
    """The old Neovim has no budgets of its own."""
    return None if kind == "nvim07" else budget


def _small(directory: Path, kind: str, file: Path, rounds: int) -> Iterator[Row]:
    with stage_in(directory) as stage, floor_server() as server, client_of(stage, kind, file) as peer:
        for name, line, budget in _CALLS:
            floor, pings, sample = interleave(rounds, python_starts, server.pings, partial(peer.times, line, 100))
            yield row(f"{NAMES[kind]}: {name}", sample, floor, _of(kind, budget), pings)


def _large(directory: Path, kind: str, file: Path, rounds: int) -> Iterator[Row]:
    """Against the floor of an interpreter's start, and of a bare server that reads the file itself."""
    with stage_in(directory) as stage, floor_server() as server, client_of(stage, kind, file) as peer:
        starts, bare, sample = interleave(
            rounds, python_starts, partial(server.reads, file, 3), partial(peer.times, _WHOLE, 3)
        )
        yield row(f"{NAMES[kind]}: 10 MB of vim://buffer/current", sample, starts, _of(kind, budgets.TEN_MEGABYTES))
        yield row(f"{NAMES[kind]}: the same, against a bare server that reads the file", sample, bare)
