"""Fixtures: real editors, a hub and real Claude CLIs that ask a scripted API, in one project."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.scene import Scene
from tests.editor.conftest import kind  # noqa: F401 - a fixture
from tests.outside.npm import provided
from tests.support import claude


@pytest.fixture(scope="session")
def cli() -> Path:
    """The real CLI; where it cannot be had the test is skipped with the reason, never in CI."""
    return provided(claude.install, "the real Claude CLI")


@pytest.fixture
def scene(tmp_path: Path, kind: str, cli: Path) -> Iterator[Scene]:  # noqa: F811 - pytest's way to ask for one
    """A project with calc.py, in which the test starts editors of `kind` and CLIs."""
    own = Scene(tmp_path, kind)
    yield own
    own.close()
