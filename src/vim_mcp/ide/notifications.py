"""What an editor tells unasked, as Claude Code understands it (notifications beside MCP), for all its clients.

Lines and characters are 0-based there, characters UTF-16 units; the editor counts them so already.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from vim_mcp import wire
from vim_mcp.editor.messages import Selection, selection_fields
from vim_mcp.text import file_uri

SETTLING = 1.5
"""Seconds from a client's word that it is there, and from the last answer that it has got by then, until it is told
anything: Claude Code listens only a moment after it has its list of tools, and what comes before is lost."""

ANSWERING = 20.0
"""Seconds that a client waits at most for what it has asked for: what it has withdrawn is never answered."""

MAX_MENTIONS = 100
"""Mentions that may wait for a client; beyond it the oldest are lost."""


class Notifications:
    """One editor's. `hear` takes what the editor says, `join` what a client listens with."""

    def __init__(self, settling: float = SETTLING, answering: float = ANSWERING):
        self._settling = settling
        self._answering = answering
        self._latest: Selection | None = None
        self._mentions: deque[bytes] = deque(maxlen=MAX_MENTIONS)
        self._listeners: list[Listener] = []
        self.kinds: dict[str, Callable[[dict[str, Any]], None]] = {
            "selection": self._selected,
            "mention": self._mentioned,
            "diagnostics": self._diagnosed,
            "log": self._logged,
        }
        """What takes an editor's message, by its type."""

    def latest(self) -> Selection | None:
        """What was selected last, None where the editor has not said."""
        return self._latest

    def join(self, write: Callable[[bytes], None], on_settled: Callable[[], None] = lambda: None) -> Listener:
        """A client has come, which `write` sends to; it is told things once it is ready (`Listener.ready`).

        `on_settled` is called when it has been told what it had missed.
        """

        def settled(listener: Listener) -> None:
            self._settled(listener)
            on_settled()

        listener = Listener(write, self._settling, self._answering, settled)
        self._listeners.append(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        """The client has gone."""
        listener.end()
        self._listeners.remove(listener)

    def _settled(self, listener: Listener) -> None:
        """Tell a client that has come what it has missed: the selection, and the mentions that waited for one."""
        if self._latest is not None:
            listener.select(selection_changed(self._latest))
        while self._mentions:
            listener.write(self._mentions.popleft())

    def _selected(self, message: dict[str, Any]) -> None:
        self._latest = message["selection"]
        payload = selection_changed(self._latest)
        for listener in self._listening():
            listener.select(payload)

    def _mentioned(self, message: dict[str, Any]) -> None:
        payload = at_mentioned(message["file"], message.get("first"), message.get("last"))
        if not self._tell(payload, message.get("pid")):
            self._mentions.append(payload)

    def _diagnosed(self, message: dict[str, Any]) -> None:
        self._tell(_notification("diagnostics_changed", {"uris": [file_uri(file) for file in message["files"]]}))

    def _logged(self, message: dict[str, Any]) -> None:
        self._tell(_notification("log_event", {"eventName": message["name"], "eventData": message.get("data", {})}))

    def _tell(self, payload: bytes, pid: int | None = None) -> bool:
        """Send to everybody who listens, or to the one with that process alone, if it does; whether anybody listens."""
        listeners = self._listening()
        meant = [listener for listener in listeners if pid is not None and listener.pid == pid]
        for listener in meant or listeners:
            listener.write(payload)
        return bool(listeners)

    def _listening(self) -> list[Listener]:
        return [listener for listener in self._listeners if listener.settled]


class Listener:
    """One client, as far as it is told things."""

    def __init__(
        self,
        write: Callable[[bytes], None],
        settling: float,
        answering: float,
        on_settled: Callable[[Listener], None],
    ):
        self.write = write
        self.settled = False
        self.pid: int | None = None
        """The client's process, where it has told it."""
        self._settling = settling
        self._answering = answering
        self._on_settled = on_settled
        self._timer: asyncio.TimerHandle | None = None
        self._there = False
        self._unanswered = 0
        self._told: bytes | None = None

    def ready(self) -> None:
        """The client has said that it is there; it may say so more than once."""
        self._there = True
        self._wait()

    def asked(self) -> None:
        """The client has asked for something that it needs before it listens, and waits for the `answer`."""
        self._unanswered += 1
        self._wait()

    def answer(self, message: bytes) -> None:
        """Send the client what its session says."""
        self.write(message)
        if self._unanswered and not self.settled:
            self._unanswered -= 1
            self._wait()

    def _wait(self) -> None:
        """Begin to wait anew, once it is known that the client is there: longer where it has no answer yet."""
        if self._timer:
            self._timer.cancel()
        if self._there and not self.settled:
            patience = self._answering if self._unanswered else self._settling
            self._timer = asyncio.get_running_loop().call_later(patience, self._settle)

    def _settle(self) -> None:
        self.settled = True
        self._on_settled(self)

    def select(self, payload: bytes) -> None:
        """Tell of a selection, unless it is the one told last."""
        if payload != self._told:
            self._told = payload
            self.write(payload)

    def end(self) -> None:
        """Nothing more is told."""
        self.settled = False
        if self._timer:
            self._timer.cancel()


def selection_changed(selection: Selection) -> bytes:
    """The notification of a selection. Requirements SEL-01 and SEL-04."""
    return _notification("selection_changed", selection_fields(selection))


def at_mentioned(path: str, first: int | None, last: int | None) -> bytes:
    """The notification of a mention of lines (1-based, both included) or, without them, of a file. ATM-02, ATM-03."""
    lines = {} if first is None or last is None else {"lineStart": first - 1, "lineEnd": last - 1}
    return _notification("at_mentioned", {"filePath": path, **lines})


def _notification(method: str, params: dict[str, Any]) -> bytes:
    return wire.encode({"jsonrpc": "2.0", "method": method, "params": params})
