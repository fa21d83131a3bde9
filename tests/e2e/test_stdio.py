"""The real Claude CLI with `vim-mcp` as one of its MCP servers."""

from __future__ import annotations

import json

from tests.e2e.scene import CALC, Scene
from tests.support.scriptedapi import ToolUse, offered, results

SERVERS = {"mcpServers": {"vim-mcp": {"command": "vim-mcp"}}}


def test_the_model_edits_what_the_editor_shows(scene: Scene) -> None:
    editor = scene.editor()
    claude = scene.claude("--mcp-config", json.dumps(SERVERS)).ready()
    claude.api.script(ToolUse("mcp__vim-mcp__vim_execute", {"command": "2s/a + b/sum/"}), "Edited.")
    claude.submit("Use sum.")
    answered = claude.api.wait_turn(lambda request: bool(results(request)), "the tool's result")
    [(result, failed)] = results(answered)
    assert (json.loads(result)["output"], failed) == ("", False)
    assert "mcp__vim-mcp__vim_edit" in offered(answered)
    editor.wait_screen("    return sum")
    claude.shows("Edited.")
    assert scene.calc.read_text() == CALC
