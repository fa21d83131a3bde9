"""Where Claude Code reaches one editor: its port, token and lock file, and the clients that are connected there."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import socket
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vim_mcp import wire
from vim_mcp.connection import LineConnection
from vim_mcp.editor.activity import Question
from vim_mcp.editor.link import Editor
from vim_mcp.editor.reviews import Reviews
from vim_mcp.editor.turns import Turns
from vim_mcp.editor.watching import Watching
from vim_mcp.ide.lockfile import Lock, LockRefused, Locks
from vim_mcp.ide.notifications import Listener, Notifications
from vim_mcp.ide.ports import listen, listen_anywhere
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
        self.lock: Lock | None = None
        self._locks = locks
        self._sessions_to_come = sessions_to_come
        self._told: list[str] = []
        self._notifications = Notifications()
        self._listener: socket.socket | None = None
        self._server: WebSocketServer | None = None
        self._sessions: list[Any] = []
        self._hearing: list[Any] = []
        self._fault: str | None = None
        editor.on_message.update(self._notifications.kinds | self.reviews.kinds | self.turns.kinds)

    # The port and its lock

    def open(self, earlier: Lock | None, others: Iterable[Endpoint]) -> None:
        """Listen, at the port and with the token of `earlier` if that can be, write the lock and tell the editor.

        Who calls before `serve` waits in the system's queue: Claude Code tries an earlier port only a few times.
        """
        try:
            self._listener, token = self._listen(earlier)
            self._write_lock(token, _name(self, [other.lock for other in others if other.lock]))
        except (OSError, LockRefused) as error:
            self.fail(str(error))

    def fail(self, reason: str) -> None:
        """There is no port: say why, in the log and in the status."""
        self._fault = reason
        logger.error("%s has no port for Claude Code: %s", self.editor.instance_id, reason)
        self.stop()
        self.lock = None

    def _listen(self, earlier: Lock | None) -> tuple[socket.socket, str]:
        """An open port and its token: a new one wherever the earlier port is not to be had."""
        if earlier is not None:
            with contextlib.suppress(OSError):
                return listen(earlier.port), earlier.auth_token
        return listen_anywhere(self._has_lock), str(uuid.uuid4())

    def _has_lock(self, port: int) -> bool:
        return self._locks.has(port, self._lock_directory())

    def _lock_directory(self) -> Path | None:
        """Where a Claude Code looks that is started in the editor; None: where the hub itself would. LOCK-09."""
        configuration = Path(self.editor.info.claude_config_dir)
        return configuration / "ide" if configuration.is_absolute() else None

    def _write_lock(self, token: str, name: str) -> None:
        assert self._listener is not None, "a lock names an open port"
        port = self._listener.getsockname()[1]
        lock = Lock(port, self.editor.info.pid, tuple(self.folders()), name, token, self._lock_directory())
        self._locks.write(lock)
        self.lock = lock
        logger.info("%s has port %d for Claude Code", self.editor.instance_id, port)
        self.editor.send({"type": "environment", "variables": self._environment(lock)})

    async def serve(self, server: type[WebSocketServer]) -> None:
        """Let in who has called, and who will."""
        if self.lock is not None and self._listener is not None:
            self._server = server(self.lock.auth_token, self._serve)
            await self._server.open(self._listener)

    def _environment(self, lock: Lock) -> dict[str, str]:
        """What leads a Claude Code to this editor that is started in it. Requirement ENV-01."""
        return {
            "CLAUDE_CODE_SSE_PORT": str(lock.port),
            "ENABLE_IDE_INTEGRATION": "true",
            "VIM_MCP_INSTANCE": self.editor.instance_id,
        }

    def _folders_told(self) -> list[str]:
        state, info = self.editor.state, self.editor.info
        return state.get("folders") or list(info.folders) or [state.get("cwd") or info.cwd]

    def folders(self) -> list[str]:
        """The workspace folders as real paths, each once."""
        told = self._folders_told()
        return list(dict.fromkeys(os.path.realpath(folder) for folder in told if os.path.isabs(folder)))

    def follow(self) -> None:
        """Write the lock anew if the folders have changed or it has gone. Requirements LOCK-04 and LOCK-08."""
        self.turns.follow()
        for session in self._sessions:
            session.follow()
        if self.lock is None:
            return
        told, there = self._folders_told(), self._has_lock(self.lock.port)
        if there and told == self._told:
            return
        self._told, folders = told, tuple(self.folders())
        if there and folders == self.lock.workspace_folders:
            return
        self.lock = replace(self.lock, workspace_folders=folders)
        try:
            self._locks.write(self.lock)
            self._fault = None
        except LockRefused as error:
            self._fault = str(error)
            logger.error("the lock of %s does not follow its folders: %s", self.editor.instance_id, error)

    def stop(self, keep_lock: bool = False) -> None:
        """Give the port back at once, and remove the lock; the next hub takes over one that is kept."""
        self.turns.stop()
        if self._server is not None:
            self._server.stop()
        elif self._listener is not None:
            self._listener.close()
        self._listener = None
        if self.lock is not None and not keep_lock:
            self._locks.remove(self.lock)

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
            "ide_fault": self._fault,
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
            self.editor, self.folders, latest, self.reviews, self._kernel, listener.answer, peer.drain
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


def _name(endpoint: Endpoint, locks: Iterable[Lock]) -> str:
    """The editor's name for its user: with its file where another editor of that name has a folder of its own too."""
    info = endpoint.editor.info
    base = _printable(info.ide_name) or info.display_name
    folders = set(endpoint.folders())
    taken = {lock.ide_name for lock in locks if folders & set(lock.workspace_folders)}
    file = _printable(os.path.basename(info.main_file.rstrip("/")))
    wanted = [base, *([f"{base} ({file})"] if file else [])]
    return next((name for name in wanted if name not in taken), f"{base} ({info.pid})")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
