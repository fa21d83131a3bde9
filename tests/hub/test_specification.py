"""What the specification says about the server, sentence by sentence, where no other test shows it."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.hub.test_recovery import read_again
from tests.support.editors import TIMEOUT
from tests.support.mcpclient import RpcError, StdioClient, ToolError
from tests.support.processes import open_files
from tests.support.stage import Stage

Message = dict[str, Any]
STATE: Message = {
    "current_buffer": {"id": 1, "name": "/p/main.py", "filetype": "python", "line_count": 1, "modified": False},
    "windows": [], "buffers": [], "cursor": [1, 1], "mode": "n", "cwd": "/p",
}  # fmt: skip


class FakeEditor:
    """An editor that is nothing but its connection, so that a test sees each message and chooses each answer."""

    def __init__(self, stage: Stage, name: str, state_interval: int = 0):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT)
        self._socket.connect(str(stage.socket))
        self._lines = self._socket.makefile("rb")
        told = {"pid": os.getpid(), "cwd": "/p", "main_file": "/p/main.py", "buffers": [], "version": "0"}
        told["state_interval"] = state_interval  # 0: no request but those that the test's client causes
        self.send({"type": "register", "instance_id": f"{name}-p-{os.getpid()}", "info": told})
        self.registered = self.receive()

    @property
    def instance_id(self) -> str:
        """The id that the hub gave."""
        return str(self.registered["instance_id"])

    def send(self, message: Message) -> None:
        """Send one message."""
        self._socket.sendall(json.dumps(message).encode() + b"\n")

    def receive(self) -> Message:
        """Return the next message; fails if none comes in time or the hub has hung up."""
        message: Message = json.loads(self._line())
        return message

    def ended(self) -> bool:
        """Wait until the hub hangs up; False if it goes on talking."""
        return self._line() == b""

    def _line(self) -> bytes:
        """The next line but those about the editor's port, which come when they will."""
        while (line := self._lines.readline()).startswith((b'{"type":"environment"', b'{"type":"ide"')):
            pass
        return line

    def close(self) -> None:
        """Hang up."""
        self._lines.close()
        self._socket.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """One hub for all tests that need no beginning of their own; each takes its editors away."""
    own = Stage(tmp_path_factory.mktemp("shared"))
    yield own
    own.close()


@pytest.fixture
def client(shared: Stage) -> StdioClient:
    """A client, and so a hub."""
    return shared.client()


@pytest.fixture
def fake(shared: Stage, client: StdioClient) -> Iterator[FakeEditor]:
    """The only editor, a fake."""
    editor = FakeEditor(shared, "main")
    yield editor
    editor.close()
    shared.instances(lambda listed: not listed)


# ---- state


@pytest.mark.slow
@pytest.mark.requirement("VIM-SF-02", "VIM-PULL-03")
def test_the_state_file_follows_at_the_editors_interval(shared: Stage, client: StdioClient) -> None:
    editor = FakeEditor(shared, "often", state_interval=200)
    path = shared.runtime / f"vim-mcp-{editor.instance_id}-state.json"
    begun = time.monotonic()
    for number in range(4):
        editor.send({"type": "event", "event": "TextChanged", "state": STATE})
        request = editor.receive()
        assert request["method"] == "get_text"
        text = {"buffer": STATE["current_buffer"], "first": 1, "last": 1, "line_count": 1, "changedtick": 1}
        editor.send({"id": request["id"], "result": {**text, "end_of_line": True, "lines": [str(number)]}})
    assert time.monotonic() - begun > 3 * 0.2 - 0.05
    deadline = time.monotonic() + TIMEOUT
    while not path.exists() or json.loads(path.read_text())["current_buffer"]["content"] != ["3"]:
        assert time.monotonic() < deadline
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    editor.close()
    shared.instances(lambda listed: not listed)
    assert not path.exists()


@pytest.mark.requirement("VIM-SF-02", "VIM-PULL-03")
def test_no_interval_no_state_file(shared: Stage, fake: FakeEditor, client: StdioClient) -> None:
    fake.send({"type": "event", "event": "TextChanged", "state": STATE})
    client.start_tool("vim_execute", command="ls")
    assert fake.receive()["method"] == "execute", "the client's request comes first, no other before it"
    assert list(shared.runtime.glob("*-state.json")) == []


