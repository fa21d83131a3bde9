"""The reason for which the user of a real editor rejects a change reaches the model of the real Claude CLI."""

from __future__ import annotations

import pytest

from tests.e2e.review import edit, hides, propose, settled, shows
from tests.e2e.scene import CALC, HOOKS, Scene
from tests.support.scriptedapi import results


@pytest.mark.requirement("HOOK-04")
def test_a_reason_is_told_to_the_model(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor, *HOOKS)
    seen = propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor)
    editor.type(":ClaudeCodeDiffDeny it must stay a sum\r")
    request = cli.api.wait_turn(lambda turn: len(results(turn)) == 2, "what became of the edit", seen)
    result, failed = results(request)[-1]
    assert failed
    assert "it must stay a sum" in result
    assert scene.calc.read_text() == CALC
    hides(editor)
    settled(scene)
