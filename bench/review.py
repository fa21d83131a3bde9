"""What a diff under review costs, beside the editor's own `:diffsplit` of the same two files."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import budgets
from bench.client import Spawned
from bench.ide import ask_editor, scene
from bench.report import Row
from bench.stages import NAMES, editors_here
from bench.terminal import Editor
from bench.texts import write_large, write_source
from tests.support.ideclient import IdeClient

_VIMRC = """
set hidden noswapfile
let g:vim_mcp_diff_focus = 'always'
autocmd User VimMCPDiffOpened call writefile(['opened'], $BENCH_OPENED, 'a')
function! BenchSplit()
  let begin = reltime()
  silent execute 'tabedit' g:bench_old
  silent execute 'vertical diffsplit' g:bench_new
  redraw
  let g:bench_took = reltimefloat(reltime(begin)) * 1000
  tabclose
  silent execute 'bwipeout' g:bench_old g:bench_new
  call writefile(['split'], $BENCH_OPENED, 'a')
endfunction
nnoremap <F6> <Cmd>call BenchSplit()<CR>
"""


@dataclass(frozen=True)
class _Desk:
    """Where it is done; `signals` is read until the editor has said that it is done."""

    running: Editor
    peer: Spawned
    ide: IdeClient
    signals: int


@dataclass(frozen=True)
class _Pair:
    """A file, the text that it is to have, and that text in a file."""

    old: Path
    text: str
    new: Path


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """Each kind of editor."""
    for kind in editors_here():
        yield from _reviews(directory / kind, kind, rounds)


def _reviews(directory: Path, kind: str, rounds: int) -> Iterator[Row]:
    judged = kind != "nvim07"
    small, large = _pairs(directory.with_suffix(".files"))
    shown = write_source(directory.with_suffix(".py"))
    with _opened(directory.with_suffix(".fifo")) as (fifo, signals):
        vimrc = f"let $BENCH_OPENED = '{fifo}'\n{_VIMRC}"
        with scene(directory, kind, shown, vimrc) as (running, peer, ide):
            desk = _Desk(running, peer, ide, signals)
            own, ours = _times(desk, small, rounds)
            what = f"{NAMES[kind]}: openDiff until it is seen, 1,000 lines, beyond :diffsplit ({own:.1f} ms)"
            yield Row(what, ours - own, budget=budgets.DIFF_SMALL if judged else None)
            own, ours = _times(desk, large, rounds)
            what = f"{NAMES[kind]}: openDiff until it is seen, 10 MB, against :diffsplit ({own:.0f} ms)"
            yield Row(what, ours / own, budget=budgets.DIFF_LARGE if judged else None, unit="x")
            own, ours = _stalls(desk, large, rounds)
            what = f"{NAMES[kind]}: the editor's longest stall by it, 10 MB, against :diffsplit's ({own:.0f} ms)"
            yield Row(what, ours / own, budget=budgets.DIFF_LARGE if judged else None, unit="x")


def _pairs(directory: Path) -> tuple[_Pair, _Pair]:
    directory.mkdir()
    lines = [f"line {number} of a text that is looked at\n" for number in range(1000)]
    small = _pair(directory, "small.txt", "".join(lines))
    return small, _pair(directory, "large.txt", write_large(directory / "text").read_text())


def _pair(directory: Path, name: str, text: str) -> _Pair:
    """With a change in every hundredth line."""
    lines = text.splitlines(keepends=True)
    changed = "".join(f"changed {line}" if number % 100 == 50 else line for number, line in enumerate(lines))
    old, new = directory / name, directory / f"new-{name}"
    old.write_text(text)
    new.write_text(changed)
    return _Pair(old, changed, new)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[Path, int]]:
    """A FIFO to which the editor says that a diff is on the screen, and its reading end."""
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR)  # for both, so that the editor's end never waits
    yield path, descriptor
    os.close(descriptor)


def _times(desk: _Desk, pair: _Pair, rounds: int) -> tuple[float, float]:
    """Medians in ms: of the editor's own, and of ours."""
    own, ours = [], []
    for number in range(rounds + 1):
        one, other = _split(desk, pair), _review(desk, pair)
        if number:
            own.append(one)
            ours.append(other)
    return statistics.median(own), statistics.median(ours)


def _split(desk: _Desk, pair: _Pair) -> float:
    ask_editor(desk.peer, f"let [g:bench_old, g:bench_new] = ['{pair.old}', '{pair.new}']")
    desk.running.type("\x1b[17~")
    os.read(desk.signals, 100)
    return float(ask_editor(desk.peer, "echo printf('%f', g:bench_took)"))


def _review(desk: _Desk, pair: _Pair) -> float:
    begin = time.perf_counter()
    call = desk.ide.start_tool(
        "openDiff", old_file_path=str(pair.old), new_file_path=str(pair.old), new_file_contents=pair.text, tab_name="a"
    )
    os.read(desk.signals, 100)
    taken = time.perf_counter() - begin
    desk.ide.texts("close_tab", tab_name="a")
    desk.ide.tool_answer(call)
    return 1000 * taken


def _stalls(desk: _Desk, pair: _Pair, rounds: int) -> tuple[float, float]:
    """Medians in ms of the longest gap between two ticks of a timer."""
    ask_editor(desk.peer, "call timer_start(2, 'BenchTick', {'repeat': -1})")
    own, ours = [], []
    for _ in range(rounds):
        ask_editor(desk.peer, "echo BenchWorst()")
        _split(desk, pair)
        own.append(float(ask_editor(desk.peer, "echo BenchWorst()")))
        _review(desk, pair)
        ours.append(float(ask_editor(desk.peer, "echo BenchWorst()")))
    return statistics.median(own), statistics.median(ours)
