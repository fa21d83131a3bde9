"""One pass of the real Claude CLI through a real editor: told, asking, changing a file. `make test` runs this one."""

from __future__ import annotations

import json

import pytest

from tests.e2e.review import MODIFIED, edit, propose, shows, told
from tests.e2e.scene import CALC, Scene


@pytest.mark.requirement("VIM-TEST-04", "IDE-TOOL-03", "IDE-TOOL-04")
def test_one_pass(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    cli.shows("⧉ In calc.py")
    editor.type("ggVj")
    cli.shows("⧉ 2 lines selected")
    told_first = cli.ask("What does it do?")
    assert f"The user selected the lines 1 to 2 from {scene.calc}:\ndef add(a, b):\n    return a + b\n" in told_first
    editor.type("\x1b")
    assert json.loads(cli.call("mcp__ide__getDiagnostics", {"uri": scene.calc.as_uri()})) == [
        {"uri": scene.calc.as_uri(), "diagnostics": []}
    ]
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor, "a - b")
    editor.type(":w\r")
    assert MODIFIED not in told(cli, 3)
    assert scene.calc.read_text() == CALC.replace("a + b", "a - b")
