"""Fixtures: a real Neovim that has registered with a real hub, and the judges that come from npm."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.outside.npm import Npm, Unavailable, in_ci, install
from tests.support.editors import TIMEOUT, EditorHome, Terminal, start_editor

VIM_MCP = str(Path(sys.executable).with_name("vim-mcp"))
TEXT = "alpha\nbeta\naha\n"


@dataclass
class Scene:
    """An editor that shows `file` (whose text is `TEXT`), and the environment in which clients start."""

    file: Path
    environment: dict[str, str]
    terminal: Terminal

    def run(self, command: list[str], timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
        """Run a client; its input is empty, its output captured."""
        return subprocess.run(
            command, env=self.environment, cwd=self.file.parent, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=timeout, check=False,
        )  # fmt: skip


def status(environment: dict[str, str]) -> dict[str, Any]:
    """Return what `vim-mcp status --json` says; empty without a hub."""
    done = subprocess.run([VIM_MCP, "status", "--json"], env=environment, capture_output=True, text=True, check=False)
    answer: dict[str, Any] = json.loads(done.stdout or "{}")
    return answer


def wait_for_editor(environment: dict[str, str], terminal: Terminal) -> None:
    """Ask the hub until an editor has registered."""
    deadline = time.monotonic() + TIMEOUT
    while not status(environment).get("instances"):
        assert time.monotonic() < deadline, f"no editor registered; its screen:\n{terminal.text()}"


def stop_hub(environment: dict[str, str]) -> None:
    """Tell the hub to leave, and wait until its socket's file is gone."""
    subprocess.run([VIM_MCP, "stop"], env=environment, check=True, capture_output=True)
    deadline = time.monotonic() + TIMEOUT
    while Path(environment["VIM_MCP_RUNTIME_DIR"], "vim-mcp-server.sock").exists():
        assert time.monotonic() < deadline, "the hub was told to stop and did not"


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One Neovim with one file, for all the judges of a module: each finds the text as it was."""
    directory = tmp_path_factory.mktemp("scene")
    home = EditorHome(directory)
    project = directory / "project"
    project.mkdir()
    file = project / "greek.txt"
    file.write_text(TEXT)
    environment = home.environment()
    terminal = start_editor("nvim", home, [file.name], project)
    try:
        wait_for_editor(environment, terminal)
        yield Scene(file, environment, terminal)
    finally:
        terminal.close()
        stop_hub(environment)


@pytest.fixture(scope="session")
def npm() -> Npm:
    """The npm packages; where they cannot be had the test is skipped with the reason, never in CI."""
    try:
        return install()
    except Unavailable as reason:
        if in_ci():
            pytest.fail(f"{reason}, and CI must run these judges")
        pytest.skip(f"{reason}: the judges from npm do not run")
