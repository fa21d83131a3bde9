"""What one hub with many editors and clients weighs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from bench import budgets
from bench.client import Spawned, read, request, tool
from bench.floors import floor_server
from bench.processes import pss, rss
from bench.report import Row
from bench.stages import editors_here, stage_in
from bench.start import spawn
from bench.terminal import editor
from bench.texts import write_source
from tests.support.stage import Stage

_EDITORS = 10
_CLIENTS = 5
_WORK = (
    request("tools/list"),
    request("resources/list"),
    read("vim://instances"),
    read("vim://state"),
    read("vim://buffer/current"),
    tool("vim_search", pattern="method_12"),
    tool("vim_execute", command="echo 1"),
)


def run(directory: Path, _rounds: int) -> Iterator[Row]:
    """The hub and its relays, the clients having worked on each editor."""
    with stage_in(directory / "memory") as stage, floor_server() as server, ExitStack() as running:
        peers = [spawn(stage) for _ in range(_CLIENTS - 1)]
        for instance in _editors(stage, directory, running):
            for peer in peers:
                _work(peer, instance)
        server.pings()
        yield from _weigh(stage, server.peer.pid)
        for peer in peers:
            peer.close()


def _weigh(stage: Stage, bare: int) -> Iterator[Row]:
    status = stage.status()
    hub, relays = status["pid"], [client["pid"] for client in status["clients"]]
    assert (len(status["instances"]), len(relays)) == (_EDITORS, _CLIENTS), f"not as planned: {status}"
    shared = sum(pss(pid) for pid in relays)
    yield Row("the hub's RSS", rss(hub), rss(bare), unit="MB")
    yield Row(f"{_CLIENTS} relays' PSS", shared, pss(bare), unit="MB")
    what = f"PSS of hub and relays, {_EDITORS} editors, {_CLIENTS} clients"
    yield Row(what, pss(hub) + shared, pss(bare), budgets.TOTAL_PSS, unit="MB")


def _editors(stage: Stage, directory: Path, running: ExitStack) -> list[str]:
    """Start them; the stage's own watcher, which waits for them, is the fifth client."""
    kinds = editors_here()
    files = [write_source(directory / f"weighed{number}.py") for number in range(_EDITORS)]
    started = (editor(stage, kinds[number % len(kinds)], file) for number, file in enumerate(files))
    return [running.enter_context(each).instance for each in started]


def _work(peer: Spawned, instance: str) -> None:
    peer.call(tool("select_vim_instance", instance_id=instance))
    for line in _WORK:
        peer.call(line)
