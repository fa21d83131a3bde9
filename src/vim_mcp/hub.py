"""The hub: one process per user that owns the socket, the editors and every MCP session."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

from vim_mcp import __version__, wire
from vim_mcp.checkers import checkers
from vim_mcp.clients import Clients
from vim_mcp.config import Config
from vim_mcp.connection import LineConnection
from vim_mcp.editor.directory import Directory
from vim_mcp.editor.process import peer_uid
from vim_mcp.editor.registry import Preference
from vim_mcp.endpoints import Endpoints
from vim_mcp.kernel.kernels import Kernels
from vim_mcp.notebook import Notebooks
from vim_mcp.registration import Registrar
from vim_mcp.releases import release
from vim_mcp.socketlock import HubRunning, SocketLock, SocketUnusable
from vim_mcp.tasks import Tasks

logger = logging.getLogger(__name__)

_SOCKET_CHECK = 2.0
"""Seconds between looks at whether the socket file is still there."""


class Hub:
    """Everything that one hub process owns."""

    def __init__(self, config: Config, lock: SocketLock):
        self._config = config
        self._lock = lock
        self._directory = Directory()
        self._registrar = Registrar(config, self._directory)
        self._kernels = Kernels(config.runtime)
        self._endpoints = Endpoints(config, self._directory, self._kernels)
        self._notebooks = Notebooks(self._directory, self._kernels)
        preference = Preference(config.preference)
        self._clients = Clients(self._directory, preference, self._kernels, self._watch_idleness)
        self._directory.listen(lambda _events, _editor: self._watch_idleness())
        self._tasks = Tasks(self._fail)
        self._leaving: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._started = time.time()
        self._fault: str | None = None

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Serve until told to leave; then nothing of ours is left but the log and the preference."""
        self._registrar.take_over()
        self._endpoints.take_over()
        self._kernels.take_over()
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, self.leave, "stop")
        await self._listen(self._lock.bind())
        self._watch_idleness()
        logger.info("hub %s listens at %s", __version__, self._config.socket)
        on_ready()
        self._tasks.spawn(self._load())
        self._tasks.spawn(self._keep_socket())
        await self._say_goodbye(await self._leaving)

    async def _load(self) -> None:
        """Import what takes long, one after the other: in two threads at once both would take longer."""
        try:
            await self._clients.load_sdk()
        finally:
            await self._endpoints.load_sessions()

    async def _listen(self, listener: socket.socket) -> None:
        await asyncio.get_running_loop().create_unix_server(lambda: LineConnection(self._accept), sock=listener)

    def _stop_listening(self) -> None:
        """Give the socket back. asyncio would go on watching a closed listener's number, for whoever gets that next."""
        for listener in self._lock.listeners:
            asyncio.get_running_loop().remove_reader(listener.fileno())
        self._lock.release()

    async def _keep_socket(self) -> None:
        """Listen anew when the socket's file has been removed under us, as cleaners of /tmp do.

        Where another hub has taken its place meanwhile, or nobody can be there any more, everyone is sent to look anew.
        """
        while True:
            await asyncio.sleep(_SOCKET_CHECK)
            if not self._lock.is_bound():
                logger.warning("the socket file has vanished: listening anew at %s", self._config.socket)
                try:
                    await self._listen(self._lock.rebind())
                except (HubRunning, SocketUnusable):
                    self.leave("upgrade")
                    return

    def leave(self, reason: str) -> None:
        """Begin to leave; `reason` is `stop`, `upgrade` or `idle`."""
        if not self._leaving.done():
            self._leaving.set_result(reason)

    async def _say_goodbye(self, reason: str) -> None:
        logger.info("leaving: %s", reason)
        self._endpoints.leave(reason)  # before the next hub comes: it takes over ports
        self._stop_listening()
        self._registrar.say_goodbye(reason)
        await self._clients.say_goodbye(reason)
        await self._endpoints.left()
        await self._kernels.close()
        self._tasks.cancel()
        await self._tasks.ended()

    def _fail(self, error: BaseException) -> None:
        self._fault = f"{error}"
        logger.error("the hub cannot go on as it should", exc_info=error)

    # First lines

    def _accept(self, connection: LineConnection) -> None:
        uid = peer_uid(connection.transport.get_extra_info("socket"))
        if uid not in (None, os.getuid()):
            logger.warning("refused a connection of user %s", uid)
            connection.close()
            return
        timer = asyncio.get_running_loop().call_later(self._config.register_timeout, connection.close)
        connection.on_close = timer.cancel

        def first_line(line: bytes) -> None:
            timer.cancel()
            connection.on_close = lambda: None
            self._greet(connection, line)

        connection.on_line = first_line

    def _greet(self, connection: LineConnection, line: bytes) -> None:
        try:
            message = wire.decode(line)
        except ValueError:
            message = None
        role = message.get("type") if isinstance(message, dict) else None
        if role == "register":
            self._registrar.register(connection, message)
        elif role == "client":
            self._clients.add(connection, message)
        elif role == "hook":
            self._endpoints.hook(message, connection)
        elif role == "checkers":
            self._tasks.spawn(self._tell_checkers(connection))
        elif role in ("status", "stop", "step_down"):
            connection.write(wire.encode(self._command(role, message)))
            connection.close()
        else:
            logger.warning("a caller's first line said neither register nor client (%d bytes)", len(line))
            connection.close()

    def _command(self, name: str, message: dict[str, Any]) -> dict[str, Any]:
        if name == "status":
            return self.status()
        if name == "stop":
            asyncio.get_running_loop().call_soon(self.leave, "stop")
            return {"stopped": True}
        newer = release(str(message.get("version", ""))) > release(__version__)
        if newer:
            asyncio.get_running_loop().call_soon(self.leave, "upgrade")
        return {"stepping_down": newer, "version": __version__}

    async def _tell_checkers(self, connection: LineConnection) -> None:
        connection.write(wire.encode({"checkers": await checkers(self._directory)}))
        connection.close()

    # State

    def _watch_idleness(self) -> None:
        if self._idle_timer:
            self._idle_timer.cancel()
        idle = not len(self._directory) and not len(self._clients)
        if idle and self._config.idle_timeout and not self._leaving.done():
            loop = asyncio.get_running_loop()
            self._idle_timer = loop.call_later(self._config.idle_timeout, self.leave, "idle")

    def status(self) -> dict[str, Any]:
        """What `vim-mcp status` shows. `state` is READY (listening, nobody there), CONNECTED (an editor is), WAITING
        (a client waits for an editor) or ERROR. Requirement VIM-STATUS-01.
        """
        state = "CONNECTED" if len(self._directory) else "WAITING" if len(self._clients) else "READY"
        return {
            "state": "ERROR" if self._fault else state,
            "fault": self._fault,
            "version": __version__,
            "pid": os.getpid(),
            "uptime": round(time.time() - self._started, 1),
            "socket": str(self._config.socket),
            "instances": [
                {**about, **self._endpoints.status(about["instance_id"])} for about in self._registrar.status()
            ],
            "clients": self._clients.status(),
        }


async def _run(config: Config, lock: SocketLock, on_ready: Callable[[], None]) -> None:
    await Hub(config, lock).run(on_ready)


def main(config: Config, lock: SocketLock, on_ready: Callable[[], None]) -> int:
    """Be the hub until told to leave; `on_ready` is called once it listens. Returns the exit status.

    The caller has taken `lock` before it loaded this module, so that who loses the race loads nothing.
    Raises `vim_mcp.socketlock.HubRunning` when a hub that has lost its lock still answers.
    """
    asyncio.run(_run(config, lock, on_ready))
    return 0
