"""A stage for whole-line tests: a real hub, real editors and stdio clients in one private runtime directory."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.editors import TIMEOUT, EditorHome, Terminal, start_editor
from tests.support.mcpclient import VIM_MCP, StdioClient


class Stage:
    """Starts editors and clients around one hub and takes everything away at the end."""

    def __init__(self, directory: Path, vimrc: str = ""):
        self.directory = directory
        self.home = EditorHome(directory, vimrc)
        self.runtime = self.home.runtime
        self.socket = self.runtime / "vim-mcp-server.sock"
        self._terminals: list[Terminal] = []
        self._clients: list[StdioClient] = []
        self._children: list[subprocess.Popen[bytes]] = []
        self._watcher: StdioClient | None = None

    def environment(self, **extra: str) -> dict[str, str]:
        """What editors, clients and the hub run with."""
        return self.home.environment(**extra)

    def editor(
        self, kind: str, *args: str, cwd: Path | None = None, size: tuple[int, int] = (24, 80), **env: str
    ) -> Terminal:
        """Start an editor; `instance` waits until it has registered."""
        terminal = start_editor(kind, self.home, args, cwd or self.directory, size, **env)
        self._terminals.append(terminal)
        return terminal

    def project(self, name: str, **files: str) -> Path:
        """A directory `name` with files (`one_txt="…"` makes one.txt)."""
        path = self.directory / name
        path.mkdir(exist_ok=True)
        for key, text in files.items():
            (path / key.replace("_", ".")).write_text(text)
        return path

    def client(self, cwd: Path | None = None, initialize: bool = True, **env: str) -> StdioClient:
        """Start `vim-mcp` as an MCP client would."""
        client = StdioClient(self.environment(**env), cwd or self.directory)
        self._clients.append(client)
        if initialize:
            client.initialize()
        return client

    def spawn(self, *args: str, **env: str) -> subprocess.Popen[bytes]:
        """Run `vim-mcp ARGS` without waiting; it is ended with the stage."""
        child = subprocess.Popen([str(VIM_MCP), *args], env=self.environment(**env), stdin=subprocess.DEVNULL)
        self._children.append(child)
        return child

    def run(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run `vim-mcp ARGS` to its end."""
        return subprocess.run(
            [str(VIM_MCP), *args], env=self.environment(**env), capture_output=True, text=True, timeout=TIMEOUT,
            stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip

    def hook(self, event: str, instance: str = "", **fields: Any) -> subprocess.CompletedProcess[bytes]:
        """Run `vim-mcp hook` as a Claude Code does that was started in the editor `instance`."""
        told = {"session_id": "one", "cwd": str(self.directory), "hook_event_name": event, **fields}
        return subprocess.run(
            [str(VIM_MCP), "hook"], env=self.environment(VIM_MCP_INSTANCE=instance), capture_output=True,
            input=json.dumps(told).encode(), timeout=TIMEOUT, check=False,
        )  # fmt: skip

    def status(self) -> dict[str, Any]:
        """The hub's own status, asked on its socket; raises OSError where no hub answers."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT)
            connection.connect(str(self.socket))
            connection.sendall(b'{"type": "status"}\n')
            answer: dict[str, Any] = json.loads(connection.makefile("rb").readline())
            return answer

    def hub_pid(self) -> int:
        """The hub's process id."""
        return int(self.status()["pid"])

    def kill_hub(self) -> int:
        """End the hub by SIGKILL and return its pid."""
        pid = self.hub_pid()
        os.kill(pid, signal.SIGKILL)
        return pid

    def instances(
        self, wanted: Callable[[list[dict[str, Any]]], bool], timeout: float = TIMEOUT
    ) -> list[dict[str, Any]]:
        """Wait until the list of instances is as `wanted`, and return it."""
        if self._watcher is None:
            self._watcher = self.client()
            self._watcher.request("resources/subscribe", {"uri": "vim://instances"})
        deadline = time.monotonic() + timeout
        while True:
            listed: list[dict[str, Any]] = self._watcher.read_json("vim://instances")
            if wanted(listed):
                return listed
            try:
                self._watcher.notifications.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no list of instances was as wanted, up to {listed}") from None

    def instance(self, terminal: Terminal) -> str:
        """Wait until the editor in `terminal` has registered, and return its instance id."""

        def its(entry: dict[str, Any]) -> bool:
            return terminal.pid in (entry["pid"], _parent(entry["pid"]))

        listed = self.instances(lambda entries: any(map(its, entries)))
        return next(str(entry["instance_id"]) for entry in listed if its(entry))

    def close(self) -> None:
        """End clients, editors and the hub, in this order, and wait for each."""
        for client in self._clients:
            client.close()
        for terminal in self._terminals:
            terminal.close()
        with contextlib.suppress(OSError, ValueError):
            self._end(self.hub_pid())
        for child in self._children:
            child.terminate()
            child.wait(TIMEOUT)

    def _end(self, pid: int) -> None:
        descriptor = os.pidfd_open(pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
        wait_for_exit(descriptor)


def wait_for_exit(descriptor: int, timeout: float = TIMEOUT) -> None:
    """Wait until the process behind a pidfd has ended, and close the pidfd."""
    ended, _, _ = select.select([descriptor], [], [], timeout)
    os.close(descriptor)
    assert ended, f"the process did not end within {timeout} s"


def _parent(pid: int) -> int:
    """The parent's process id: an editor may be a child of the program that draws its screen."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def numbered(lines: int) -> str:
    """A text of so many lines, each with its number."""
    return "".join(f"line {number}\n" for number in range(1, lines + 1))
