"""A connection of the hub's: what is written arrives whole and in order, whatever the peer reads when."""

from __future__ import annotations

import asyncio
import socket

import pytest

from vim_mcp import connection
from vim_mcp.connection import LineConnection

SIZES = [1, 3_000_000, 10, 0, 700_000, 262_144, 5]
MESSAGES = [bytes([65 + number]) * size for number, size in enumerate(SIZES)]


async def _connected(ours: socket.socket) -> LineConnection:
    _, made = await asyncio.get_running_loop().create_unix_connection(lambda: LineConnection(lambda _: None), sock=ours)
    return made


def _all(theirs: socket.socket, size: int) -> bytes:
    found = bytearray()
    while len(found) < size and (piece := theirs.recv(min(65536, size - len(found)))):
        found += piece
    return bytes(found)


async def _write(ours: socket.socket, theirs: socket.socket) -> bytes:
    made = await _connected(ours)
    for message in MESSAGES:
        made.write(message)
    reading = asyncio.create_task(asyncio.to_thread(_all, theirs, sum(SIZES)))
    await made.drain()
    made.close()
    return await reading


def test_what_is_written_at_once_arrives_in_order() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert asyncio.run(_write(ours, theirs)) == b"".join(MESSAGES)


async def _write_and_hang_up(ours: socket.socket, theirs: socket.socket) -> bytes:
    made = await _connected(ours)
    for message in MESSAGES:
        made.write(message)
    made.close()
    return await asyncio.to_thread(_all, theirs, sum(SIZES) + 1)


def test_what_waits_is_sent_before_hanging_up() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert asyncio.run(_write_and_hang_up(ours, theirs)) == b"".join(MESSAGES)


async def _drain(ours: socket.socket, theirs: socket.socket) -> bool:
    made = await _connected(ours)
    made.write(b"x" * 3_000_000)
    waiting = asyncio.create_task(made.drain())
    await asyncio.to_thread(_all, theirs, 1_000_000)
    waits = not waiting.done()
    await asyncio.to_thread(_all, theirs, 2_000_000)
    await waiting
    made.close()
    return waits


def test_draining_takes_until_the_peer_has_nearly_all() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert asyncio.run(_drain(ours, theirs))


async def _overwhelm(ours: socket.socket) -> bool:
    made = await _connected(ours)
    gone = asyncio.Event()
    made.on_close = gone.set
    for _ in range(3):
        made.write(b"x" * 1_000_000)
    await asyncio.wait_for(gone.wait(), 10)
    return made.closed


def test_a_peer_with_too_much_unread_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "MAX_UNSENT", 2_000_000)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert asyncio.run(_overwhelm(ours))
