""":VimMCPInstall: a plugin that came alone finds out what is missing, and brings it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import ROOT, EditorHome, Terminal, find, start_editor
from tests.support.inside import Inside
from tests.support.waiting import wait_until
from tests.support.wheel import build, house, repository
from vim_mcp import __version__

OFFER = "Python part missing: run :VimMCPInstall"
FAULT = ":VimMCPInstall tries again"
Launch = Callable[..., Terminal]


@pytest.fixture
def checkout(tmp_path: Path, home: EditorHome) -> Path:
    """The plugin as a plugin manager brings it, without a Python part, on the editors' runtime path."""
    path = tmp_path / "plugged" / "vim-mcp"
    for part in ("plugin", "autoload", "lua", "doc"):
        shutil.copytree(ROOT / part, path / part, ignore=shutil.ignore_patterns("tags"))
    home.vimrc.write_text(home.vimrc.read_text().replace(str(ROOT), str(path)))
    return path


@pytest.fixture
def alone(kind: str, home: EditorHome, checkout: Path) -> Iterator[Launch]:
    """Starts editors of this kind in which no `vim-mcp` is on PATH, and no network is asked by pip."""
    running: list[Terminal] = []

    def start(*arguments: str, **env: Any) -> Terminal:
        own = {"PATH": "/usr/bin:/bin", "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, **env}
        running.append(start_editor(kind, home, arguments, **own))
        return running[-1]

    yield start
    for terminal in running:
        terminal.close()


@pytest.mark.requirement("INSTALL-08")
def test_what_is_missing_is_said_once(home: EditorHome, alone: Launch, inside: Inside) -> None:
    home.add("let g:vim_mcp_reconnect_interval = 100")
    terminal = alone("one.txt")
    shown = terminal.wait_screen(f"vim-mcp: {OFFER}")
    assert "Press ENTER" not in shown
    terminal.type(":set ruler showcmd laststatus=0 | redraw! | echo 'settled'\r")
    terminal.wait_screen("settled")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen(f"vim-mcp: {OFFER}")
    terminal.type(":messages clear | echo 'cleared'\r")
    terminal.wait_screen("cleared")
    wait_until(lambda: inside.value(terminal, "vim_mcp#link#info().tries") >= 6, "more tries")
    assert OFFER not in inside.value(terminal, "execute('messages')")


@pytest.mark.requirement("INSTALL-08")
def test_without_a_python_it_says_which_is_needed(tmp_path: Path, alone: Launch) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("sh", "env"):
        (tmp_path / "bin" / name).symlink_to(f"/bin/{name}")
    terminal = alone("one.txt", PATH=str(tmp_path / "bin"))
    terminal.wait_screen(OFFER)
    terminal.type(":VimMCPInstall\r")
    terminal.wait_screen("no Python 3.11 or newer with its venv module", "Install Python 3.11 or newer", FAULT)
    terminal.type(":VimMCPDoctor\r")
    terminal.wait_screen(f"program: {OFFER}", "connection: waiting")
    assert not (tmp_path / "home" / ".data" / "vim-mcp").exists()


@pytest.mark.requirement("INSTALL-11")
@pytest.mark.parametrize("missing", ["an old one", "one without ensurepip"])
def test_a_python_that_will_not_do_is_none(missing: str, tmp_path: Path, alone: Launch) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "env", "dirname", "mkdir"):
        (programs / name).symlink_to(f"/bin/{name}")
    python = (
        f'#!/bin/sh\nexec {sys.executable} -c \'import sys; sys.modules["ensurepip"] = None; exec(sys.argv[2])\' "$@"\n'
    )
    (programs / "python3").write_text("#!/bin/sh\nexit 1\n" if missing == "an old one" else python)
    (programs / "python3").chmod(0o755)
    terminal = alone("one.txt", PATH=str(programs))
    terminal.wait_screen(OFFER)
    terminal.type(":VimMCPInstall\r")
    terminal.wait_screen("vim-mcp: not installed: no Python 3.11 with venv", "(Debian: python3-venv)", FAULT)


