"""Code in the kernel of a real editor: from its port or from stdio, as its user lets it, to ipykernel and back."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import pytest

from tests.support.editors import Terminal
from tests.support.ideclient import IdeClient
from tests.support.kernellab import processes
from tests.support.mcpclient import McpClient, Message, ToolError
from tests.support.raweditor import RawEditor
from tests.support.stage import Stage
from tests.support.waiting import wait_until

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
IMAGE = f"import base64\nfrom IPython.display import Image\nImage(base64.b64decode('{PIXEL}'))"


def start(stage: Stage, kind: str, *settings: str) -> Terminal:
    """An editor with those settings, a file of a project in it."""
    stage.home.add(*settings)
    project = stage.project("project", one_py="x = 1\n")
    editor = stage.editor(kind, "one.py", cwd=project)
    editor.wait_screen("x = 1")
    return editor


@pytest.fixture
def editor(stage: Stage, kind: str) -> Terminal:
    """An editor whose user lets clients run code."""
    return start(stage, kind, "let g:vim_mcp_execute_code = 'allow'", "let g:vim_mcp_execute_code_timeout = 20")


@pytest.fixture
def client(stage: Stage, editor: Terminal) -> Iterator[IdeClient]:
    """A client of its port."""
    client = IdeClient.of(stage.home, editor.editor_pid)
    yield client
    client.close()


def left(stage: Stage) -> list[str]:
    """What there is of kernels: their files, and their processes."""
    return [*map(str, stage.runtime.glob("kernel-*")), *processes(f"{stage.runtime}/kernel-")]


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-16", "KERNEL-01", "KERNEL-03", "KERNEL-08")
def test_two_clients_share_the_state(client: IdeClient, stage: Stage) -> None:
    assert client.texts("executeCode", code="x = 6\nx * 7") == ["42"]
    assert client.texts("executeCode", code="import os; os.getcwd()") == [repr(str(stage.directory / "project"))]
    other = stage.client()
    calls = [other.start_tool("vim_execute_code", code="x += 1"), client.start_tool("executeCode", code="x += 1")]
    for call, one in zip(calls, (other, client), strict=True):
        assert "ran and printed nothing" in one.tool_answer(call)["content"][0]["text"]
    assert other.tool_text("vim_execute_code", code="x") == "8"
    result = other.tool_answer(other.start_tool("vim_execute_code", code=IMAGE))
    assert result["content"] == [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]
    assert "structuredContent" not in result
    with pytest.raises(ToolError, match="ZeroDivisionError"):
        client.texts("executeCode", code="1 / 0")


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
def test_the_kernel_outlives_the_hub_and_ends_with_the_editor(
    client: IdeClient, editor: Terminal, stage: Stage
) -> None:
    client.texts("executeCode", code="x = 6")
    before = stage.kill_hub()
    wait_until(lambda: _port_of_another_hub(stage, before), "the next hub has given the editor its port")
    again = IdeClient.of(stage.home, editor.editor_pid)
    assert again.texts("executeCode", code="x * 7") == ["42"]
    again.close()
    assert left(stage)
    os.kill(editor.editor_pid, signal.SIGKILL)
    wait_until(lambda: not left(stage), "nothing is left")


def _port_of_another_hub(stage: Stage, before: int) -> bool:
    try:
        status = stage.status()
    except OSError:
        return False
    return status["pid"] != before and any(instance["port"] for instance in status["instances"])


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
def test_it_ends_with_the_editor_when_no_hub_is_there(client: IdeClient, editor: Terminal, stage: Stage) -> None:
    client.texts("executeCode", code="x = 6")
    hub, pid = stage.hub_pid(), editor.editor_pid
    os.kill(hub, signal.SIGSTOP)  # it neither works nor makes room for the next
    os.kill(pid, signal.SIGKILL)
    try:
        wait_until(lambda: not left(stage), "nothing is left")
    finally:
        os.kill(hub, signal.SIGCONT)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-06", "KERNEL-14")
def test_progress_is_told_and_cancelling_interrupts(client: IdeClient) -> None:
    code = "import time\nprint('begun', flush=True)\nwhile True: time.sleep(0.01)"
    params = {"name": "executeCode", "arguments": {"code": code}, "_meta": {"progressToken": "p"}}
    call = client.start("tools/call", params)
    told: list[Message] = []
    while not told or told[-1]["message"] != "begun":
        told.append(client.notification("notifications/progress")["params"])
    told.append(client.notification("notifications/progress")["params"])
    assert {one["progressToken"] for one in told} == {"p"}
    assert [one["progress"] for one in told] == sorted({one["progress"] for one in told})
    begun = time.monotonic()
    client.notify("notifications/cancelled", requestId=call)
    assert client.texts("executeCode", code="'next'") == ["'next'"]
    assert time.monotonic() - begun < 5


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-06", "KERNEL-10")
def test_the_users_settings_and_environment_count(stage: Stage, kind: str) -> None:
    editor = start(
        stage, kind, "let g:vim_mcp_execute_code = 'allow'", "let g:vim_mcp_execute_code_timeout = 1",
        "let g:vim_mcp_kernel = './my python'", "let $FROM_THE_EDITOR = 'yes \u00e9'", 'let $BROKEN = "a\\xff"',
    )  # fmt: skip
    own = stage.directory / "project" / "my python"
    own.write_text(f'#!/bin/sh\nexport MINE=1\nexec {stage.environment()["PATH"].split(":")[0]}/python "$@"\n')
    own.chmod(0o755)
    client = IdeClient.of(stage.home, editor.editor_pid)
    code = "import os; [os.environ.get(name) for name in ('MINE', 'FROM_THE_EDITOR', 'BROKEN')]"
    assert client.texts("executeCode", code=code) == ["['1', 'yes \u00e9', None]"]
    with pytest.raises(ToolError, match="interrupted after 1 s"):
        client.texts("executeCode", code="while True: pass")
    client.close()


# ---- the user's yes


def tools(client: McpClient) -> set[str]:
    """The names of the tools that a client is offered."""
    return {tool["name"] for tool in client.request("tools/list")["tools"]}


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-13")
def test_the_tool_goes_when_it_is_off(stage: Stage, kind: str) -> None:
    editor = start(stage, kind, "let g:vim_mcp_execute_code = 'off'")
    client, other = IdeClient.of(stage.home, editor.editor_pid), stage.client()
    assert "executeCode" not in tools(client)
    stage.instance(editor)
    assert "vim_execute_code" not in tools(other)
    with pytest.raises(ToolError, match="'off'"):
        client.texts("executeCode", code="1")
    editor.type(":let g:vim_mcp_execute_code = 'allow'\r:new\r")
    for one, name in ((client, "executeCode"), (other, "vim_execute_code")):
        one.notification("notifications/tools/list_changed")
        assert name in tools(one)
    assert client.texts("executeCode", code="40 + 2") == ["42"]
    editor.type(":VimMCPPause\r")
    wait_until(lambda: _fails(client) == "access", "no access")
    client.close()


def _fails(client: IdeClient) -> str | None:
    try:
        client.texts("executeCode", code="1")
    except ToolError as error:
        return error.kind
    return None


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-13")
def test_the_user_is_asked_in_the_editor(stage: Stage, kind: str) -> None:
    editor = start(stage, kind)
    client = IdeClient.of(stage.home, editor.editor_pid)
    for word, outcome in (("yes", "42"), ("no", "refused")):
        call = client.start_tool("executeCode", code="6 * 7")
        editor.wait_screen("6 * 7")
        editor.type(f":VimMCPAnswer {word}\r")
        told = client.answer(call)
        assert outcome in told["content"][0]["text"]
        assert bool(told.get("isError")) == (word == "no")
        editor.wait_screen(lambda screen: "may it run" not in screen)
    call = client.start_tool("executeCode", code="6 * 7")
    editor.wait_screen("6 * 7")
    editor.type(":VimMCPAnswer always\r")
    assert client.answer(call)["content"][0]["text"] == "42"
    assert client.texts("executeCode", code="6 * 7") == ["42"]  # nobody is asked any more
    client.close()


class Asked:
    """An editor in the test's hands that has been asked whether code may run."""

    def __init__(self, stage: Stage):
        self.client = stage.client()
        self.editor = RawEditor(stage.socket, stage.project("project"))
        self.call = self.client.start_tool("vim_execute_code", code="6 * 7\n\0\x1b")
        request = self.next("get_environment")
        settings = {"permission": "ask", "timeout": 20, "kernel": "", "folder": str(stage.directory)}
        self.editor.say("result", id=request["id"], result=settings)
        self.request = self.next("ask")

    def next(self, method: str) -> Message:
        """The next request for that method."""
        while True:
            message = self.editor.messages.get(timeout=30)
            if message.get("method") == method:
                return message

    def taken(self) -> str:
        """The editor shows the question, whose id this is."""
        self.editor.say("result", id=self.request["id"], result={})
        return str(self.request["params"]["question"])


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-13")
def test_the_question_holds_all_that_would_run(stage: Stage) -> None:
    asked = Asked(stage)
    params = asked.request["params"]
    assert (params["kind"], params["lines"], params["client"]) == (
        "execute_code", ["6 * 7", "\n\x1b"], "test-client 1.0",
    )  # fmt: skip
    question = asked.taken()
    asked.editor.say("answer", question="another", answer="once")
    asked.editor.say("answer", question=question, answer="unanswered")
    with pytest.raises(ToolError, match="has not answered") as caught:
        asked.client.tool_answer(asked.call)
    assert caught.value.kind == "unanswered"
    asked.editor.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-13")
