"""An editor's end of the hub's socket in a test's own hands: it says what it is told to, and keeps all that comes."""

from __future__ import annotations

import json
import os
import queue
import socket
import threading
from pathlib import Path
from typing import Any

from tests.support.editors import TIMEOUT

Message = dict[str, Any]


class RawEditor:
    """A registered editor. Its process is the test's own, or `pid`."""

    def __init__(self, path: Path, cwd: Path, editor: str = "vim", pid: int = 0, **info: Any):
        self.messages: queue.Queue[Message] = queue.Queue()
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.settimeout(TIMEOUT)
        self._connection.connect(str(path))
        about = {
            "pid": pid or os.getpid(), "cwd": str(cwd), "main_file": str(cwd / "main.py"), "buffers": [],
            "version": "9.0", "editor": editor, "state_interval": 0, **info,
        }  # fmt: skip
        self.say("register", instance_id=f"main-{cwd.name}-{about['pid']}", info=about)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.instance_id = str(self.wait("registered")["instance_id"])

    def _read(self) -> None:
        for line in self._connection.makefile("rb"):
            self.messages.put(json.loads(line))

    def say(self, kind: str, **fields: Any) -> None:
        """Send a message of that type."""
        self._connection.sendall(json.dumps({"type": kind, **fields}).encode() + b"\n")

    def push(self, **state: Any) -> None:
        """Push a state."""
        self.say("event", event="DirChanged", state={"buffers": [], **state})

    def wait(self, kind: str) -> Message:
        """The next message of that type; what comes before it is passed over."""
        while True:
            message = self.messages.get(timeout=TIMEOUT)
            if message.get("type") == kind:
                return message

    def close(self) -> None:
        """Hang up without a word."""
        self._connection.shutdown(socket.SHUT_RDWR)
        self._reader.join()
        self._connection.close()
