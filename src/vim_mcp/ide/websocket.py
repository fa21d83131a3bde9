"""One editor's WebSocket port: who may connect is decided before the upgrade, and nobody who is slow is waited for.

Made of the `websockets` library, whose own log is silenced: at its lower levels it holds headers, and so the token.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import http
import logging
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

logger = logging.getLogger(__name__)

AUTHORIZATION = "x-claude-code-ide-authorization"
SUBPROTOCOL = Subprotocol("mcp")
_HOSTS = ("127.0.0.1", "localhost", "[::1]")

_SILENT = logging.Logger("websockets", logging.CRITICAL)
_SILENT.disabled = True


@dataclass(frozen=True)
class Limits:
    """Bounds of one editor's port: bytes, numbers of sockets, seconds."""

    message: int = 64 * 1024 * 1024
    unsent: int = 128 * 1024 * 1024
    """Bytes that may wait for a client that does not read; beyond it the client is dropped."""
    header: int = 16 * 1024
    clients: int = 16
    strangers: int = 32
    """Sockets that have not shown the token: where one more comes, the oldest has to go."""
    opening: float = 5.0
    closing: float = 2.0
    ping: float = 30.0
    """Between two pings. Nobody is dropped for want of a pong: a client that is stopped, or a computer that has slept,
    goes on where it was, and on this computer the system tells of every client that has died."""


class Peer:
    """One client that was let in."""

    def __init__(self, connection: ServerConnection, max_unsent: int):
        self._connection = connection
        self._max_unsent = max_unsent
        self._closing: asyncio.Task[None] | None = None

    def write(self, message: bytes) -> None:
        """Send one JSON-RPC message (a final newline is left out) without waiting; one who does not read is dropped."""
        transport = self._connection.transport
        if self._connection.state is not State.OPEN or transport.is_closing():
            return
        broadcast([self._connection], _valid(message.removesuffix(b"\n")), text=True)
        if transport.get_write_buffer_size() > self._max_unsent:
            logger.warning("a client that does not read was dropped")
            transport.abort()

    async def drain(self) -> None:
        """Wait until the client has read enough for more to be written, or has gone."""
        with contextlib.suppress(OSError):
            await self._connection.drain()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Each message's text; ends when the client has left."""
        with contextlib.suppress(ConnectionClosed):
            while True:
                message = await self._connection.recv()
                yield message.encode() if isinstance(message, str) else message

    def close(self) -> None:
        """Hang up, without waiting for it."""
        self._closing = self._closing or asyncio.get_running_loop().create_task(self._connection.close())