@pytest.mark.slow
@pytest.mark.requirement("INSTALL-11")
def test_a_pip_without_a_network_is_told_from_one_that_finds_nothing(
    alone: Launch, tmp_path: Path, home: EditorHome
) -> None:
    env = {"PATH": f"{_python(tmp_path)}:/usr/bin:/bin", "PIP_RETRIES": "1", "PIP_TIMEOUT": "1"}
    terminal = alone("one.txt", **env, PIP_NO_INDEX="", PIP_INDEX_URL="http://127.0.0.1:9/simple")
    terminal.wait_screen(OFFER)
    terminal.type(":VimMCPInstall\r")
    terminal.wait_screen("vim-mcp: not installed: pip has no network", ":help vim-mcp-offline", FAULT, timeout=120)
    terminal = alone("two.txt", **env)
    terminal.wait_screen(OFFER)
    terminal.type(":VimMCPInstall\r")
    terminal.wait_screen("vim-mcp: not installed: pip finds not all it needs", ":help vim-mcp-offline", FAULT)


@pytest.mark.slow
@pytest.mark.requirement("INSTALL-11")
@pytest.mark.parametrize(
    ("mount", "told"),
    [
        ("mount --bind {0} {0} && mount -o remount,ro,bind {0}", "a place is not writable"),
        ("mount -t tmpfs -o size=8m none {0}", "the disk is full"),
    ],
)
def test_a_place_that_takes_nothing_is_told(
    mount: str, told: str, kind: str, home: EditorHome, checkout: Path, tmp_path: Path
) -> None:
    """A virtual environment that has no room says itself only that one of its steps has failed."""
    data = home.home / ".data" / "vim-mcp"
    data.mkdir()
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")
    editor = shlex.join([str(find(kind)), "-u", str(home.vimrc), "-i", "NONE", "one.txt"])
    script = f"{mount.format(shlex.quote(str(data)))} && exec {editor}"
    env = home.environment(PATH=f"{_python(tmp_path)}:/usr/bin:/bin", PIP_NO_INDEX="1")
    terminal = Terminal(["unshare", "-rm", "sh", "-c", script], env, home.home)
    try:
        terminal.wait_screen(OFFER)
        terminal.type(":VimMCPInstall\r")
        terminal.wait_screen(f"vim-mcp: not installed: {told}", "~/.data/vim-mcp/venv", FAULT, timeout=120)
    finally:
        terminal.close()


@pytest.mark.requirement("INSTALL-08")
def test_what_is_there_is_kept(tmp_path: Path, alone: Launch, home: EditorHome) -> None:
    home.add("let g:vim_mcp_enabled = 0", "let g:vim_mcp_command = ['true']")
    terminal = alone("one.txt")
    terminal.wait_screen("one.txt")
    terminal.type(":VimMCPInstall\r")
    terminal.wait_screen("vim-mcp: is there; :VimMCPInstall! adds its own")
    terminal.type(":VimMCPInstall! /nowhere/at-all.whl\r")
    terminal.wait_screen("vim-mcp: there is no /nowhere/at-all.whl")


@pytest.mark.requirement("INSTALL-01")
def test_a_copy_knows_its_command(
    alone: Launch, checkout: Path, inside: Inside, home: EditorHome, tmp_path: Path
) -> None:
    """One that is on no PATH, in a directory with a blank; and one that has gone is as none."""
    home.add("let g:vim_mcp_enabled = 0")
    program = tmp_path / "a b" / "vim-mcp"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (checkout / "vim-mcp-install.json").write_text(json.dumps({"version": "1", "command": [str(program)]}))
    terminal = alone("one.txt")
    terminal.wait_screen("one.txt")
    assert inside.value(terminal, "vim_mcp#hub#command()") == [str(program)]
    assert inside.value(terminal, "vim_mcp#hub#typed()") == f"'{program}'", "as a shell reads it"
    program.unlink()
    assert inside.value(terminal, "vim_mcp#hub#command()") == []


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The package's wheel, and a directory with those of all that it needs."""
    directory = tmp_path_factory.mktemp("wheels")
    (directory / "dist").mkdir()
    return build(directory / "dist"), house(directory / "house", "hatchling", "editables")


