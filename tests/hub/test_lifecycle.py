"""How a hub comes and goes: real processes, one of which is ever the hub of its socket."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.editors import TIMEOUT
from tests.support.mcpclient import VIM_MCP, RpcError, StdioClient
from tests.support.stage import Stage, wait_for_exit
from tests.support.waiting import wait_until
from vim_mcp import __version__

NEWER = """
import sys
import vim_mcp
vim_mcp.__version__ = {version!r}
from vim_mcp.cli import main
sys.exit(main())
"""


def hubs(stage: Stage) -> list[int]:
    """The processes that are a hub of this stage, or on their way to be one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"hub" in command and f"VIM_MCP_RUNTIME_DIR={stage.runtime}".encode() in environment:
            found.append(int(process.name))
    return found


def watch(pid: int) -> int:
    """A descriptor for `wait_for_exit`."""
    return os.pidfd_open(pid)


@pytest.mark.slow
@pytest.mark.requirement("HUB-01")
@pytest.mark.parametrize("stale", [False, True])
def test_of_those_that_start_at_once_one_stays(stage: Stage, stale: bool) -> None:
    if stale:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(stage.socket))
    starters = [stage.spawn("hub", "--background") for _ in range(4)]
    assert [starter.wait(TIMEOUT) for starter in starters] == [0] * 4
    assert wait_until(lambda: hubs(stage) == [stage.hub_pid()])


@pytest.mark.slow
@pytest.mark.requirement("HUB-01", "RELAY-01", "VIM-CONN-02")
def test_ten_clients_at_once_without_a_hub_are_all_served_by_one(stage: Stage) -> None:
    clients = [stage.client(initialize=False) for _ in range(10)]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    requests = [client.start("initialize", hello) for client in clients]
    for client, request in zip(clients, requests, strict=True):
        assert client.answer(request)["serverInfo"]["name"] == "vim-mcp"
    assert len(stage.status()["clients"]) == 10
    assert wait_until(lambda: hubs(stage) == [stage.hub_pid()])


def test_a_client_is_called_by_its_name_once_it_has_listed_the_tools(stage: Stage) -> None:
    client = stage.client()
    client.request("tools/list")
    assert [entry["name"] for entry in stage.status()["clients"]] == ["test-client 1.0"]


@pytest.mark.slow
@pytest.mark.requirement("HUB-01")
def test_ten_clients_lose_their_hub_and_meet_at_the_next(stage: Stage) -> None:
    clients = [stage.client() for _ in range(10)]
    killed = stage.kill_hub()
    requests = [client.start("ping") for client in clients]
    for client, request in zip(clients, requests, strict=True):
        with contextlib.suppress(RpcError):  # it was under way
            client.answer(request)
        client.request("ping")
    assert stage.hub_pid() != killed
    assert wait_until(lambda: hubs(stage) == [stage.hub_pid()])


def test_a_process_list_shows_it(stage: Stage) -> None:
    stage.client()
    command = Path(f"/proc/{stage.hub_pid()}/cmdline").read_text().replace("\0", " ")
    assert "vim-mcp hub --background" in command


def test_it_keeps_nothing_of_its_starter(stage: Stage) -> None:
    reader, writer = os.pipe()
    command = [str(VIM_MCP), "hub", "--background"]
    done = subprocess.run(command, env=stage.environment(), pass_fds=[writer], timeout=TIMEOUT, check=True,
                          capture_output=True)  # fmt: skip
    os.close(writer)
    assert os.read(reader, 1) == b""  # nobody holds the other end
    os.close(reader)
    assert (done.stdout, done.stderr) == (b"", b"")
    pid = stage.hub_pid()
    process = Path(f"/proc/{pid}")
    assert [str((process / "fd" / number).readlink()) for number in "012"] == ["/dev/null"] * 3
    assert str((process / "cwd").readlink()) == "/"
    session, terminal = (process / "stat").read_text().rpartition(")")[2].split()[3:5]
    assert int(session) != os.getsid(0)
    assert int(session) != pid
    assert terminal == "0"


def test_its_starter_may_lack_the_standard_streams(stage: Stage) -> None:
    closed = f"exec '{VIM_MCP}' hub --background <&- >&- 2>&-"
    subprocess.run(["/bin/sh", "-c", closed], env=stage.environment(), timeout=TIMEOUT, check=True)
    assert stage.status()["state"] == "READY"


