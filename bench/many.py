"""A hub with as many editors as it takes: 100 fakes."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench import budgets
from bench.budgets import Budget
from bench.client import Dialled, Spawned, read, tool
from bench.fakes import line, register, state
from bench.floors import floor_server, python_starts
from bench.measure import Round, interleave, timed
from bench.processes import helper
from bench.report import Row, row
from bench.stages import stage_in
from bench.start import spawn
from tests.support.stage import Stage

COUNT = 99
"""Fakes beside the one whose registry entry is changed."""


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """Selection, a state query, a command and the registry's update."""
    with stage_in(directory / "many") as stage, floor_server() as server:
        keeper = stage.client()
        with helper("bench.fakes", str(stage.socket), str(COUNT), str(directory)) as pid:
            watched = WatchedEditor(stage, directory)
            peer = spawn(stage)
            for name, work, budget in _workloads(stage, directory, peer, watched, pid):
                floor, pings, sample = interleave(rounds, python_starts, server.pings, work)
                yield row(f"100 editors: {name}", sample, floor, budget, pings)
            peer.close()
            watched.close()
        keeper.request("ping")


def _workloads(
    stage: Stage, directory: Path, peer: Spawned, watched: WatchedEditor, pid: int
) -> Sequence[tuple[str, Round, Budget]]:
    def calls(line: bytes) -> Round:
        return partial(peer.times, line, 100)

    return (
        ("select_vim_instance", partial(_selections, peer, pid), budgets.MANY_SELECT),
        ("a client's first call, which chooses", partial(_choices, stage, directory), budgets.MANY_SELECT),
        ("list_vim_instances", calls(tool("list_vim_instances")), budgets.MANY_SELECT),
        ("vim://state, 360 lines", calls(read("vim://state")), budgets.MANY_STATE),
        ("vim_execute", calls(tool("vim_execute", command="echo 1")), budgets.MANY_EXECUTE),
        ("the registry's update after an event", watched.updates, budgets.MANY_REGISTRY),
    )


def _selections(peer: Spawned, pid: int) -> Sequence[float]:
    """Each fake in turn."""
    lines = (tool("select_vim_instance", instance_id=f"main-project{number}-{pid}") for number in range(COUNT))
    return [seconds for line in lines for seconds in peer.times(line, 1)]


def _choices(stage: Stage, directory: Path, times: int = 20) -> Sequence[float]:
    """Clients without a selection, each in the directory of one of the editors."""
    values = []
    for number in range(times):
        peer = Dialled(stage.socket, directory / f"project{number}")
        peer.initialize()
        values += peer.times(read("vim://cursor"), 1)
        peer.close()
    return values


class WatchedEditor:
    """An editor that changes its directory and looks until the registry's file is another."""

    def __init__(self, stage: Stage, directory: Path):
        self._registry = stage.runtime / "vim-mcp-registry.json"
        self._directory = directory
        self._tick = 0
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(stage.socket))
        self._socket.sendall(line(register(COUNT, directory)))
        self._socket.recv(1 << 16)

    def updates(self, times: int = 50) -> Sequence[float]:
        """Event to the new file, in seconds."""
        return [timed(self._update)[0] for _ in range(times)]

    def _update(self) -> None:
        self._tick += 1
        content = state(COUNT, self._directory / str(self._tick % 2), self._tick)
        message = {"type": "event", "event": "DirChanged", "events": ["DirChanged"], "state": content}
        before = os.stat(self._registry).st_ino
        self._socket.sendall(line(message))
        deadline = time.perf_counter() + 5
        while os.stat(self._registry).st_ino == before:
            assert time.perf_counter() < deadline, "the registry was not written"

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
