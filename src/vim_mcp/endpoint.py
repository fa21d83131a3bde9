"""Where Claude Code reaches one editor: its port, token and lock file, and the clients that are connected there."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from vim_mcp import wire
from vim_mcp.connection import LineConnection
from vim_mcp.editor.activity import Question
from vim_mcp.editor.link import Editor
from vim_mcp.editor.reviews import Reviews
from vim_mcp.editor.turns import Turns
from vim_mcp.editor.watching import Watching
from vim_mcp.ide.address import Address
from vim_mcp.ide.lockfile import Lock, Locks
from vim_mcp.ide.notifications import Listener, Notifications
from vim_mcp.kernel.kernels import Kernels

if TYPE_CHECKING:
    from vim_mcp.ide.websocket import Peer, WebSocketServer

logger = logging.getLogger(__name__)

_ANSWERING = 0.5
"""Seconds that a client may take to read its last answers."""

_THERE = frozenset({"initialized", "notifications/initialized", "ide_connected"})
"""The notifications by which a client says that it is there."""
_NEEDED = frozenset({"tools/list", "resources/list", "prompts/list"})
"""What a client asks for before it listens."""
_SHORT = 4096
"""Bytes; no longer message is looked at for its method."""


Sessions = asyncio.Future[Callable[..., Any] | None]
"""`session.ide.IdeSession`, once it is loaded; None where it cannot be."""


class Endpoint:
    """One editor's. What the editor tells is taken from the first moment on, whether the port is open yet or not."""

    def __init__(self, editor: Editor, locks: Locks, sessions_to_come: Sessions, watching: Watching, kernels: Kernels):
        self.editor = editor
        self.reviews = Reviews(editor)
        self._kernel = kernels.of(editor.info.pid)
        self.turns = Turns(editor, watching)
        self.reviews.on_accepted.append(lambda path, _text: self.turns.expect([path]))
        self._address = Address(editor, locks)
        self._sessions_to_come = sessions_to_come
        self._notifications = Notifications()
        self._server: WebSocketServer | None = None
        self._sessions: list[Any] = []
        self._hearing: list[Any] = []
        editor.on_message.update(self._notifications.kinds | self.reviews.kinds | self.turns.kinds)

    # The port and its lock

    @property
    def lock(self) -> Lock | None:
        """The lock file; None while there is no port."""
        return self._address.lock

    def open(self, earlier: Lock | None, others: Callable[[], Iterable[Endpoint]], opened: Callable[[], None]) -> None:
        """Have a port, now or later (see `Address.open`), and `opened` called then.

        Who calls before `serve` waits in the system's queue: Claude Code tries an earlier port only a few times.
        """
        self._address.open(earlier, lambda: [other.lock for other in others() if other.lock], opened)

    def fail(self, reason: str) -> None:
        """The port cannot be served: close it, and say why in the log, in the editor and in the status; see `open`."""
        self._address.give_up(reason)

    async def serve(self, server: type[WebSocketServer]) -> None:
        """Let in who has called, and who will."""
        if self.lock is not None and self._address.listener is not None:
            self._server = server(self.lock.auth_token, self._serve)
            await self._server.open(self._address.listener)

    def follow(self) -> None:
        """The editor's state has changed."""
        self.turns.follow()
        for session in self._sessions:
            session.follow()
        self._address.follow()

    def stop(self, keep_lock: bool = False) -> None:
        """Give the port back at once, and remove the lock; the next hub takes over one that is kept."""
        self.turns.stop()
        if self._server is not None:
            self._server.stop()
        self._address.close(keep_lock)

    async def closed(self) -> None:
        """Hang up on all clients, once they have the answers that are due, and wait until they have gone.

        An editor may give verdicts in its last moment; what still waits for one has just failed by its leaving.
        """
        if self._server is not None:
            answered = [asyncio.create_task(session.transport.open_calls.none()) for session in self._sessions]
            if answered:
                _, late = await asyncio.wait(answered, timeout=_ANSWERING)
                for waiting in late:
                    waiting.cancel()
            await self._server.close()

    def status(self) -> dict[str, Any]:
        """What `vim-mcp status` shows of it."""
        return {
            "port": self.lock.port if self.lock else None,
            "ide_clients": [{"name": session.client_name, "pid": session.client_pid} for session in self._sessions],
            "ide_fault": self._address.fault,
            "diffs": len(self.reviews),
        }

    # Its clients

    async def _serve(self, peer: Peer) -> None:
        new_session = await asyncio.shield(self._sessions_to_come)
        if new_session is None:
            return
        latest = self._notifications.latest
        listener = self._notifications.join(peer.write, lambda: self._hears(session, listener))
        session = new_session(
            self.editor, self._address.folders, latest, self.reviews, self._kernel, listener.answer, peer.drain
        )
        self._sessions.append(session)
        self.turns.joined(session)
        self._log_number()
        try:
            await _converse(session, peer, listener, self.turns)
        finally:
            self._notifications.leave(listener)
            self._sessions.remove(session)
            self.turns.left(session)
            if session in self._hearing:
                self._hearing.remove(session)
                self._tell_hearing()
            self._log_number()

    def _hears(self, session: Any, listener: Listener) -> None:
        """A client has been told what waited for it: from now on it hears what the editor sends."""
        listener.pid = session.client_pid
        self._hearing.append(session)
        self._tell_hearing()

    def _tell_hearing(self) -> None:
        self.editor.send({"type": "listening", "pids": [session.client_pid for session in self._hearing]})

    def ask(self, hook: dict[str, Any], connection: LineConnection) -> None:
        """A client asks its user something, and its hook waits at `connection` until that is answered: it may take the
        reason why the user rejects a change to the client."""
        question = Question(str(hook.get("session", "")), str(hook.get("tool", "")), connection.close)

        def object_to(reason: str) -> None:
            if reason:
                connection.write(wire.encode({"deny": reason}))
                self.turns.answered(question)

        self.turns.asked(question)
        file = hook.get("file")
        forget = self.reviews.objections.wait(file, object_to) if isinstance(file, str) else _nothing

        def ended() -> None:
            forget()
            self.turns.withdrawn(question)

        connection.on_close = ended

    def _log_number(self) -> None:
        logger.info("%s has %d clients at its port", self.editor.instance_id, len(self._sessions))


def _nothing() -> None:
    """There is nothing to be forgotten."""


async def _converse(session: Any, peer: Peer, listener: Listener, turns: Turns) -> None:
    """Carry a client's messages to its session until either ends."""
    running = asyncio.create_task(session.run())
    running.add_done_callback(lambda _: peer.close())
    try:
        async for message in peer:
            method, params = _call(message)
            if method in _THERE:
                listener.ready()
            elif method in _NEEDED:
                listener.asked()
            elif method == "tools/call":
                turns.said(session, str(params.get("name")), _object(params.get("arguments")))
            session.transport.receive(message)
        session.transport.end()
        await running
    finally:
        running.cancel()


def _call(message: bytes) -> tuple[str | None, dict[str, Any]]:
    """The method and params of a short message, None and {} where there are none."""
    if len(message) > _SHORT:
        return None, {}
    try:
        parsed = json.loads(message)
    except (ValueError, RecursionError):
        return None, {}
    method = _object(parsed).get("method")
    return method if isinstance(method, str) else None, _object(_object(parsed).get("params"))


def _object(value: Any) -> dict[str, Any]:
    """A JSON object; {} in the place of anything else, about which the session complains."""
    return value if isinstance(value, dict) else {}
