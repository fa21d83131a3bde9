"""The command line as its user meets it: help, versions, settings, the log, and how little a client has to load."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.answering import answering
from vim_mcp import __version__, logs, status

TIMEOUT = 15.0


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A runtime directory that does not exist yet, and nothing else of this process's environment but PATH."""
    return {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "VIM_MCP_RUNTIME_DIR": str(tmp_path / "run")}


def vim_mcp(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "vim_mcp", *arguments], env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=TIMEOUT, check=False,
    )  # fmt: skip


def test_the_version(environment: dict[str, str]) -> None:
    assert vim_mcp(environment, "--version").stdout == f"vim-mcp {__version__}\n"


def test_the_help_names_every_command(environment: dict[str, str]) -> None:
    done = vim_mcp(environment, "--help")
    assert done.returncode == 0
    assert "Without a command: an MCP server on stdin and stdout" in " ".join(done.stdout.split())
    for command in (
        "install",
        "uninstall",
        "doctor",
        "hub",
        "status",
        "call",
        "read",
        "tools",
        "logs",
        "stop",
        "pipe",
        "completion",
    ):
        assert f"\n    {command}" in done.stdout


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["status", "--loud"], ["logs", "-n", "many"], ["logs", "-n", "-1"]]
)
def test_bad_arguments(environment: dict[str, str], arguments: list[str]) -> None:
    done = vim_mcp(environment, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: vim-mcp")


@pytest.mark.requirement("RELAY-01")
def test_a_client_loads_little() -> None:
    """What a client's start loads beyond a bare interpreter; each of these would cost it milliseconds."""
    code = "import sys; import vim_mcp.cli, vim_mcp.relay; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True,
                          env={"PYTHONPATH": str(Path(logs.__file__).parents[1])})  # fmt: skip
    loaded = set(done.stdout.split())
    assert "vim_mcp.relay" in loaded
    heavy = {"argparse", "asyncio", "dataclasses", "logging", "pathlib", "subprocess", "typing", "pydantic", "mcp"}
    assert loaded & heavy == set()


@pytest.mark.requirement("CFG-01")
@pytest.mark.parametrize("arguments", [[], ["hub"], ["hub", "--background"]])
@pytest.mark.parametrize(
    ("name", "value", "accepted"),
    [("VIM_MCP_LOG_LEVEL", "loud", "error, warning, info, debug"), ("VIM_MCP_SOCKET", "here", "absolute")],
)
def test_a_bad_setting_is_named_in_one_line(
    environment: dict[str, str], arguments: list[str], name: str, value: str, accepted: str
) -> None:
    done = vim_mcp({**environment, name: value}, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"vim-mcp: {name}={value!r} ")
    assert accepted in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.requirement("DIR-01")
def test_an_open_runtime_directory_is_refused(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run").chmod(0o755)
    done = vim_mcp(environment, "hub", "--background")
    assert done.returncode == 2
    assert done.stderr == (
        f"vim-mcp: The runtime directory {tmp_path}/run is open to other users (mode 0755). "
        f"Mend it: chmod 700 '{tmp_path}/run'\n"
    )


def test_without_a_hub_nothing_is_made(environment: dict[str, str], tmp_path: Path) -> None:
    done = vim_mcp(environment, "status")
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        f"NOT RUNNING: No hub runs; an editor or a client starts one (socket {tmp_path}/run/vim-mcp-server.sock)\n"
    )
    assert (vim_mcp(environment, "stop").returncode, vim_mcp(environment, "stop").stdout) == (0, "No hub runs\n")
    done = vim_mcp(environment, "pipe", "--no-start")
    assert (done.returncode, done.stderr) == (1, "vim-mcp: No hub runs, and --no-start was given\n")
    assert vim_mcp(environment, "logs").returncode == 1
    assert not (tmp_path / "run").exists()


@pytest.fixture
def answers(tmp_path: Path) -> Iterator[list[bytes]]:
    """Something that listens on the socket and answers each caller with the line in the list."""
    answer = [b""]
    with answering(tmp_path / "run", lambda: answer[0]):
        yield answer


@pytest.mark.requirement("VIM-STATUS-04")
@pytest.mark.parametrize(("answer", "told"), [(b"", "nothing"), (b"no JSON\n", "nonsense"), (b"[]\n", "[]")])
def test_a_hub_that_does_not_answer_is_an_error(
    environment: dict[str, str], answers: list[bytes], answer: bytes, told: str
) -> None:
    answers[0] = answer
    done = vim_mcp(environment, "status", "--json")
    assert done.returncode == 1
    assert '"state": "ERROR"' in done.stdout
    assert f"answered {told}" in done.stdout
    assert "hub.log" in done.stdout


