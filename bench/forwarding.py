"""What the relay adds, what many calls at once take, and whether one editor's trouble is another's."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench.calls import client_of
from bench.client import read, request
from bench.floors import PING, floor_server
from bench.measure import interleave, timed
from bench.processes import helper, rss
from bench.report import Row, row
from bench.stages import NAMES, editors_here, stage_in
from bench.start import spawn
from bench.terminal import editor
from bench.texts import LARGE, write_large, write_source

_AT_ONCE = 20


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """The relay alone, 20 calls at once, a hung editor beside a sound one."""
    yield from _relay(directory, rounds)
    for kind in editors_here():
        yield from _at_once(directory / f"{kind}-once", kind, rounds)
    yield from _hung(directory / "hung", rounds)


def _relay(directory: Path, rounds: int) -> Iterator[Row]:
    """Against a hub that answers at once."""
    large = write_large(directory / "relay.txt")
    with stage_in(directory / "relay") as stage, floor_server() as server, helper("bench.fakehub", str(stage.socket)):
        peer = spawn(stage)
        floor, pings = interleave(rounds, server.pings, partial(peer.times, PING, 200))
        yield row("relay alone: ping, against a bare one", pings, floor)
        up = request("ping", text="x" * LARGE)
        both = (partial(peer.times, line, 3) for line in (request("large"), up))
        floor, down, upwards = interleave(rounds, partial(server.reads, large, 3), *both)
        yield row("relay alone: 10 MB to the client, against a bare server", down, floor)
        yield row("relay alone: 10 MB from the client, against the same", upwards, floor)
        yield Row("relay alone: its RSS after those", rss(peer.pid), rss(server.peer.pid), unit="MB")
        peer.close()


def _at_once(directory: Path, kind: str, rounds: int) -> Iterator[Row]:
    file = write_source(directory.with_suffix(".py"))
    with stage_in(directory) as stage, floor_server() as server, client_of(stage, kind, file) as peer:
        line = read("vim://state")
        floor, single, together = interleave(
            rounds,
            lambda: timed(lambda: server.peer.burst(PING, _AT_ONCE), 5),
            lambda: timed(lambda: peer.times(line, _AT_ONCE), 5),
            lambda: timed(lambda: peer.burst(line, _AT_ONCE), 5),
        )
        yield row(f"{NAMES[kind]}: {_AT_ONCE} vim://state in turn, against bare pings at once", single, floor)
        yield row(f"{NAMES[kind]}: {_AT_ONCE} vim://state at once, against the same", together, floor)


def _hung(directory: Path, rounds: int) -> Iterator[Row]:
    """An editor that is stopped has a call under way all the time; the floor is the same without it."""
    kind = editors_here()[0]
    line = read("vim://state")
    files = [write_source(directory.with_name(name)) for name in ("sick.py", "sound.py")]
    with stage_in(directory) as stage, editor(stage, kind, files[0]) as sick, client_of(stage, kind, files[1]) as peer:
        waiting = spawn(stage, VIM_MCP_INSTANCE=sick.instance)
        waiting.call(line)

        def beside_hung() -> list[float]:
            os.kill(sick.pid, signal.SIGSTOP)
            waiting.send(line)
            values = peer.times(line, 100)
            os.kill(sick.pid, signal.SIGCONT)
            waiting.answer()
            return values

        sound, beside = interleave(rounds, partial(peer.times, line, 100), beside_hung)
        yield row(f"{NAMES[kind]}: vim://state while another editor hangs, against none", beside, sound)
        waiting.close()
