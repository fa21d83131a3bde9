"""MCP messages between the SDK's server and a line connection."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError

from vim_mcp import wire
from vim_mcp.errors import INVALID_REQUEST

logger = logging.getLogger(__name__)

PARSE_ERROR = -32700
_MAX_WAITING = 1000
"""Messages of one client that may wait to be served."""


class Transport:
    """Two message streams for `Server.run`, fed by `receive` and emptied into `write`."""

    def __init__(self, write: Callable[[bytes], None], drain: Callable[[], Any]):
        self._write = write
        self._drain = drain
        self._incoming, self.read_stream = _stream(_MAX_WAITING)
        self.write_stream, self._outgoing = _stream(0)

    def receive(self, line: bytes) -> None:
        """Take one line of the client's; what is no JSON-RPC message is answered at once."""
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except (ValidationError, ValueError):
            self._refuse(line)
            return
        try:
            self._incoming.send_nowait(SessionMessage(message))
        except anyio.WouldBlock:
            self._answer(_id_of(message), INVALID_REQUEST, f"more than {_MAX_WAITING} messages wait to be served")
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            logger.debug("a message came after the end of its session")

    def _refuse(self, line: bytes) -> None:
        try:
            parsed = json.loads(line)
        except ValueError as error:
            self._answer(None, PARSE_ERROR, f"not JSON: {error}")
            return
        if isinstance(parsed, list):
            self._answer(None, INVALID_REQUEST, "batches are not supported: send one message a line")
            return
        request_id = parsed.get("id") if isinstance(parsed, dict) else None
        valid = isinstance(request_id, int | str) and not isinstance(request_id, bool)
        self._answer(request_id if valid else None, INVALID_REQUEST, "not a JSON-RPC 2.0 request")

    def _answer(self, request_id: Any, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._write(wire.encode({"jsonrpc": "2.0", "id": request_id, "error": error}))

    def end(self) -> None:
        """The client has gone: let the server finish."""
        self._incoming.close()

    async def send_all(self) -> None:
        """Write what the server sends until it closes its stream."""
        async with self._outgoing:
            async for message in self._outgoing:
                if isinstance(message, SessionMessage):
                    self._write(_line(message.message))
                    await self._drain()


def _stream(
    size: int,
) -> tuple[MemoryObjectSendStream[SessionMessage | Exception], MemoryObjectReceiveStream[SessionMessage | Exception]]:
    return anyio.create_memory_object_stream(size)


def _line(message: JSONRPCMessage) -> bytes:
    return message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"


def _id_of(message: JSONRPCMessage) -> Any:
    return getattr(message, "id", None)
