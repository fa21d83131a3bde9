"""Whether Claude's model hears of the errors that its edits bring, and of no others: the real CLI, real checkers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.budgets import Budget
from bench.report import Row
from bench.stages import NAMES
from tests.e2e.freshness import accept_edits, course, edits, text
from tests.e2e.scene import Scene
from tests.support.checkers import lines, missing

_EDITS = 50
_IN_A_TURN = 20
_NONE = Budget(0, is_size=True)
_CHECKED = {"nvim": "a language server", "vim": "ALE"}


def run(directory: Path, _: int) -> Iterator[Row]:
    """Each kind of editor that has what checks its files."""
    for kind, by in _CHECKED.items():
        if missing(kind) is None:
            told, brought = _told(directory / kind, kind)
            missed = sum(one != two for one, two in zip(told, brought, strict=True) if two)
            false = sum(bool(one) for one, two in zip(told, brought, strict=True) if not two)
            yield Row(f"{NAMES[kind]}: of {_EDITS} new errors, not told", missed, budget=_NONE, unit="", beside=by)
            yield Row(f"{NAMES[kind]}: of {_EDITS} edits without, told of", false, budget=_NONE, unit="", beside=by)


def _told(directory: Path, kind: str) -> tuple[list[list[str]], list[list[str]]]:
    """What the model was told of after each edit, and what each had brought."""
    directory.mkdir()
    scene = Scene(directory, kind)
    try:
        scene.stage.home.add("set hidden noswapfile", *lines(kind))
        scene.calc.write_text(text("old"))
        cli = scene.claude_of(scene.editor())
        accept_edits(cli)
        texts, brought = course(_EDITS)
        turns = [texts[first : first + _IN_A_TURN] for first in range(0, len(texts), _IN_A_TURN)]
        return [names for turn in turns for names in edits(cli, scene.calc, turn)], brought
    finally:
        scene.close()