class WebSocketServer:
    """Listens on one port of 127.0.0.1; `serve` is called for each client that shows `token`, and ends with it."""

    def __init__(self, token: str, serve: Callable[[Peer], Awaitable[None]], limits: Limits | None = None):
        self._token = token.encode()
        self._serve = serve
        self._limits = limits or Limits()
        self._strangers = _Strangers(self._limits.strangers)
        self._admitted: set[_Connection] = set()
        self._sessions: set[asyncio.Task[Any]] = set()
        self._server: Server | None = None
        self._stopped = False
        self.port = 0
        """The port (10000-65535) once it is open."""

    async def open(self, listener: socket.socket) -> None:
        """Serve those who call at `listener` (of `ports.listen`), also who has called already; `stop` closes it."""
        if self._stopped:
            listener.close()
            return
        self.port = listener.getsockname()[1]
        self._server = await serve(
            self._welcome,
            sock=listener,
            process_request=self._check,
            select_subprotocol=_select_subprotocol,
            extensions=[_deflate()],
            compression=None,
            server_header=None,
            open_timeout=self._limits.opening,
            close_timeout=self._limits.closing,
            ping_interval=self._limits.ping,
            ping_timeout=None,
            max_size=self._limits.message,
            logger=_SILENT,
            create_connection=cast("type[ServerConnection]", partial(_Connection, self)),
            start_serving=False,  # so that nothing is waited for before `stop` can know of it: see there
        )
        await self._server.start_serving()

    def stop(self) -> None:
        """Stop listening, so that the port is free at once; `close` hangs up.

        Before anyone else closes the listener: asyncio goes on watching the number of one that was closed under it, and
        hears nothing from whatever gets that number next.
        """
        self._stopped = True
        if self._server is not None:
            self._server.server.close()
            self._strangers.drop_all()

    async def close(self) -> None:
        """Stop, hang up, and wait until everybody has gone; takes `Limits.closing` and a moment at most."""
        self.stop()
        if self._server is None:
            return
        self._server.close()
        try:
            await asyncio.wait_for(self._server.wait_closed(), self._limits.closing + 0.5)
        except TimeoutError:
            for session in self._sessions:
                session.cancel()

    # Letting in

    def accepted(self, connection: _Connection) -> None:
        """A socket has come, of which nothing is known yet."""
        self._strangers.add(connection)

    def lost(self, connection: _Connection) -> None:
        """A socket has gone."""
        self._strangers.discard(connection)
        self._admitted.discard(connection)

    @property
    def header_limit(self) -> int:
        """Bytes of a request."""
        return self._limits.header

    def _check(self, connection: ServerConnection, request: Request) -> Response | None:
        """The refusal of a request, None for one that may pass. Requirements WS-03 and WS-05."""
        refusal = self._refusal(request)
        if refusal is None:
            self._admitted.add(cast("_Connection", connection))
            return None
        status, reason = refusal
        logger.warning("refused a client of port %d: %s", self.port, reason)
        return connection.respond(status, f"{reason}\n")

    def _refusal(self, request: Request) -> tuple[http.HTTPStatus, str] | None:
        headers = request.headers
        hosts, tokens = headers.get_all("Host"), headers.get_all(AUTHORIZATION)
        if "Origin" in headers:
            return http.HTTPStatus.FORBIDDEN, "it sent an Origin, as web pages do"
        if len(hosts) != 1 or hosts[0].lower() not in {f"{name}:{self.port}" for name in _HOSTS}:
            return http.HTTPStatus.FORBIDDEN, "its Host is not this computer's with this port"
        if len(tokens) != 1:
            return http.HTTPStatus.UNAUTHORIZED, f"it sent {len(tokens) or 'no'} {AUTHORIZATION} headers, not one"
        if not hmac.compare_digest(tokens[0].encode("utf-8", "surrogatepass"), self._token):
            return http.HTTPStatus.UNAUTHORIZED, "its token is not the lock file's"
        if len(self._admitted) >= self._limits.clients:
            return (
                http.HTTPStatus.SERVICE_UNAVAILABLE,
                f"there are {self._limits.clients} clients, and that is the limit",
            )
        return None

    async def _welcome(self, connection: ServerConnection) -> None:
        self._strangers.discard(cast("_Connection", connection))
        task = asyncio.current_task()
        assert task is not None, "a coroutine of the library's own task"
        self._sessions.add(task)
        try:
            await self._serve(Peer(connection, self._limits.unsent))
        except Exception:
            logger.exception("the session of a client of port %d has failed", self.port)
        finally:
            self._sessions.discard(task)


class _Connection(ServerConnection):
    """The library's connection, which tells when it comes and goes and bounds its request as a whole."""

    def __init__(self, owner: WebSocketServer, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._owner = owner
        self._received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._owner.accepted(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.lost(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.request is None:
            self._received += len(data)
            if self._received > self._owner.header_limit:
                logger.warning("refused a client of port %d: its request is too long", self._owner.port)
                self.transport.abort()
                return
        super().data_received(data)


class _Strangers:
    """The sockets of those who have not shown the token."""

    def __init__(self, limit: int):
        self._limit = limit
        self._sockets: dict[_Connection, None] = {}

    def add(self, connection: _Connection) -> None:
        if len(self._sockets) >= self._limit:
            oldest = next(iter(self._sockets))
            del self._sockets[oldest]
            oldest.transport.abort()
        self._sockets[connection] = None

    def discard(self, connection: _Connection) -> None:
        self._sockets.pop(connection, None)

    def drop_all(self) -> None:
        for connection in self._sockets:
            connection.transport.abort()


def _deflate() -> ServerPerMessageDeflateFactory:
    """Compression with little memory and effort: nothing here goes over a slow line."""
    return ServerPerMessageDeflateFactory(
        server_max_window_bits=12, client_max_window_bits=12, compress_settings={"level": 1, "memLevel": 5}
    )


def _select_subprotocol(_: ServerConnection, offered: list[Subprotocol] | Any) -> Subprotocol | None:
    return SUBPROTOCOL if SUBPROTOCOL in offered else None


def _valid(message: bytes) -> bytes:
    """The message, whose frame must be UTF-8: with U+FFFD for what is not."""
    try:
        message.decode()
    except UnicodeDecodeError:
        return message.decode("utf-8", "replace").encode()
    return message