# ---- the protocol with editors


@pytest.mark.requirement("VIM-WIRE-01", "VIM-REG-02", "VIM-FLOW-01", "VIM-STATE-01", "VIM-SEL-03")
def test_reading_the_buffers_is_one_request_to_the_editor(fake: FakeEditor, client: StdioClient) -> None:
    assert fake.registered == {"type": "registered", "instance_id": f"main-p-{os.getpid()}"}
    call = client.start("resources/read", {"uri": "vim://buffers"})
    request = fake.receive()
    assert (type(request["id"]), request["method"]) == (int, "get_state")
    buffers = [{"id": n, "name": f"/p/{name}", "listed": True} for n, name in enumerate(("main.py", "test.py"), 1)]
    fake.send({"id": request["id"], "result": {**STATE, "buffers": buffers}})
    (content,) = client.answer(call)["contents"]
    assert [buffer["name"] for buffer in json.loads(content["text"])["buffers"]] == ["/p/main.py", "/p/test.py"]
    ping = client.start_tool("vim_execute", command="echo 1")
    assert fake.receive()["id"] != request["id"], "and the next request is the next call's"
    fake.close()
    with pytest.raises(ToolError):
        client.tool_answer(ping)


@pytest.mark.requirement("VIM-STATE-03")
def test_answers_may_come_in_any_order(fake: FakeEditor, client: StdioClient) -> None:
    calls = [client.start_tool("vim_execute", command=f"echo {number}") for number in range(3)]
    requests = [fake.receive() for _ in calls]
    for request in reversed(requests):
        said = request["params"]["command"].removeprefix("echo ")
        fake.send({"id": request["id"], "result": {"output": said, "truncated": False}})
    outputs = [client.tool_answer(call)["structuredContent"]["output"] for call in calls]
    assert outputs == ["0", "1", "2"]


@pytest.mark.requirement("VIM-PULL-01", "VIM-PULL-02")
@pytest.mark.parametrize("uri", ["vim://state", "vim://buffer/current", "vim://windows", "vim://cursor"])
def test_each_read_asks_the_editor_anew(fake: FakeEditor, client: StdioClient, uri: str) -> None:
    for _ in range(2):
        client.start("resources/read", {"uri": uri})
        assert fake.receive()["method"].startswith("get_")


@pytest.mark.requirement("VIM-ERR-07", "VIM-ERR-14")
def test_an_editor_lost_in_the_middle_of_a_call_is_an_error_that_names_it(
    fake: FakeEditor, client: StdioClient
) -> None:
    call, read = client.start_tool("vim_execute", command="ls"), client.start("resources/read", {"uri": "vim://state"})
    fake.receive()
    fake.close()
    with pytest.raises(ToolError) as failed:
        client.tool_answer(call)
    assert (failed.value.code, failed.value.data["instance_id"]) == (1003, fake.instance_id)
    with pytest.raises(RpcError) as error:
        client.answer(read)
    assert error.value.error.keys() == {"code", "message", "data"}
    assert (error.value.code, error.value.error["data"]["instance_id"]) == (1003, fake.instance_id)


@pytest.mark.slow
@pytest.mark.requirement("VIM-LIM-03")
def test_an_editor_that_does_not_answer_is_given_up_after_five_seconds(fake: FakeEditor, client: StdioClient) -> None:
    begun = time.monotonic()
    with pytest.raises(ToolError) as failed:
        client.tool("vim_execute", command="ls")
    assert 4.5 < time.monotonic() - begun < 10
    assert (failed.value.code, failed.value.kind) == (1004, "busy")


@pytest.mark.slow
@pytest.mark.requirement("VIM-LIM-03")
def test_a_caller_that_says_nothing_is_hung_up_on_after_five_seconds(shared: Stage, client: StdioClient) -> None:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.settimeout(TIMEOUT)
        caller.connect(str(shared.socket))
        begun = time.monotonic()
        caller.sendall(b'{"type": ')
        while caller.recv(4096):
            pass
        assert time.monotonic() - begun > 4.5
    assert client.request("ping") == {}


# ---- who is there


