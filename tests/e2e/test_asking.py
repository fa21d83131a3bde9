"""What is sent and asked from a real editor reaches the real Claude CLI in its terminal, in the order of the asking."""

from __future__ import annotations

import pytest

from tests.e2e.scene import Scene
from tests.support.scriptedapi import ToolUse, said


@pytest.mark.requirement("ATM-08", "TERM-10")
def test_a_mention_and_a_prompt_wait_for_a_claude_that_is_started_for_them(scene: Scene) -> None:
    cli = scene.inside("calc.py", by=":1,2ClaudeCodeSend!\r:ClaudeCodeAsk What is it?\r")
    told = said(cli.api.wait_turn(lambda request: "What is it?" in said(request), "the prompt"))
    assert "@calc.py#L1-2 What is it?" in told
    assert "1\tdef add(a, b):\n2\t    return a + b\n" in told


@pytest.mark.requirement("TERM-10")
def test_lines_are_asked_about(scene: Scene) -> None:
    """By the words that the CLI has for a mention, also of one line and of a name with blanks."""
    (scene.project / "a b.py").write_text("one = 1\ntwo = 2\n")
    cli = scene.inside("a b.py")
    back = "\x17p" if scene.kind == "vim" else "\x1c\x0e\x17p"
    cli.terminal.type(f"{back}:2ClaudeCodeAsk And this?\r")
    told = said(cli.api.wait_turn(lambda request: "And this?" in said(request), "the prompt"))
    assert '@"a b.py#L2" And this?' in told
    assert "2\ttwo = 2" in told
    assert "1\tone = 1" not in told


@pytest.mark.requirement("TERM-10")
def test_a_question_of_claudes_is_not_answered_by_a_prompt(scene: Scene) -> None:
    cli = scene.inside("calc.py")
    cli.api.script(ToolUse("Bash", {"command": "touch made.txt", "description": "Make it"}), "Done.")
    cli.submit("Make a file.")
    cli.shows("Do you want to proceed?")
    back = "\x17p" if scene.kind == "vim" else "\x1c\x0e\x17p"
    cli.terminal.type(f"{back}:ClaudeCodeAsk yes\r")
    cli.terminal.wait_screen("Claude takes no prompt now: :ClaudeCodeFocus shows why")
    assert not (scene.project / "made.txt").exists()
    cli.terminal.type(":ClaudeCodeFocus\r\x1b")
    cli.hides("Do you want to proceed?")
