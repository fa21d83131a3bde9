"""Each editor's lock file and port: there while it is, whatever dies, and the same again after a hub's death."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import tempfile
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import InvalidStatus

from tests.support.editors import KINDS, TIMEOUT, Terminal
from tests.support.ideclient import IdeClient, LockFile, lock_files, lock_files_in, wait_lock
from tests.support.stage import Stage
from tests.support.waiting import wait_until
from vim_mcp.ide import origin


def lock_of(stage: Stage, terminal: Terminal) -> LockFile:
    """Wait for the lock of the editor in `terminal`."""
    stage.instance(terminal)
    return wait_lock(stage.home, terminal.editor_pid)


def wait_gone(stage: Stage) -> None:
    """Wait until no lock is there."""
    assert wait_until(lambda: not lock_files(stage.home), "no lock file")


def listens(port: int) -> bool:
    """Whether anybody does, at that port."""
    with socket.socket() as caller:
        return caller.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.requirement("LOCK-01", "LOCK-08", "WS-02")
def test_an_editor_has_a_lock_with_its_own_process(stage: Stage, kind: str) -> None:
    project = stage.project("demo", calc_py="x = 1\n")
    terminal = stage.editor(kind, "calc.py", cwd=project)
    lock = lock_of(stage, terminal)
    assert lock.content == {
        "pid": terminal.editor_pid,
        "workspaceFolders": [os.path.realpath(project)],
        "ideName": "Vim" if kind == "vim" else "Neovim",
        "transport": "ws",
        "runningInWindows": False,
        "authToken": lock.token,
        origin.FIELD: origin.here(),
    }
    assert uuid.UUID(lock.token).version == 4
    assert stat.S_IMODE(lock.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(lock.path.parent.stat().st_mode) == 0o700
    client = IdeClient.of(stage.home, terminal.editor_pid)
    client.request("ping")
    client.close()


def is_in(stage: Stage, directory: Path) -> bool:
    """Whether the editor has said that it works there."""
    return bool(stage.status()["instances"][0]["cwd"] == str(directory))


@pytest.mark.requirement("LOCK-04", "LOCK-08")
def test_another_directory_is_another_folder_but_not_with_autochdir(stage: Stage, kind: str) -> None:
    project, other = stage.project("demo", one_txt="1\n"), stage.project("other")
    inside = project / "src"
    inside.mkdir()
    terminal = stage.editor(kind, "one.txt", cwd=project)
    before = lock_of(stage, terminal)
    status = before.path.stat()
    # Short and silent: Neovim is deaf while it shows a long message.
    for command, directory in (
        ("set autochdir | silent edit src/two.txt", inside),
        ("silent edit ../one.txt", project),
    ):
        terminal.type(f":{command}\r")
        wait_until(partial(is_in, stage, directory), "the directory")
    after = before.path.stat()
    assert (after.st_ino, after.st_mtime_ns) == (status.st_ino, status.st_mtime_ns)
    terminal.type(":set noautochdir | silent cd ../other\r")
    moved = wait_until(lambda: [lock for lock in lock_files(stage.home) if str(other) in lock.folders], "the folder")[0]
    assert (moved.port, moved.token) == (before.port, before.token)


@pytest.mark.requirement("LOCK-05")
@pytest.mark.parametrize("how", [":qa!\r", ":VimMCPStop\r", "SIGKILL", "SIGTERM"])
def test_the_lock_goes_with_the_editor(stage: Stage, kind: str, how: str) -> None:
    terminal = stage.editor(kind, cwd=stage.project("demo"))
    lock = lock_of(stage, terminal)
    client = IdeClient.of(stage.home)
    if how.startswith(":"):
        terminal.type(how)
    else:
        os.kill(terminal.editor_pid, getattr(signal, how))
    wait_gone(stage)
    assert client.closed.wait(TIMEOUT)
    assert wait_until(lambda: not listens(lock.port), "a closed port")
    client.close()


@pytest.mark.requirement("LOCK-05", "LOCK-07")
def test_after_a_stop_the_same_port_and_token_come_back(stage: Stage, kind: str) -> None:
    terminal = stage.editor(kind, cwd=stage.project("demo"))
    before = lock_of(stage, terminal)
    terminal.type(":VimMCPStop\r")
    wait_gone(stage)
    terminal.type(":VimMCPReconnect\r")
    after = wait_lock(stage.home)
    assert (after.port, after.content) == (before.port, before.content)
    IdeClient.of(stage.home).close()


@pytest.mark.slow
@pytest.mark.requirement("LOCK-07")
def test_after_the_hubs_death_port_and_token_are_the_same(stage: Stage, kind: str) -> None:
    terminal = stage.editor(kind, cwd=stage.project("demo"))
    before = lock_of(stage, terminal)
    client = IdeClient.of(stage.home)
    killed = stage.kill_hub()
    assert client.closed.wait(TIMEOUT)
    wait_until(lambda: serving_other(stage, killed) and listens(before.port), "the port again")
    again = IdeClient(before.port, before.token)
    again.initialize()
    assert lock_files(stage.home)[0].content == before.content
    client.close()
    again.close()


@pytest.mark.slow
@pytest.mark.requirement("LOCK-09")
def test_an_editor_with_a_configuration_of_its_own_has_its_lock_there(stage: Stage, kind: str) -> None:
    """Whichever of the two starts the hub; and there it is found again, and taken away, by the next hub."""
    plain = stage.editor(kind, cwd=stage.project("demo"))
    other = lock_of(stage, plain)
    work = stage.directory / "claude at work"
    terminal = stage.editor(kind, cwd=stage.project("office"), CLAUDE_CONFIG_DIR=f"{work}/")
    stage.instance(terminal)
    lock = wait_until(lambda: lock_files_in(work), "its lock")[0]
    assert lock.content["pid"] == terminal.editor_pid
    IdeClient(lock.port, lock.token).close()
    killed = stage.kill_hub()
    wait_until(lambda: serving_other(stage, killed) and listens(lock.port), "the port again")
    assert lock_files_in(work)[0].content == lock.content
    assert [found.content for found in lock_files(stage.home)] == [other.content]
    os.kill(terminal.editor_pid, signal.SIGKILL)
    wait_until(lambda: not lock_files_in(work), "no lock")


@pytest.mark.slow
@pytest.mark.requirement("LOCK-09")
@pytest.mark.parametrize("transport", ["auto", "job"])
def test_the_lock_goes_where_the_editors_environment_goes(stage: Stage, kind: str, transport: str) -> None:
    """However it is connected; port and token stay."""
    first, second = stage.directory / "first", stage.directory / "second"
    setting = f"let g:vim_mcp_transport = '{transport}'"
    terminal = stage.editor(kind, "--cmd", setting, cwd=stage.project("demo"), CLAUDE_CONFIG_DIR=str(first))
    stage.instance(terminal)
    before = wait_until(lambda: lock_files_in(first), "its lock")[0]
    terminal.type(f":let $CLAUDE_CONFIG_DIR = '{second}'\r")
    terminal.type(":VimMCPReconnect\r")
    after = wait_until(lambda: lock_files_in(second), "its lock there")[0]
    assert (after.port, after.content) == (before.port, before.content)
    assert lock_files_in(first) == lock_files(stage.home) == []


@pytest.mark.slow
@pytest.mark.requirement("LOCK-07")
def test_a_hub_that_is_told_to_give_way_hands_the_ports_over(stage: Stage) -> None:
    terminal = stage.editor("vim", cwd=stage.project("demo"))
    before = lock_of(stage, terminal)
    first = stage.hub_pid()
    with socket.socket(socket.AF_UNIX) as newer:
        newer.connect(str(stage.socket))
        newer.sendall(b'{"type": "step_down", "version": "99.0.0"}\n')
        assert json.loads(newer.makefile("rb").readline())["stepping_down"]
    stage.spawn("hub", "--background")
    wait_until(lambda: serving_other(stage, first) and listens(before.port), "the port at the next hub")
    again = IdeClient(before.port, before.token)
    again.initialize()
    again.close()


def serving_other(stage: Stage, pid: int) -> bool:
    """Whether another hub than `pid` answers."""
    try:
        return stage.hub_pid() != pid
    except OSError:
        return False


@pytest.mark.requirement("LOCK-07")
def test_a_port_that_was_taken_meanwhile_is_replaced_and_its_token_too(stage: Stage) -> None:
    terminal = stage.editor("vim", cwd=stage.project("demo"))
    before = lock_of(stage, terminal)
    terminal.type(":VimMCPStop\r")
    wait_gone(stage)
    with socket.socket() as squatter:
        squatter.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        squatter.bind(("127.0.0.1", before.port))
        squatter.listen()
        terminal.type(":VimMCPReconnect\r")
        after = wait_lock(stage.home)
    assert (after.port != before.port, after.token != before.token) == (True, True)
    IdeClient.of(stage.home).close()


@pytest.mark.slow
@pytest.mark.requirement("LOCK-07")
def test_locks_of_editors_that_died_with_the_hub_are_swept(stage: Stage) -> None:
    terminal = stage.editor("vim", cwd=stage.project("demo"))
    lock = lock_of(stage, terminal)
    foreign = lock.path.with_name("1.lock")
    foreign.write_text(json.dumps({"pid": 1, "authToken": "another program's"}))
    stage.kill_hub()
    os.kill(terminal.editor_pid, signal.SIGKILL)
    terminal.wait()
    stage.run("hub", "--background")
    assert [found.path for found in lock_files(stage.home)] == [foreign]


@pytest.mark.slow
@pytest.mark.requirement("LOCK-01")
def test_a_lock_that_somebody_removed_is_there_again_with_the_next_change(stage: Stage, kind: str) -> None:
    terminal = stage.editor(kind, cwd=stage.project("demo"))
    before = lock_of(stage, terminal)
    before.path.unlink()
    terminal.type("ihello")
    after = wait_lock(stage.home)
    assert (after.port, after.content) == (before.port, before.content)


@pytest.mark.slow
@pytest.mark.requirement("LOCK-02")
def test_the_user_names_the_editor(stage: Stage, kind: str) -> None:
    terminal = stage.editor(kind, "--cmd", "let g:vim_mcp_ide_name = 'My\teditor'", cwd=stage.project("demo"))
    assert lock_of(stage, terminal).content["ideName"] == "My?editor"


@pytest.mark.slow
@pytest.mark.requirement("LOCK-05")
def test_a_hub_that_is_stopped_leaves_nothing(stage: Stage) -> None:
    terminal = stage.editor("vim", cwd=stage.project("demo"))
    lock_of(stage, terminal)
    client = IdeClient.of(stage.home)
    assert stage.run("stop").returncode == 0
    wait_gone(stage)
    assert client.closed.wait(TIMEOUT)
    client.close()
    assert [entry.name for entry in stage.runtime.glob("ide*")] == []


@pytest.mark.slow
@pytest.mark.requirement("LOCK-01", "WS-02")
def test_ten_editors_started_at_once_have_ten_ports(stage: Stage) -> None:
    kinds = [kind for kind in KINDS if kind != "nvim07"] * 5
    terminals = [stage.editor(kind, cwd=stage.project(f"demo{number}")) for number, kind in enumerate(kinds)]
    locks = wait_until(lambda: found if len(found := lock_files(stage.home)) == 10 else [], "ten lock files")
    assert {lock.content["pid"] for lock in locks} == {terminal.editor_pid for terminal in terminals}
    assert len({lock.port for lock in locks}) == len({lock.token for lock in locks}) == 10
    for lock in locks:
        client = IdeClient(lock.port, lock.token)
        client.initialize()
        client.close()
    with pytest.raises(InvalidStatus, match="401"):
        IdeClient(locks[0].port, locks[1].token)
    assert len(stage.status()["instances"]) == 10


def linked(place: Path) -> str:
    """Put a symbolic link there, and say what is told of it."""
    place.symlink_to(tempfile.gettempdir())
    return f"The lock directory {place} is a symbolic link, .* Mend it: rm '{place}'$"


def foreign(place: Path) -> str:
    """Put somebody else's directory there, and say what is told of it."""
    if os.getuid() != 0:
        pytest.skip("only root can make another user's directory")
    place.mkdir(mode=0o777)
    os.chown(place, 65534, -1)
    return f"The lock directory {place} belongs to user 65534, not to you, .* Set CLAUDE_CONFIG_DIR to a directory"


