"""The real Claude CLI with `vim-mcp` as one of its MCP servers."""

from __future__ import annotations

import json

import pytest

from tests.e2e.scene import CALC, Scene

SERVERS = {"mcpServers": {"vim-mcp": {"command": "vim-mcp"}}}


@pytest.mark.requirement("VIM-TEST-04")
def test_the_model_edits_what_the_editor_shows(scene: Scene) -> None:
    editor = scene.editor()
    claude = scene.claude("--mcp-config", json.dumps(SERVERS)).ready()
    result = claude.call("mcp__vim-mcp__vim_execute", {"command": "2s/a + b/sum/"})
    assert json.loads(result)["output"] == ""
    editor.wait_screen("    return sum")
    assert scene.calc.read_text() == CALC
