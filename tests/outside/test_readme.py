"""README's way to install, in a home directory that is empty, and the first useful screen of both editors."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editor.conftest import kind  # noqa: F401 - a fixture
from tests.support.editors import ROOT, Terminal, find
from tests.support.waiting import wait_until
from tests.support.wheel import house, repository

LIMIT = 120.0
"""Seconds from the first command to the first useful screen, on a machine that does nothing else: of its processor."""


class Newcomer:
    """A home directory in which README's commands have been run; `seconds` is what they took."""

    def __init__(self, directory: Path):
        self.home = directory / "home"
        (directory / "run").mkdir(mode=0o700)
        self.home.mkdir()
        programs = directory / "bin"
        programs.mkdir()
        (programs / "python3").symlink_to(os.path.realpath(sys.executable))
        for name, editor in (("vim", find("vim")), ("nvim", find("nvim"))):
            if editor is not None:
                (programs / name).symlink_to(editor)
        wheels = house(directory / "house", "hatchling", "editables")
        self.env = {
            "HOME": str(self.home), "PATH": f"{programs}:/usr/bin:/bin", "TERM": "xterm-256color", "LANG": "C.UTF-8",
            "SHELL": "/bin/sh", "VIM_MCP_RUNTIME_DIR": str(directory / "run"),
            "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull,
        }  # fmt: skip
        started = worked()
        self.told = self.shell(commands().replace("THIS-REPOSITORY", str(repository(directory / "repository"))))
        self.seconds = worked() - started

    def shell(self, script: str, *before: str) -> str:
        """What a script prints in a shell of this home, run by the command `before`; it must succeed."""
        command = [*before, "sh", "-euc", script]
        done = subprocess.run(command, env=self.env, cwd=self.home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def vim_mcp(self, arguments: str, *before: str) -> str:
        """What the installed program prints."""
        return self.shell(f"~/vim-mcp/.venv/bin/vim-mcp {arguments}", *before)


def worked() -> float:
    """The processor's seconds that this process's children have taken, as far as they have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def commands() -> str:
    """The first block of README's section on installing."""
    section = (ROOT / "README.md").read_text().partition("\n## Install\n")[2]
    found = re.search(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Newcomer:
    """Somebody who has just followed README."""
    return Newcomer(tmp_path_factory.mktemp("newcomer"))


@pytest.fixture(params=["first run", "second run, without a network"])
def before(request: pytest.FixtureRequest) -> list[str]:
    """By what everything is run: nothing, or what takes the network away."""
    return [] if request.param == "first run" else [str(ROOT / "dev" / "offline")]


@pytest.mark.slow
@pytest.mark.requirement("INSTALL-10")
def test_the_first_useful_screen(newcomer: Newcomer, kind: str, before: list[str]) -> None:  # noqa: F811 - see above
    """The editor is connected, a client reads what stands in it unsaved, and its help is there."""
    started = worked()
    if before:
        assert newcomer.vim_mcp("install --no-claude", *before).count("as is ") == 2
    editor = find(kind)
    assert editor is not None
    terminal = Terminal([*before, editor, f"{kind}.txt"], newcomer.env, newcomer.home)
    try:
        terminal.wait_screen(f"{kind}.txt")
        wait_until(lambda: f" {kind}-home-" in newcomer.vim_mcp("status || true", *before), "the editor in the status")
        terminal.type("iunsaved text\x1b:VimMCPStatus\r")
        screen = terminal.wait_screen("unsaved text", "vim-mcp: connected, no Claude, as ")
        seconds = newcomer.seconds + worked() - started
        assert "Press ENTER" not in screen
        assert "unsaved text" in newcomer.vim_mcp("read vim://buffer/current", *before)
        if not before:  # another network has the editor's port
            assert re.search(
                r"^ok +port: \d+ of .* answers\n(?:.*\n)*no errors", newcomer.vim_mcp("doctor"), re.MULTILINE
            )
        terminal.type(":help vim-mcp\r")
        terminal.wait_screen("Assistants that speak MCP", "vim-mcp.txt")
        terminal.type(":qa!\r")  # else the next run meets a swap file
        terminal.wait()
    finally:
        newcomer.vim_mcp("stop", *before)
        terminal.close()
    assert seconds < LIMIT


@pytest.mark.slow
@pytest.mark.requirement("INSTALL-10")
def test_what_the_commands_say(newcomer: Newcomer) -> None:
    assert newcomer.told.count("done ") == 2
    assert "Next: start Vim or Neovim anew." in newcomer.told
    assert "no errors" in newcomer.vim_mcp("doctor")
