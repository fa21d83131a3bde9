"""The real Claude CLI in a terminal of the editor, started by `:ClaudeCode`."""

from __future__ import annotations

import json

import pytest

from tests.e2e.scene import CALC, Scene
from tests.support.claude import seed
from tests.support.waiting import wait_until

EXECUTE = "mcp__plugin_vim-mcp_vim-mcp__vim_execute"


@pytest.mark.requirement("VIM-TEST-04")
def test_the_model_drives_the_editor_it_runs_in(scene: Scene) -> None:
    """Though another editor is there, and without a change to the user's configuration of Claude."""
    settings = scene.stage.home.home / ".claude" / "settings.json"
    configured = settings.read_text()
    (scene.project / "other.py").write_text(CALC)
    other = scene.editor("other.py")
    cli = scene.inside("calc.py")
    name = json.loads(cli.call(EXECUTE, {"command": "echo expand('%:t')"}))["output"]
    assert name.strip() == "calc.py"
    cli.call(EXECUTE, {"command": "2s/a + b/sum/"})
    assert scene.line(cli.terminal, 2) == "    return sum"
    assert scene.line(other, 2) == "    return a + b"
    assert f"✔ {scene.name}" in cli.ide()
    assert settings.read_text() == configured


@pytest.mark.requirement("LOCK-09")
def test_one_with_another_configuration_finds_its_editor(scene: Scene) -> None:
    """Though the hub was started by an editor without it."""
    (scene.project / "other.py").write_text(CALC)
    scene.editor("other.py")
    config = scene.stage.directory / "claude at work"
    seed(scene.stage.home.home, scene.project, config=config)
    cli = scene.inside("calc.py", config=config)
    wait_until(lambda: len(scene.clients(cli.terminal)) == 1, "its connection")
    assert f"✔ {scene.name}" in cli.ide()


@pytest.mark.requirement("ENV-01")
def test_one_that_is_typed_in_a_terminal_of_the_editor_finds_it(scene: Scene) -> None:
    """Though another editor has the same folder."""
    (scene.project / "other.py").write_text(CALC)
    other = scene.editor("other.py")
    typed = ":terminal\r" if scene.kind == "vim" else ":terminal\ri"
    cli = scene.inside("calc.py", by=f"{typed}claude\r")
    wait_until(lambda: len(scene.clients(cli.terminal)) == 1, "its connection")
    assert scene.clients(other) == set()
