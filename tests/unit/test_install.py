"""`vim-mcp install` and `uninstall`: what they make in a home directory, and what they leave alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import ROOT
from tests.support.wheel import build, unpack
from vim_mcp import __version__
from vim_mcp.install import claude, clients, plugin

VIM = Path(".vim/pack/vim-mcp/start/vim-mcp")
NEOVIM = Path(".local/share/nvim/site/pack/vim-mcp/start/vim-mcp")
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home directory with something in it that must stay."""
    home = tmp_path / "home"
    (home / ".config" / "nvim").mkdir(parents=True)
    (home / ".vimrc").write_text("set number\n")
    (home / ".config" / "nvim" / "init.lua").write_text("vim.o.number = true\n")
    return home


def _runner(home: Path, python: list[str], extra: dict[str, str]) -> Run:
    def run(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", **extra, **env}
        command = [*python, *arguments]
        return subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def clone(home: Path) -> Run:
    """Runs `vim-mcp` of this clone."""
    return _runner(home, [sys.executable, "-P", "-m", "vim_mcp"], {})


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    return build(tmp_path_factory.mktemp("dist"))


@pytest.fixture
def installed(home: Path, wheel: Path, tmp_path: Path) -> Run:
    """Runs `vim-mcp` as a wheel brings it."""
    return _runner(home, [sys.executable, "-P", "-m", "vim_mcp"], unpack(wheel, tmp_path / "site"))


def files(home: Path) -> dict[str, str]:
    """Every file and link below a home directory, with its content or target."""
    found = [path for path in home.rglob("*") if path.is_symlink() or path.is_file()]
    return {
        str(path.relative_to(home)): os.readlink(path) if path.is_symlink() else path.read_text("utf-8", "replace")
        for path in found
    }


def directories(home: Path) -> set[str]:
    """Every directory below a home directory."""
    return {str(path.relative_to(home)) for path in home.rglob("*") if path.is_dir() and not path.is_symlink()}


@pytest.mark.requirement("INSTALL-01")
def test_a_clone_is_linked_and_nothing_else_is_touched(clone: Run, home: Path) -> None:
    before = files(home)
    done = clone("install", "--no-claude")
    assert (done.returncode, done.stderr) == (0, "")
    assert files(home) == {**before, str(VIM): str(ROOT), str(NEOVIM): str(ROOT)}
    assert "vim-mcp.txt\t/*:VimMCPStatus*\n" in (home / VIM / "doc" / "tags").read_text()


@pytest.mark.requirement("INSTALL-01")
def test_a_wheel_is_copied_with_the_command_it_belongs_to(installed: Run, home: Path) -> None:
    assert installed("install", "--no-claude").returncode == 0
    for place in (VIM, NEOVIM):
        for part in ("plugin/vim_mcp.vim", "autoload/vim_mcp.vim", "lua/vim_mcp/link.lua", "doc/vim-mcp.txt"):
            assert (home / place / part).read_bytes() == (ROOT / part).read_bytes()
        told = json.loads((home / place / "vim-mcp-install.json").read_text())
        assert told["version"] == __version__
        assert told["command"] == [str(Path(sys.executable).with_name("vim-mcp"))]
        assert "\n:VimMCPStatus\tvim-mcp.txt\t" in (home / place / "doc" / "tags").read_text()


@pytest.mark.requirement("INSTALL-02")
@pytest.mark.parametrize("kind", ["clone", "installed"])
def test_a_second_time_changes_nothing(kind: str, home: Path, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(kind)
    assert run("install", "--no-claude").stdout.count("done ") == 2
    placed = {path: (home / path).lstat().st_ino for path in (VIM, NEOVIM)}
    again = run("install", "--no-claude")
    assert again.stdout.count("as is ") == 2
    assert {path: (home / path).lstat().st_ino for path in (VIM, NEOVIM)} == placed


@pytest.mark.requirement("INSTALL-02")
def test_an_older_copy_is_replaced_whole(installed: Run, home: Path) -> None:
    installed("install", "--no-claude")
    (home / VIM / "autoload" / "vim_mcp" / "gone.vim").touch()
    (home / VIM / "vim-mcp-install.json").write_text('{"version": "0.0.1"}')
    assert installed("install", "--no-claude").stdout.count("done ") == 1
    assert not (home / VIM / "autoload" / "vim_mcp" / "gone.vim").exists()
    assert json.loads((home / VIM / "vim-mcp-install.json").read_text())["version"] == __version__


@pytest.mark.requirement("INSTALL-03")
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_dry_run_says_what_would_be_and_does_nothing(clone: Run, home: Path, command: str) -> None:
    if command == "uninstall":
        clone("install", "--no-claude")
    before = files(home)
    done = clone(command, "--dry-run")
    assert done.stdout.count("to do ") == 2
    assert f"~/{VIM}" in done.stdout
    assert "Next: start" not in done.stdout
    assert files(home) == before


@pytest.mark.requirement("INSTALL-04")
@pytest.mark.parametrize("kind", ["clone", "installed"])
def test_uninstalling_leaves_the_home_as_it_was(kind: str, home: Path, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(kind)
    before = files(home)
    run("install", "--no-claude")
    done = run("uninstall")
    assert (done.returncode, done.stdout.count("done ")) == (0, 2)
    assert files(home) == before
    assert run("uninstall").stdout.count("nothing to remove") == 3


@pytest.mark.requirement("INSTALL-04")
@pytest.mark.parametrize("kind", ["clone", "installed"])
def test_uninstalling_leaves_no_directory_behind_but_those_of_others(
    kind: str, home: Path, request: pytest.FixtureRequest
) -> None:
    """Not even empty ones; a package of the person's own stays, empty or not, and so does what a link leads to."""
    run: Run = request.getfixturevalue(kind)
    (home / ".local" / "share").mkdir(parents=True)
    before = directories(home)
    run("install", "--no-claude")
    run("uninstall")
    assert directories(home) == before
    for own in (".vim/pack/mine/opt", ".local/share/nvim/site/pack/vim-mcp/opt"):
        (home / own).mkdir(parents=True)
    before = directories(home)
    run("install", "--no-claude")
    run("uninstall")
    assert directories(home) == before
    (home / ".vim" / "pack" / "mine" / "opt").rmdir()
    (home / ".vim" / "pack" / "mine").rename(home / "dotfiles")
    (home / ".vim" / "pack").rmdir()
    (home / ".vim" / "pack").symlink_to(home / "dotfiles")
    run("install", "--no-claude")
    run("uninstall")
    assert (home / ".vim" / "pack").readlink() == home / "dotfiles"
    assert list((home / "dotfiles").iterdir()) == []


@pytest.mark.requirement("INSTALL-04")
def test_uninstalling_names_the_link_by_which_a_shell_finds_the_program(clone: Run, home: Path) -> None:
    assert clone("uninstall").stdout.endswith(f": remove the clone, {ROOT}\n")
    (home / ".local" / "bin").mkdir(parents=True)
    (home / ".local" / "bin" / "vim-mcp").symlink_to(Path(sys.executable).with_name("vim-mcp"))
    found = clone("uninstall", PATH=f"{home / '.local' / 'bin'}:/usr/bin:/bin").stdout
    assert found.endswith(f": remove the clone, {ROOT}, and the link ~/.local/bin/vim-mcp\n")


@pytest.mark.requirement("INSTALL-05")
def test_what_the_system_refuses_is_told_and_the_rest_done(clone: Run, home: Path) -> None:
    (home / ".vim").write_text("no directory\n")
    done = clone("install", "--no-claude")
    assert done.returncode == 1
    told = (
        f"not done  {home}/.vim/pack/vim-mcp/start: {os.strerror(errno.ENOTDIR)}. Put that right, and run this again\n"
    )
    assert done.stderr == told
    assert (home / NEOVIM).is_symlink()
    assert (home / ".vim").read_text() == "no directory\n"


@pytest.mark.requirement("INSTALL-05")
@pytest.mark.parametrize("kind", ["clone", "installed"])
def test_what_is_not_ours_stays(kind: str, home: Path, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(kind)
    (home / VIM / "plugin").mkdir(parents=True)
    (home / VIM / "plugin" / "vim_mcp.vim").write_text("the user's own\n")
    (home / NEOVIM).parent.mkdir(parents=True)
    (home / NEOVIM).symlink_to(home / ".config")
    before = files(home)
    done = run("install", "--no-claude")
    assert done.returncode == 1
    assert [f"mv ~/{place} ~/{place}.old" in done.stderr for place in (VIM, NEOVIM)] == [True, True]
    assert files(home) == before
    run("uninstall")
    assert files(home) == before


@pytest.mark.requirement("INSTALL-05")
def test_a_link_to_another_clone_gives_way(clone: Run, home: Path) -> None:
    (home / "old" / "plugin").mkdir(parents=True)
    (home / "old" / "plugin" / "vim_mcp.vim").touch()
    (home / VIM).parent.mkdir(parents=True)
    (home / VIM).symlink_to(home / "old")
    clone("install", "--no-claude")
    assert (home / VIM).resolve() == ROOT
    assert (home / "old" / "plugin" / "vim_mcp.vim").exists()


@pytest.mark.requirement("INSTALL-05")
@pytest.mark.parametrize(
    "manager",
    [f".vim/{place}/vim-mcp" for place in ("plugged", "pack/mine/start", "pack/minpac/opt")]
    + [f"{NEOVIM.parents[2]}/{manager}/opt/vim-mcp" for manager in ("core", "deps", "packer")],
)
def test_a_plugin_managers_copy_is_enough(clone: Run, home: Path, manager: str) -> None:
    (home / manager / "plugin").mkdir(parents=True)
    (home / manager / "plugin" / "vim_mcp.vim").touch()
    program, name, place = ("vim", "Vim", VIM) if manager.startswith(".vim") else ("nvim", "Neovim", NEOVIM)
    done = clone("install", "--no-claude", "--editor", program)
    assert f"as is     {name}: the plugin is at ~/{manager}" in done.stdout
    assert not (home / place).exists()


@pytest.mark.requirement("INSTALL-01")
@pytest.mark.parametrize(
    ("version", "more", "looks"),
    [
        ("9.1 (2024 Jan 02)\nIncluded patches: 1-327", {}, True),
        ("9.2 (2026 Feb 14)\nIncluded patches: 1-12", {}, True),
        ("9.1 (2024 Jan 02)\nmacOS version\nIncluded patches: 1-326, 400", {}, False),
        ("9.0 (2022 Jun 28)\nIncluded patches: 1-1378, 2142", {}, False),
        ("9.0 (2022 Jun 28)\nIncluded patches: 1-1378", {"VIMINIT": "source $XDG_CONFIG_HOME/vim/vimrc"}, True),
    ],
)
def test_the_editors_own_directories_are_followed(
    clone: Run, home: Path, tmp_path: Path, version: str, more: dict[str, str], looks: bool
) -> None:
    """Those of Vim for XDG_CONFIG_HOME where this Vim knows them."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "vim").write_text(f"#!/bin/sh\necho 'VIM - Vi IMproved {version}'\n")
    (tmp_path / "bin" / "vim").chmod(0o755)
    (home / ".vimrc").rename(tmp_path / "vimrc")
    (tmp_path / "config" / "vim").mkdir(parents=True)
    (tmp_path / "config" / "vim" / "vimrc").touch()
    (tmp_path / "data" / "mine" / "lazy" / "lazy.nvim").mkdir(parents=True)
    xdg = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "XDG_DATA_HOME": str(tmp_path / "data"), **more}
    path = f"{tmp_path / 'bin'}:/usr/bin:/bin"
    done = clone("install", "--no-claude", **xdg, PATH=path, NVIM_APPNAME="mine")
    neovims = tmp_path / "data" / "mine" / "site" / "pack" / "vim-mcp" / "start" / "vim-mcp"
    vims = tmp_path / "config" / "vim" / "pack" / "vim-mcp" / "start" / "vim-mcp" if looks else home / VIM
    assert vims.resolve() == ROOT
    assert neovims.resolve() == ROOT
    assert f"{{ dir = '{neovims}' }}" in done.stdout


@pytest.mark.requirement("INSTALL-01")
def test_one_editor_alone(clone: Run, home: Path) -> None:
    clone("install", "--no-claude", "--editor", "nvim")
    assert [(home / place).exists() for place in (VIM, NEOVIM)] == [False, True]
    assert clone("install", "--editor", "emacs").returncode == 2


@pytest.mark.requirement("INSTALL-06")
def test_paths_are_written_as_a_shell_and_a_client_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with a blank, and with a letter that JSON and TOML would escape differently."""
    home = tmp_path / "my home \U0001f600"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(clients, "command", lambda: str(home / "bin" / "vim-mcp"))
    codex = tomllib.loads("\n".join(list(clients.snippets())[-2:]))
    assert codex["mcp_servers"]["vim-mcp"]["command"] == str(home / "bin" / "vim-mcp")
    for path in (home / "a b" / "vim-mcp", home / "vim-mcp", tmp_path / "it's" / "vim-mcp"):
        script = f"printf %s {plugin.typed(path)}"
        env = {"HOME": str(home), "LC_ALL": "C.UTF-8"}
        assert subprocess.run(["sh", "-c", script], env=env, capture_output=True, text=True).stdout == str(path)
    assert plugin.typed(home / "vim-mcp") == "~/vim-mcp"


@pytest.mark.requirement("INSTALL-06")
def test_what_other_clients_read_names_the_command(clone: Run) -> None:
    lines = clone("install", "--dry-run", "--no-claude").stdout.splitlines()
    objects = [json.loads(line) for line in lines if line.startswith("    {")]
    servers = {key: value["vim-mcp"]["command"] for entry in objects for key, value in entry.items()}
    start = lines.index("    [mcp_servers.vim-mcp]")
    codex = tomllib.loads("\n".join(lines[start : start + 2]))["mcp_servers"]["vim-mcp"]["command"]
    command = str(Path(sys.executable).with_name("vim-mcp"))
    assert {*servers.values(), codex} == {command}
    assert set(servers) == {"mcpServers", "servers", "context_servers"}
    assert os.access(command, os.X_OK)
    text = "\n".join(lines)
    for client in ("Claude Desktop", "Cursor", "Gemini CLI", "VS Code", "Zed", "Codex"):
        assert client in text


@pytest.mark.requirement("INSTALL-07")
def test_without_claude_code_it_says_so(clone: Run) -> None:
    done = clone("install")
    assert done.returncode == 0
    assert "as is     Claude Code: no `claude` command is on your PATH" in done.stdout
    own = str(Path(sys.executable).with_name("vim-mcp"))
    assert f"again: {own} install\n" in done.stdout, "this one is not on PATH"
    assert f"\n  {own} doctor\n" in done.stdout


@pytest.mark.requirement("INSTALL-07")
def test_claudes_plugin_runs_this_program_wherever_it_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the shell that Claude Code runs it with; the variable by which :ClaudeCode names another still counts."""
    program = tmp_path / "it's a b" / "vim-mcp"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "here $*"\n')
    program.chmod(0o755)
    monkeypatch.setattr(claude, "command", lambda: str(program))
    for name, text in claude.marketplace_files().items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (server,) = json.loads((tmp_path / "vim-mcp" / ".mcp.json").read_text())["mcpServers"].values()
    start = [argument.replace("${CLAUDE_PLUGIN_ROOT}", str(tmp_path / "vim-mcp")) for argument in server["args"]]
    hooks = json.loads((tmp_path / "vim-mcp" / "hooks" / "hooks.json").read_text())["hooks"]
    scripts = {hook["command"] for entries in hooks.values() for entry in entries for hook in entry["hooks"]}
    commands = [[server["command"], *start], *(["sh", "-c", script] for script in scripts)]
    told = [subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
            for command in commands]  # fmt: skip
    assert [done.stdout.strip() for done in told] == ["here", *["here hook"] * len(scripts)]
    env = {"PATH": "/usr/bin:/bin", "VIM_MCP_COMMAND": "echo there"}
    other = subprocess.run(commands[-1], env=env, capture_output=True, text=True, check=True)
    assert other.stdout.strip() == "there hook"
