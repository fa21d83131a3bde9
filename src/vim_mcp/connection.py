"""One peer on the hub's socket: lines in by a callback, bytes out with a bound."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import cast

from vim_mcp.wire import LineDecoder, LineTooLong

logger = logging.getLogger(__name__)

MAX_UNSENT = 256 * 1024 * 1024
"""Bytes that may wait for a peer that does not read; beyond it the peer is dropped."""
_PIECE = 256 * 1024
"""Bytes that are given to the transport at once. What it cannot send it copies, and what is left of megabytes it copies
again and again."""


class LineConnection(asyncio.Protocol):
    """A connection whose owner is told of each line and, once, of its end."""

    def __init__(self, accepted: Callable[[LineConnection], None]):
        self._accepted = accepted
        self._decoder = LineDecoder()
        self._transport: asyncio.Transport | None = None
        self._waiting: deque[memoryview] = deque()
        self._paused = False
        self._writable = asyncio.Event()
        self._writable.set()
        self.on_line: Callable[[bytes], None] = lambda _line: None
        self.on_close: Callable[[], None] = lambda: None
        self.closed = False

    @property
    def transport(self) -> asyncio.Transport:
        """The underlying transport."""
        assert self._transport is not None, "the connection has not been made yet"
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """asyncio's call on a new connection."""
        self._transport = cast("asyncio.Transport", transport)
        self._accepted(self)

    def data_received(self, data: bytes) -> None:
        """asyncio's call on new bytes."""
        try:
            lines = self._decoder.feed(data)
        except LineTooLong:
            self.transport.abort()
            return
        for line in lines:
            if not self.closed:
                self._hand_over(line)

    def _hand_over(self, line: bytes) -> None:
        """A line that its owner fails on costs that line, not the connection."""
        try:
            self.on_line(line)
        except Exception:
            logger.exception("a line of %d bytes could not be handled", len(line))

    def connection_lost(self, exc: Exception | None) -> None:
        """asyncio's call at the end."""
        self._end()

    def _end(self) -> None:
        if not self.closed:
            self.closed = True
            self._waiting.clear()
            self._writable.set()
            self.on_close()

    def pause_writing(self) -> None:
        """asyncio's call when the peer does not keep up."""
        self._paused = True
        self._writable.clear()

    def resume_writing(self) -> None:
        """asyncio's call when the peer has caught up."""
        self._paused = False
        self._feed()
        if not self._paused:
            self._writable.set()

    def write(self, data: bytes) -> None:
        """Send bytes without waiting; a peer with too much unread is dropped."""
        if self.closed:
            return
        self._waiting.append(memoryview(data))
        self._feed()
        if self._waiting and self._unsent() > MAX_UNSENT:
            self.transport.abort()

    def _feed(self) -> None:
        """Give the transport what waits, for as long as the peer keeps up."""
        while self._waiting and not self._paused:
            view = self._waiting.popleft()
            self.transport.write(view[:_PIECE])
            if len(view) > _PIECE:
                self._waiting.appendleft(view[_PIECE:])

    def _unsent(self) -> int:
        return self.transport.get_write_buffer_size() + sum(map(len, self._waiting))

    async def drain(self) -> None:
        """Wait until the peer has read enough for more to be written."""
        await self._writable.wait()

    def close(self) -> None:
        """Send what is left, then hang up; the owner's `on_close` is called at once."""
        if self._transport is not None:
            self._transport.writelines(self._waiting)
            self._transport.close()
        self._end()