@pytest.mark.slow
@pytest.mark.requirement("VIM-SEL-01", "VIM-CONN-03", "VIM-REGISTRY-03", "VIM-LIM-04")
def test_the_registry_of_an_earlier_hub_is_checked_and_cleaned(stage: Stage) -> None:
    now = datetime.now(UTC)
    entry = {"socket": "", "cwd": "/p", "main_file": "/p/x", "started": now.isoformat(), "buffers": []}
    entries = {
        "old-p-1": {**entry, "pid": os.getpid(), "last_seen": (now - timedelta(hours=25)).isoformat()},
        "gone-p-2": {**entry, "pid": 2**22 + 1, "last_seen": now.isoformat()},
    }
    registry = stage.runtime / "vim-mcp-registry.json"
    registry.write_text(json.dumps(entries))
    client = stage.client()
    assert client.tool("list_vim_instances") == {"instances": []}
    assert json.loads(registry.read_text()) == {}
    with pytest.raises(ToolError, match="No instances found, run :VimMCPReconnect in Vim"):
        client.tool("vim_execute", command="ls")


@pytest.mark.requirement("VIM-REGISTRY-03", "VIM-LIM-04")
def test_the_registry_holds_every_connected_editor(shared: Stage, fake: FakeEditor) -> None:
    second = FakeEditor(shared, "second")
    shared.instances(lambda listed: len(listed) == 2)
    entries = json.loads((shared.runtime / "vim-mcp-registry.json").read_text())
    second.close()
    assert entries.keys() == {fake.instance_id, second.instance_id}


@pytest.mark.requirement("VIM-ERR-01", "VIM-SEL-02", "VIM-SEL-03", "G4", "G5")
def test_the_server_waits_for_an_editor(stage: Stage, kind: str) -> None:
    client = stage.client()
    with pytest.raises(ToolError, match="No instances found, run :VimMCPReconnect in Vim") as failed:
        client.tool("vim_execute", command="echo 1")
    assert failed.value.code == 1001
    stage.instance(stage.editor(kind, "one.txt"))
    assert client.tool("vim_execute", command="echo 1")["output"].strip() == "1"


@pytest.mark.requirement("VIM-SEL-01", "VIM-CONN-06", "VIM-ERR-02", "VIM-REGISTRY-03")
def test_an_editor_that_hangs_up_is_gone(shared: Stage, client: StdioClient, fake: FakeEditor) -> None:
    other = FakeEditor(shared, "other")
    fake.close()
    shared.instances(lambda listed: [entry["instance_id"] for entry in listed] == [other.instance_id])
    assert json.loads((shared.runtime / "vim-mcp-registry.json").read_text()).keys() == {other.instance_id}
    with pytest.raises(ToolError) as failed:
        client.tool("vim_execute", command="ls", instance_id=fake.instance_id)
    assert failed.value.code == 1002
    assert other.instance_id in str(failed.value)
    other.close()


# ---- messages that are none


@pytest.mark.requirement("VIM-ERR-08", "VIM-MCP-02")
@pytest.mark.parametrize("message", [{"jsonrpc": "2.0", "id": 7}, {"id": 7, "method": "ping"}, {"jsonrpc": "2.0"}])
def test_what_is_no_request_is_an_invalid_request(client: StdioClient, message: Message) -> None:
    client.send(message)
    with pytest.raises(RpcError) as error:
        client.answer(message.get("id"))
    assert error.value.code == -32600
    assert client.request("ping") == {}


@pytest.mark.slow
@pytest.mark.requirement("VIM-ERR-11")
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "vim_search", "arguments": {"pattern": "x"}}),
        ("tools/call", {"name": "vim_edit", "arguments": {"file": "/p/x", "content": "x"}}),
        ("resources/read", {"uri": "vim://buffer/current"}),
    ],
)
@pytest.mark.parametrize("nonsense", [{"matches": "SECRET"}, {}, None, 3])
def test_an_editors_nonsense_is_an_error_and_no_more(
    shared: Stage, fake: FakeEditor, client: StdioClient, method: str, params: Message, nonsense: Any
) -> None:
    call = client.start(method, params)
    fake.send({"id": fake.receive()["id"], "result": nonsense})
    with pytest.raises(RpcError, match="vim-mcp logs") as failed:
        client.answer(call)
    assert failed.value.code == -32603
    assert client.request("ping") == {}
    assert "SECRET" not in (shared.runtime / "hub.log").read_text()


