"""The real Claude CLI finds real editors, connects, and finds them again."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.scene import Scene
from tests.support import claude

AGAIN = 10.0
"""Seconds in which a CLI whose hub was killed is connected again."""


@pytest.mark.requirement("ENV-01")
def test_by_the_environment_wherever_it_was_started(scene: Scene) -> None:
    elsewhere = scene.stage.project("elsewhere")
    claude.seed(scene.stage.home.home, elsewhere)
    editor = scene.editor()
    cli = scene.claude(cwd=elsewhere, CLAUDE_CODE_SSE_PORT=str(scene.lock(editor).port)).ready()
    cli.shows("⧉ In calc.py")
    assert f"The user opened the file {scene.calc} in the IDE" in cli.ask("Hello?")


@pytest.mark.requirement("LOCK-01")
def test_by_the_ide_flag_below_the_workspace(scene: Scene, tmp_path: Path) -> None:
    """With a configuration directory that the environment names, to the editor and to the CLI alike."""
    config = tmp_path / "config"
    below = scene.stage.project("project/below")
    claude.seed(scene.stage.home.home, below, config=config)
    scene.editor(CLAUDE_CONFIG_DIR=str(config))
    cli = scene.claude("--ide", cwd=below, CLAUDE_CONFIG_DIR=str(config)).ready()
    cli.shows("⧉ In calc.py")
    assert f"✔ {scene.name}" in cli.ide()


@pytest.mark.requirement("VIM-TEST-04")
def test_two_on_one_editor(scene: Scene) -> None:
    editor = scene.editor()
    port = str(scene.lock(editor).port)
    first, second = (scene.claude(CLAUDE_CODE_SSE_PORT=port).ready() for _ in range(2))
    scene.connected(editor, first.terminal.pid, second.terminal.pid)
    editor.type("ggVj")
    for cli in (first, second):
        cli.shows("⧉ 2 lines selected")
    first.terminal.type("/exit\r")
    first.terminal.wait()
    scene.connected(editor, second.terminal.pid)
    editor.type("j")
    second.shows("⧉ 3 lines selected")


@pytest.mark.requirement("VIM-TEST-04")
def test_editors_of_one_project_are_told_apart(scene: Scene) -> None:
    """`/ide` names them differently, and the one that is chosen is the one that is heard."""
    (scene.project / "other.py").write_text("one = 1\ntwo = 2\n")
    editors = {name: scene.editor(name) for name in ("calc.py", "other.py")}
    names = {name: str(scene.lock(editor).content["ideName"]) for name, editor in editors.items()}
    cli = scene.claude().ready()
    cli.ide(names["other.py"])
    cli.shows("⧉ In other.py")
    editors["calc.py"].type("ggVjj")
    editors["other.py"].type("ggVj")
    cli.shows("⧉ 2 lines selected")
    cli.ide(names["calc.py"])
    cli.shows("⧉ 3 lines selected")


@pytest.mark.requirement("VIM-TEST-04")
def test_again_after_the_hub_was_killed(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    before = scene.lock(editor)
    editor.type("ggVj")
    cli.shows("⧉ 2 lines selected")  # until it has listed the tools, it does not come again by itself
    scene.stage.kill_hub()
    killed = time.monotonic()
    editor.type("j")
    cli.shows("⧉ 3 lines selected")
    assert time.monotonic() - killed < AGAIN
    after = scene.lock(editor)
    assert (after.port, after.token) == (before.port, before.token)
