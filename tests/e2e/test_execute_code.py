"""The model of the real Claude CLI runs code in the kernel of the editor, as its user lets it."""

from __future__ import annotations

import pytest

from tests.e2e.scene import Scene
from tests.support.asking import GONE, QUESTION_OF_CODE, at_50_a_second
from tests.support.claude import Claude
from tests.support.editors import Terminal
from tests.support.scriptedapi import ToolUse, results, said

TOOL = "mcp__ide__executeCode"
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = f"import base64\nfrom IPython.display import Image\nImage(base64.b64decode('{PIXEL}'))"


def start(scene: Scene, *settings: str) -> tuple[Terminal, Claude]:
    """An editor with those settings, and a CLI that does not ask too."""
    scene.stage.home.add(*settings)
    editor = scene.editor()
    cli = scene.claude("--allowedTools", TOOL, CLAUDE_CODE_SSE_PORT=str(scene.lock(editor).port)).ready()
    scene.connected(editor, cli.terminal.pid)
    return editor, cli


def run(cli: Claude, code: str) -> int:
    """Let the model run code, and speak in its next turn; how many turns there were before."""
    seen = len(cli.api.turns)
    cli.api.script(ToolUse(TOOL, {"code": code}), f"Ran {seen}.")
    cli.submit(f"Run {seen}.")
    return seen


def told(cli: Claude, seen: int) -> tuple[str, bool]:
    """What the model was told then, and whether as an error."""
    request = cli.api.wait_turn(lambda request: bool(results(request)), "what the code gave", seen + 1)
    cli.shows(f"Ran {seen}.")
    return results(request)[-1]


@pytest.mark.requirement("IDE-TOOL-16", "KERNEL-13")
def test_the_user_says_yes_no_and_nothing(scene: Scene) -> None:
    editor, cli = start(scene, "let g:vim_mcp_ask_timeout = 5000")
    for word, text, failed in (("yes", "42", False), ("no", "refused", True), ("", "has not answered", True)):
        seen = run(cli, "6 * 7")
        editor.wait_screen("6 * 7")
        if word:
            editor.type(f":VimMCPAnswer {word}\r")
        result, is_error = told(cli, seen)
        assert text in result
        assert is_error == failed
        editor.wait_screen(lambda screen: "6 * 7" not in screen)


@pytest.mark.requirement("IDE-TOOL-16", "KERNEL-03")
def test_the_model_keeps_state_and_sees_images_and_errors(scene: Scene) -> None:
    _, cli = start(scene, "let g:vim_mcp_execute_code = 'allow'")
    assert told(cli, run(cli, "x = 6; print('printed')"))[0] == "printed"
    assert told(cli, run(cli, "x * 7")) == ("42", False)
    result, failed = told(cli, run(cli, "1 / 0"))
    assert "ZeroDivisionError: division by zero" in result
    assert failed
    seen = run(cli, IMAGE)
    told(cli, seen)
    blocks = [block for message in cli.api.turns[-1]["messages"] for block in message["content"]]
    assert f"'data': '{PIXEL}'" in str(blocks)


TYPED = "yes no always y n a k j the quick brown fox jumps over the lazy dog 0123456789 YNA yes no"


@pytest.mark.requirement("ASK-03")
def test_a_prompt_is_typed_into_the_cli_while_questions_come_and_go(scene: Scene) -> None:
    """At 50 keys a second, in the terminal of the editor in which it runs; the person then answers from there."""
    cli = scene.inside("calc.py")
    other = scene.stage.client()
    typist = at_50_a_second(cli.terminal, TYPED)
    for index in range(3):
        call = other.start_tool("vim_execute_code", code=f"{index} + {index}")
        cli.terminal.wait_screen(QUESTION_OF_CODE, f"{index} + {index}")
        other.notify("notifications/cancelled", requestId=call)
        cli.terminal.wait_screen(lambda screen: GONE not in screen)
    typist.join()
    call = other.start_tool("vim_execute_code", code="6 * 7")
    cli.terminal.wait_screen(QUESTION_OF_CODE, "6 * 7")
    cli.terminal.type("\x1cy")
    assert other.tool_answer(call)["content"][0]["text"] == "42"
    cli.terminal.type("\r")
    cli.api.wait_turn(lambda request: TYPED in said(request).split("\n"), "what was typed, and nothing else")