@pytest.mark.slow
@pytest.mark.requirement("HUB-03")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_leaves_no_file(stage: Stage, sign: signal.Signals) -> None:
    stage.client()
    pid = stage.hub_pid()
    ended = watch(pid)
    os.kill(pid, sign)
    wait_for_exit(ended)
    assert [entry.name for entry in stage.runtime.iterdir()] == ["hub.log"]


@pytest.mark.slow
@pytest.mark.requirement("HUB-02", "VIM-ERR-05")
def test_what_a_killed_hub_left_is_in_nobodys_way(stage: Stage) -> None:
    assert stage.run("hub", "--background").returncode == 0
    ended = watch(stage.hub_pid())
    stage.kill_hub()
    wait_for_exit(ended)
    assert stage.socket.exists()
    assert stage.run("status").returncode == 1
    assert stage.run("hub", "--background").returncode == 0
    assert stage.status()["state"] == "READY"


def test_a_hub_whose_place_was_taken_sends_everyone_there(stage: Stage) -> None:
    """All its files were removed, as cleaners of /tmp do, and another hub came before it noticed."""
    client = stage.client()
    pid = stage.hub_pid()
    ended = watch(pid)
    os.kill(pid, signal.SIGSTOP)  # so that it surely notices late
    stage.socket.unlink()
    stage.socket.with_name(stage.socket.name + ".lock").unlink()
    assert stage.run("hub", "--background").returncode == 0
    assert stage.hub_pid() != pid
    os.kill(pid, signal.SIGCONT)
    wait_for_exit(ended)
    client.request("ping")
    assert len(stage.status()["clients"]) == 1
    assert hubs(stage) == [stage.hub_pid()]


def test_what_is_no_socket_is_reported_and_kept(stage: Stage) -> None:
    stage.socket.write_text("precious")
    done = stage.run("hub", "--background")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"vim-mcp: {stage.socket} is no socket: move it away, or set VIM_MCP_SOCKET to another path\n"
    )
    with pytest.raises(RpcError, match=r"No hub could be started: .* is no socket: move it away") as error:
        stage.client(initialize=False).request("initialize")
    assert error.value.code == -32603
    assert stage.socket.read_text() == "precious"
    stage.socket.unlink()


@pytest.mark.slow
@pytest.mark.requirement("HUB-04")
def test_it_leaves_when_it_has_been_alone(stage: Stage) -> None:
    client = stage.client(VIM_MCP_IDLE_TIMEOUT="1")
    client.request("ping")
    ended = watch(stage.hub_pid())
    client.close()
    wait_for_exit(ended)
    assert not stage.socket.exists()
    assert "leaving: idle" in (stage.runtime / "hub.log").read_text()


