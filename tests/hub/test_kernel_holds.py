"""What must hold of code in an editor's kernel, each on a real ipykernel (or bash_kernel) and every editor."""

from __future__ import annotations

import json
import os
import signal

import pytest

from tests.hub.test_kernel import IMAGE, PIXEL, left, start
from tests.support.ideclient import IdeClient
from tests.support.kernellab import ports_of
from tests.support.mcpclient import ToolError
from tests.support.stage import Stage
from tests.support.waiting import wait_until

ALLOWED = ("set noswapfile", "let g:vim_mcp_execute_code = 'allow'", "let g:vim_mcp_execute_code_timeout = 60")


def failing(client: IdeClient, code: str) -> str:
    """What a client is told of code that fails."""
    result = client.answer(client.start_tool("executeCode", code=code))
    assert result["isError"]
    return "\n".join(block["text"] for block in result["content"])


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-02", "KERNEL-03", "KERNEL-04", "KERNEL-05", "KERNEL-07")
def test_what_code_may_do_to_its_kernel(stage: Stage, kind: str) -> None:
    editor = start(stage, kind, *ALLOWED)
    client = IdeClient.of(stage.home, editor.editor_pid)
    call = client.start_tool("executeCode", code=IMAGE)
    assert client.tool_answer(call)["content"] == [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]
    trace = failing(client, "def f(): return 1 / 0\nx = 5\nf()")
    assert "return 1 / 0" in trace
    assert "ZeroDivisionError: division by zero" in trace
    assert "\x1b" not in trace
    assert "input() has no one to answer it here" in failing(client, "input('name? ')")
    (long,) = client.texts("executeCode", code="print('x' * 10_000_000)")
    assert len(long) < 50_000
    assert "characters (0 lines) left out" in long
    assert client.texts("executeCode", code="x") == ["5"]
    gone = failing(client, "import os; os._exit(1)")
    assert "it ended with status 1" in gone
    assert "variables, imports and definitions are lost" in gone
    assert client.texts("executeCode", code="'x' in globals()") == ["False"]
    (kernel,) = client.texts("executeCode", code="import os; os.getpid()")
    editor.type(":VimMCPKernelOutput\r")
    editor.wait_screen("os.getpid()")
    os.kill(int(kernel), signal.SIGKILL)
    editor.wait_screen("the kernel has ended: it was ended by SIGKILL")
    note, value = client.texts("executeCode", code="'a new one'")
    assert "SIGKILL" in note
    assert "are lost" in note
    assert value == "'a new one'"
    client.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-11")
def test_a_kernel_of_another_language(stage: Stage, kind: str) -> None:
    spec = stage.home.home / ".data" / "jupyter" / "kernels" / "bash"
    spec.mkdir(parents=True)
    argv = ["python", "-m", "bash_kernel", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "Bash", "language": "bash"}))
    editor = start(stage, kind, *ALLOWED, "let g:vim_mcp_kernel = 'bash'")
    client = IdeClient.of(stage.home, editor.editor_pid)
    client.texts("executeCode", code="x=5; cd /")
    assert client.texts("executeCode", code="echo $((x + 1)); pwd") == ["6\n/"]
    editor.type(":%d|call setline(1, 'echo cell $x')|VimMCPRunCell\r")
    editor.wait_screen("\n  cell 5")
    client.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-01")
def test_each_editor_has_a_kernel_of_its_own(stage: Stage, kind: str) -> None:
    editors = [start(stage, kind, *(ALLOWED if number == 0 else ())) for number in range(2)]
    clients = [IdeClient.of(stage.home, editor.editor_pid) for editor in editors]
    for number, client in enumerate(clients):
        client.texts("executeCode", code=f"x = {number}")
    assert [client.texts("executeCode", code="x") for client in clients] == [["0"], ["1"]]
    os.kill(editors[0].editor_pid, signal.SIGKILL)
    wait_until(lambda: len(list(stage.runtime.glob("kernel-*"))) == 1, "the first one's kernel has ended")
    assert clients[1].texts("executeCode", code="x") == ["1"]
    for client in clients:
        client.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
@pytest.mark.parametrize("how", [":qa!\r", ":cquit\r", ":VimMCPKernel shutdown\r"])
def test_nothing_of_it_is_left(stage: Stage, kind: str, how: str) -> None:
    editor = start(stage, kind, *ALLOWED)
    client = IdeClient.of(stage.home, editor.editor_pid)
    (kernel,) = client.texts("executeCode", code="import os; os.getpid()")
    ports = ports_of(int(kernel))  # ipykernel takes one, for what its children print
    assert left(stage)
    editor.type(how)
    wait_until(lambda: not left(stage), "no file and no process is left")
    assert not ports & ports_of()
    client.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-12", "KERNEL-15")
