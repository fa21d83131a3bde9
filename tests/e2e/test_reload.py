"""What the real Claude CLI writes without a diff is read again by real editors, told by its hooks or by the watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.review import SHOWN, edit, propose, shows, told
from tests.e2e.scene import CALC, HOOKS, Scene
from tests.support.claude import Claude
from tests.support.editors import Terminal
from tests.support.scriptedapi import ToolUse

WRITTEN = CALC.replace("a + b", "sum((a, b))")


def without_watch(directory: Path) -> str:
    """A directory for PYTHONPATH in which the library that watches files is broken."""
    broken = directory / "broken" / "asyncinotify"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('not in this test')\n")
    return str(broken.parent)


def start(scene: Scene, hooks: bool) -> tuple[Terminal, Claude]:
    """An editor on calc.py, and a CLI with the plugin's hooks and no watch, or the other way round, whose edits need no
    leave."""
    scene.stage.home.add("set noswapfile laststatus=2 statusline=%f%m\\ [%{vim_mcp#activity()}]")
    env: dict[str, Any] = {"PYTHONPATH": without_watch(scene.stage.directory)} if hooks else {}
    editor = scene.editor(**env)
    cli = scene.claude_of(editor, *(HOOKS if hooks else ()), "--allowedTools", "Bash")
    cli.terminal.type("\x1b[Z")
    cli.shows("accept edits on")
    return editor, cli


@pytest.mark.parametrize("hooks", [True, False])
@pytest.mark.requirement("RELOAD-01", "RELOAD-03", "TURN-01", "TURN-02", "WATCH-03")
def test_edits_and_shell_commands_are_followed(scene: Scene, hooks: bool) -> None:
    editor, cli = start(scene, hooks)
    made = scene.project / "made.txt"
    command = f"echo 'shell = 2' >> {scene.calc}"
    cli.api.script(
        ToolUse("Read", {"file_path": str(scene.calc)}),
        ToolUse("Write", {"file_path": str(scene.calc), "content": WRITTEN}),
        ToolUse("Write", {"file_path": str(made), "content": "made\n"}),
        ToolUse("Bash", {"command": command, "description": "Append a line"}),
        "All is done.",
    )
    cli.submit("Change it.")
    cli.shows("All is done.")
    assert scene.calc.read_text() == WRITTEN + "shell = 2\n"
    editor.wait_screen(lambda screen: "sum((a, b))" in screen and "shell = 2" in screen and "[+]" not in screen)
    if hooks:
        editor.wait_screen("[idle]")
    editor.type(":ClaudeCodeChanges\r")
    editor.wait_screen(
        lambda screen: (
            "+1 -1 return sum((a, b))" in screen and "shell = 2" in screen and "made.txt|1| +1 -0 made" in screen
        )
    )
    editor.type(":cclose | ClaudeCodeRevert\r")
    editor.wait_screen("takes it back")
    assert scene.calc.read_text() != CALC
    editor.type(":w\r")
    editor.wait_screen("u brings it again")
    assert scene.calc.read_text() == CALC
    assert not made.exists()
    editor.type(":q\r")
    editor.wait_screen(lambda screen: "u brings" not in screen and "return a + b" in screen and "shell" not in screen)
    editor.type("u")
    editor.wait_screen(lambda screen: "return sum((a, b))" in screen and "[+]" in screen)


@pytest.mark.requirement("RELOAD-01", "RELOAD-03", "RELOAD-04")
def test_what_was_accepted_is_read_again_or_told_of(scene: Scene) -> None:
    """In a buffer with the user's unsaved changes nothing is lost."""
    scene.stage.home.add("set noswapfile hidden laststatus=2 statusline=%f%m")
    editor = scene.editor()
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor)
    editor.type(":w\r")
    editor.wait_screen(lambda screen: SHOWN not in screen and "return a - b" in screen and "[+]" not in screen)
    told(cli, 2)
    editor.type("Gomine\x1b")
    editor.wait_screen("calc.py[+]")
    propose(cli, *edit(scene.calc, "a - b", "a * b"))
    shows(editor)
    editor.type(":w\r")
    editor.wait_screen("changed on disk, unsaved here, kept")
    editor.wait_screen(lambda screen: SHOWN not in screen and "return a - b" in screen and "mine" in screen)
    assert scene.calc.read_text() == CALC.replace("a + b", "a * b")


@pytest.mark.requirement("HOOK-01", "TURN-04")
def test_claude_in_the_editor_tells_what_it_does(scene: Scene) -> None:
    """`:ClaudeCode` gives it the hooks."""
    scene.stage.home.add("set noswapfile laststatus=2 statusline=%f%m\\ [%{vim_mcp#activity()}]")
    cli = scene.inside("calc.py")
    cli.api.script(ToolUse("Bash", {"command": "sleep 8", "description": "Wait"}), "All is done.")
    cli.submit("Wait.")
    cli.terminal.wait_screen(lambda screen: "[waiting]" in screen or "[working]" in screen)
    cli.terminal.type("\r")
    cli.shows("All is done.")
    cli.terminal.wait_screen("[idle]")
