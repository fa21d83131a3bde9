"""What the real Claude CLI does is seen in real editors: in the tab line, in the window that follows it, by signs."""

from __future__ import annotations

import os

import pytest

from tests.e2e.review import answer, edit, propose
from tests.e2e.scene import HOOKS, Scene
from tests.support.scriptedapi import ToolUse
from tests.support.stage import numbered

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


@pytest.mark.requirement("SEEN-04")
def test_escape_ends_its_work(scene: Scene) -> None:
    """No hook tells; the title of its terminal does."""
    scene.stage.home.add(SHOWN)
    os.mkfifo(fifo := scene.project / "fifo")
    cli = scene.inside(by=":ClaudeCode --allowedTools Bash\r")
    cli.api.script(ToolUse("Bash", {"command": f"cat {fifo}", "description": "Wait"}))
    cli.submit("Wait for it.")
    cli.terminal.wait_screen("<Claude working>", "esc to interrupt")
    with fifo.open("w"):  # once its tool reads from there
        cli.terminal.type("\x1b")
        cli.terminal.wait_screen("<Claude idle>")


@pytest.mark.requirement("FOLLOW-01", "FOLLOW-02", "SIGNS-01")
def test_what_it_reads_and_edits_is_followed(scene: Scene) -> None:
    """Where only a part is read, and a line in the midst is edited."""
    scene.stage.home.add("set noswapfile", "let g:vim_mcp_signs = 1")
    long = scene.project / "long.txt"
    long.write_text(numbered(300))
    editor = scene.editor()
    editor.type(":ClaudeCodeFollow\r")
    cli = scene.claude_of(editor, *HOOKS, "--allowedTools", "Edit")
    read = ToolUse("Read", {"file_path": str(long), "offset": 100, "limit": 3})
    change = ToolUse("Edit", {"file_path": str(long), "old_string": "line 200\n", "new_string": "two hundred\n"})
    cli.api.script(read, "It is read.")
    cli.submit("Read it.")
    cli.shows("It is read.")
    editor.wait_screen("line 100", "line 102", "return a + b")
    cli.api.script(change, "It is changed.")
    cli.submit("Change it.")
    cli.shows("It is changed.")
    editor.wait_screen("~ two hundred", "line 199", "return a + b")