# ---- security


def inodes(pid: int) -> set[str]:
    """The inodes of a process's sockets."""
    return {name[8:-1] for name in open_files(pid) if name.startswith("socket:[")}


@pytest.mark.requirement("VIM-SEC-01", "VIM-SEC-02", "DIR-02")
def test_the_files_are_for_their_user_alone(shared: Stage, client: StdioClient, fake: FakeEditor) -> None:
    client.tool("select_vim_instance", instance_id=fake.instance_id)
    assert stat.S_IMODE(shared.socket.stat().st_mode) == 0o600
    for name in ("vim-mcp-registry.json", "vim-mcp-preference.txt", "hub.log"):
        assert stat.S_IMODE((shared.runtime / name).stat().st_mode) == 0o600, name
    assert stat.S_IMODE(shared.runtime.stat().st_mode) == 0o700


@pytest.mark.requirement("VIM-SEC-03")
def test_nothing_is_open_to_a_network(shared: Stage, client: StdioClient, fake: FakeEditor) -> None:
    held = inodes(shared.hub_pid()) | inodes(client.process.pid)
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        entries = (line.split() for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:])
        reachable = {entry[9] for entry in entries if not entry[1].startswith("0100007F:")}  # not at 127.0.0.1
        assert held.isdisjoint(reachable), table
    assert held


@pytest.mark.slow
@pytest.mark.requirement("HUB-07")
def test_the_log_holds_nothing_of_a_buffer(stage: Stage) -> None:
    client = stage.client(VIM_MCP_LOG_LEVEL="debug")
    project = stage.project("proj", one_txt="SECRET one\n")
    stage.instance(stage.editor("nvim", "one.txt", cwd=project))
    assert client.read_text("vim://buffer/current") == "SECRET one\n"
    client.tool("vim_edit", file=str(project / "one.txt"), old_text="one", new_text="SECRET two")
    client.tool("vim_search", pattern="SECRET")
    client.tool("vim_execute", command="echo getline(1)")
    with pytest.raises(ToolError):
        client.tool("vim_edit", file=str(project / "one.txt"), old_text="SECRET three", new_text="SECRET four")
    log = (stage.runtime / "hub.log").read_text()
    assert "registered" in log
    assert "SECRET" not in log


# ---- choosing


@pytest.mark.requirement("PICK-02")
def test_a_choice_without_the_user_sticks_until_the_editor_leaves(
    shared: Stage, fake: FakeEditor, client: StdioClient
) -> None:
    client.start_tool("vim_execute", command="ls")
    assert fake.receive()["method"] == "execute"
    second = FakeEditor(shared, "second")
    shared.instances(lambda listed: len(listed) == 2)
    last = client.start_tool("vim_execute", command="ls")
    assert fake.receive()["method"] == "execute"
    fake.close()
    with pytest.raises(ToolError) as failed:
        client.tool_answer(last)
    assert failed.value.code == 1003
    shared.instances(lambda listed: len(listed) == 1)
    calls = [client.start_tool("vim_execute", command="ls") for _ in range(2)]
    assert second.receive()["method"] == "execute"
    assert len(calls) == 2
    second.close()


# ---- time


def start_of_a_hub() -> float:
    """Seconds that this machine takes at this moment to load what a hub needs before it can answer a client."""
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "import vim_mcp.hub, vim_mcp.session.server"], check=True)
    return time.monotonic() - begun


@pytest.mark.slow
@pytest.mark.requirement("RELAY-02", "G5")
def test_two_seconds_after_the_hub_was_killed_everyone_is_back(stage: Stage, kind: str) -> None:
    found = [stage.instance(stage.editor(kind, name, cwd=stage.project(name))) for name in ("a", "b", "c")]
    client = stage.client()
    client.tool("select_vim_instance", instance_id=found[1])
    busy = start_of_a_hub()
    stage.kill_hub()
    begun = time.monotonic()
    assert read_again(client) == ""
    assert {entry["instance_id"] for entry in client.read_json("vim://instances")} == set(found)
    took = time.monotonic() - begun
    busy = max(busy, start_of_a_hub())
    assert took < max(2.0, 2 * busy), f"{took:.2f} s, on a machine that loads a hub in {busy:.2f} s"
