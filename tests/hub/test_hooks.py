"""Claude Code's hooks reach the editor that they are of: it follows the disk, and knows what its Claudes do."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import ROOT, TIMEOUT
from tests.support.ideclient import IdeClient
from tests.support.mcpclient import VIM_MCP
from tests.support.raweditor import RawEditor
from tests.support.stage import Stage

HOOKS = ROOT / "src" / "vim_mcp" / "claude_plugin" / "hooks" / "hooks.json"
EVENTS = {
    "PostToolUse", "PostToolUseFailure", "PermissionRequest", "UserPromptSubmit", "Stop", "StopFailure", "Notification",
    "SessionEnd",
}  # fmt: skip
CHANGED: Any = {"tool_name": "Edit", "tool_input": {"file_path": "/a"}}


@pytest.mark.requirement("HOOK-03")
def test_the_plugin_names_the_hooks() -> None:
    hooks = json.loads(HOOKS.read_text())["hooks"]
    assert set(hooks) == EVENTS
    assert not [entry for entries in hooks.values() for entry in entries if "matcher" in entry]
    assert len({hook["command"] for entries in hooks.values() for entry in entries for hook in entry["hooks"]}) == 1


@pytest.mark.requirement("HOOK-03")
@pytest.mark.parametrize("command", [None, "nonsense-that-is-not-there", "'/no such dir/vim mcp'", "false"])
def test_the_plugins_command_never_fails(tmp_path: Path, command: str | None) -> None:
    """Also where vim-mcp is not there, or not to be found."""
    line = json.loads(HOOKS.read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **({"VIM_MCP_COMMAND": command} if command else {})}
    done = subprocess.run(["sh", "-c", line], input=b"{}", env=env, capture_output=True, timeout=TIMEOUT, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.fixture
def editor(stage: Stage) -> Iterator[RawEditor]:
    """An editor in the test's own hands."""
    stage.spawn("hub", "--background").wait(TIMEOUT)
    own = RawEditor(stage.socket, stage.project("demo"))
    yield own
    own.close()


@pytest.mark.requirement("HOOK-03")
def test_the_plugins_command_is_the_editors(stage: Stage, editor: RawEditor) -> None:
    """As `:ClaudeCode` names it: words of a shell."""
    line = json.loads(HOOKS.read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    env = stage.environment(
        VIM_MCP_COMMAND=f"'{VIM_MCP}'", VIM_MCP_INSTANCE=editor.instance_id, PATH="/usr/bin:/bin"
    )  # fmt: skip
    told = {"hook_event_name": "PostToolUse", "session_id": "s", **CHANGED}
    subprocess.run(["sh", "-c", line], input=json.dumps(told).encode(), env=env, timeout=TIMEOUT, check=True)
    assert editor.wait("disk")["files"] == ["/a"]


@pytest.mark.requirement("TURN-04")
def test_an_editor_is_told_what_its_claudes_do(stage: Stage, editor: RawEditor) -> None:
    """Of several the one that waits for its user counts most, then those that work."""

    def after(event: str, session: str, **fields: Any) -> Any:
        stage.hook(event, editor.instance_id, session_id=session, **fields)
        return editor.wait("ide")["activity"]

    assert after("UserPromptSubmit", "a") == "working"
    assert after("Notification", "a", notification_type="permission_prompt") == "waiting"
    assert after("PostToolUse", "a", tool_name="Bash") == "working"
    assert after("Stop", "a") == "idle"
    assert after("UserPromptSubmit", "b") == "working"
    assert after("Notification", "b", notification_type="permission_prompt") == "waiting"
    assert after("SessionEnd", "b") == "idle"
    assert after("SessionEnd", "a") == ""


@pytest.mark.requirement("SEEN-04")
def test_an_editor_may_see_that_a_turn_is_over(stage: Stage, editor: RawEditor) -> None:
    """Of a Claude that works: one that waits for its user does so still."""
    stage.hook("UserPromptSubmit", editor.instance_id)
    assert editor.wait("ide")["activity"] == "working"
    editor.say("rested", pid=1 << 22)
    editor.say("rested", pid=os.getpid())
    assert editor.wait("turn")["turn"] == "end"
    assert editor.wait("ide")["activity"] == "idle"
    stage.hook("Notification", editor.instance_id, notification_type="permission_prompt")
    assert editor.wait("ide")["activity"] == "waiting"
    editor.say("rested", pid=os.getpid())
    stage.hook("UserPromptSubmit", editor.instance_id)
    assert editor.wait("ide")["activity"] == "working"


class Asking:
    """A hook that waits for what becomes of Claude Code's question."""

    def __init__(self, stage: Stage, editor: RawEditor, **told: Any):
        env = stage.environment(VIM_MCP_INSTANCE=editor.instance_id)
        self.process = subprocess.Popen([str(VIM_MCP), "hook"], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"hook_event_name": "PermissionRequest", **told}).encode())
        self.process.stdin.close()

    def says_nothing(self) -> None:
        """Wait for its end, which must be well and silent."""
        assert self.process.stdout
        with self.process.stdout as told:
            assert told.read() == b""
        assert self.process.wait(TIMEOUT) == 0

    def gone(self) -> None:
        """End it as Claude Code does when its user says no."""
        self.process.terminate()
        self.process.wait(TIMEOUT)
        assert self.process.stdout
        self.process.stdout.close()


