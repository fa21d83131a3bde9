"""A hub for tests: it listens on the hub's socket and speaks the editor protocol directly (docs/protocol.md, 1)."""

from __future__ import annotations

import contextlib
import json
import queue
import socket
import threading
from pathlib import Path
from typing import Any

from tests.support.editors import TIMEOUT

Message = dict[str, Any]


class EditorError(Exception):
    """The editor answered with an error; `error` is its `{code, message, data}`."""

    def __init__(self, error: Message):
        super().__init__(error.get("message"))
        self.error = error

    @property
    def kind(self) -> str:
        """The error's `data.kind`, or an empty string."""
        return str((self.error.get("data") or {}).get("kind", ""))


class RawEditor:
    """One editor's connection as the hub sees it."""

    def __init__(self, connection: socket.socket):
        self._connection = connection
        self._next_id = 0
        self._answers: dict[int, queue.Queue[Message]] = {}
        self._unexpected: list[Message] = []
        self.answered: list[int] = []
        """The ids of the answers, in the order of their arrival."""
        self.events: queue.Queue[Message] = queue.Queue()
        self.hello: Message = {}
        self.greeted = threading.Event()
        self.closed = threading.Event()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(OSError), self._connection.makefile("rb") as lines:
            for line in lines:
                self._take(json.loads(line.decode("utf-8", "replace")))
        self.closed.set()

    def _take(self, message: Message) -> None:
        if not self.hello:
            self.hello = message
            self.send({"type": "registered", "instance_id": message.get("instance_id")})
            self.greeted.set()
        elif "id" in message:
            self._take_answer(message)
        else:
            self.events.put(message)

    def _take_answer(self, message: Message) -> None:
        if message["id"] in self.answered or message["id"] not in self._answers:
            self._unexpected.append(message)
        else:
            self.answered.append(message["id"])
            self._answers[message["id"]].put(message)

    def unexpected(self) -> list[Message]:
        """Answers that came a second time, or to no request."""
        return list(self._unexpected)

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._connection.sendall(data)

    def send(self, message: Message) -> None:
        """Send one message."""
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def expect(self) -> int:
        """The id for a request that the caller sends itself."""
        self._next_id += 1
        self._answers[self._next_id] = queue.Queue()
        return self._next_id

    def start(self, method: str, **params: Any) -> int:
        """Send a request and return its id; `answer` waits for the answer."""
        request_id = self.expect()
        self.send({"id": request_id, "method": method, "params": params})
        return request_id

    def answer(self, request_id: int, timeout: float = TIMEOUT) -> Any:
        """The result of a started request; raises `EditorError`, or AssertionError when none comes in time."""
        try:
            message = self._answers[request_id].get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no answer to request {request_id} within {timeout} s") from None
        if "error" in message:
            raise EditorError(message["error"])
        return message["result"]

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and return its result."""
        return self.answer(self.start(method, **params))

    def event(self, name: str, timeout: float = TIMEOUT) -> Message:
        """Wait for the next event (or message type) called `name`, skipping others."""
        while True:
            try:
                message = self.events.get(timeout=timeout)
            except queue.Empty:
                raise AssertionError(f"no event {name!r} within {timeout} s") from None
            if name == message.get("type") or name in message.get("events", [message.get("event")]):
                return message

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


class RawHub:
    """Listens at `<runtime>/vim-mcp-server.sock`."""

    def __init__(self, runtime: Path):
        self.path = runtime / "vim-mcp-server.sock"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._arrived: queue.Queue[RawEditor] = queue.Queue()
        self._editors: list[RawEditor] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                editor = RawEditor(self._listener.accept()[0])
                self._editors.append(editor)
                self._arrived.put(editor)

    def editor(self, timeout: float = TIMEOUT) -> RawEditor:
        """The next editor that registers."""
        try:
            editor = self._arrived.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no editor dialled within {timeout} s") from None
        assert editor.greeted.wait(timeout), "the editor dialled but never registered"
        return editor

    def waiting(self) -> int:
        """How many editors have dialled that `editor()` has not handed out."""
        return self._arrived.qsize()

    def close(self) -> None:
        """Stop listening, hang up on every editor and remove the socket file."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join(TIMEOUT)  # one that has just dialled is among them then
        self._listener.close()
        for editor in self._editors:
            editor.close()
        self.path.unlink(missing_ok=True)