@pytest.mark.slow
@pytest.mark.requirement("INSTALL-09")
def test_it_is_installed_beside_the_users_work(
    alone: Launch, home: EditorHome, wheels: tuple[Path, Path], tmp_path: Path, inside: Inside
) -> None:
    """From a wheel, offline, into an environment whose Python has gone; then this editor and the next one connect."""
    wheel, needed = wheels
    environment = home.home / ".data" / "vim-mcp" / "venv"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to("/nowhere/python")
    (environment / "bin" / "vim-mcp").write_text("#!/nowhere/python\n")
    (environment / "bin" / "vim-mcp").chmod(0o755)
    env = _with_python(tmp_path, needed)
    terminal = alone("one.txt", **env)
    try:
        terminal.wait_screen(OFFER)
        terminal.type(f":VimMCPInstall {wheel}\r")
        terminal.wait_screen("making ")
        terminal.type("itext\x1b")
        terminal.wait_screen("`q` in this window closes it", timeout=300)
        assert inside.value(terminal, "[getline(1), vim_mcp#link#info().state]") == ["text", "connected"]
        assert str(environment) in "".join(inside.value(terminal, "vim_mcp#hub#command()"))
        alone("two.txt", **env)
        wait_until(lambda: len(_editors(environment, home)) == 2, "the second editor in the hub's status")
        terminal.type(":VimMCPDoctor\r")
        terminal.wait_screen(f"program: version {__version__}", "connection: connected as one-")
    finally:
        if os.path.exists(environment / "bin" / "python"):
            _run(environment, home, "stop")


@pytest.mark.slow
@pytest.mark.requirement("INSTALL-09")
@pytest.mark.parametrize("kind", ["vim", "nvim"], indirect=True)
def test_a_plugin_managers_clone_is_installed_in_place(
    alone: Launch, home: EditorHome, checkout: Path, wheels: tuple[Path, Path], tmp_path: Path, inside: Inside
) -> None:
    """So that the manager's next update brings both halves."""
    shutil.rmtree(checkout)
    repository(checkout)
    environment = home.home / ".data" / "vim-mcp" / "venv"
    terminal = alone("one.txt", **_with_python(tmp_path, wheels[1]))
    try:
        terminal.wait_screen(OFFER)
        terminal.type(":VimMCPInstall\r")
        terminal.wait_screen("`q` in this window closes it", timeout=300)
        assert inside.value(terminal, "vim_mcp#link#info().state") == "connected"
        where = "import vim_mcp; print(vim_mcp.__file__)"
        python = [str(environment / "bin" / "python"), "-P", "-c", where]
        told = subprocess.run(python, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        assert told.strip() == str(checkout / "src" / "vim_mcp" / "__init__.py")
        terminal.type(":help vim-mcp\r")  # no plugin manager has made its tags
        terminal.wait_screen("Assistants that speak MCP")
    finally:
        if os.path.exists(environment / "bin" / "vim-mcp"):
            _run(environment, home, "stop")


def _python(directory: Path) -> Path:
    """A directory of programs with this Python."""
    (directory / "bin").mkdir()
    (directory / "bin" / "python3").symlink_to(os.path.realpath(sys.executable))
    return directory / "bin"


def _with_python(directory: Path, wheels: Path) -> dict[str, str]:
    """An environment with a Python for which there are wheels."""
    return {"PATH": f"{_python(directory)}:/usr/bin:/bin", "PIP_FIND_LINKS": str(wheels)}


def _run(environment: Path, home: EditorHome, *arguments: str) -> str:
    """Run the `vim-mcp` that was installed."""
    command = [str(environment / "bin" / "vim-mcp"), *arguments]
    return subprocess.run(command, env=home.environment(), check=True, capture_output=True, text=True).stdout


def _editors(environment: Path, home: EditorHome) -> list[Any]:
    return list(json.loads(_run(environment, home, "status", "--json"))["instances"])