@pytest.mark.slow
@pytest.mark.requirement("LOCK-06", "LOCK-10")
@pytest.mark.parametrize("occupy", [linked, foreign])
def test_a_directory_that_is_not_the_users_own_is_told(stage: Stage, occupy: Callable[[Path], str]) -> None:
    place = stage.home.home / ".claude" / "ide"
    place.parent.mkdir()
    told = occupy(place)
    terminal = stage.editor("vim", cwd=stage.project("demo"))
    stage.instance(terminal)
    fault = wait_until(lambda: str(stage.status()["instances"][0]["ide_fault"] or ""), "the fault")
    assert re.match(told, fault)
    assert fault in (stage.runtime / "hub.log").read_text()
    assert f"fault: {fault}\n" in stage.run("status").stdout
    assert lock_files(stage.home) == []
    place.rename(place.with_name("moved away"))
    wait_lock(stage.home)
    assert stage.status()["instances"][0]["ide_fault"] is None


@pytest.mark.requirement("LOCK-10")
def test_what_kept_the_lock_away_is_told_once_and_it_comes_when_that_has_gone(stage: Stage, kind: str) -> None:
    place = stage.home.home / ".claude"
    place.write_text("a file where a directory should be")
    terminal = stage.editor(kind, cwd=stage.project("demo"))
    stage.instance(terminal)
    terminal.wait_screen("Claude Code cannot find this editor")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen("unreachable: No lock file can be written")
    place.unlink()
    lock = wait_lock(stage.home)
    terminal.wait_screen("Claude Code can find this editor now")
    assert stage.status()["instances"][0]["ide_fault"] is None
    terminal.type(":echo 'port' $CLAUDE_CODE_SSE_PORT 'told' count(execute('messages'), 'cannot find this')\r")
    terminal.wait_screen(f"port {lock.port} told 1")
    IdeClient.of(stage.home).close()


