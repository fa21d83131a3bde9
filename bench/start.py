"""What a client's start costs, and what its relay weighs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import budgets
from bench.client import Spawned
from bench.floors import floor_server, python_starts
from bench.measure import Sample, interleave
from bench.processes import rss
from bench.report import Row, row
from bench.stages import stage_in
from tests.support.mcpclient import VIM_MCP
from tests.support.stage import Stage

_COLD_STARTS = 5


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """Spawn to the `initialize` reply, with and without a hub; the relay's memory."""
    with stage_in(directory / "warm") as stage:
        stage.client()
        floor, sample = interleave(3 * rounds, python_starts, lambda: _starts(stage))
        yield row("spawn to the initialize reply, warm hub", sample, floor, budgets.INITIALIZE)
        yield _relay_memory(stage)
    yield _cold(directory)


def spawn(stage: Stage, **env: str) -> Spawned:
    """A client of the stage that has shaken hands."""
    peer = Spawned([str(VIM_MCP)], stage.environment(**env), stage.directory)
    peer.initialize()
    return peer


def _start(stage: Stage) -> float:
    begin = time.perf_counter()
    peer = spawn(stage)
    seconds = time.perf_counter() - begin
    peer.close()
    return seconds


def _starts(stage: Stage, times: int = 3) -> Sequence[float]:
    return [_start(stage) for _ in range(times)]


def _relay_memory(stage: Stage) -> Row:
    with floor_server() as server:
        server.pings()
        peer = spawn(stage)
        found = Row("a relay's RSS", rss(peer.pid), rss(server.peer.pid), budgets.RELAY_RSS, unit="MB")
        peer.close()
        return found


def _cold(directory: Path) -> Row:
    floors: list[float] = []
    values: list[float] = []
    for number in range(_COLD_STARTS):
        with stage_in(directory / f"cold{number}") as stage:
            floors += python_starts()
            values.append(_start(stage))
    sample, floor = Sample((tuple(values),)), Sample((tuple(floors),))
    return row("spawn to the initialize reply, cold, hub included", sample, floor, budgets.COLD_INITIALIZE)