@pytest.mark.requirement("TURN-05")
def test_a_question_is_told_at_once_and_is_over_when_it_is_answered(stage: Stage, editor: RawEditor) -> None:
    """Yes: its tool has run. No: Claude Code ends the hook, and no other follows."""

    def activity() -> Any:
        return editor.wait("ide")["activity"]

    stage.hook("UserPromptSubmit", editor.instance_id)
    assert activity() == "working"
    first = Asking(stage, editor, session_id="one", tool_name="Bash")
    assert activity() == "waiting"
    stage.hook("PostToolUse", editor.instance_id, tool_name="Grep")  # another one, which was not asked about
    stage.hook("PostToolUseFailure", editor.instance_id, tool_name="Bash")
    first.says_nothing()
    assert activity() == "working"
    second = Asking(stage, editor, session_id="one", tool_name="Bash")
    assert activity() == "waiting"
    second.gone()
    assert editor.wait("turn")["turn"] == "end"
    assert activity() == "idle"


@pytest.mark.requirement("TURN-05")
@pytest.mark.parametrize("event", ["Stop", "StopFailure", "UserPromptSubmit", "SessionEnd"])
def test_no_hook_waits_longer_than_its_turn(stage: Stage, editor: RawEditor, event: str) -> None:
    asking = Asking(stage, editor, session_id="one", tool_name="Bash")
    assert editor.wait("ide")["activity"] == "waiting"
    stage.hook(event, editor.instance_id)
    asking.says_nothing()


@pytest.mark.requirement("TURN-05")
def test_no_hook_outlives_claude_code_or_the_hub(stage: Stage, editor: RawEditor) -> None:
    orphan = Asking(stage, editor, session_id="one", tool_name="Edit", tool_input={"file_path": "/a"})
    assert editor.wait("ide")["activity"] == "waiting"
    assert orphan.process.stdout
    orphan.process.stdout.close()  # who would read what it says has gone
    assert orphan.process.wait(TIMEOUT) == 0
    assert editor.wait("ide")["activity"] == "idle"
    other = Asking(stage, editor, session_id="one", tool_name="Bash")
    assert editor.wait("ide")["activity"] == "waiting"
    stage.run("stop")
    other.says_nothing()


@pytest.mark.requirement("FOLLOW-01")
def test_the_editor_is_told_where_claude_reads_and_edits(stage: Stage, editor: RawEditor) -> None:
    read = {"file_path": "/a", "offset": 3, "limit": 2}
    part = {"file": {"content": "", "numLines": 2, "startLine": 3, "totalLines": 9}}
    stage.hook("PostToolUse", editor.instance_id, tool_name="Read", tool_input=read, tool_response=part)
    assert editor.wait("place") == {"type": "place", "file": "/a", "lines": [3, 4]}
    stage.hook("PostToolUse", editor.instance_id, tool_name="Grep", tool_input={"path": "/"})
    stage.hook("PostToolUse", editor.instance_id, **CHANGED)
    assert editor.wait("place") == {"type": "place", "file": "/a", "lines": None}


@pytest.mark.requirement("HOOK-01", "TURN-04")
def test_a_client_is_known_by_its_process(stage: Stage, editor: RawEditor) -> None:
    """Where no editor's name is in its environment; what it does is forgotten with it."""
    client = IdeClient.of(stage.home, pid_told=os.getpid())
    assert editor.wait("ide")["clients"] == 1
    stage.hook("PostToolUse", tool_name="Edit", tool_input={"file_path": "/é"})
    assert editor.wait("disk")["files"] == ["/é"]
    assert editor.wait("ide")["activity"] == "working"
    client.close()
    assert editor.wait("ide") == {"type": "ide", "clients": 0, "activity": ""}


@pytest.mark.requirement("HOOK-01")
def test_other_editors_are_not_told(stage: Stage, editor: RawEditor) -> None:
    stage.hook("PostToolUse", "other-demo-1", tool_name="Edit", tool_input={"file_path": "/other"})
    stage.hook("PostToolUse", editor.instance_id, tool_name="Edit", tool_input={"file_path": "/mine"})
    assert editor.wait("disk")["files"] == ["/mine"]


@pytest.mark.requirement("TURN-01")
def test_a_turn_begins_with_a_prompt_or_for_want_of_hooks_with_a_call(stage: Stage, editor: RawEditor) -> None:
    client = IdeClient.of(stage.home, pid_told=os.getpid())
    client.texts("closeAllDiffTabs")
    assert editor.wait("turn")["turn"] == "begin"
    stage.hook("UserPromptSubmit")
    assert editor.wait("turn")["turn"] == "begin"
    client.texts("closeAllDiffTabs")  # it has hooks: it has been told
    stage.hook("UserPromptSubmit", editor.instance_id, session_id="two")  # the first one's turn goes on
    stage.hook("Stop", editor.instance_id, session_id="two")
    stage.hook("Stop")
    assert editor.wait("turn")["turn"] == "end"
    client.close()


@pytest.mark.requirement("TURN-01")
def test_the_editor_is_told_which_file_is_about_to_be_written(stage: Stage, editor: RawEditor) -> None:
    file = stage.project("demo") / "a é%20.py"
    file.write_text("x\n")
    client = IdeClient.of(stage.home)
    for uri in (file.as_uri(), f"file://{file}"):
        client.start_tool("getDiagnostics", uri=uri)
        assert editor.wait("expect")["file"] == str(file)
    client.close()