@pytest.mark.parametrize("how", ["cancelled", "hung up", "the editor left"])
def test_the_question_goes_with_who_asked(stage: Stage, how: str) -> None:
    asked = Asked(stage)
    question = asked.taken()
    if how == "the editor left":
        asked.editor.close()
        with pytest.raises(ToolError, match="has left"):
            asked.client.tool_answer(asked.call)
        return
    if how == "cancelled":
        asked.client.notify("notifications/cancelled", requestId=asked.call)
    else:
        asked.client.close()
    assert asked.next("cancel_question")["params"] == {"questions": [question]}
    asked.editor.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-13")
def test_much_code_goes_to_the_question_by_file(stage: Stage) -> None:
    asked = Asked(stage)
    long = asked.client.start_tool("vim_execute_code", code="# \u6f22\n" * 20_000)
    asked.editor.say("result", id=asked.next("get_environment")["id"], result={"permission": "ask", "timeout": 9})
    request = asked.next("ask")
    path = request["params"]["lines_file"]
    with open(path, encoding="utf-8") as file:
        assert file.read() == "# \u6f22\n" * 20_000
    asked.editor.say("result", id=request["id"], result={})
    wait_until(lambda: not os.path.exists(path), "the file is gone")
    asked.editor.say("answer", question=request["params"]["question"], answer="no")
    with pytest.raises(ToolError, match="refused"):
        asked.client.tool_answer(long)
    asked.editor.close()