def register(stage: Stage) -> socket.socket:
    """An editor of this process's id, which never answers."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(TIMEOUT)
    connection.connect(str(stage.socket))
    info = {"pid": os.getpid(), "cwd": "/", "main_file": "/a.txt", "buffers": [], "version": "9"}
    connection.sendall(json.dumps({"type": "register", "instance_id": "a-b-1", "info": info}).encode() + b"\n")
    assert json.loads(connection.makefile("rb").readline())["type"] == "registered"
    return connection


@pytest.mark.slow
@pytest.mark.requirement("HUB-05", "VIM-STATUS-01", "VIM-STATUS-02", "VIM-STATUS-03")
def test_the_status_tells_who_is_there(stage: Stage) -> None:
    assert json.loads(stage.run("status", "--json").stdout)["state"] is None
    stage.run("hub", "--background")
    done = stage.run("status", "--json")
    status = json.loads(done.stdout)
    assert (done.returncode, status["state"], status["version"]) == (0, "READY", __version__)
    client = stage.client()
    client.tool("list_vim_instances")
    assert json.loads(stage.run("status", "--json").stdout)["state"] == "WAITING"
    with register(stage):
        status = json.loads(stage.run("status", "--json").stdout)
        assert (status["state"], len(status["instances"]), len(status["clients"])) == ("CONNECTED", 1, 1)
        shown = stage.run("status").stdout
        assert f"CONNECTED: hub {__version__}, process {status['pid']}, up " in shown
        assert status["instances"][0]["instance_id"] in shown
        assert "test-client 1.0" in shown


@pytest.mark.requirement("VIM-CFG-02", "VIM-CFG-03")
def test_registry_and_log_are_as_the_environment_says(stage: Stage) -> None:
    registry = stage.directory / "elsewhere.json"
    stage.client(VIM_MCP_REGISTRY=str(registry), VIM_MCP_LOG_LEVEL="error")
    with register(stage):
        entries = wait_until(lambda: json.loads(registry.read_text()) if registry.exists() else {})
    assert len(entries) == 1
    assert not (stage.runtime / "vim-mcp-registry.json").exists()
    assert not (stage.runtime / "hub.log").exists()


@pytest.mark.slow
@pytest.mark.requirement("VIM-STATUS-04")
def test_a_hub_that_hangs_is_an_error(stage: Stage) -> None:
    with stopped_hub(stage) as pid:
        done = stage.run("status")
    assert done.returncode == 1
    hint = f"answered nothing in 5 seconds; it is stopped; let it go on with: kill -CONT {pid}."
    assert done.stdout.startswith(f"ERROR: The hub on {stage.socket} {hint}")


@pytest.mark.slow
@pytest.mark.requirement("VIM-STATUS-04")
def test_a_hub_that_hangs_and_has_no_room_for_callers_is_an_error(stage: Stage) -> None:
    """As many callers wait as the system lets wait: a further one is turned away as if nobody listened."""
    with stopped_hub(stage) as pid, contextlib.ExitStack() as callers:
        fill(stage.socket, callers)
        with ThreadPoolExecutor() as shells:
            commands = (("status",), ("call", "list_vim_instances"), ("doctor",))
            asked, called, examined = shells.map(lambda words: stage.run(*words), commands)
    told = (
        f"The hub on {stage.socket} takes no calls, since too many wait for it already; it is stopped; "
        f"let it go on with: kill -CONT {pid}."
    )
    assert (asked.returncode, asked.stdout.startswith(f"ERROR: {told}")) == (1, True)
    assert (called.returncode, called.stderr.startswith(f"vim-mcp: {told}")) == (1, True)
    assert (examined.returncode, f"error    hub: {told}" in examined.stdout) == (1, True)
    assert f"mend it: kill -CONT {pid}\n" in examined.stdout


@contextlib.contextmanager
def stopped_hub(stage: Stage) -> Iterator[int]:
    """The process id of a hub that is stopped for the length of the block."""
    stage.client()
    pid = stage.hub_pid()
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


def fill(path: Path, callers: contextlib.ExitStack) -> None:
    """Call until no further caller may wait."""
    with contextlib.suppress(BlockingIOError):
        while True:
            caller = callers.enter_context(socket.socket(socket.AF_UNIX))
            caller.setblocking(False)
            caller.connect(str(path))


@pytest.mark.slow
@pytest.mark.requirement("HUB-06")
def test_stopped_it_is_gone_until_a_client_asks_something(stage: Stage) -> None:
    client = stage.client()
    pid = stage.hub_pid()
    ended = watch(pid)
    done = stage.run("stop")
    assert (done.returncode, done.stdout.partition(";")[0]) == (0, "The hub has stopped")
    wait_for_exit(ended)
    assert stage.run("status").returncode == 1
    assert stage.run("stop").stdout == "No hub runs\n"
    client.request("ping")
    assert stage.hub_pid() != pid


def test_in_the_foreground_it_shows_its_log_and_ends_by_a_key(stage: Stage) -> None:
    command = [str(VIM_MCP), "hub"]
    foreground = subprocess.Popen(command, env=stage.environment(), stderr=subprocess.PIPE, text=True)
    assert foreground.stderr is not None
    assert "listens at" in foreground.stderr.readline()
    second = stage.run("hub")
    assert second.returncode == 1
    assert f"vim-mcp: Another hub (process {foreground.pid}) runs on {stage.socket}" in second.stderr
    foreground.send_signal(signal.SIGINT)
    assert "Traceback" not in foreground.communicate(timeout=TIMEOUT)[1]
    assert foreground.returncode == 0
    assert [entry.name for entry in stage.runtime.iterdir()] == ["hub.log"]


@pytest.fixture
def newer(stage: Stage) -> list[str]:
    """The command of a later version of this program."""
    script = stage.directory / "newer" / "vim-mcp"
    script.parent.mkdir()
    script.write_text(NEWER.format(version="99.0.0"))
    return [sys.executable, str(script)]


@pytest.mark.slow
@pytest.mark.requirement("HUB-08")
def test_a_newer_client_brings_a_newer_hub_for_all(stage: Stage, newer: list[str]) -> None:
    older = stage.client()
    ended = watch(stage.hub_pid())
    client = StdioClient(stage.environment(), stage.directory, newer)
    try:
        client.initialize()
        wait_for_exit(ended)
        assert stage.status()["version"] == "99.0.0"
        older.request("ping")
        client.request("ping")
        assert wait_until(lambda: len(stage.status()["clients"]) == 2)
        assert wait_until(lambda: hubs(stage) == [stage.hub_pid()])
        another = stage.client()
        another.request("ping")
        assert stage.status()["version"] == "99.0.0"
    finally:
        client.close()


@pytest.mark.requirement("VIM-PLAT-03")
def test_the_pipe_carries_an_editor(stage: Stage) -> None:
    """As for a Vim that cannot dial: it starts the hub, passes bytes, and ends with either side."""
    pipes = [
        subprocess.Popen([str(VIM_MCP), "pipe"], env=stage.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for number, pipe in enumerate(pipes):
        assert pipe.stdin is not None
        assert pipe.stdout is not None
        info = {"pid": os.getpid(), "cwd": "/", "main_file": "", "buffers": [], "version": "8.0"}
        register = {"type": "register", "instance_id": f"a{number}-b-1", "info": info}
        pipe.stdin.write(json.dumps(register).encode() + b"\n")
        pipe.stdin.flush()
        assert json.loads(pipe.stdout.readline())["type"] == "registered"
    assert len(stage.status()["instances"]) == 2
    first, second = pipes
    first.communicate(timeout=TIMEOUT)
    assert first.returncode == 0
    assert wait_until(lambda: len(stage.status()["instances"]) == 1)
    stage.kill_hub()
    assert second.wait(TIMEOUT) == 0
    second.communicate()


def test_somebody_elses_socket_is_not_talked_to(stage: Stage) -> None:
    """On a shared machine anyone may listen at a path in /tmp."""
    if os.getuid() != 0:
        pytest.skip("only root can listen as another user")
    code = (
        "import os, socket, sys\nos.setuid(65534)\nlistener = socket.socket(socket.AF_UNIX)\n"
        "listener.bind('other.sock')\nlistener.listen()\nprint(1, flush=True)\nsys.stdin.read()"
    )
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        Path(place).chmod(0o777)
        command = [sys.executable, "-c", code]
        other = subprocess.Popen(command, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert other.stdout is not None
        assert other.stdout.readline() == b"1\n"
        path = Path(place) / "other.sock"
        path.chmod(0o777)
        done = stage.run("status", VIM_MCP_SOCKET=str(path))
        other.communicate(timeout=TIMEOUT)
    assert done.returncode == 1
    assert f"{path} is served by another user: set VIM_MCP_SOCKET to a path of your own" in done.stdout


def tunables(pid: int) -> list[bytes]:
    """What a process has told the C library at its start."""
    settings = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return [value for setting in settings for name, _, value in [setting.partition(b"=")] if name == b"GLIBC_TUNABLES"]


def test_a_hub_asks_for_large_pages_where_only_who_asks_gets_them(stage: Stage) -> None:
    pages = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    needed = pages.exists() and "[madvise]" in pages.read_text()
    assert stage.run("hub", "--background").returncode == 0
    assert tunables(stage.hub_pid()) == ([b"glibc.malloc.hugetlb=1"] if needed else [])


def test_settings_of_the_c_library_are_kept(stage: Stage) -> None:
    assert stage.run("hub", "--background", GLIBC_TUNABLES="glibc.malloc.arena_max=2").returncode == 0
    assert tunables(stage.hub_pid()) == [b"glibc.malloc.arena_max=2"]
