"""Relays around fake hubs: what `vim-mcp` does when its hub is lost, leaves, or never comes."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.editors import TIMEOUT
from tests.support.fakehub import FakeConnection, FakeHub, Message
from tests.support.mcpclient import StdioClient
from vim_mcp import __version__

SCRIPT = """
import os, socket, sys, time
import vim_mcp
vim_mcp.__version__ = {version!r}
if sys.argv[1:] == ["hub", "--background"]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as herald:
        herald.sendto(b"start", {herald!r})
    if os.environ.get("TEST_HUB") == "refuses":
        sys.exit("vim-mcp: no hub today")
    while not os.path.exists({path!r}):
        time.sleep(0.005)
    sys.exit(0)
from vim_mcp.cli import main
sys.exit(main())
"""
"""`vim-mcp` of another version, whose `hub` starts none: it says that it was called, and waits for the test's own."""


class Backstage:
    """A runtime directory, the fake hubs in it, and relays."""

    def __init__(self, directory: Path):
        self.directory = directory
        self.runtime = directory / "run"
        self.runtime.mkdir(mode=0o700)
        self._socket = self.runtime / "vim-mcp-server.sock"
        self._herald = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._herald.bind(str(directory / "herald"))
        self._running: list[StdioClient | FakeHub] = []

    def hub(self) -> FakeHub:
        """A fake hub that listens."""
        hub = FakeHub(self.runtime)
        self._running.append(hub)
        return hub

    def argv(self, version: str = __version__) -> list[str]:
        """The command of a relay of a `version`."""
        script = self.directory / version / "vim-mcp"
        script.parent.mkdir(exist_ok=True)
        text = SCRIPT.format(version=version, herald=str(self.directory / "herald"), path=str(self._socket))
        script.write_text(text)
        return [sys.executable, str(script)]

    def environment(self, **env: str) -> dict[str, str]:
        """What a relay runs with."""
        own = {"PATH": os.environ["PATH"], "HOME": str(self.directory), "VIM_MCP_RUNTIME_DIR": str(self.runtime)}
        return {**own, **env}

    def client(self, version: str = __version__, **env: str) -> StdioClient:
        """A client of a relay."""
        client = StdioClient(self.environment(**env), self.directory, self.argv(version))
        self._running.append(client)
        return client

    def process(self, env: Mapping[str, str] | None = None, stdin: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        """A relay whose stdin (unless given), stdout and stderr are the test's; `env` is added to its environment."""
        pipe, environment = subprocess.PIPE, self.environment(**(env or {}))
        return subprocess.Popen(self.argv(), env=environment, stdin=stdin, stdout=pipe, stderr=pipe)

    def has_start(self, timeout: float = TIMEOUT) -> bool:
        """Whether somebody starts a hub, or has, within `timeout` seconds; each start counts once."""
        self._herald.settimeout(timeout)
        try:
            return self._herald.recv(16) == b"start"
        except (TimeoutError, BlockingIOError):
            return False

    def close(self) -> None:
        """End all; what waits for a hub sees a file in its place."""
        for one in self._running:
            one.close()
        self._socket.touch()
        self._herald.close()


@dataclass
class Meeting:
    """A client that has shaken hands with a fake hub through its relay."""

    backstage: Backstage
    hub: FakeHub
    connection: FakeConnection
    client: StdioClient

    @classmethod
    def arrange(cls, backstage: Backstage) -> Meeting:
        """Bring the two together."""
        hub = backstage.hub()
        client = backstage.client()
        connection, _ = hub.relay()
        initializing = threading.Thread(target=client.initialize)
        initializing.start()
        connection.handshake()
        initializing.join(TIMEOUT)
        return cls(backstage, hub, connection, client)

    def next_hub(self) -> Message:
        """Let the hub vanish as if killed and the next one come; the relay's first line there."""
        self.hub.close()
        return self.meet()

    def meet(self) -> Message:
        """Let a hub come that the relay dials; its first line there."""
        self.hub = self.backstage.hub()
        self.connection, hello = self.hub.relay()
        return hello

    def request(self) -> None:
        """See a request through."""
        request = self.client.start("ping", {"n": 1})
        serve(self.connection, self.connection.read())
        assert self.client.answer(request) == {"echo": {"n": 1}}


def serve(connection: FakeConnection, *requests: Message) -> None:
    """Answer requests by their own params."""
    for request in requests:
        connection.answer(request, echo=request.get("params"))