@pytest.mark.slow
@pytest.mark.requirement("LOCK-10")
def test_a_package_that_is_missing_is_told_with_what_mends_it_and_looked_for_again(stage: Stage, kind: str) -> None:
    broken = stage.directory / "broken" / "websockets"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('not today')\n")
    assert stage.run("hub", "--background", PYTHONPATH=str(broken.parent)).returncode == 0
    terminal = stage.editor(kind, cwd=stage.project("demo"))
    stage.instance(terminal)
    terminal.wait_screen("Claude Code cannot find this editor")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen("unreachable: The package websockets")  # what is cut behind it is in :messages
    wait_gone(stage)
    told = stage.run("doctor", PYTHONPATH=str(broken.parent)).stdout
    assert "lacks a package: websockets: not today" in told
    assert "has none: The package websockets cannot be imported (not today)" in told
    shutil.rmtree(broken)
    terminal.type(":VimMCPReconnect\r")
    wait_lock(stage.home)
    IdeClient.of(stage.home).close()
    assert stage.status()["instances"][0]["ide_fault"] is None


@pytest.mark.slow
@pytest.mark.requirement("LOCK-12")
def test_a_folder_whose_name_is_no_utf_8_is_told_with_a_mark_and_breaks_nothing(stage: Stage, kind: str) -> None:
    folder = Path(os.fsdecode(os.fsencode(stage.directory) + b"/caf\xe9"))
    folder.mkdir()
    (folder / "calc.py").write_text("x = 1\n")
    told = f"{stage.directory}/caf\ufffd"
    terminal = stage.editor(kind, "calc.py", cwd=folder)
    assert lock_of(stage, terminal).folders == [os.path.realpath(stage.directory) + "/caf\ufffd"]
    client = IdeClient.of(stage.home)

    def ask(tool: str, **arguments: str) -> str:
        result = client.request("tools/call", {"name": tool, "arguments": arguments})
        return str(result["content"][0]["text"])

    assert json.loads(ask("getWorkspaceFolders"))["rootPath"] == told
    assert [tab["fileName"] for tab in json.loads(ask("getOpenEditors"))["tabs"]] == [f"{told}/calc.py"]
    assert json.loads(ask("checkDocumentDirty", filePath="calc.py"))["isDirty"] is False
    assert ask("openFile", filePath="calc.py") == f"{told}/calc.py does not exist: it was not opened"
    assert ask("getDiagnostics", uri=f"file://{stage.directory}/caf%E9/calc.py") == "[]"
    terminal.type(":ClaudeAtMention\r")
    assert client.notification("at_mentioned")["params"] == {"filePath": f"{told}/calc.py"}
    assert json.loads(stage.run("status", "--json").stdout)["instances"][0]["cwd"] == told
    assert f"in {told}, a name that is not UTF-8: " in stage.run("doctor").stdout
    client.close()


