"""What the user selects and mentions in a real editor reaches the real Claude CLI, and its model."""

from __future__ import annotations

import pytest

from tests.e2e.scene import CALC, Scene

NORMAL = "\x1c\x0e"
"""What ends every mode."""
# What is typed, how many lines the CLI counts, and the text that the model is told.
MODES = {
    "characterwise": ("gg04lvj", 2, "add(a, b):\n    r"),
    "linewise": ("ggVjj", 3, "".join(CALC.splitlines(keepends=True)[:3])),
    "block": ("gg0\x16jll", 2, "def\n   "),
    "select": ("gg0vjll\x07", 2, "def add(a, b):\n   "),
}


@pytest.mark.requirement("SEL-01")
def test_selected_lines_are_shown_and_told(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    for mode, (keys, lines, text) in MODES.items():
        editor.type(keys)
        cli.shows(f"⧉ {lines} lines selected")
        told = cli.ask(f"The {mode} selection?")
        assert f"from {scene.calc}:\n{text}" in told, mode
        editor.type(f"{NORMAL}j")
        cli.hides("lines selected]")
        told = cli.ask(f"After {mode}?")
        assert "The user selected" not in told, mode


@pytest.mark.requirement("ATM-01")
def test_mentioned_lines_are_put_into_the_prompt(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    editor.type(":1,2ClaudeAtMention\r")
    cli.shows("@calc.py#L1-2")
    told = cli.ask("What is it?")
    assert "@calc.py#L1-2 What is it?" in told
    assert "1\tdef add(a, b):\n2\t    return a + b\n" in told


@pytest.mark.requirement("VIM-TEST-04")
def test_a_mention_waits_for_the_cli(scene: Scene) -> None:
    editor = scene.editor()
    editor.type(":1,2ClaudeAtMention\r")
    editor.wait_screen(lambda screen: ":1,2ClaudeAtMention" not in screen)
    cli = scene.claude_of(editor)
    cli.shows("@calc.py#L1-2")
