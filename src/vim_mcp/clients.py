"""The hub's MCP clients: each relay's connection, and its session once the SDK is loaded."""

from __future__ import annotations

import asyncio
import gc
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vim_mcp import __version__, wire
from vim_mcp.connection import LineConnection
from vim_mcp.editor.directory import Directory
from vim_mcp.editor.registry import Preference
from vim_mcp.errors import INTERNAL_ERROR
from vim_mcp.kernel.kernels import Kernels


class Client:
    """One relay's connection; `session` is None until the SDK is loaded."""

    def __init__(self, connection: LineConnection, hello: dict[str, Any]):
        self.connection = connection
        self.hello = hello
        self.session: Any = None
        self.waiting: list[bytes] = []
        connection.on_line = self.waiting.append

    def status(self) -> dict[str, Any]:
        """What `vim-mcp status` shows of it."""
        name, selected = (self.session.client_name, self.session.selected) if self.session else (None, None)
        return {"pid": self.hello.get("pid"), "name": name, "selected": selected}

    def refuse_all(self, reason: str) -> None:
        """Answer every request, also those to come, with an error."""
        self.connection.on_line = lambda line: self._refuse(line, reason)
        for line in self.waiting:
            self._refuse(line, reason)

    def _refuse(self, line: bytes, reason: str) -> None:
        try:
            message = wire.decode(line)
        except ValueError:
            return
        if isinstance(message, dict) and "method" in message and "id" in message:
            error = {"code": INTERNAL_ERROR, "message": reason}
            self.connection.write(wire.encode({"jsonrpc": "2.0", "id": message["id"], "error": error}))


class Clients:
    """All of them. `changed` is called whenever one comes or goes."""

    def __init__(self, directory: Directory, preference: Preference, kernels: Kernels, changed: Callable[[], None]):
        self._directory = directory
        self._preference = preference
        self._kernels = kernels
        self._changed = changed
        self._clients: dict[Client, asyncio.Task[None]] = {}
        self._sdk: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def __len__(self) -> int:
        return len(self._clients)

    async def load_sdk(self) -> None:
        """Import the MCP SDK in a thread: it takes about a second, in which editors are served already."""
        try:
            self._sdk.set_result(await asyncio.to_thread(_import_session))
        except ImportError as error:
            self._sdk.set_result(None)
            raise RuntimeError(f"The MCP SDK cannot be imported ({error}): install vim-mcp anew") from error

    def add(self, connection: LineConnection, hello: dict[str, Any]) -> None:
        """Serve the relay that has said `hello` (docs/protocol.md, 2)."""
        client = Client(connection, hello)
        connection.write(wire.encode({"relay": {"version": __version__}}))
        task = asyncio.create_task(self._serve(client))
        self._clients[client] = task
        connection.on_close = lambda: _cancel(task)
        task.add_done_callback(lambda _: self._left(client))
        self._changed()

    async def _serve(self, client: Client) -> None:
        module = await asyncio.shield(self._sdk)
        if module is None:
            client.refuse_all("vim-mcp cannot import the MCP SDK: install it anew; `vim-mcp logs` says more")
            await asyncio.Event().wait()
        hello, connection = client.hello, client.connection
        session = module.Session(
            self._directory,
            self._preference,
            self._kernels,
            module.Hello(hello.get("cwd") or str(Path.home()), hello.get("instance"), hello.get("state") or {}),
            connection.write,
            connection.drain,
        )
        client.session = session
        connection.on_line = session.transport.receive
        connection.on_close = session.transport.end
        for line in client.waiting:
            session.transport.receive(line)
        await session.run()

    def _left(self, client: Client) -> None:
        client.connection.close()
        task = self._clients.pop(client)
        self._changed()
        if not task.cancelled():
            task.result()

    def status(self) -> list[dict[str, Any]]:
        """What `vim-mcp status` shows of each."""
        return [client.status() for client in self._clients]

    async def say_goodbye(self, reason: str) -> None:
        """Tell every relay why the hub leaves, hang up, and end the sessions."""
        tasks = list(self._clients.values())
        for client in list(self._clients):
            client.connection.write(wire.encode({"relay": {"bye": reason}}))
            client.connection.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _import_session() -> Any:
    """Import the session; without the garbage collector, which finds nothing in all that is made, a fifth faster."""
    gc.disable()
    try:
        return importlib.import_module("vim_mcp.session.server")
    finally:
        gc.freeze()
        gc.enable()


def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
