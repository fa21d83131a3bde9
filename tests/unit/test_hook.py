"""`vim-mcp hook`: it tells the hub what a hook says, and whatever happens Claude Code is neither failed nor held up."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

TIMEOUT = 15.0
EDIT = {
    "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": "/home/ada", "tool_name": "Edit",
    "tool_input": {"file_path": "/home/ada/a é.py", "old_string": "secret", "new_string": "text"},
    "tool_response": {"originalFile": "secret" * 100_000}, "transcript_path": "/x",
}  # fmt: skip


def patched(lines: list[str], first: int) -> dict[str, Any]:
    """What an edit's hook holds of the change, which the user sees as a hunk."""
    return {"tool_response": {"structuredPatch": [{"oldStart": 1, "newStart": first, "lines": lines}]}}


def read(arguments: dict[str, Any], first: int, number: int) -> dict[str, Any]:
    """What the hook of a tool holds that has read a file."""
    part = {"content": "secret", "startLine": first, "numLines": number, "totalLines": 99}
    told = {"tool_input": {"file_path": "/a", **arguments}, "tool_response": {"type": "text", "file": part}}
    return {"tool_name": "Read", **told}


@pytest.fixture
def runtime(tmp_path: Path) -> Path:
    """A runtime directory."""
    path = tmp_path / "run"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def listener(runtime: Path) -> Iterator[socket.socket]:
    """What a hub listens at."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(runtime / "vim-mcp-server.sock"))
        listener.listen()
        listener.settimeout(TIMEOUT)
        yield listener


def run(runtime: Path, text: bytes, **env: str) -> subprocess.CompletedProcess[bytes]:
    """Run the hook to its end."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(runtime), "VIM_MCP_RUNTIME_DIR": str(runtime), **env}
    command = [sys.executable, "-m", "vim_mcp", "hook"]
    return subprocess.run(command, input=text, env=environment, capture_output=True, timeout=TIMEOUT, check=False)


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    """Whether it has ended well without a word."""
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.fixture
def told(runtime: Path, listener: socket.socket) -> Callable[..., Any]:
    """Run the hook with an object and return what the hub was told."""

    def tell(hook: dict[str, Any], **env: str) -> Any:
        lines: list[bytes] = []

        def hear() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as file:
                lines.append(file.read())

        hub = threading.Thread(target=hear)
        hub.start()
        assert silent(run(runtime, json.dumps(hook).encode(), **env))
        hub.join(TIMEOUT)
        (line,) = lines
        assert line.count(b"\n") == 1
        return json.loads(line)

    return tell


@pytest.mark.requirement("HOOK-01")
def test_the_hub_is_told_names_and_no_text(told: Callable[..., Any]) -> None:
    message = told(EDIT, VIM_MCP_INSTANCE="main-demo-1")
    assert os.getpid() in message.pop("pids")
    assert message == {
        "type": "hook", "event": "PostToolUse", "session": "s1", "instance": "main-demo-1", "tool": "Edit",
        "file": "/home/ada/a é.py", "lines": None, "notification": None,
    }  # fmt: skip


@pytest.mark.requirement("HOOK-01")
@pytest.mark.parametrize(
    ("hook", "wanted"),
    [
        ({"tool_input": {"notebook_path": "/n.ipynb"}}, {"file": "/n.ipynb"}),
        ({"tool_input": {"file_path": "rel/x"}}, {"file": "/home/ada/rel/x"}),
        ({"tool_input": {"command": "make"}, "tool_name": "Bash"}, {"file": None, "tool": "Bash"}),
        ({"tool_input": "nonsense"}, {"file": None}),
        ({"hook_event_name": "UserPromptSubmit", "prompt": "a secret"}, {"event": "UserPromptSubmit"}),
        (patched(["-secret", "+text", "+more"], 7), {"lines": [7, 8]}),
        (patched([" secret", " b", "-secret", "+text", " c", "+secret", " d"], 7), {"lines": [9, 11]}),
        (patched([" a", "-secret", " b"], 7), {"lines": [8, 8]}),
        (patched([" a"], 7), {"lines": None}),
        ({"tool_response": {"structuredPatch": []}}, {"lines": None}),
        ({"tool_response": {"structuredPatch": [{"newStart": "secret", "lines": 3}]}}, {"lines": None}),
        (read({"offset": 5}, 5, 20), {"lines": [5, 24]}),
        (read({}, 1, 20), {"lines": None}),
        (read({"limit": 5}, 1, 0), {"lines": [1, 1]}),
        ({"notification_type": "permission_prompt", "message": "a secret"}, {"notification": "permission_prompt"}),
    ],
)
def test_what_is_told_of_each(told: Callable[..., Any], hook: dict[str, Any], wanted: dict[str, Any]) -> None:
    message = told({**EDIT, **hook})
    assert {key: message[key] for key in wanted} == wanted
    assert "secret" not in json.dumps(message)


@pytest.mark.requirement("HOOK-02")
@pytest.mark.parametrize("text", [b"", b"nonsense", b"[]", b"null", b'{"tool_input"', b"\xff\xfe", b"{}"])
def test_it_is_silent_whatever_it_reads(runtime: Path, listener: socket.socket, text: bytes) -> None:
    assert silent(run(runtime, text))


@pytest.mark.requirement("HOOK-02")
@pytest.mark.parametrize("env", [{}, {"VIM_MCP_RUNTIME_DIR": "not/absolute"}, {"VIM_MCP_SOCKET": "/" + "x" * 300}])
def test_it_is_silent_without_a_hub_and_starts_none(runtime: Path, env: dict[str, str]) -> None:
    assert silent(run(runtime, json.dumps(EDIT).encode(), **env))
    assert list(runtime.iterdir()) == []


@pytest.mark.requirement("HOOK-02")
def test_a_hub_that_hangs_holds_nobody_up(runtime: Path, listener: socket.socket) -> None:
    """It listens, and takes in nothing."""
    assert silent(run(runtime, json.dumps(EDIT).encode()))


@pytest.mark.requirement("HOOK-02")
def test_it_loads_little(runtime: Path) -> None:
    """Each of these would hold Claude Code up for milliseconds, at each tool."""
    code = "import sys; import vim_mcp.cli, vim_mcp.hook; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})  # fmt: skip
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"argparse", "asyncio", "pathlib", "subprocess", "logging", "mcp", "pydantic", "threading"}


@pytest.mark.parametrize("answer", [b'{"deny": "not \xc3\xa9"}\n', b"", b'{"deny": "half'])
@pytest.mark.requirement("HOOK-04")
def test_a_reason_for_a_rejection_is_put_out(runtime: Path, listener: socket.socket, answer: bytes) -> None:
    def hub() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.makefile("rb").readline()
            connection.sendall(answer)

    hubs = threading.Thread(target=hub)
    hubs.start()
    done = run(runtime, json.dumps({**EDIT, "hook_event_name": "PermissionRequest"}).encode())
    hubs.join(TIMEOUT)
    assert (done.returncode, done.stderr) == (0, b"")
    if not answer.endswith(b"\n"):
        assert done.stdout == b""
        return
    decision = {"behavior": "deny", "message": "not \u00e9"}
    assert json.loads(done.stdout) == {
        "hookSpecificOutput": {"hookEventName": "PermissionRequest", "decision": decision}
    }