@pytest.mark.slow
@pytest.mark.requirement("WS-06")
def test_no_log_holds_a_token(stage: Stage) -> None:
    terminal = stage.editor("vim", cwd=stage.project("demo"), VIM_MCP_LOG_LEVEL="debug")
    lock = lock_of(stage, terminal)
    IdeClient.of(stage.home).close()
    with pytest.raises(InvalidStatus):
        IdeClient(lock.port, lock.token[:-1])
    killed = stage.kill_hub()
    wait_until(lambda: serving_other(stage, killed) and listens(lock.port), "the port again")
    logs = "".join(path.read_text() for path in stage.runtime.glob("hub.log*"))
    assert f"refused a client of port {lock.port}: its token is not the lock file's" in logs
    assert lock.token[:-1] not in logs
    assert lock.token not in stage.run("status", "--json").stdout


@pytest.mark.requirement("WS-09", "VIM-STATUS-02")
def test_status_and_editor_are_told_who_is_connected(stage: Stage) -> None:
    terminal = stage.editor("vim", cwd=stage.project("demo"))
    lock = lock_of(stage, terminal)
    clients = [IdeClient.of(stage.home), IdeClient.of(stage.home)]
    for client in clients:
        client.request("ping")  # then the hub knows their names
    entry = wait_until(lambda: with_clients(stage, 2), "two clients in the status")
    assert (entry["port"], entry["ide_fault"]) == (lock.port, None)
    assert [client["name"] for client in entry["ide_clients"]] == ["test-client 1.0"] * 2
    shown = stage.run("status").stdout
    assert f"{lock.port}" in shown
    assert "clients: 3" in shown
    for client in clients:
        client.request("ping")
        client.close()
    assert wait_until(lambda: with_clients(stage, 0), "none in the status")


def with_clients(stage: Stage, number: int) -> dict[str, Any]:
    """The editor's entry in the status once it has so many clients, {} before."""
    entry: dict[str, Any] = stage.status()["instances"][0]
    return entry if len(entry["ide_clients"]) == number else {}
