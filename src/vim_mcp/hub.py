"""The hub: one process per user that owns the socket, the editors and every MCP session."""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vim_mcp import __version__, wire
from vim_mcp.config import Config
from vim_mcp.connection import LineConnection
from vim_mcp.editor.directory import Directory
from vim_mcp.editor.instances import safe_id, unique_id
from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import EditorInfo, parse_register
from vim_mcp.editor.process import alive, peer_uid, watch_exit
from vim_mcp.editor.registry import Preference, Registry
from vim_mcp.editor.statefiles import StateFiles
from vim_mcp.errors import COMMAND_FAILED, INVALID_PARAMS, VimMcpError
from vim_mcp.socketlock import SocketLock

logger = logging.getLogger(__name__)

_SOCKET_CHECK = 2.0
"""Seconds between looks at whether the socket file is still there."""


@dataclass(eq=False)
class Client:
    """A relay's connection and, once the SDK is loaded, its session."""

    connection: LineConnection
    pid: int | None
    session: Any = None


class Hub:
    """Everything that one hub process owns."""

    def __init__(self, config: Config, lock: SocketLock):
        self._config = config
        self._lock = lock
        self._directory = Directory()
        self._registry = Registry(config.registry, config.socket)
        self._preference = Preference(config.preference)
        self._state_files = StateFiles(config.state)
        self._clients: set[Client] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._leaving = asyncio.get_running_loop().create_future()
        self._idle_timer: asyncio.TimerHandle | None = None
        self._started = time.time()
        self._fault: str | None = None
        self._servers: list[asyncio.Server] = []

    async def run(self, on_ready: Callable[[], None]) -> None:
        """Serve until told to leave; then nothing of ours is left but the log and the preference."""
        self._directory.expect(self._editors_of_an_earlier_hub())
        self._directory.listen(self._on_change)
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, self.leave, "stop")
        await self._listen(self._lock.bind())
        self._watch_idleness()
        logger.info("hub %s listens at %s", __version__, self._config.socket)
        on_ready()
        self._sdk = self._spawn(asyncio.to_thread(importlib.import_module, "vim_mcp.session.server"))
        self._spawn(self._keep_socket())
        reason = await self._leaving
        await self._say_goodbye(reason)

    def _editors_of_an_earlier_hub(self) -> set[str]:
        """Those that a crashed hub left in the registry and that still run: they dial again within moments."""
        return {name for name, entry in self._registry.load().items() if alive(entry.get("pid"))}

    async def _listen(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_unix_server(lambda: LineConnection(self._accept), sock=listener)
        self._servers.append(server)

    async def _keep_socket(self) -> None:
        """Listen anew when the socket's file has been removed under us, as cleaners of /tmp do."""
        while True:
            await asyncio.sleep(_SOCKET_CHECK)
            if not self._lock.is_bound():
                logger.warning("the socket file has vanished: listening anew at %s", self._config.socket)
                await self._listen(self._lock.rebind())

    def leave(self, reason: str) -> None:
        """Begin to leave; `reason` is `stop`, `upgrade` or `idle`."""
        if not self._leaving.done():
            self._leaving.set_result(reason)

    async def _say_goodbye(self, reason: str) -> None:
        logger.info("leaving: %s", reason)
        for server in self._servers:
            server.close()
        self._lock.release()
        for editor in self._directory:
            editor.close(reason)
        for client in list(self._clients):
            client.connection.write(wire.encode({"relay": {"bye": reason}}))
            client.connection.close()
        self._registry.remove()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._task_done)
        return task

    def _task_done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._fault = f"{type(error).__name__}: {error}"
            logger.error("a task of the hub failed", exc_info=error)

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
        handler = {"register": self._register, "client": self._client}.get(str(role))
        if handler:
            handler(connection, message)
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
        newer = _version(str(message.get("version", ""))) > _version(__version__)
        if newer:
            asyncio.get_running_loop().call_soon(self.leave, "upgrade")
        return {"stepping_down": newer, "version": __version__}

    # Editors

    def _register(self, connection: LineConnection, message: dict[str, Any]) -> None:
        try:
            wanted, info = parse_register(message)
        except VimMcpError as error:
            self._refuse(connection, INVALID_PARAMS, error.message)
            return
        self._replace_earlier(wanted, info)
        if len(self._directory) >= self._config.max_instances:
            limit = self._config.max_instances
            self._refuse(
                connection, COMMAND_FAILED, f"vim-mcp already has {limit} editors, its limit: close some first"
            )
            return
        instance_id = unique_id(safe_id(wanted, info.pid), self._directory.ids())
        editor = Editor(instance_id, info, connection, self._config.runtime)
        editor.send({"type": "registered", "instance_id": instance_id})
        self._directory.add(editor)
        stop_watching = watch_exit(info.pid, editor.close)
        editor.on_gone.append(stop_watching)
        logger.info("%s registered: %s %s, pid %d", instance_id, info.editor, info.version, info.pid)

    def _replace_earlier(self, wanted: str, info: EditorInfo) -> None:
        """An editor that dials again before its earlier connection has ended takes that one's place."""
        for editor in self._directory:
            if editor.instance_id == wanted and editor.info.pid == info.pid:
                editor.close()

    def _refuse(self, connection: LineConnection, code: int, message: str) -> None:
        logger.warning("refused an editor: %s", message)
        connection.write(wire.encode({"type": "refused", "code": code, "message": message}))
        connection.close()

    def _on_change(self, event: str, editor: Editor) -> None:
        if event == "left":
            logger.info("%s left", editor.instance_id)
            self._state_files.left(editor)
        else:
            self._state_files.changed(editor)
        if event in ("joined", "left", "BufEnter", "BufDelete", "DirChanged"):
            self._registry.write(self._directory)
        self._watch_idleness()

    # Clients

    def _client(self, connection: LineConnection, message: dict[str, Any]) -> None:
        client = Client(connection, message.get("pid"))
        waiting: list[bytes] = []
        connection.on_line = waiting.append
        connection.write(wire.encode({"relay": {"version": __version__}}))
        self._clients.add(client)
        self._watch_idleness()
        serving = self._spawn(self._serve(client, message, waiting))
        connection.on_close = lambda: _cancel(serving)
        serving.add_done_callback(lambda _: self._client_left(client))

    async def _serve(self, client: Client, message: dict[str, Any], waiting: list[bytes]) -> None:
        module = await asyncio.shield(self._sdk)
        hello = module.Hello(
            cwd=str(message.get("cwd") or Path.home()),
            instance=message.get("instance"),
            state=message.get("state") or {},
            pid=client.pid,
        )
        connection = client.connection
        session = module.Session(self._directory, self._preference, hello, connection.write, connection.drain)
        client.session = session
        connection.on_line = session.transport.receive
        connection.on_close = session.transport.end
        for line in waiting:
            session.transport.receive(line)
        await session.run()

    def _client_left(self, client: Client) -> None:
        client.connection.close()
        self._clients.discard(client)
        self._watch_idleness()

    # State

    def _watch_idleness(self) -> None:
        if self._idle_timer:
            self._idle_timer.cancel()
        idle = not len(self._directory) and not self._clients
        if idle and self._config.idle_timeout and not self._leaving.done():
            loop = asyncio.get_running_loop()
            self._idle_timer = loop.call_later(self._config.idle_timeout, self.leave, "idle")

    def status(self) -> dict[str, Any]:
        """What `vim-mcp status` shows. `state` is READY (listening, nobody there), CONNECTED (an editor is), WAITING
        (a client waits for an editor) or ERROR. Requirement VIM-STATUS-01.
        """
        state = "CONNECTED" if len(self._directory) else "WAITING" if self._clients else "READY"
        return {
            "state": "ERROR" if self._fault else state,
            "fault": self._fault,
            "version": __version__,
            "pid": os.getpid(),
            "uptime": round(time.time() - self._started, 1),
            "socket": str(self._config.socket),
            "instances": [_instance(editor) for editor in self._directory],
            "clients": [_client(client) for client in self._clients],
        }


def _cancel(task: asyncio.Task[Any]) -> None:
    task.cancel()


def _instance(editor: Editor) -> dict[str, Any]:
    info = editor.info
    return {
        "instance_id": editor.instance_id, "pid": info.pid, "editor": info.editor, "version": info.version,
        "cwd": editor.state.get("cwd", info.cwd), "main_file": info.main_file, "short_lived": info.short_lived,
        "access": editor.state.get("access", info.access),
    }  # fmt: skip


def _client(client: Client) -> dict[str, Any]:
    session = client.session
    name, selected = (session.client_name, session.selected) if session else (None, None)
    return {"pid": client.pid, "name": name, "selected": selected}


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdecimal())


async def _run(config: Config, lock: SocketLock, on_ready: Callable[[], None]) -> None:
    await Hub(config, lock).run(on_ready)


def main(config: Config, lock: SocketLock, on_ready: Callable[[], None]) -> int:
    """Be the hub until told to leave; `on_ready` is called once it listens. Returns the exit status.

    The caller has taken `lock` before it loaded this module, so that who loses the race loads nothing.
    Raises `vim_mcp.socketlock.HubRunning` when a hub that has lost its lock still answers.
    """
    asyncio.run(_run(config, lock, on_ready))
    return 0
