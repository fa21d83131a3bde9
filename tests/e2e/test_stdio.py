"""The real Claude CLI with `vim-mcp` as one of its MCP servers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.e2e.scene import CALC, HOOKS, Scene

SERVERS = {"mcpServers": {"vim-mcp": {"command": "vim-mcp"}}}


@pytest.mark.requirement("VIM-TEST-04")
def test_the_model_edits_what_the_editor_shows(scene: Scene) -> None:
    editor = scene.editor()
    claude = scene.claude("--mcp-config", json.dumps(SERVERS)).ready()
    result = claude.call("mcp__vim-mcp__vim_execute", {"command": "2s/a + b/sum/"})
    assert json.loads(result)["output"] == ""
    editor.wait_screen("    return sum")
    assert scene.calc.read_text() == CALC


@pytest.mark.requirement("TERM-05")
def test_a_server_that_cannot_be_started_says_what_to_do(scene: Scene, tmp_path: Path) -> None:
    """Where the CLI shows it: by nothing else that a server does it shows more than that it has failed."""
    plugin = shutil.copytree(HOOKS[1], tmp_path / "plugin")
    claude = scene.claude("--plugin-dir", str(plugin), PATH="/usr/bin:/bin").ready()
    claude.submit("/mcp")
    claude.terminal.wait_screen("\u2718 plugin:vim-mcp:vim-mcp")
    claude.terminal.type("\r")
    claude.shows("put vim-mcp on PATH")