@pytest.mark.requirement("HUB-05")
def test_the_status_as_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/b")
    first = {
        "instance_id": "a-b-1", "pid": 1, "editor": "vim", "version": "9.1.0", "cwd": "/b/c", "main_file": "/b/c/a.txt",
        "started": "2020-01-01T00:00:00+00:00", "access": "read", "port": 23456, "ide_fault": None, "diffs": 2,
        "ide_clients": [{"name": "claude-code 2.1", "pid": 8}],
    }  # fmt: skip
    second = {
        "instance_id": "long-name-22", "pid": 22, "editor": "nvim", "cwd": "/long", "main_file": "/b/x",
        "started": "2020-01-02T02:59:59+00:00", "port": None, "ide_fault": "no lock can be written", "ide_clients": [],
    }  # fmt: skip
    answer = {
        "state": "CONNECTED", "version": "1.2.3", "pid": 7, "uptime": 93784.2, "socket": "/s", "fault": "ValueError: x",
        "instances": [first, second], "clients": [{"pid": 9, "name": "claude-code 2.1", "selected": None}],
    }  # fmt: skip
    now = datetime(2020, 1, 2, 3, tzinfo=UTC).timestamp()
    assert list(status.described(answer, now)) == [
        "CONNECTED: hub 1.2.3, process 7, up 1 d 2 h",
        "fault: ValueError: x",
        "socket: /s",
        "fault: no lock can be written",
        "editors: 2",
        "  instance      editor            pid  up       port   diffs  directory  file",
        "  a-b-1         Vim 9.1.0 (read)  1    1 d 3 h  23456  2      ~/c        a.txt",
        "  long-name-22  Neovim            22   1 s      -      -      /long      ~/x",
        "clients: 2",
        "  client           pid  instance",
        "  claude-code 2.1  9    -",
        "  claude-code 2.1  8    a-b-1",
    ]


def write_log(directory: Path, first: int, last: int, name: str = "hub.log") -> None:
    """Lines with numbers, as a log."""
    directory.mkdir(mode=0o700, exist_ok=True)
    with (directory / name).open("a") as log:
        log.writelines(f"line {number}\n" for number in range(first, last + 1))


@pytest.mark.requirement("HUB-07")
@pytest.mark.parametrize(
    ("arguments", "first"),
    [([], 151), (["-n", "3"], 248), (["--lines", "220"], 31), (["-n", "9999"], 1), (["-n", "0"], 251)],
)
def test_the_end_of_the_log(environment: dict[str, str], tmp_path: Path, arguments: list[str], first: int) -> None:
    write_log(tmp_path / "run", 1, 40, "hub.log.1")
    write_log(tmp_path / "run", 41, 250)
    done = vim_mcp(environment, "logs", *arguments)
    assert done.stdout.splitlines() == [f"line {number}" for number in range(first, 251)]
    assert done.returncode == 0


@pytest.mark.requirement("HUB-07")
def test_the_log_is_followed_through_its_rotation(environment: dict[str, str], tmp_path: Path) -> None:
    run = tmp_path / "run"
    write_log(run, 1, 3)
    follower = subprocess.Popen(
        [sys.executable, "-m", "vim_mcp", "logs", "-n", "1", "-f"], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # which a background job may ignore
    )  # fmt: skip
    assert follower.stdout is not None
    try:
        assert follower.stdout.readline() == "line 3\n"
        write_log(run, 4, 4)
        assert follower.stdout.readline() == "line 4\n"
        (run / "hub.log").rename(run / "hub.log.1")
        write_log(run, 5, 6)
        assert [follower.stdout.readline() for _ in range(2)] == ["line 5\n", "line 6\n"]
        follower.send_signal(signal.SIGINT)
        assert follower.communicate(timeout=TIMEOUT) == ("", "")
        assert follower.returncode == 130
    finally:
        follower.kill()
        follower.communicate()


def test_a_reader_that_has_seen_enough_ends_it_quietly(environment: dict[str, str], tmp_path: Path) -> None:
    write_log(tmp_path / "run", 1, 50_000)
    command = [sys.executable, "-m", "vim_mcp", "logs", "-n", "50000"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as printing:
        assert printing.stdout is not None
        assert printing.stderr is not None
        assert printing.stdout.readline() == b"line 1\n"
        printing.stdout.close()
        assert (printing.wait(TIMEOUT), printing.stderr.read()) == (0, b"")


@pytest.mark.parametrize("buffered", ["", "1"])
def test_what_cannot_be_written_is_told_in_one_line(environment: dict[str, str], buffered: str) -> None:
    command = [sys.executable, "-m", "vim_mcp", "status"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, env={**environment, "PYTHONUNBUFFERED": buffered}, stdout=full, stderr=subprocess.PIPE, text=True,
            timeout=TIMEOUT, check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        1,
        f"vim-mcp: what it says cannot be written: {os.strerror(errno.ENOSPC)}\n",
    )
