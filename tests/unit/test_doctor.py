"""`vim-mcp doctor`: each line in order and out of order, with real files, sockets and programs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.answering import answering
from tests.support.editors import ROOT
from vim_mcp import __version__
from vim_mcp.doctor import checkers, claude, hub, ide, program
from vim_mcp.doctor.finding import Finding
from vim_mcp.install import claude as registration
from vim_mcp.install import install

OWN = Path(sys.executable).with_name("vim-mcp")
DEAD = 1 << 22  # above every process id that this system gives
Machine = Callable[[], None]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine of its own: a home, a runtime directory that is not there yet, and nothing on PATH."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith(("VIM_MCP_", "XDG_", "CLAUDE", "NVIM")):
            monkeypatch.delenv(name)
    (tmp_path / "bin").mkdir()
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(tmp_path / "run"))
    return home


def put_on_path(home: Path, name: str, script: str = "") -> Path:
    """A program in the only directory of PATH."""
    path = home.parent / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def look(findings: Iterator[Finding], subject: str) -> Finding:
    """The one finding about `subject`; what is not in order says how it is mended."""
    all_of_them = list(findings)
    about = [finding for finding in all_of_them if finding.subject == subject]
    assert len(about) == 1, f"about {subject}: {about} of {all_of_them}"
    found = about[0]
    assert bool(found.fix) == (found.level != "ok")
    return found


# The program


@pytest.mark.requirement("DOCTOR-01")
def test_a_python_with_its_packages() -> None:
    found = look(program.findings(), "python")
    assert (found.level, "with all packages" in found.text) == ("ok", True)


@pytest.mark.requirement("DOCTOR-01")
@pytest.mark.parametrize("arguments", [["doctor", "--json"], ["doctor"]])
def test_a_python_without_its_packages_still_says_so(tmp_path: Path, arguments: list[str]) -> None:
    command = [sys.executable, "-S", "-P", "-m", "vim_mcp", *arguments]  # -S: without what is installed
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    if "--json" not in arguments:
        assert "error    python:" in done.stdout
        assert "-m pip install --editable" in done.stdout
        return
    (found,) = [Finding(**entry) for entry in json.loads(done.stdout)["findings"] if entry["subject"] == "python"]
    assert (found.level, "lacks a package: anyio" in found.text) == ("error", True)
    assert found.fix == f"{sys.executable} -m pip install --editable {ROOT}"


@pytest.mark.requirement("DOCTOR-01")
def test_the_command_on_path(home: Path) -> None:
    absent = look(program.findings(), "command")
    assert absent.level == "warning"
    assert absent.fix.endswith(", with ~/.local/bin on PATH")
    subprocess.run(["/bin/sh", "-c", absent.fix.partition(", ")[0]], env={"HOME": str(home)}, check=True)
    assert (home / ".local" / "bin" / "vim-mcp").resolve() == OWN.resolve()
    other = put_on_path(home, "vim-mcp")
    assert look(program.findings(), "command").fix == f"rm {other}"
    other.unlink()
    other.symlink_to(OWN)
    assert look(program.findings(), "command").level == "ok"


@pytest.mark.requirement("DOCTOR-01")
def test_editors_on_path_and_the_plugin_in_them(home: Path) -> None:
    assert look(program.findings(), "editors").level == "warning"
    put_on_path(home, "vim")
    put_on_path(home, "nvim")
    for editor in ("Vim", "Neovim"):
        missing = look(program.findings(), f"plugin for {editor}")
        assert (missing.level, missing.fix) == ("warning", f"{OWN} install")
    install(with_claude=False)
    for editor in ("Vim", "Neovim"):
        assert look(program.findings(), f"plugin for {editor}").level == "ok"


@pytest.mark.requirement("DOCTOR-01")
def test_a_plugin_of_another_version(home: Path) -> None:
    put_on_path(home, "vim")
    place = home / ".vim" / "pack" / "vim-mcp" / "start" / "vim-mcp"
    (place / "plugin").mkdir(parents=True)
    (place / "plugin" / "vim_mcp.vim").touch()
    (place / "vim-mcp-install.json").write_text('{"version": "0.0.1"}')
    found = look(program.findings(), "plugin for Vim")
    assert (found.level, "0.0.1" in found.text) == ("warning", True)
    (place / "vim-mcp-install.json").write_text(json.dumps({"version": __version__}))
    assert look(program.findings(), "plugin for Vim").level == "ok"


@pytest.mark.requirement("DOCTOR-01")
def test_jupyter(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look(program.findings(), "jupyter").level == "ok"
    monkeypatch.setattr(sys, "path", [])  # where nothing is installed
    monkeypatch.setattr(sys, "meta_path", [finder for finder in sys.meta_path if "Path" in str(finder)])
    for name in [name for name in sys.modules if name.partition(".")[0] in ("jupyter_client", "ipykernel")]:
        monkeypatch.delitem(sys.modules, name)
    found = look(program.findings(), "jupyter")
    assert (found.level, found.fix) == ("warning", f"{sys.executable} -m pip install jupyter_client ipykernel")


@pytest.mark.skipif(sys.platform != "linux", reason="one is for Linux alone")
@pytest.mark.requirement("DOCTOR-01")
def test_all_packages_are_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {entry.partition(">")[0].replace("-", "_") for entry in project["dependencies"]}
    assert declared == set(program.PACKAGES)


# The hub


def hub_finding(subject: str) -> Finding:
    """What is found about the hub's `subject`."""
    return look(hub.findings(hub.State()), subject)