# ---- what the user does with it


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-15")
def test_the_user_sees_and_ends_what_runs(client: IdeClient, editor: Terminal) -> None:
    editor.type(":VimMCPKernel\r")
    editor.wait_screen("There is no kernel yet")
    editor.type(":VimMCPKernelOutput\r")
    assert client.texts("executeCode", code="x = 6\nprint('a' + 'b')\nx * 7") == ["ab\n42"]
    for line in ("test-client 1.0", "> x = 6", "ab", "42"):
        editor.wait_screen(line)
    call = client.start_tool("executeCode", code="print('be' + 'gun', flush=True)\nwhile True: pass")
    editor.wait_screen("begun")
    editor.type(":VimMCPKernel interrupt\r")
    with pytest.raises(ToolError, match="KeyboardInterrupt"):
        client.tool_answer(call)
    editor.wait_screen(lambda screen: screen.split("\n")[-1].startswith("vim-mcp: "))
    editor.type(":VimMCPKernel\r")
    editor.wait_screen("idle")
    editor.type(":VimMCPKernel restart\r")
    editor.wait_screen("the kernel has ended: the user has restarted it")
    note, value = client.texts("executeCode", code="'x' in globals()")
    assert "the user has restarted it" in note
    assert value == "False"


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-15")
def test_what_a_thread_prints_later_is_followed_too(client: IdeClient, editor: Terminal, stage: Stage) -> None:
    editor.type(":VimMCPKernelOutput\r")
    go = stage.directory / "go"
    lines = [
        "import os, threading, time",
        "def work():",
        f"    while not os.path.exists({str(go)!r}): time.sleep(0.01)",
    ]
    lines += ["    print('la' + 'ter', flush=True)", "threading.Thread(target=work).start()"]
    client.texts("executeCode", code="\n".join(lines))
    go.touch()
    editor.wait_screen("\nlater")


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-04", "KERNEL-15")
def test_a_flood_of_output_is_followed(client: IdeClient, editor: Terminal) -> None:
    editor.type(":VimMCPKernelOutput\r")
    (told,) = client.texts("executeCode", code="for i in range(100_000): print(i)\nprint('the', 'end')")
    assert told.startswith("0\n1\n")
    editor.wait_screen("the end")
    assert client.read_json("vim://cursor")["mode"] == "n"


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-16")
def test_the_users_cells_run_in_the_same_kernel(client: IdeClient, editor: Terminal, stage: Stage) -> None:
    cells = "# %% one\nx = 6\nprint('a' + 'b')\n\n# %% two\nx * 7\n\n# %% three\n1 / 0\n"
    (stage.directory / "project" / "cells.py").write_text(cells)
    editor.type(":edit cells.py\r:2\r:VimMCPRunCell\r")
    editor.wait_screen("\n  ab")
    editor.type(":6\r:VimMCPRunCell\r")
    editor.wait_screen("\n  42")
    editor.type(":9\r:VimMCPRunCell\r")
    editor.wait_screen("ZeroDivisionError: division by zero")
    assert client.texts("executeCode", code="x = 8; 'a client'") == ["'a client'"]
    editor.type(":1\rOimport os\x1b:7\r:VimMCPRunCell\r")
    screen = editor.wait_screen("\n  56")
    assert "\n  42" not in screen
    assert client.read_text("vim://buffer/current") == f"import os\n{cells}"
    editor.type(":VimMCPRunCell!\r")
    editor.wait_screen(lambda screen: "\n  56" not in screen and "x * 7\n\n# %% three\n1 / 0\n~" in screen)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-16")
