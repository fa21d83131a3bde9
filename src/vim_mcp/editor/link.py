"""The hub's end of an editor's connection: requests with a time limit, answers, events, the last known state."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from vim_mcp import wire
from vim_mcp.connection import LineConnection
from vim_mcp.editor.busy import interrupt, what_it_does
from vim_mcp.editor.messages import EditorInfo, State
from vim_mcp.editor.vocabulary import ToEditor
from vim_mcp.errors import (
    COMMAND_FAILED,
    CommandFailed,
    ConnectionLost,
    EditorBusy,
    EditorMethodError,
)

logger = logging.getLogger(__name__)

TEXT_FILE = "text-"
"""How the names of files begin by which text travels, in the runtime directory."""

_text_files = itertools.count(1)
"""Numbers them: of all editors, whose files lie in one directory."""

_PATIENCE = 0.5
"""Seconds after which an unanswered request makes the hub look at what the editor does."""

_INSISTENCE = 0.2
"""Seconds after which a Vim that was to be interrupted and still runs its command is interrupted again."""


class Editor:
    """A registered editor. `state` is what it pushed last (without text), `on_event` hears each push.

    `on_message` hears, by its type, what an editor tells that is not for this module.
    """

    def __init__(self, instance_id: str, info: EditorInfo, connection: LineConnection, runtime: Path):
        self.instance_id = instance_id
        self.info = info
        self.state: State = {}
        self.started = self.last_seen = time.time()
        self.waiting_for: str | None = None
        self.on_event: Callable[[frozenset[str]], None] = lambda _events: None
        self.on_message: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.on_gone: list[Callable[[], None]] = []
        self.questions: dict[str, asyncio.Future[str]] = {}
        """What its user is asked and has not answered, by the question's id."""
        self._connection = connection
        self._runtime = runtime
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._running_commands = 0
        self._begun: set[int] = set()
        self._interrupter: asyncio.TimerHandle | None = None
        connection.on_line = self._take
        connection.on_close = self._lost

    @property
    def connected(self) -> bool:
        """Whether requests can be sent."""
        return not self._connection.closed

    @property
    def runs_code(self) -> bool:
        """Whether its user lets clients run code at all, be it after a question."""
        return bool(self.state.get("execute_code", self.info.execute_code) != "off")

    async def request(self, method: str, params: dict[str, Any] | None = None, timeout: float = 5.0) -> Any:
        """Ask the editor and return its result.

        `timeout` is in seconds. Raises `ConnectionLost` when the editor leaves, `EditorBusy` when it does not answer in
        time (the request is then withdrawn: the editor drops it if it has not begun), `CommandFailed` or
        `EditorMethodError` when it answers with an error.
        """
        if not self.connected:
            raise self._gone()
        request_id = next(self._ids)
        future = self._pending[request_id] = asyncio.get_running_loop().create_future()
        expires = int(time.time() + timeout) - 1  # whole seconds: rather early than after we have given up
        self.send({"id": request_id, "method": method, "params": params or {}, "expires": expires})
        runs_command = method == "execute"
        self._running_commands += runs_command
        try:
            return await self._answer(future, request_id, timeout)
        except (asyncio.CancelledError, EditorBusy):
            self.send({"cancel": request_id})
            raise
        finally:
            self._running_commands -= runs_command
            del self._pending[request_id]
            self._begun.discard(request_id)

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Have the editor do something whose answer nobody waits for."""
        if self.connected:
            self.send({"id": next(self._ids), "method": method, "params": params})

    async def _answer(self, future: asyncio.Future[Any], request_id: int, timeout: float) -> Any:
        """Wait for the answer; an editor known to be deaf, which has not begun, is not waited for to the end."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout
        timer: asyncio.TimerHandle

        def look() -> None:
            nonlocal timer
            left = deadline - loop.time()
            begun = request_id in self._begun
            reason = None if begun else self._activity() or self.waiting_for
            if future.done():
                return
            if reason or left <= 0:
                future.set_exception(self._busy(reason, begun))
            else:
                timer = loop.call_later(min(left, _PATIENCE), look)

        timer = loop.call_later(min(timeout, _PATIENCE), look)
        try:
            return await future
        finally:
            timer.cancel()

    def _activity(self) -> str | None:
        """What keeps the editor from answering, as far as the system shows it."""
        return None if self._running_commands else what_it_does(self.info.pid)

    def _busy(self, reason: str | None, begun: bool) -> EditorBusy:
        what = f"it waits for {reason}" if reason else "it did not answer in time"
        advice = (
            "It has begun and may still finish: look at the editor's state before you repeat it."
            if begun
            else "Nothing was done; try again when its user has gone on."
        )
        return EditorBusy(
            f"{self.instance_id} is busy: {what}. {advice}",
            instance_id=self.instance_id,
            waiting_for=reason,
        )

    def _gone(self) -> ConnectionLost:
        return ConnectionLost(
            f"{self.instance_id} has left. Call list_vim_instances to see which editors are there.",
            instance_id=self.instance_id,
        )

    def send(self, message: ToEditor) -> None:
        """Send one message."""
        self._connection.write(wire.encode(message))

    @contextlib.contextmanager
    def text_file(self) -> Iterator[Path]:
        """A path in the runtime directory for text that goes by file; removed afterwards. Mode 0600."""
        path = self._runtime / f"{TEXT_FILE}{os.getpid()}-{next(_text_files)}"
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _take(self, line: bytes) -> None:
        self.last_seen = time.time()
        try:
            message = wire.decode(line)
        except ValueError:
            logger.warning("%s sent a line that is not JSON (%d bytes)", self.instance_id, len(line))
            return
        if not isinstance(message, dict):
            logger.warning("%s sent a message that is not an object", self.instance_id)
        elif "id" in message:
            self._settle(message)
        else:
            self._event(message)

    def _settle(self, message: dict[str, Any]) -> None:
        self.waiting_for = None
        future = self._pending.get(message["id"])
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(self._error(message["error"]))
        else:
            future.set_result(message.get("result"))

    def _error(self, error: Any) -> Exception:
        if not isinstance(error, dict):
            return EditorMethodError(-32603, f"{self.instance_id} answered with an error of no known form: {error!r}")
        code, message = error.get("code"), str(error.get("message", "the editor gave no reason"))
        details = error.get("data") if isinstance(error.get("data"), dict) else {}
        data = {**(details or {}), "instance_id": self.instance_id}
        if code == COMMAND_FAILED and data.get("kind") == "busy":
            return EditorBusy(message, **{key: value for key, value in data.items() if key != "kind"})
        if code == COMMAND_FAILED:
            return CommandFailed(message, **data)
        return EditorMethodError(code if isinstance(code, int) else -32603, message, **data)

    def _event(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        if kind == "event" and isinstance(message.get("state"), dict):
            self.waiting_for = None
            self.state = message["state"]
            self.on_event(frozenset(map(str, message.get("events") or [message.get("event", "")])))
        elif kind == "begun" and message.get("request") in self._pending:
            self._begun.add(message["request"])
        elif kind == "waiting":
            self.waiting_for = str(message.get("waiting_for") or "its user")
        elif kind == "running" and isinstance(message.get("timeout"), int):
            self._interrupt_after(message["timeout"] / 1000)
        elif kind == "answer":
            self._answered(str(message.get("question")), str(message.get("answer")))
        elif kind == "bye":
            self.close()
        elif listener := self.on_message.get(str(kind)):
            listener(message)

    def _answered(self, question: str, answer: str) -> None:
        future = self.questions.get(question)
        if future is not None and not future.done():
            future.set_result(answer)

    def _interrupt_after(self, seconds: float) -> None:
        """Interrupt the editor then, again and again; not at all (any more) if `seconds` is 0.

        Vim runs no timer of its own in a loop or while it waits for a program.
        """
        if self._interrupter:
            self._interrupter.cancel()
        self._interrupter = asyncio.get_running_loop().call_later(seconds, self._interrupt) if seconds > 0 else None

    def _interrupt(self) -> None:
        logger.info("%s is interrupted: its command takes too long", self.instance_id)
        interrupt(self.info.pid)
        self._interrupt_after(_INSISTENCE)

    def close(self, reason: str | None = None) -> None:
        """Hang up; with a reason (`stop`, `upgrade`, `idle`) the editor is told it first."""
        if reason:
            self.send({"type": "bye", "reason": reason})
        self._connection.close()

    def _lost(self) -> None:
        self._interrupt_after(0)
        for future in [*self._pending.values(), *self.questions.values()]:
            if not future.done():
                future.set_exception(self._gone())
        for callback in self.on_gone:
            callback()
