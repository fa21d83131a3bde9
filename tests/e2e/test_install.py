"""`vim-mcp install` and the real CLI: registered as a plugin, or as a server with a CLI that knows no plugins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.claude import KEY
from vim_mcp.install.claude import PLUGIN

pytestmark = pytest.mark.slow
_QUIET = ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_TELEMETRY", "DISABLE_ERROR_REPORTING")


class Machine:
    """A home directory with a `claude` on its PATH, which calls the real one behind `guard` (a line of a shell)."""

    def __init__(self, directory: Path, binary: Path, guard: str = ""):
        self.home = directory / "home"
        self.home.mkdir()
        script = directory / "bin" / "claude"
        script.parent.mkdir()
        script.write_text(f'#!/bin/sh\n{guard}\nexec {binary} "$@"\n')
        script.chmod(0o755)
        path = f"{script.parent}:/usr/bin:/bin"
        self._env = {"HOME": str(self.home), "PATH": path, "ANTHROPIC_API_KEY": KEY, **dict.fromkeys(_QUIET, "1")}
        self._claude = str(script)

    def vim_mcp(self, *arguments: str) -> str:
        """What `vim-mcp` prints; it must succeed."""
        return self._run(sys.executable, "-P", "-m", "vim_mcp", *arguments)

    def claude(self, *arguments: str) -> str:
        """What the CLI prints; it must succeed."""
        return self._run(self._claude, *arguments)

    def _run(self, *command: str) -> str:
        done = subprocess.run(command, env=self._env, cwd=self.home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def plugin(self) -> dict[str, object] | None:
        """Our plugin, as the CLI lists it."""
        plugins = json.loads(self.claude("plugin", "list", "--json"))
        return next((plugin for plugin in plugins if plugin["id"] == PLUGIN), None)

    def servers(self) -> dict[str, dict[str, object]]:
        """The user's MCP servers."""
        return dict(json.loads((self.home / ".claude.json").read_text()).get("mcpServers", {}))


@pytest.mark.requirement("INSTALL-07")
def test_the_cli_has_the_plugin_until_it_is_uninstalled(tmp_path: Path, cli: Path) -> None:
    machine = Machine(tmp_path, cli)
    command = str(Path(sys.executable).with_name("vim-mcp"))
    machine.claude("mcp", "add", "--scope", "user", "vim-mcp", "--", command)
    assert "done      Claude Code" in machine.vim_mcp("install")
    plugin = machine.plugin()
    assert plugin is not None
    assert plugin["enabled"] is True
    assert f"VIM_MCP_COMMAND={command};" in (Path(str(plugin["installPath"])) / "start.sh").read_text()
    assert machine.servers() == {}, "every tool would be there twice"
    assert "as is     Claude Code: the plugin is registered" in machine.vim_mcp("install")
    assert "done      Claude Code" in machine.vim_mcp("uninstall")
    assert machine.plugin() is None
    assert "vim-mcp" not in machine.claude("plugin", "marketplace", "list")
    assert not (machine.home / ".local" / "share" / "vim-mcp").exists()


@pytest.mark.requirement("INSTALL-07")
def test_a_cli_without_plugins_gets_the_server(tmp_path: Path, cli: Path) -> None:
    machine = Machine(tmp_path, cli, 'test "$1" != plugin || { echo "unknown command" >&2; exit 1; }')
    assert "done      Claude Code" in machine.vim_mcp("install")
    assert machine.servers()["vim-mcp"]["command"] == str(Path(sys.executable).with_name("vim-mcp"))
    assert "as is     Claude Code: the server is registered" in machine.vim_mcp("install")
    assert "done      Claude Code" in machine.vim_mcp("uninstall")
    assert machine.servers() == {}
