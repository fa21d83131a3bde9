"""Fixtures: a stage of its own for each test, and every editor kind in turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editor.conftest import kind  # noqa: F401 - a fixture
from tests.support.stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    """A hub, editors and clients of this test's own."""
    own = Stage(tmp_path)
    yield own
    own.close()