def test_the_user_attaches_a_running_kernel_and_lets_go_of_it(stage: Stage, kind: str) -> None:
    editor = start(stage, kind, *ALLOWED)
    other = start(stage, kind)
    theirs, client = (IdeClient.of(stage.home, one.editor_pid) for one in (other, editor))
    theirs.texts("executeCode", code="x = 'theirs'")
    client.texts("executeCode", code="x = 'mine'")
    (directory,) = stage.runtime.glob(f"kernel-{other.editor_pid}-*")
    editor.type(f":VimMCPKernel attach {directory / 'connection.json'}\r")
    editor.wait_screen("Attached to the kernel")
    assert client.texts("executeCode", code="x")[-1] == "'theirs'"
    editor.type(":VimMCPKernel\r")
    editor.wait_screen("Kernel: attached to")
    editor.type(":VimMCPKernel shutdown\r")
    editor.wait_screen("it runs on")
    note, value = client.texts("executeCode", code="'x' in globals()")
    assert "the user has ended it" in note
    assert value == "False"
    assert theirs.texts("executeCode", code="x") == ["'theirs'"]
    for one in (theirs, client):
        one.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-06", "KERNEL-08", "KERNEL-14")
def test_on_stdio_too_progress_is_told_and_the_next_one_waits_until_cancelling_interrupts(
    stage: Stage, kind: str
) -> None:
    stage.instance(start(stage, kind, *ALLOWED))
    first, second = stage.client(), stage.client()
    code = "import time\nrun = 1\nprint('begun', flush=True)\nwhile True: time.sleep(0.01)"
    arguments = {"name": "vim_execute_code", "arguments": {"code": code}, "_meta": {"progressToken": 7}}
    call = first.start("tools/call", arguments)
    while (told := first.notification("notifications/progress")["params"])["message"] != "begun":
        pass
    assert told["progressToken"] == 7
    waiting = second.start("tools/call", {**arguments, "arguments": {"code": "run + 1"}})
    while second.notification("notifications/progress")["params"]["message"] != "waiting for the kernel":
        pass
    first.notify("notifications/cancelled", requestId=call)
    assert second.answer(waiting)["content"][0]["text"] == "2"


# ---- the question


@pytest.mark.slow
@pytest.mark.requirement("ASK-05", "KERNEL-13")
@pytest.mark.parametrize("session", ["stdio", "ide"])
@pytest.mark.parametrize("how", ["cancels", "hangs up"])
def test_the_question_leaves_the_screen_with_who_asked(stage: Stage, kind: str, session: str, how: str) -> None:
    editor = start(stage, kind)
    stage.instance(editor)
    client = stage.client() if session == "stdio" else IdeClient.of(stage.home, editor.editor_pid)
    call = client.start_tool("vim_execute_code" if session == "stdio" else "executeCode", code="6 * 7")
    editor.wait_screen("may it run this code?", "6 * 7")
    if how == "cancels":
        client.notify("notifications/cancelled", requestId=call)
    else:
        client.close()
    editor.wait_screen(lambda screen: "may it run this code?" not in screen)
    editor.type(":VimMCPAnswer yes\r")
    editor.wait_screen("nobody asks anything now")
    assert not left(stage)


HOSTILE = ["escape \x1b[2J\x1b]0;t\x07", "bidi \u202e\u2066 end", "tag \U000e0041", "x" * 300, "nul \0 it"]
SHOWN = ["escape ^[[2J^[]0;t^G", "bidi <202e><2066> end", "tag <e0041>", "x" * 300, "nul ^@ it"]


@pytest.mark.slow
@pytest.mark.requirement("ASK-01", "ASK-07")
@pytest.mark.parametrize("what", ["vim_execute", "vim_execute_code"])
def test_all_of_5000_lines_can_be_read_before_they_run(stage: Stage, kind: str, what: str) -> None:
    editor = start(stage, kind, "let g:vim_mcp_execute = 'ask'")
    stage.instance(editor)
    client = stage.client()
    name, hostile = {"vim_execute": ("command", 4), "vim_execute_code": ("code", 5)}[what]
    lines = [f"echo system('{number}')" for number in range(5000 - hostile)]
    call = client.start_tool(what, **{name: "\n".join([*lines, *HOSTILE[:hostile]])})
    editor.wait_screen("of 500")
    told = stage.directory / "told"
    editor.type(f":VimMCPQuestion\r:silent write! {told}\r:echo 'writ' . 'ten'\r")
    editor.wait_screen("written")
    assert told.read_text().split("\n")[3:] == [*lines, *SHOWN[:hostile], ""]
    editor.type("\x1cn")
    with pytest.raises(ToolError, match="refused"):
        client.tool_answer(call)
