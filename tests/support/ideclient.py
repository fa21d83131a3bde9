"""An MCP client that finds an editor as Claude Code does: by its lock file, over a WebSocket with its token."""

from __future__ import annotations

import contextlib
import json
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from tests.support.editors import EditorHome
from tests.support.mcpclient import McpClient, Message
from tests.support.waiting import wait_until

AUTHORIZATION = "X-Claude-Code-Ide-Authorization"


@dataclass(frozen=True)
class LockFile:
    """A lock file as it lies on the disk; `port` is its name."""

    path: Path
    port: int
    content: Message

    @property
    def token(self) -> str:
        """What a client has to show."""
        return str(self.content["authToken"])

    @property
    def folders(self) -> list[str]:
        """The workspace folders."""
        return [str(folder) for folder in self.content["workspaceFolders"]]


def lock_files(home: EditorHome) -> list[LockFile]:
    """The lock files in this HOME, by port."""
    return lock_files_in(home.home / ".claude")


def lock_files_in(configuration: Path) -> list[LockFile]:
    """The lock files in this configuration of Claude Code, by port."""
    found = []
    for path in (configuration / "ide").glob("*.lock"):
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):  # it is just being taken away
            found.append(LockFile(path, int(path.stem), json.loads(path.read_text())))
    return sorted(found, key=lambda lock: lock.port)


def wait_lock(home: EditorHome, pid: int | None = None) -> LockFile:
    """Wait until the editor `pid` (its own process; None: whichever) has a lock file, and return it."""
    return wait_lock_in(home.home / ".claude", pid)


def wait_lock_in(configuration: Path, pid: int | None = None) -> LockFile:
    """The same, in this configuration of Claude Code."""

    def find() -> list[LockFile]:
        return [lock for lock in lock_files_in(configuration) if pid in (None, lock.content["pid"])]

    return wait_until(find, f"the lock file of {pid or 'an editor'}")[0]


class IdeClient(McpClient):
    """A client of one editor's port. It is connected; `initialize` shakes hands."""

    def __init__(self, port: int, token: str, **options: Any):
        super().__init__()
        self.frames: list[str | bytes] = []
        """Every message as it came."""
        self.closed = threading.Event()
        options = {"subprotocols": [Subprotocol("mcp")], "proxy": None, "max_size": None, **options}
        connecting = connect(f"ws://127.0.0.1:{port}/", additional_headers={AUTHORIZATION: token}, **options)
        self.connection: ClientConnection = connecting.__enter__()  # `close` leaves it
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @classmethod
    def of(
        cls, home: EditorHome, pid: int | None = None, pid_told: int = 4711, name: str = "test-client", **options: Any
    ) -> IdeClient:
        """Connect to the editor `pid` as Claude Code does: lock file, token, handshake, `ide_connected`."""
        lock = wait_lock(home, pid)
        client = cls(lock.port, lock.token, **options)
        client.initialize(name=name)
        client.notify("ide_connected", pid=pid_told)
        return client

    def _read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            for frame in self.connection:
                self.frames.append(frame)
                self._take(json.loads(frame))
        self.closed.set()

    @property
    def answered(self) -> list[Any]:
        """The ids of the answers, as they came."""
        messages = [json.loads(frame) for frame in self.frames]
        return [message["id"] for message in messages if "id" in message and "method" not in message]

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as one text message, as they are."""
        self.connection.send(data, text=True)

    def texts(self, name: str, **arguments: Any) -> list[str]:
        """Call a tool and return its text blocks; raises `ToolError`."""
        return [str(block["text"]) for block in self.tool_answer(self.start_tool(name, **arguments))["content"]]

    def tool_json(self, name: str, **arguments: Any) -> Any:
        """Call a tool and return the JSON in its only text block; raises `ToolError`."""
        (text,) = self.texts(name, **arguments)
        return json.loads(text)

    def close(self) -> None:
        """Hang up and wait until the connection has ended."""
        self.connection.close()
        self._reader.join()
