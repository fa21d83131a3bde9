"""Fixtures: a real Neovim that has registered with a real hub, and the judges that come from npm."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.editor.conftest import kind  # noqa: F401 - a fixture
from tests.hub.conftest import stage  # noqa: F401 - a fixture
from tests.outside.npm import Npm, install, provided
from tests.support.editors import Terminal
from tests.support.stage import Stage

TEXT = "alpha\nbeta\naha\n"


@dataclass
class Scene:
    """An editor that shows `file` (whose text is `TEXT`), and the environment in which clients start."""

    file: Path
    instance: str
    environment: dict[str, str]
    terminal: Terminal

    def run(self, command: list[str], timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run a client; its input is empty, its output captured."""
        return subprocess.run(
            command, env=self.environment, cwd=self.file.parent, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=timeout, check=False,
        )  # fmt: skip


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One Neovim with one file, for all the judges of a module: each finds the text as it was."""
    own = Stage(tmp_path_factory.mktemp("scene"))
    try:
        project = own.project("project", greek_txt=TEXT)
        terminal = own.editor("nvim", "greek.txt", cwd=project)
        yield Scene(project / "greek.txt", own.instance(terminal), own.environment(), terminal)
    finally:
        own.close()


@pytest.fixture(scope="session")
def npm() -> Npm:
    """The npm packages; where they cannot be had the test is skipped with the reason, never in CI."""
    return provided(install, "the judges from npm")
