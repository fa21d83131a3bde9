"""What Claude Code starts as the plugin's MCP server: which program that runs, and what it says without one."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.editors import ROOT, TIMEOUT

PLUGIN = ROOT / "src" / "vim_mcp" / "claude_plugin"
PLACES = {
    "clone": ("src/vim_mcp/claude_plugin", ".venv/bin/vim-mcp"),
    "environment": ("lib/python3.11/site-packages/vim_mcp/claude_plugin", "bin/vim-mcp"),
}
"""Where the plugin lies, and where the program does then."""


def start(plugin: Path, line: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Run the server's command as Claude Code does, with this line on stdin and no vim-mcp on PATH."""
    server = json.loads((plugin / ".mcp.json").read_text())["mcpServers"]["vim-mcp"]
    argv = [server["command"], *(word.replace("${CLAUDE_PLUGIN_ROOT}", str(plugin)) for word in server["args"])]
    env = {"PATH": "/usr/bin:/bin", **env}
    return subprocess.run(argv, env=env, input=line, capture_output=True, text=True, timeout=TIMEOUT, check=False)


@pytest.mark.requirement("TERM-05")
@pytest.mark.parametrize("place", PLACES)
def test_without_one_on_path_its_own_is_run(tmp_path: Path, place: str) -> None:
    directory, program = (tmp_path / "a b" / part for part in PLACES[place])
    shutil.copytree(PLUGIN, directory)
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\necho its own\n")
    program.chmod(0o755)
    assert start(directory).stdout == "its own\n"
    assert start(directory, VIM_MCP_COMMAND="'echo' 'named'").stdout == "named\n"


@pytest.mark.requirement("TERM-05")
@pytest.mark.parametrize("command", ["", "'/no \"where\\/vim-mcp'"])
def test_without_any_the_request_is_answered_with_what_to_do(tmp_path: Path, command: str) -> None:
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin)
    request = {"method": "initialize", "params": {"clientInfo": {"name": "claude-code"}}, "jsonrpc": "2.0", "id": 7}
    done = start(plugin, json.dumps(request) + "\n", **({"VIM_MCP_COMMAND": command} if command else {}))
    answer = json.loads(done.stdout)
    assert (done.returncode, answer["id"], answer["error"]["code"]) == (127, 7, -32000)
    for told in (answer["error"]["message"], done.stderr):
        assert "put vim-mcp on PATH" in told
        assert "there is no program /no where/vim-mcp here" in told or not command
