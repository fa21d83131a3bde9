"""What the plugin costs the person who never calls it: the editor's start, and each event."""

from __future__ import annotations

import re
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import budgets
from bench.floors import python_start
from bench.measure import timed
from bench.report import Row
from bench.stages import NAMES, editors_here, stage_in
from bench.terminal import Editor, editor, unregistered
from bench.texts import write_source
from tests.support.editors import ROOT, find
from tests.support.stage import Stage

_STARTS = 40
_EVENTS = ("CursorMoved", "TextChanged")
_SCRIPT = """
let s:n = 0
augroup bench
  autocmd CursorMoved,TextChanged * let s:n += 1
augroup END
function! s:Loop(event)
  let best = 1.0e9
  for round in range(20)
    let begin = reltime()
    for i in range(500)
      execute 'doautocmd <nomodeline>' a:event
    endfor
    let taken = reltimefloat(reltime(begin)) * 2000
    let best = taken < best ? taken : best
  endfor
  return best
endfunction
function! s:State()
  let begin = reltime()
  for i in range(1000)
    let state = vim_mcp#buffers#state(['BufEnter'])
  endfor
  return reltimefloat(reltime(begin)) * 1000
endfunction
let s:push = exists('*vim_mcp#buffers#state') ? s:State() : 0
let s:result = printf('%f %f %f', s:Loop('CursorMoved'), s:Loop('TextChanged'), s:push)
call writefile([s:result], 'RESULT.new')
call rename('RESULT.new', 'RESULT')
"""


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """Each kind of editor, with and without the plugin."""
    for kind in editors_here():
        yield from _starts(directory / f"{kind}-start", kind, rounds)
        yield from _events(directory / f"{kind}-events", kind)


# The start


def _starts(directory: Path, kind: str, rounds: int) -> Iterator[Row]:
    """The median difference between neighbours in time: less than what the starts themselves differ by."""
    with stage_in(directory) as stage:
        bare = _bare_vimrc(stage)
        differences, floors, plain = [], [], []
        for _ in range(rounds * _STARTS // 5 + 1):
            floors.append(python_start())
            without, with_it = (_start(stage, kind, vimrc) for vimrc in (bare, stage.home.vimrc))
            plain.append(without)
            differences.append(with_it - without)
        cost, floor = (1000 * statistics.median(values[1:]) for values in (differences, floors))
        yield Row(f"{NAMES[kind]}: the plugin's part of the start", cost, floor, budgets.PLUGIN_LOAD)
        yield Row(f"{NAMES[kind]}: the start without it", 1000 * statistics.median(plain), floor)
        yield Row(f"{NAMES[kind]}: sourcing it, by --startuptime", _sourcing(stage, kind))


def _bare_vimrc(stage: Stage) -> Path:
    """The stage's vimrc without the plugin."""
    settings = stage.home.vimrc.read_text()
    place = f"runtimepath^={ROOT}"
    assert place in settings, "the stage's vimrc does not load the plugin"
    path = stage.directory / "bare.vim"
    path.write_text(settings.replace(place, ""))
    return path


def _argv(kind: str, vimrc: Path) -> list[str]:
    binary = find(kind)
    assert binary is not None, "only editors that are here are asked"
    return [binary, "-u", str(vimrc), "-i", "NONE", "--not-a-term" if kind == "vim" else "--headless"]


def _run(stage: Stage, argv: Sequence[str]) -> None:
    subprocess.run(
        [*argv, "-c", "q"], env=stage.environment(), cwd=stage.directory, check=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _start(stage: Stage, kind: str, vimrc: Path) -> float:
    return timed(lambda: _run(stage, _argv(kind, vimrc)))[0]


def _sourcing(stage: Stage, kind: str) -> float:
    log = stage.directory / "startuptime"
    for _ in range(9):  # the file is appended to
        _run(stage, [*_argv(kind, stage.home.vimrc), "--startuptime", str(log)])
    found = re.findall(r"([\d.]+)  [\d.]+: sourcing \S*/plugin/vim_mcp\.vim", log.read_text())
    assert found, f"{kind} did not load the plugin"
    return statistics.median(map(float, found))


# Events


def _events(directory: Path, kind: str) -> Iterator[Row]:
    """The plugin's handlers beside one that counts, at their best: they cost little, and noise only adds.

    The push comes at most ten times a second; it is told by itself.
    """
    file, bare_file = (write_source(directory.with_name(f"{kind}-{name}.py")) for name in ("events", "bare"))
    with (
        stage_in(directory) as stage,
        editor(stage, kind, file) as connected,
        unregistered(stage, kind, bare_file, _bare_vimrc(stage)) as bare,
    ):
        pairs = [(_loop(bare, directory), _loop(connected, directory)) for _ in range(5)]
    for place, event in enumerate(_EVENTS):
        cost = statistics.median(pair[1][place] - pair[0][place] for pair in pairs)
        without = statistics.median(pair[0][place] for pair in pairs)
        budget = budgets.CURSOR_MOVED.get(kind) if event == "CursorMoved" else None
        yield Row(f"{NAMES[kind]}: the plugin's part of a {event}", cost, without, budget, unit="us")
    push = statistics.median(pair[1][-1] for pair in pairs)
    yield Row(f"{NAMES[kind]}: the state for a push (at most 10 a second)", push, unit="us")


def _loop(running: Editor, directory: Path) -> list[float]:
    """Run the script in the editor; microseconds for each event and for the state."""
    script, result = directory / "events.vim", directory / "result"
    script.write_text(_SCRIPT.replace("RESULT", str(result)))
    running.type(f":source {script}\r")
    deadline = time.monotonic() + 60
    while not result.exists():
        assert time.monotonic() < deadline, "the editor did not run the script"
        time.sleep(0.05)
    numbers = [float(number) for number in result.read_text().split()]
    result.unlink()
    return numbers