def test_the_users_own_code_has_no_limit(stage: Stage, kind: str) -> None:
    editor = start(stage, kind, "let g:vim_mcp_execute_code_timeout = 1")
    IdeClient.of(stage.home, editor.editor_pid).close()
    editor.type(":%d|call setline(1, 'import time; time.sleep(1.5); \"slept\"')|VimMCPRunCell\r")
    editor.wait_screen("\n  'slept'")


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-16")
def test_the_users_own_code_shows_how_far_it_is(stage: Stage, kind: str) -> None:
    editor = start(stage, kind)
    IdeClient.of(stage.home, editor.editor_pid).close()
    go = stage.directory / "go"
    lines = ["import os, time", "print('a'); print('step', 7)", f"while not os.path.exists('{go}'): time.sleep(0.01)"]
    editor.type(f":%d|call setline(1, {lines!r})|VimMCPRunCell\r")
    editor.wait_screen("\n  running: step 7\n~")
    go.touch()
    editor.wait_screen("\n  a\n  step 7\n~")


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-10")
def test_without_jupyter_it_is_said_how_to_get_it(stage: Stage, kind: str) -> None:
    without = stage.project("without", sitecustomize_py="import sys\nsys.modules['jupyter_client'] = None\n")
    stage.client(PYTHONPATH=str(without)).request("ping")  # it starts the hub
    editor = start(stage, kind)
    stage.instance(editor)
    told = "Jupyter's client is not installed beside"
    command = "-m pip install jupyter_client ipykernel"
    for line in ("VimMCPRunCell", "VimMCPKernel status"):
        editor.type(f":messages clear\r:{line}\r")
        editor.wait_screen(lambda screen: f"vim-mcp: {told}" in "".join(screen.split("\n")[-2:]), "(:messages)")
        editor.type(":messages\r")
        editor.wait_screen(
            lambda screen: f"vim-mcp: {told}" in screen and command in _whole(screen, "vim-mcp: "), "ENTER"
        )
        editor.type("\r")
    screen = editor.wait_screen(f"x = 1\n  {told}")
    assert command in _whole(screen, f"  {told}")


def _whole(screen: str, beginning: str) -> str:
    """What begins so on a screen, over as many rows as it may take."""
    rows = screen[screen.index(beginning) :].split("\n")[:4]
    return rows[0] + "".join(row.removeprefix("  ") for row in rows[1:])


PROGRESS = """
import time
for part in ("\\r 10%", "\\r 20%\\r", " 30%", "\\r", "\\n", "a\\r\\n", "b\\r", "c"):
    print(part, end="", flush=True)
    time.sleep(0.1)
"""


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-15")
def test_the_window_shows_a_progress_bar_in_one_line(client: IdeClient, editor: Terminal) -> None:
    editor.type(":VimMCPKernelOutput\r")
    client.texts("executeCode", code=PROGRESS)
    editor.wait_screen(lambda screen: "\n 30%\na\nc\n" in screen)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-15")
def test_the_window_begins_with_what_has_been(client: IdeClient, editor: Terminal) -> None:
    client.texts("executeCode", code="print('a' + 'b')")
    editor.type(":VimMCPKernelOutput\r")
    editor.wait_screen(lambda screen: "> print('a' + 'b')\nab" in screen)
    editor.type(":close|VimMCPKernelOutput\r")
    assert client.texts("executeCode", code="'c' + 'd'") == ["'cd'"]
    screen = editor.wait_screen("\n'cd'")
    assert screen.count("\nab") == 1
    editor.type(":bwipeout|VimMCPKernelOutput\r")
    editor.wait_screen(lambda screen: "\nab" in screen and "\n'cd'" in screen)
