"""One pass of the real Claude CLI through a real editor: connected, told, asking. `make test` runs this one."""

from __future__ import annotations

import json

import pytest

from tests.e2e.scene import Scene


@pytest.mark.requirement("VIM-TEST-04")
def test_one_pass(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    cli.shows("⧉ In calc.py")
    editor.type("ggVj")
    cli.shows("⧉ 2 lines selected")
    told = cli.ask("What does it do?")
    assert f"The user selected the lines 1 to 2 from {scene.calc}:\ndef add(a, b):\n    return a + b\n" in told
    assert json.loads(cli.call("mcp__ide__getDiagnostics", {"uri": scene.calc.as_uri()})) == [
        {"uri": scene.calc.as_uri(), "diagnostics": []}
    ]
