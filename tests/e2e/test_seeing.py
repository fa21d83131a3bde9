"""What the real Claude CLI does is seen in a real editor's tab line, from the prompt to the end of the turn."""

from __future__ import annotations

import os

import pytest

from tests.e2e.review import answer, edit, propose
from tests.e2e.scene import HOOKS, Scene
from tests.support.scriptedapi import ToolUse

SHOWN = "set noswapfile showtabline=2 tabline=<%{vim_mcp#statusline()}>"


@pytest.mark.requirement("SEEN-01", "TURN-05")
def test_working_waiting_and_idle(scene: Scene) -> None:
    """Waiting ends with yes, and with no, which no hook tells."""
    scene.stage.home.add(SHOWN, "let g:vim_mcp_diff_focus = 'never'")
    editor = scene.editor()
    editor.wait_screen("<>")
    cli = scene.claude_of(editor, *HOOKS, "--allowedTools", "Bash")
    editor.wait_screen("<Claude>")
    fifo = scene.project / "fifo"
    os.mkfifo(fifo)
    runs = ToolUse("Bash", {"command": f"cat {fifo}", "description": "Wait"})
    propose(cli, runs, *edit(scene.calc, "a + b", "a - b"))
    editor.wait_screen("<Claude working>")
    fifo.write_text("go on\n")
    editor.wait_screen("<Claude waiting, 1 diff>")
    answer(cli, "\r")
    cli.shows("Done with 3.")
    editor.wait_screen("<Claude idle>")
    propose(cli, *edit(scene.calc, "a - b", "a * b"), prompt="And again.")
    editor.wait_screen("<Claude waiting, 1 diff>")
    answer(cli, "\x1b")
    editor.wait_screen("<Claude idle>")
