"""What an editor tells reaches its own clients, in the hub; and what its environment and its lock then hold."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.ideclient import IdeClient, LockFile, lock_files, wait_lock
from tests.support.mcpclient import Message
from tests.support.raweditor import RawEditor
from tests.support.stage import Stage
from tests.support.waiting import wait_until


@pytest.fixture
def project(stage: Stage) -> Path:
    """A directory, and a hub that listens."""
    assert stage.run("hub", "--background").returncode == 0
    return stage.project("demo")


@pytest.fixture
def editor(stage: Stage, project: Path) -> Iterator[RawEditor]:
    """An editor in `project`."""
    raw = RawEditor(stage.socket, project)
    yield raw
    raw.close()


@pytest.fixture
def other_pid() -> Iterator[int]:
    """A process that another editor may be."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process.pid
    process.communicate(b"\n")


def selection(text: str) -> Message:
    """A selection of one line."""
    start, end = {"line": 0, "character": 0}, {"line": 0, "character": len(text)}
    return {"file": "/p/calc.py", "lines": [text] if text else [], "start": start, "end": end, "empty": not text}


def told(client: IdeClient) -> tuple[str, Any]:
    """The next notification's method and its parameters."""
    message = client.notifications.get(timeout=30)
    return message["method"], message["params"]


@pytest.mark.slow
@pytest.mark.requirement("SEL-01", "IDE-NOTE-01", "WS-09")
def test_a_selection_goes_to_every_client_and_to_those_that_come(stage: Stage, editor: RawEditor) -> None:
    editor.say("selection", selection=selection("before anybody was there"))
    clients = [IdeClient.of(stage.home), IdeClient.of(stage.home)]
    for client in clients:
        method, params = told(client)
        assert (method, params["text"]) == ("selection_changed", "before anybody was there")
    for text in ("now", "now", "then", ""):
        editor.say("selection", selection=selection(text))
    for client in clients:
        assert [told(client)[1]["text"] for _ in range(3)] == ["now", "then", ""]
        client.close()


def is_closed(editor: RawEditor) -> bool:
    """Whether what the hub says next to the editor is that it has no client any more."""
    message = editor.messages.get(timeout=30)
    return (message["type"], message.get("pids", [])) == ("listening", []) or message.get("clients") == 0


@pytest.mark.slow
@pytest.mark.requirement("LONG-02")
def test_a_large_message_that_does_not_concern_the_editor_does_not_reach_it(stage: Stage, editor: RawEditor) -> None:
    client = IdeClient.of(stage.home, compression=None)
    while editor.wait("listening")["pids"] != [4711]:
        pass
    client.request("ping", {"padding": "x" * 40 * 1024 * 1024})
    client.close()
    assert is_closed(editor)


@pytest.mark.slow
@pytest.mark.requirement("IDE-NOTE-02", "IDE-NOTE-03")
@pytest.mark.parametrize("word", ["initialized", "notifications/initialized", "ide_connected"])
def test_a_mention_waits_for_a_client_that_says_it_is_there(stage: Stage, editor: RawEditor, word: str) -> None:
    editor.say("mention", file="/p/calc.py", first=1, last=2)
    lock = wait_lock(stage.home)
    client = IdeClient(lock.port, lock.token)
    client.request("ping")
    editor.say("diagnostics", files=["/p/nobody.py"])
    editor.say("nonsense")
    editor.say("mention")
    editor.say("mention", file="/p/calc.py")
    client.notify(word, pid=1)
    assert told(client) == ("at_mentioned", {"filePath": "/p/calc.py", "lineStart": 0, "lineEnd": 1})
    assert told(client) == ("at_mentioned", {"filePath": "/p/calc.py"})
    editor.say("diagnostics", files=["/p/a b.py"])
    editor.say("log", name="run_claude_command", data={})
    assert told(client) == ("diagnostics_changed", {"uris": ["file:///p/a%20b.py"]})
    assert told(client) == ("log_event", {"eventName": "run_claude_command", "eventData": {}})
    client.close()


@pytest.mark.slow
@pytest.mark.requirement("ATM-09", "TERM-10")
def test_the_editor_is_told_which_clients_hear_it(stage: Stage, editor: RawEditor) -> None:
    clients = []
    for pid in (1, 2):
        clients.append(IdeClient.of(stage.home, os.getpid(), pid_told=pid))
        assert editor.wait("listening")["pids"] == list(range(1, pid + 1))
    editor.say("mention", file="/p/calc.py", pid=2)
    assert told(clients[1]) == ("at_mentioned", {"filePath": "/p/calc.py"})
    editor.say("log", name="after", data={})
    assert told(clients[0])[0] == "log_event"
    clients[0].close()
    assert editor.wait("listening")["pids"] == [2]
    clients[1].close()


@pytest.mark.slow
@pytest.mark.requirement("IDE-NOTE-01", "WS-09")
def test_what_one_editor_tells_another_ones_clients_do_not_hear(
    stage: Stage, project: Path, editor: RawEditor, other_pid: int
) -> None:
    other = RawEditor(stage.socket, project, pid=other_pid)
    mine, its = IdeClient.of(stage.home, os.getpid()), IdeClient.of(stage.home, other_pid)
    editor.say("mention", file="/mine")
    other.say("mention", file="/its")
    assert told(mine)[1] == {"filePath": "/mine"}
    assert told(its)[1] == {"filePath": "/its"}
    for client in (mine, its):
        client.request("ping")  # what the hub had sent it before has come by now
        assert client.notifications.empty()
    for closing in (mine, its, other):
        closing.close()


