"""What a real language server says reaches the model of the real Claude CLI."""

from __future__ import annotations

import json

import pytest

from tests.e2e.scene import Scene

SERVER = "autocmd FileType python lua vim.lsp.start({ name = 'ruff', cmd = { 'ruff', 'server' } })"
DRAWN = "lua vim.diagnostic.config({ virtual_text = true })"
SAID = "Undefined name `two`"


@pytest.mark.parametrize("kind", ["nvim"])
@pytest.mark.requirement("VIM-TEST-04")
def test_the_model_is_told_what_ruff_says(scene: Scene) -> None:
    scene.stage.home.add(SERVER, DRAWN)
    scene.calc.write_text("x = 'é𝄞' + two\n")
    editor = scene.editor()
    editor.wait_screen(SAID)
    cli = scene.claude_of(editor)
    for arguments in ({}, {"uri": scene.calc.as_uri()}):
        [file] = json.loads(cli.call("mcp__ide__getDiagnostics", arguments))
        assert file["uri"] == scene.calc.as_uri()
        [said] = file["diagnostics"]
        assert (said["message"], said["code"]) == (SAID, "F821")
        assert (said["severity"], said["source"]) == ("Error", "Ruff")
        assert said["range"] == {"start": {"line": 0, "character": 12}, "end": {"line": 0, "character": 15}}
