"""Private stages for the bench: a hub, editors and clients that leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.editors import KINDS, find
from tests.support.stage import Stage

NAMES = {"vim": "Vim 9", "nvim": "Neovim 0.11", "nvim07": "Neovim 0.7"}


def editors_here() -> list[str]:
    """The kinds of editors that this machine has."""
    return [kind for kind in KINDS if find(kind) is not None]


@contextmanager
def stage_in(directory: Path, vimrc: str = "") -> Iterator[Stage]:
    """A stage in a new directory, closed at the end of the block."""
    directory.mkdir()
    stage = Stage(directory, vimrc)
    try:
        yield stage
    finally:
        stage.close()