@pytest.mark.requirement("ENV-01")
def test_the_editor_is_told_its_port_and_how_many_are_connected(stage: Stage, editor: RawEditor) -> None:
    lock = wait_lock(stage.home)
    assert editor.wait("environment")["variables"] == {
        "CLAUDE_CODE_SSE_PORT": str(lock.port),
        "ENABLE_IDE_INTEGRATION": "true",
        "VIM_MCP_INSTANCE": editor.instance_id,
    }
    first = IdeClient.of(stage.home)
    assert editor.wait("ide")["clients"] == 1
    second = IdeClient.of(stage.home)
    assert editor.wait("ide")["clients"] == 2
    first.close()
    assert editor.wait("ide")["clients"] == 1
    second.close()
    assert editor.wait("ide")["clients"] == 0


def folders_become(stage: Stage, *wanted: Path) -> LockFile:
    """Wait until the lock holds these folders."""
    return wait_until(
        lambda: [lock for lock in lock_files(stage.home) if lock.folders == [str(path) for path in wanted]],
        f"the folders {wanted}",
    )[0]


@pytest.mark.slow
@pytest.mark.requirement("LOCK-08", "LOCK-09")
@pytest.mark.parametrize(
    "name", ["/no\0path", "/no\ud800path", "relative", ""], ids=["NUL", "surrogate", "relative", "none"]
)
def test_what_can_be_no_path_is_left_out(stage: Stage, project: Path, name: str) -> None:
    editor = RawEditor(stage.socket, project, claude_config_dir=name, folders=[name, str(project)])
    folders_become(stage, project)
    one = stage.project("one")
    editor.push(folders=[str(one), name])
    folders_become(stage, one)
    editor.close()
    assert "Traceback" not in (stage.runtime / "hub.log").read_text()


@pytest.mark.requirement("LOCK-04", "LOCK-08")
def test_the_lock_follows_the_folders(stage: Stage, project: Path) -> None:
    one, two = stage.project("one"), stage.project("two")
    link = stage.directory / "link"
    link.symlink_to(two)
    editor = RawEditor(stage.socket, project, folders=[str(one)])
    before = folders_become(stage, one)
    editor.push(folders=[str(one), str(link), str(two)])
    after = folders_become(stage, one, two)
    assert (after.port, after.token) == (before.port, before.token)
    editor.push(cwd=str(one))
    folders_become(stage, one)
    editor.close()


@pytest.mark.requirement("LOCK-08")
def test_the_lock_is_not_written_where_the_folders_are_as_they_were(stage: Stage, project: Path) -> None:
    """As with 'autochdir', which changes the directory with every file."""
    inside = project / "src"
    inside.mkdir()
    editor = RawEditor(stage.socket, project, folders=[str(project)])
    before = folders_become(stage, project).path.stat()
    for cwd in (inside, project, inside):
        editor.push(folders=[str(project)], cwd=str(cwd))
    client = stage.client()
    wait_until(lambda: client.read_json("vim://instances")[0]["cwd"] == str(inside), "the last directory")
    after = folders_become(stage, project).path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    editor.close()


@pytest.mark.requirement("LOCK-02")
def test_editors_of_one_folder_have_names_of_their_own(stage: Stage, project: Path, other_pid: int) -> None:
    editors = [RawEditor(stage.socket, project, folders=[str(project)])]
    names = [wait_lock(stage.home, os.getpid()).content["ideName"]]
    editors.append(RawEditor(stage.socket, project, pid=other_pid, folders=[str(project)]))
    names.append(wait_lock(stage.home, other_pid).content["ideName"])
    odd = RawEditor(stage.socket, project, pid=os.getppid(), folders=[str(project)], main_file="/\x1b[2J.py")
    names.append(wait_lock(stage.home, os.getppid()).content["ideName"])
    odd.close()
    wait_until(lambda: len(lock_files(stage.home)) == 2, "two locks")
    for own_project, kind in ((stage.project("elsewhere"), "vim"), (project, "nvim")):
        editors.append(RawEditor(stage.socket, own_project, kind, pid=os.getppid()))
        names.append(wait_lock(stage.home, os.getppid()).content["ideName"])
        editors.pop().close()
        wait_until(lambda: len(lock_files(stage.home)) == 2, "two locks")
    assert names == ["Vim", "Vim (main.py)", "Vim (?[2J.py)", "Vim", "Neovim"]
    for editor in editors:
        editor.close()


@pytest.mark.requirement("LOCK-05", "LOCK-07")
def test_an_editor_that_lost_its_connection_gets_its_port_back(stage: Stage, project: Path) -> None:
    editor = RawEditor(stage.socket, project)
    before = wait_lock(stage.home)
    editor.close()
    wait_until(lambda: not lock_files(stage.home), "no lock")
    again = RawEditor(stage.socket, project)
    after = wait_lock(stage.home)
    assert (after.port, after.token) == (before.port, before.token)
    replacing = RawEditor(stage.socket, project)  # the earlier connection has not ended yet
    assert replacing.wait("environment")["variables"]["CLAUDE_CODE_SSE_PORT"] == str(before.port)
    IdeClient.of(stage.home).close()
    again.close()
    replacing.close()


@pytest.mark.requirement("WS-08")
def test_fifty_idle_sockets_are_not_noticed_by_the_editor(stage: Stage, editor: RawEditor) -> None:
    lock = wait_lock(stage.home)
    editor.wait("environment")
    with contextlib.ExitStack() as idle:
        for _ in range(50):
            idle.enter_context(socket.create_connection(("127.0.0.1", lock.port)))
        for _ in range(3):
            client = IdeClient(lock.port, lock.token)
            client.initialize()
            assert editor.wait("ide")["clients"] == 1
            assert client.texts("getWorkspaceFolders")
            client.close()
            assert editor.wait("ide")["clients"] == 0
    assert editor.messages.empty()
