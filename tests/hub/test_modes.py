"""An editor in every mode: it is answered for, or says what it waits for, and no key of its user's is lost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from tests.support.editors import Terminal
from tests.support.mcpclient import StdioClient, ToolError
from tests.support.stage import Stage


@dataclass(frozen=True)
class Mode:
    """Keys that lead into a mode, what the screen then shows, keys that lead out, and the first line afterwards.

    `then` is typed when the screen no longer shows it: a dialog drops what is typed ahead.
    """

    name: str
    enter: str
    shown: str
    leave: str
    line: str
    waits_for: tuple[str, ...] = ()
    then: str = ""


MODES = (
    Mode("insert", "iab", "ab", "cd\x1b", "abcdtext"),
    Mode("replace", "Rab", "ab", "cd\x1b", "abcd"),
    Mode("visual", "v", "VISUAL", "ly", "text"),
    Mode("visual block", "\x16", "VISUAL BLOCK", "lx", "xt"),
    Mode("operator-pending", "d", "", "w", ""),
    Mode("count", "3", "", "x", "t"),
    Mode("command line", ":s/te", ":s/te", "xt/TEXT/\r", "TEXT"),
    Mode("command-line window", "q:", "~", ":q\r", "text"),
    Mode("a key", "r", "", "X", "Xext", ("key",)),
    Mode("hit-enter", ":echo 'one' | echo 'two'\r", "Press ENTER", "\rx", "ext", ("key", "prompt", "enter")),
    Mode("confirm", ":call confirm('Sure' . '?', '&Yes')\r", "Sure?", "y", "ext", ("prompt", "key", "dialog"), "x"),
    Mode("terminal", ":terminal cat\r:startinsert\r", "", "typed", "text"),
)


def outcome(client: StdioClient, call: int) -> str:
    """A command's output, or `busy: ` and what the editor is busy with."""
    try:
        return str(client.tool_answer(call)["structuredContent"]["output"]).strip()
    except ToolError as error:
        return f"{error.kind} ({error.code}): {error.data.get('waiting_for')}"


def enter(editor: Terminal, mode: Mode) -> None:
    """Lead the editor into the mode."""
    editor.wait_screen("text")
    editor.type(mode.enter)
    editor.wait_screen(mode.shown)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name.replace(" ", "_"))
@pytest.mark.requirement("BUSY-01", "BUSY-03")
def test_each_mode(stage: Stage, kind: str, mode: Mode) -> None:
    project = stage.project("proj", one_txt="text\n")
    editor = stage.editor(kind, "one.txt", cwd=project)
    other = stage.editor(kind, "two.txt", cwd=stage.project("other"))
    instance_id, other_id = stage.instance(editor), stage.instance(other)
    client = stage.client()
    client.tool("select_vim_instance", instance_id=instance_id)
    client.read_json("vim://state")
    enter(editor, mode)

    busy = client.start_tool("vim_execute", command="echo 6 * 7")
    free = client.tool("vim_execute", command="echo 'free'", instance_id=other_id)
    assert free["output"].strip() == "free", "another editor is answered while this one may be busy"
    said = outcome(client, busy)
    assert said == "42" or (said.startswith("busy (1004): ") and not said.endswith("None")), said
    state = client.read_json("vim://state")
    if mode.waits_for and state.get("stale"):
        assert any(word in state["busy"].lower() for word in mode.waits_for), state["busy"]
    elif not state.get("stale"):
        assert state["cwd"] == str(project)
    lines = client.start("resources/read", {"uri": "vim://buffer/current"})

    editor.type(mode.leave)
    if mode.then:
        editor.wait_screen(lambda screen: mode.shown not in screen)
        editor.type(mode.then)
    if mode.name == "terminal":
        editor.wait_screen("typed")
        return
    client._answers[lines].get(timeout=10)  # an answer or an error, but one of them
    editor.wait_screen(lambda screen: screen.split("\n")[0] == mode.line)
    assert outcome(client, client.start_tool("vim_execute", command="echo getline(1)")) == mode.line


@pytest.mark.slow
@pytest.mark.requirement("BUSY-01", "BUSY-02")
def test_a_shell_command_of_the_users_is_named(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="text\n")
    editor = stage.editor(kind, "one.txt", cwd=project)
    stage.instance(editor)
    client = stage.client()
    client.read_json("vim://state")
    editor.wait_screen("text")
    editor.type(":!echo running; sleep 3\r")
    editor.wait_screen("running")
    with pytest.raises(ToolError, match="sleep") as error:
        client.tool("vim_edit", file=str(project / "one.txt"), content="too late\n")
    assert (error.value.code, error.value.kind) == (1004, "busy")
    state = client.read_json("vim://state")
    assert state["stale"] is True
    assert "sleep" in state["busy"]
    editor.wait_screen("Press ENTER")
    editor.type("\r")
    editor.wait_screen("text")
    assert client.tool("vim_execute", command="echo getline(1)")["output"].strip() == "text"
    assert client.read_text("vim://buffer/current") == "text\n", "what was said not to be done has not been done"
