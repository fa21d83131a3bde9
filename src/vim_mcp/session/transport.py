"""MCP messages between the SDK's server and a connection that delivers them one by one: lines, or frames."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import TypeAdapter, ValidationError

from vim_mcp import wire
from vim_mcp.errors import INVALID_REQUEST

PARSE_ERROR = -32700
_INITIALIZED = "initialized"
"""The notification's name in the protocol's first drafts, which some clients send still."""
_MAX_WAITING = 1000
"""Messages of one client that may wait to be served."""
_ADAPTERS: dict[type, TypeAdapter[Any]] = {
    kind: TypeAdapter(kind) for kind in (JSONRPCRequest, JSONRPCNotification, JSONRPCResponse, JSONRPCError)
}
"""Each kind of message by itself; the adapter of all kinds tries one after the other."""


class Inbox:
    """The client's messages in the order of their arrival, as a server's read stream.

    `Inbox` and `Outbox` stand where memory streams could, which would cost every message a task's turn each.
    """

    def __init__(self) -> None:
        self._messages: deque[SessionMessage] = deque()
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, message: SessionMessage) -> bool:
        """Take a message; whether there was room for it."""
        if len(self._messages) >= _MAX_WAITING:
            return False
        self._messages.append(message)
        self._changed.set()
        return True

    def close(self) -> None:
        """No more will come."""
        self._closed = True
        self._changed.set()

    async def _more(self) -> bool:
        """Wait for another message; whether one can come yet."""
        if not self._closed:
            self._changed.clear()
            await self._changed.wait()
            return True
        return False

    async def first_request(self) -> JSONRPCRequest | None:
        """The first request among the messages that wait to be read, once there is one; None when none will come."""
        while True:
            for waiting in self._messages:
                if isinstance(waiting.message, JSONRPCRequest):
                    return waiting.message
            if not await self._more():
                return None

    async def receive(self) -> SessionMessage:
        """The next message; raises `anyio.EndOfStream` when none will come."""
        while not self._messages:
            if not await self._more():
                raise anyio.EndOfStream
        return self._messages.popleft()

    def __aiter__(self) -> Inbox:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """The server reads no more."""
        self.close()

    async def __aenter__(self) -> Inbox:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class OpenCalls:
    """The ids of the client's requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._none = asyncio.Event()
        self._none.set()

    def begin(self, request_id: Any) -> None:
        """A request has come."""
        self._ids.add(str(request_id))
        self._none.clear()

    def end(self, request_id: Any) -> None:
        """It has been answered, or is to be answered no more."""
        self._ids.discard(str(request_id))
        if not self._ids:
            self._none.set()

    async def none(self) -> None:
        """Wait until all are answered."""
        await self._none.wait()


class Outbox:
    """What the server sends, written at once, as its write stream."""

    def __init__(self, write: Callable[[bytes], None], drain: Callable[[], Awaitable[None]], open_calls: OpenCalls):
        self._write = write
        self._drain = drain
        self._open_calls = open_calls

    async def send(self, message: SessionMessage) -> None:
        """Write a message; waits while the client does not read."""
        adapter = _ADAPTERS[type(message.message)]
        self._write(adapter.dump_json(message.message, by_alias=True, exclude_unset=True) + b"\n")
        if isinstance(message.message, JSONRPCResponse | JSONRPCError):
            self._open_calls.end(message.message.id)
        await self._drain()

    async def aclose(self) -> None:
        """The server sends no more."""

    async def __aenter__(self) -> Outbox:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Nothing is held that could be given back."""


class Transport:
    """The two streams of a client's server: `receive` feeds `inbox`, `outbox` goes to `write`.

    `open_calls` are the client's requests that wait for their answer.
    """

    def __init__(self, write: Callable[[bytes], None], drain: Callable[[], Awaitable[None]]):
        self._write = write
        self.open_calls = OpenCalls()
        self.inbox = Inbox()
        self.outbox = Outbox(write, drain, self.open_calls)

    def receive(self, line: bytes) -> None:
        """Take one message of the client's; what is no JSON-RPC message is answered at once."""
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValidationError, ValueError):
            self._refuse(line)
            return
        if isinstance(message, JSONRPCNotification):
            if "id" in json.loads(line):  # one that is no id: such a request would get no answer
                self._refuse(line)
                return
            self._look_at(message)
        if not self.inbox.put(SessionMessage(message)):
            self._answer(_id_of(message), INVALID_REQUEST, f"more than {_MAX_WAITING} messages wait to be served")
        elif isinstance(message, JSONRPCRequest):
            self.open_calls.begin(message.id)

    def _look_at(self, message: JSONRPCNotification) -> None:
        if message.method == _INITIALIZED:
            message.method = f"notifications/{_INITIALIZED}"
        elif message.method == "notifications/cancelled":
            self.open_calls.end((message.params or {}).get("requestId"))

    def _refuse(self, line: bytes) -> None:
        try:
            parsed = json.loads(line)
        except (ValueError, RecursionError) as error:
            self._answer(None, PARSE_ERROR, f"not JSON: {error}")
            return
        if isinstance(parsed, list):
            self._answer(None, INVALID_REQUEST, "batches are not supported: send each message by itself")
            return
        request_id = parsed.get("id") if isinstance(parsed, dict) else None
        valid = isinstance(request_id, int | str) and not isinstance(request_id, bool)
        self._answer(request_id if valid else None, INVALID_REQUEST, "not a JSON-RPC 2.0 request")

    def _answer(self, request_id: Any, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._write(wire.encode({"jsonrpc": "2.0", "id": request_id, "error": error}))

    def end(self) -> None:
        """The client has gone: let the server finish."""
        self.inbox.close()


def _id_of(message: JSONRPCMessage) -> Any:
    return getattr(message, "id", None)
