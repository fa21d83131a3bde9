"""What happens when something dies: the hub in the middle of calls, its socket file, its registry."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from typing import Any

import pytest

from tests.hub.test_selection import read, three
from tests.support.mcpclient import RpcError, StdioClient, ToolError
from tests.support.stage import Stage, wait_for_exit
from tests.support.waiting import wait_until


@pytest.mark.slow
@pytest.mark.requirement("G5", "RELAY-02", "VIM-ERR-04", "VIM-TEST-03")
def test_the_hub_is_killed_in_the_middle_of_calls(stage: Stage, kind: str) -> None:
    """Editors and clients are back; in-flight calls fail clearly; the selection and the subscription are kept."""
    found = three(stage, [kind])
    client = stage.client()
    client.tool("select_vim_instance", instance_id=found["b"])
    client.request("resources/subscribe", {"uri": "vim://state"})
    hub = stage.hub_pid()
    os.kill(hub, signal.SIGSTOP)  # so that the calls are surely in flight when it dies
    calls = [client.start_tool("vim_execute", command="echo 1"), client.start("resources/read", {"uri": "vim://state"})]
    process = client.process.pid
    os.kill(hub, signal.SIGKILL)
    with pytest.raises(ToolError) as failed:
        client.tool_answer(calls[0])
    assert failed.value.code == 1003
    with pytest.raises(RpcError) as error:
        client.answer(calls[1])
    assert error.value.code == 1003
    assert read(client) == "I am b"
    assert client.process.pid == process
    assert client.process.poll() is None
    assert stage.hub_pid() != hub
    listed = client.tool("list_vim_instances")["instances"]
    assert {entry["instance_id"] for entry in listed} == set(found.values())
    assert [entry["instance_id"] for entry in listed if entry["selected"]] == [found["b"]]
    stage_status = stage.status()
    assert len(stage_status["instances"]) == 3
    client.tool("vim_edit", file=str(stage.directory / "b" / "b.txt"), content="changed\n")
    assert client.notification("notifications/resources/updated")["params"]["uri"] == "vim://state"


def read_again(client: StdioClient) -> str:
    """Read the current text; a request that was on its way when the hub died may have to be repeated, once."""
    try:
        return read(client)
    except RpcError as error:
        if error.code != 1003:
            raise
    return read(client)


@pytest.mark.slow
@pytest.mark.requirement("G5", "RELAY-02", "VIM-ERR-04")
def test_a_hub_that_dies_idle_is_not_noticed(stage: Stage, kind: str) -> None:
    project = stage.project("a", a_txt="I am a\n")
    stage.instance(stage.editor(kind, "a.txt", cwd=project))
    client = stage.client()
    assert read(client) == "I am a"
    for _ in range(3):
        stage.kill_hub()
        assert read_again(client) == "I am a"


@pytest.mark.slow
@pytest.mark.requirement("VIM-ERR-06")
def test_a_corrupt_registry_is_reset(stage: Stage) -> None:
    registry = stage.runtime / "vim-mcp-registry.json"
    registry.write_text('{"half": ')
    stage.client()
    assert json.loads(registry.read_text()) == {}
    assert "corrupt" in (stage.runtime / "hub.log").read_text()


@pytest.mark.slow
@pytest.mark.requirement("VIM-REGISTRY-01", "VIM-REGISTRY-02", "VIM-SEC-02", "VIM-TEST-01")
def test_the_registry_tells_the_connected_editors(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="", two_txt="")
    editor = stage.editor(kind, "one.txt", "two.txt", cwd=project)
    instance_id = stage.instance(editor)
    pid = int(instance_id.removeprefix("one-proj-"))
    registry = stage.runtime / "vim-mcp-registry.json"
    assert registry.stat().st_mode & 0o777 == 0o600
    entry = json.loads(registry.read_text())[instance_id]
    assert entry["socket"] == str(stage.socket)
    assert (entry["pid"], entry["cwd"]) == (pid, str(project))
    assert entry["main_file"] == str(project / "one.txt")
    assert entry["buffers"] == [str(project / "one.txt"), str(project / "two.txt")]
    assert entry["started"] <= entry["last_seen"]
    assert entry["last_seen"].endswith("+00:00")


@pytest.mark.slow
@pytest.mark.requirement("VIM-SF-01", "VIM-SF-02")
def test_the_state_file_holds_the_complete_state(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="text\n")
    editor = stage.editor(kind, "one.txt", cwd=project)
    path = stage.runtime / f"vim-mcp-{stage.instance(editor)}-state.json"

    def state() -> dict[str, Any]:
        return json.loads(path.read_text()) if path.exists() else {}

    editor.type("ihello \x1b")
    wait_until(lambda: (state().get("current_buffer") or {}).get("content") == ["hello text"], "the text")
    assert path.stat().st_mode & 0o777 == 0o600
    assert {"buffers", "windows", "cursor", "mode", "cwd"} <= state().keys()
    editor.type(":qa!\r")
    stage.instances(lambda listed: not listed)
    assert not path.exists()


@pytest.mark.slow
@pytest.mark.requirement("ACCESS-02")
def test_a_private_files_text_is_in_no_state_file(stage: Stage, kind: str) -> None:
    project = stage.project("proj")
    (project / ".env").write_text("SECRET=xyzzy\n")
    editor = stage.editor(kind, ".env", cwd=project)
    path = stage.runtime / f"vim-mcp-{stage.instance(editor)}-state.json"
    client = stage.client()
    with pytest.raises(RpcError, match="vim_mcp_ignore") as error:
        client.read_text("vim://buffer/current")
    assert error.value.code == 1004
    assert "xyzzy" not in json.dumps(client.contents("vim://state"))
    assert "xyzzy" not in json.dumps(client.contents("vim://cursor"))
    assert "xyzzy" not in json.dumps(client.tool("vim_search", pattern="xy", scope="all"))
    client.request("resources/subscribe", {"uri": "vim://state"})
    while not path.exists():
        editor.type("h")
        client.notification("notifications/resources/updated")
    assert json.loads(path.read_text())["current_buffer"]["content"] is None
    assert "xyzzy" not in path.read_text()


@pytest.mark.slow
@pytest.mark.requirement("VIM-ERR-05")
def test_a_vanished_socket_file_is_made_anew(stage: Stage, kind: str) -> None:
    project = stage.project("a", a_txt="I am a\n")
    stage.instance(stage.editor(kind, "a.txt", cwd=project))
    pid = stage.hub_pid()
    stage.socket.unlink()
    deadline = time.monotonic() + 10
    while not stage.socket.exists():
        assert time.monotonic() < deadline
    assert read(stage.client()) == "I am a"
    assert stage.hub_pid() == pid


@pytest.mark.slow
@pytest.mark.requirement("HUB-06")
def test_nothing_is_left_after_stop_but_log_and_preference(stage: Stage, kind: str) -> None:
    project = stage.project("a", a_txt="")
    editor = stage.editor(kind, "a.txt", cwd=project)
    stage.client().tool("select_vim_instance", instance_id=stage.instance(editor))
    gone = os.pidfd_open(stage.hub_pid())
    assert stage.run("stop").returncode == 0
    wait_for_exit(gone)
    assert {p.name for p in stage.runtime.iterdir()} <= {"hub.log", "vim-mcp-preference.txt"}


@pytest.mark.slow
@pytest.mark.requirement("VIM-LIM-02")
def test_the_hundred_and_first_editor_is_refused(stage: Stage) -> None:
    stage.client()
    connections = []
    try:
        for number in range(101):
            connection = socket.socket(socket.AF_UNIX)
            connections.append(connection)
            connection.connect(str(stage.socket))
            connection.settimeout(10)
            info = {"pid": os.getpid(), "cwd": "/", "main_file": "", "buffers": [], "version": "0"}
            hello = {"type": "register", "instance_id": f"f{number}-p-{os.getpid()}", "info": info}
            connection.sendall(json.dumps(hello).encode() + b"\n")
            answer = json.loads(connection.makefile("rb").readline())
            assert answer["type"] == ("registered" if number < 100 else "refused")
        assert answer["code"] == 1004
        assert "100" in answer["message"]
    finally:
        for connection in connections:
            connection.close()


@pytest.mark.slow
@pytest.mark.requirement("SHORT-01")
def test_fifty_quick_editors_and_a_commit_leave_nothing(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="")
    lasting = stage.instance(stage.editor(kind, "one.txt", cwd=project))
    git = {**stage.environment(), "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
           "GIT_COMMITTER_EMAIL": "a@b"}  # fmt: skip
    for _ in range(50):
        quick = stage.editor(kind, "-c", "q", cwd=project)
        quick.wait()
    subprocess.run(["git", "init", "-q", "."], cwd=project, env=git, check=True)
    commit = stage.editor(kind, str(project / ".git" / "COMMIT_EDITMSG"), cwd=project)
    committing = stage.instance(commit)
    client = stage.client(cwd=project)
    assert client.tool("vim_execute", command="echo expand('%:t')")["output"].strip() == "one.txt"
    assert next(e for e in client.read_json("vim://instances") if e["instance_id"] == committing)["short_lived"]
    commit.type(":q!\r")
    assert [e["instance_id"] for e in stage.instances(lambda listed: len(listed) == 1)] == [lasting]
    states = [p.name for p in stage.runtime.glob("*-state.json") if lasting not in p.name]
    assert states == []


def _once_it_is_lost(client: StdioClient, tool: str, **arguments: Any) -> Any:
    """Call a tool after the hub's death: a call that the dying hub still took is made again."""
    try:
        return client.tool(tool, **arguments)
    except ToolError:
        return client.tool(tool, **arguments)


@pytest.mark.slow
def test_after_a_hubs_death_the_first_list_is_complete(stage: Stage, kind: str) -> None:
    instance = stage.instance(stage.editor(kind))
    client = stage.client()
    stage.kill_hub()
    listed = _once_it_is_lost(client, "list_vim_instances")["instances"]
    assert [entry["instance_id"] for entry in listed] == [instance]
    stage.kill_hub()
    assert _once_it_is_lost(client, "select_vim_instance", instance_id=instance)