@pytest.mark.requirement("DOCTOR-01")
def test_the_runtime_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    assert "is made when a hub starts" in hub_finding("runtime directory").text
    run.mkdir(mode=0o700)
    assert hub_finding("runtime directory").level == "ok"
    run.chmod(0o755)
    assert (hub_finding("runtime directory").level, hub_finding("runtime directory").fix) == (
        "error",
        f"chmod 700 '{run}'",
    )
    run.rmdir()
    run.symlink_to(tmp_path / "home")
    assert hub_finding("runtime directory").fix == f"rm '{run}'"
    run.unlink()
    run.touch()
    assert hub_finding("runtime directory").fix == f"mv '{run}' '{run}.old'"
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", f"{run}/below/a/file")
    found = hub_finding("runtime directory")
    assert (found.level, found.fix) == ("error", "export VIM_MCP_RUNTIME_DIR=~/.vim-mcp")


@pytest.mark.requirement("DOCTOR-01")
def test_a_bad_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", "here")
    found = hub_finding("settings")
    assert (found.level, "is not an absolute path" in found.text) == ("error", True)


@pytest.fixture
def listening(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """Something that listens on the hub's socket and answers with this object; with {} it hangs up."""
    answer: dict[str, Any] = {"state": "CONNECTED", "version": __version__, "pid": 7, "instances": []}
    with answering(tmp_path / "run", lambda: json.dumps(answer).encode() + b"\n" if answer else b""):
        yield answer


@pytest.mark.requirement("DOCTOR-01")
def test_the_socket(listening: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "run" / "vim-mcp-server.sock"
    assert hub_finding("socket").level == "ok"
    path.chmod(0o666)
    assert (hub_finding("socket").level, hub_finding("socket").fix) == ("error", f"chmod 600 '{path}'")
    path.unlink()
    path.touch(mode=0o600)
    assert (hub_finding("socket").level, hub_finding("socket").fix) == ("error", f"mv '{path}' '{path}.old'")


@pytest.mark.requirement("DOCTOR-01")
def test_no_hub_and_a_killed_one(tmp_path: Path) -> None:
    assert hub_finding("hub").text.startswith("none runs")
    (tmp_path / "run").mkdir(mode=0o700)
    left_behind = socket.socket(socket.AF_UNIX)
    left_behind.bind(str(tmp_path / "run" / "vim-mcp-server.sock"))
    left_behind.close()
    found = hub_finding("hub")
    assert (found.level, found.fix) == ("warning", f"{OWN} hub --background")


@pytest.mark.requirement("DOCTOR-01")
@pytest.mark.parametrize(("mode", "is_socket"), [(0o755, True), (0o700, False)])
def test_a_hub_that_cannot_start_is_not_said_to_be_killed(tmp_path: Path, mode: int, is_socket: bool) -> None:
    (tmp_path / "run").mkdir(mode=mode)
    place = tmp_path / "run" / "vim-mcp-server.sock"
    if is_socket:
        with socket.socket(socket.AF_UNIX) as left_behind:
            left_behind.bind(str(place))
    else:
        place.touch()
    found = hub_finding("hub")
    assert (found.level, found.text) == ("warning", "none runs, and none can start")
    assert found.fix == f"what stands above, then {OWN} hub --background"


@pytest.mark.requirement("DOCTOR-01")
def test_the_versions_of_hub_and_plugin(listening: dict[str, Any]) -> None:
    assert (hub_finding("hub").level, hub_finding("editors").level) == ("ok", "warning")
    editor = {"instance_id": "main-x-1", "editor": "vim", "version": "9.0", "cwd": "/x", "plugin_version": __version__}
    listening["instances"] = [editor]
    assert hub_finding("editor").level == "ok"
    editor["plugin_version"] = "0.0.1"
    assert (hub_finding("editor").level, "0.0.1" in hub_finding("editor").text) == ("warning", True)
    listening["version"] = "0.0.1"
    assert (hub_finding("hub").level, f"{OWN} stop" in hub_finding("hub").fix) == ("warning", True)


@pytest.mark.requirement("LOCK-12")
def test_an_editor_in_a_directory_whose_name_is_no_utf_8(listening: dict[str, Any], tmp_path: Path) -> None:
    """One that really has U+FFFD in its name is as good as any."""
    editor = {"instance_id": "main-x-1", "editor": "vim", "version": "9.0", "cwd": str(tmp_path / "caf\ufffd")}
    listening["instances"] = [editor]
    found = hub_finding("editor")
    assert (found.level, "not UTF-8" in found.text, bool(found.fix)) == ("warning", True, True)
    (tmp_path / "caf\ufffd").mkdir()
    assert hub_finding("editor").level == "ok"


@pytest.mark.requirement("DOCTOR-01")
def test_a_hub_with_a_fault_and_one_that_does_not_answer(listening: dict[str, Any]) -> None:
    listening["fault"] = "ValueError: x"
    assert [finding.level for finding in hub.findings(hub.State()) if finding.subject == "hub"] == ["ok", "error"]
    listening.clear()
    assert (hub_finding("hub").level, "answered nothing" in hub_finding("hub").text) == ("error", True)


@pytest.mark.requirement("DOCTOR-03")
def test_a_hub_that_does_not_know_of_language_servers(listening: dict[str, Any]) -> None:
    """One of an older version hangs up."""
    assert look(checkers.findings(hub.State()), "language servers").level == "ok"
    state = hub.State()
    listening["instances"] = [{"instance_id": "main-x-1"}]
    assert state.editors()
    listening.clear()
    found = look(checkers.findings(state), "language servers")
    assert (found.level, found.fix) == ("warning", ":VimMCPDoctor in the editor")


# How Claude Code finds the editors


@pytest.mark.requirement("DOCTOR-01")
def test_lock_files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = home / ".claude" / "ide"
    assert look(ide.findings(hub.State()), "lock files").level == "ok"
    directory.mkdir(parents=True, mode=0o700)
    (directory / "11111.lock").write_text(json.dumps({"pid": os.getpid()}))
    assert look(ide.findings(hub.State()), "lock files").text.startswith("1 of running editors")
    for content in (json.dumps({"pid": DEAD}), "{}", "no JSON"):
        (directory / "22222.lock").write_text(content)
        stale = look(ide.findings(hub.State()), "lock file")
        assert (stale.level, stale.fix) == ("warning", f"rm '{directory}/22222.lock'")
    (directory / "22222.lock").unlink()
    (directory / "11111.lock").unlink()
    with monkeypatch.context() as somebody_else:
        somebody_else.setattr("os.getuid", lambda: directory.stat().st_uid + 1)
        assert look(ide.findings(hub.State()), "lock files").fix == "export CLAUDE_CONFIG_DIR=~/.claude-own"
    directory.rmdir()
    directory.touch()
    assert look(ide.findings(hub.State()), "lock files").fix == f"mv '{directory}' '{directory}.old'"


@pytest.mark.requirement("DOCTOR-01")
def test_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert look(ide.findings(hub.State()), "proxy").level == "ok"
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "example.org")
    found = look(ide.findings(hub.State()), "proxy")
    value = "example.org,127.0.0.1,localhost"
    assert (found.level, found.fix) == ("warning", f"export no_proxy={value} NO_PROXY={value}")
    monkeypatch.setenv("no_proxy", value)
    assert look(ide.findings(hub.State()), "proxy").level == "ok"


@pytest.mark.requirement("DOCTOR-01")
def test_ports(listening: dict[str, Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        editor = {"instance_id": "main-x-1", "port": server.getsockname()[1]}
        listening["instances"] = [editor]
        assert look(ide.findings(hub.State()), "port").level == "ok"
    gone = look(ide.findings(hub.State()), "port")
    assert (gone.level, "cannot be reached" in gone.text) == ("error", True)
    editor.update(port=None, ide_fault="no lock can be written")
    assert look(ide.findings(hub.State()), "port").text == "main-x-1 has none: no lock can be written"


# Claude Code


@pytest.mark.requirement("DOCTOR-01")
def test_claudes_command(home: Path) -> None:
    assert look(claude.findings(), "claude").level == "warning"
    put_on_path(home, "claude", "echo 2.1.0 '(Claude Code)'")
    assert look(claude.findings(), "claude").text.startswith("2.1.0 (Claude Code) at ")


@pytest.mark.requirement("DOCTOR-01")
@pytest.mark.parametrize("by_npm", [True, False])
def test_a_claude_that_does_not_run_is_installed_as_it_was(home: Path, by_npm: bool) -> None:
    program = put_on_path(home, "claude", "echo no such module >&2; exit 3")
    if by_npm:
        package = home / "node_modules" / "claude"
        package.parent.mkdir()
        program.rename(package)
        program.symlink_to(package)
    broken = look(claude.findings(), "claude")
    assert (broken.level, broken.text) == ("error", f"{program} does not run: status 3: no such module")
    assert broken.fix.startswith("npm install --global " if by_npm else "curl -fsSL https://claude.ai/install.sh")


@pytest.mark.requirement("DOCTOR-02")
def test_a_claude_that_a_setting_names(home: Path) -> None:
    put_on_path(home, "claude", "exit 3")
    named = put_on_path(home, "other", "echo 2.1.0")
    assert look(claude.findings("other"), "claude").text == f"2.1.0 at {named}"
    put_on_path(home, "other", "exit 3")
    for name, text in (("other", f"{named} does not run: status 3"), ("/nowhere/x", "/nowhere/x cannot be run: ")):
        broken = look(claude.findings(name), "claude")
        assert (broken.level, broken.text.startswith(text)) == ("error", True)
        assert broken.fix == ":unlet g:vim_mcp_claude_command, or set it anew"


@pytest.mark.requirement("DOCTOR-01")
def test_claudes_tools(home: Path) -> None:
    put_on_path(home, "claude")
    subject = "claude's tools"
    assert look(claude.findings(), subject).fix == f"{OWN} install"
    (home / ".claude").mkdir()
    settings = home / ".claude" / "settings.json"
    settings.write_text(json.dumps({"enabledPlugins": {registration.PLUGIN: True}}))
    older = look(claude.findings(), subject)
    assert ("another version" in older.text, older.fix) == (True, f"{OWN} install")
    for name, text in registration.marketplace_files().items():
        file = home / ".local" / "share" / "vim-mcp" / "claude" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert look(claude.findings(), subject).text == "registered as a plugin"
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"vim-mcp": {"command": "/x/vim-mcp"}}}))
    assert look(claude.findings(), subject).fix == "claude mcp remove --scope user vim-mcp"
    settings.unlink()
    assert look(claude.findings(), subject).text == "registered as a server"
    (home / ".claude.json").unlink()
    settings.write_text(json.dumps({"enabledPlugins": {registration.PLUGIN: False}}))
    assert look(claude.findings(), subject).fix == f"claude plugin enable {registration.PLUGIN}"
