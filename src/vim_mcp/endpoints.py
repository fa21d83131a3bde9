"""Where Claude Code reaches the editors: for each an endpoint, which comes and goes with it."""

from __future__ import annotations

import asyncio
import importlib
import logging
from typing import TYPE_CHECKING, Any

from vim_mcp.config import Config
from vim_mcp.connection import LineConnection
from vim_mcp.editor.directory import JOINED, LEFT, Directory
from vim_mcp.editor.link import Editor
from vim_mcp.editor.process import alive
from vim_mcp.editor.watching import Watching
from vim_mcp.endpoint import Endpoint, Sessions
from vim_mcp.ide.lockfile import Lock, Locks
from vim_mcp.kernel.kernels import Kernels
from vim_mcp.tasks import Tasks

if TYPE_CHECKING:
    from vim_mcp.ide.websocket import WebSocketServer

logger = logging.getLogger(__name__)

_AGAIN = 15.0
"""Seconds until a library that could not be imported is looked for again."""
PATIENCE = 30.0
"""Seconds in which editors of an earlier hub dial again; then the locks of those that have not are removed."""


class Endpoints:
    """All of them: they come and go with the editors of `directory`."""

    def __init__(self, config: Config, directory: Directory, kernels: Kernels):
        self._locks = Locks(config.lock_directory, config.ledger)
        self._server: asyncio.Task[type[WebSocketServer]] | None = None
        self._lacking = False
        self._sessions: Sessions = asyncio.get_running_loop().create_future()
        self._endpoints: dict[str, Endpoint] = {}
        self._kernels = kernels
        self._watching = Watching()
        self._earlier: dict[int, Lock] = {}
        self._tasks = Tasks(_fail)
        self._stop_listening = directory.listen(self._on_change)

    def take_over(self) -> None:
        """Remove the locks of dead editors that an earlier hub left; those that live get theirs back as they dial."""
        self._earlier = {lock.pid: lock for lock in self._locks.sweep()}
        asyncio.get_running_loop().call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        """A lock whose port nobody serves misleads; who comes later all the same still gets port and token."""
        served = {endpoint.lock.port for endpoint in self._endpoints.values() if endpoint.lock}
        for lock in self._earlier.values():
            if lock.port not in served:
                self._locks.remove(lock)

    async def load_sessions(self) -> None:
        """Import what sessions are made of; it takes a second, and clients are let in before. Raises RuntimeError."""
        try:
            self._sessions.set_result((await asyncio.to_thread(_import, "vim_mcp.session.ide")).IdeSession)
        except ImportError as error:
            self._sessions.set_result(None)
            raise RuntimeError(
                f"The sessions of Claude Code cannot be imported ({error}): install vim-mcp anew"
            ) from error

    def _on_change(self, events: frozenset[str], editor: Editor) -> None:
        if JOINED in events:
            endpoint = self._endpoints[editor.instance_id] = Endpoint(
                editor, self._locks, self._sessions, self._watching, self._kernels
            )
            if self._lacking:
                self._tasks.spawn(self._look_again(endpoint))
            else:
                self._open(endpoint)
        elif LEFT in events:
            self._close(self._endpoints.pop(editor.instance_id))
        else:
            self._endpoints[editor.instance_id].follow()

    def _open(self, endpoint: Endpoint) -> None:
        earlier = self._earlier.get(endpoint.editor.info.pid)
        endpoint.open(earlier, lambda: self._others(endpoint), lambda: self._opened(endpoint))

    def _others(self, endpoint: Endpoint) -> list[Endpoint]:
        return [other for other in self._endpoints.values() if other is not endpoint]

    def _opened(self, endpoint: Endpoint) -> None:
        self._tasks.spawn(self._serve(endpoint))

    async def _serve(self, endpoint: Endpoint) -> None:
        """Serve the endpoint, once the library is there that takes a moment to import."""
        try:
            await endpoint.serve(await self._library())
        except ImportError as error:
            self._lack(endpoint, error)

    def _lack(self, endpoint: Endpoint, error: ImportError) -> None:
        """Tell it, and look for the library again after a while: a person may install it. Requirement LOCK-10."""

        def look() -> None:
            if endpoint in self._endpoints.values():
                self._tasks.spawn(self._look_again(endpoint))

        endpoint.fail(f"The package websockets cannot be imported ({error}): :VimMCPDoctor says how to mend it")
        asyncio.get_running_loop().call_later(_AGAIN, look)

    async def _look_again(self, endpoint: Endpoint) -> None:
        """Open the port only where it can be served: else each try would tell that it is there, and that it is not."""
        try:
            await self._library()
        except ImportError as error:
            self._lack(endpoint, error)
        else:
            if endpoint in self._endpoints.values():
                self._open(endpoint)

    async def _library(self) -> type[WebSocketServer]:
        """The library, imported once. Raises ImportError."""
        if self._server is None or _has_failed(self._server):
            self._server = asyncio.create_task(_load_server())
        try:
            library = await asyncio.shield(self._server)
        except ImportError:
            self._lacking = True
            raise
        self._lacking = False
        return library

    def _close(self, endpoint: Endpoint) -> None:
        """An editor that has only lost its connection comes back, and to the same port."""
        endpoint.stop()
        self._tasks.spawn(endpoint.closed())
        if endpoint.lock is not None:
            self._earlier[endpoint.lock.pid] = endpoint.lock
        self._earlier = {pid: lock for pid, lock in self._earlier.items() if alive(pid)}

    def hook(self, hook: dict[str, Any], connection: LineConnection) -> None:
        """A hook of a Claude Code tells what has happened there, and hangs up unless it waits (docs/protocol.md, 3)."""
        theirs = [endpoint for endpoint in self._endpoints.values() if endpoint.turns.is_of(hook)]
        for endpoint in theirs:
            endpoint.turns.hooked(hook)
            endpoint.reviews.objections.expect()
        if theirs and hook.get("event") == "PermissionRequest":
            theirs[0].ask(hook, connection)
        else:
            connection.close()

    def leave(self, reason: str) -> None:
        """Give all ports back, at once. The locks stay where the next hub is to take them over (`upgrade`)."""
        self._stop_listening()
        for endpoint in self._endpoints.values():
            endpoint.stop(keep_lock=reason == "upgrade")
            self._tasks.spawn(endpoint.closed())
        self._endpoints = {}
        self._watching.close()
        if reason != "upgrade":
            self._give_up()

    async def left(self) -> None:
        """Wait until all clients have gone."""
        await self._tasks.ended()

    def status(self, instance_id: str) -> dict[str, Any]:
        """What `vim-mcp status` shows of that editor's."""
        endpoint = self._endpoints.get(instance_id)  # none once the hub is leaving
        return endpoint.status() if endpoint else {"port": None, "ide_clients": [], "ide_fault": None, "diffs": 0}


def _fail(error: BaseException) -> None:
    logger.error("a port for Claude Code is not as it should be", exc_info=error)


def _has_failed(task: asyncio.Task[Any]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


def _import(name: str) -> Any:
    importlib.invalidate_caches()  # what a person has installed since then is found
    return importlib.import_module(name)


async def _load_server() -> type[WebSocketServer]:
    """Raises ImportError, in whichever way the package fails."""
    try:
        module = await asyncio.to_thread(_import, "vim_mcp.ide.websocket")
    except Exception as error:
        raise ImportError(str(error)) from error
    server: type[WebSocketServer] = module.WebSocketServer
    return server
