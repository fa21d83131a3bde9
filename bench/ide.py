"""What Claude Code's connection costs the person at the keyboard: stalls, selections, and how soon they are told."""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import budgets
from bench.bystander import bystander
from bench.client import Spawned, tool
from bench.report import Row
from bench.stages import NAMES, editors_here, stage_in
from bench.start import spawn
from bench.terminal import Editor, editor
from bench.texts import write_source
from tests.support.ideclient import IdeClient
from tests.support.stage import Stage

_MEGABYTES = (1, 10, 40)
_DEBOUNCE = 300.0
"""Milliseconds from the last change of a selection until it is told."""
_LINES = 100_000
_VIMRC = """
let g:vim_mcp_execute = 'all'
let g:bench_last = reltime()
let g:bench_worst = 0.0
function! BenchTick(timer)
  let gap = reltimefloat(reltime(g:bench_last)) * 1000
  let g:bench_worst = gap > g:bench_worst ? gap : g:bench_worst
  let g:bench_last = reltime()
endfunction
function! BenchWorst()
  let worst = g:bench_worst
  let [g:bench_worst, g:bench_last] = [0.0, reltime()]
  return printf('%f', worst)
endfunction
function! BenchSteps()
  let begin = reltime()
  for i in range(1000)
    doautocmd <nomodeline> CursorMoved
  endfor
  let g:bench_steps = reltimefloat(reltime(begin))
endfunction
xnoremap <F5> <Cmd>call BenchSteps()<CR><Esc>
"""


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """Each kind of editor."""
    for kind in editors_here():
        yield from _stalls(directory / f"{kind}-stalls", kind, rounds)
        yield from _selections(directory / f"{kind}-selections", kind, rounds)


@contextmanager
def scene(directory: Path, kind: str, file: Path, vimrc: str = "") -> Iterator[tuple[Editor, Spawned, IdeClient]]:
    """An editor, a client of the workspace that is tied to it, and one of its port."""
    with stage_in(directory, _VIMRC + vimrc) as stage, editor(stage, kind, file) as running:
        peer = spawn(stage, VIM_MCP_INSTANCE=running.instance)
        ide = _connect(stage, running)
        yield running, peer, ide
        ide.close()
        peer.close()


def _connect(stage: Stage, running: Editor) -> IdeClient:
    """Without compression, so that all of a message passes and not what is left of it."""
    return IdeClient.of(stage.home, running.pid, compression=None)


def ask_editor(peer: Spawned, command: str) -> str:
    """What an Ex command of the bench prints."""
    answer = json.loads(peer.call(tool("vim_execute", command=command)))
    return str(answer["result"]["structuredContent"]["output"]).strip()


# Stalls


@contextmanager
def behind() -> Iterator[None]:
    """Let the client of the bench stand behind the others, where `chrt` has put them all in front.

    What it does to send 40 MB is not what is measured, and would hold up an editor whose equal it is.
    """
    threads = [int(name) for name in os.listdir("/proc/self/task")]
    before = [(thread, os.sched_getscheduler(thread), os.sched_getparam(thread)) for thread in threads]
    for thread in threads:
        os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
    try:
        yield
    finally:
        for thread, policy, param in before:
            os.sched_setscheduler(thread, policy, param)


def _stalls(directory: Path, kind: str, rounds: int) -> Iterator[Row]:
    """The longest gap between two ticks of a timer in the editor, beyond that of as long a time without a message.

    Beside it stands the same where another process takes the message, of which the editor does not know: what the
    machine makes of two busy processes. It is not taken off.
    """
    source = write_source(directory.with_suffix(".py"))
    with scene(directory, kind, source) as (_, peer, ide), bystander() as other:
        ask_editor(peer, "call timer_start(2, 'BenchTick', {'repeat': -1})")
        for size in _MEGABYTES:
            padding = "x" * (size * 1024 * 1024)
            with behind():
                worse = [(_stall(peer, ide, padding), _stall(peer, other, padding)) for _ in range(rounds)]
            ours, others = (statistics.median(column) for column in zip(*worse, strict=True))
            what = f"{NAMES[kind]}: the editor's longest stall while {size} MB pass, beyond idle"
            beside = f"{others:.3f} ms while a process that it does not know takes them"
            yield Row(what, ours, budget=budgets.STALL if kind != "nvim07" else None, beside=beside)


def _stall(peer: Spawned, ide: IdeClient, padding: str) -> float:
    ask_editor(peer, "echo BenchWorst()")
    begin = time.monotonic()
    with_message = ide.start("ping", {"padding": padding})
    ide.answer(with_message)
    taken = time.monotonic() - begin
    busy = float(ask_editor(peer, "echo BenchWorst()"))
    time.sleep(taken)  # as long without a message, to compare with
    return busy - float(ask_editor(peer, "echo BenchWorst()"))


# Selections


def _selections(directory: Path, kind: str, rounds: int) -> Iterator[Row]:
    file = directory.with_suffix(".txt")
    file.write_text("".join(f"line {number}: some words in it\n" for number in range(_LINES)))
    judged = kind != "nvim07"
    with scene(directory, kind, file) as (running, peer, ide):
        running.type("ggVG")
        text = _next_selection(ide, lambda text: len(text) > 1000)
        running.type("\x1b")
        steps = [_steps(running, peer) for _ in range(rounds)]
        what = f"{NAMES[kind]}: a step of a selection over {_LINES:,} lines"
        yield Row(what, statistics.median(steps), budget=budgets.SELECTION_STEP if judged else None)
        size = len(text.encode()) / 1024
        yield Row(f"{NAMES[kind]}: text told of it", size, budget=budgets.SELECTION_TEXT if judged else None, unit="kB")
        running.type("gg")
        delays = [_delay(running, ide, number) for number in range(2 * rounds)]
        what = f"{NAMES[kind]}: from a key to its selection at the client, beyond the {_DEBOUNCE:.0f} ms"
        yield Row(what, statistics.median(delays), budget=budgets.SELECTION_TOLD if judged else None)


def _steps(running: Editor, peer: Spawned) -> float:
    """Milliseconds of the editor's time for an event in Visual mode."""
    ask_editor(peer, "let g:bench_steps = ''")
    running.type("ggVG\x1b[15~")
    while not (taken := ask_editor(peer, "echo g:bench_steps")):
        time.sleep(0.01)  # not to be what the editor is busy with
    return float(taken)


def _next_selection(ide: IdeClient, wanted: Callable[[str], bool]) -> str:
    while True:
        text = str(ide.notification("selection_changed")["params"]["text"])
        if wanted(text):
            return text


def _delay(running: Editor, ide: IdeClient, number: int) -> float:
    """Milliseconds from a key that changes the selection until the client hears of it, without the debounce."""
    length = number % 10 + 2
    running.type("\x1bj0v" + "l" * (length - 2))
    _next_selection(ide, lambda text: len(text) == length - 1)
    begin = time.monotonic()
    running.type("l")
    _next_selection(ide, lambda text: len(text) == length)
    return (time.monotonic() - begin) * 1000 - _DEBOUNCE
