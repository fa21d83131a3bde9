"""A hub leaves: what it listened with is nobody's any more."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from vim_mcp import config
from vim_mcp.hub import Hub
from vim_mcp.socketlock import SocketLock


def test_the_number_of_its_listener_is_not_watched_for_whoever_gets_it_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIM_MCP_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    watched = asyncio.run(descriptors_watched_afterwards(config.load()))
    assert watched
    assert not any(watched.values())


async def descriptors_watched_afterwards(settings: config.Config) -> dict[int, bool]:
    """Run a hub that leaves as soon as it listens: its listeners' numbers, and whether asyncio still watches them."""
    numbers: list[int] = []
    with SocketLock.acquire(settings.socket) as lock:
        hub = Hub(settings, lock)

        def leave() -> None:
            numbers.extend(listener.fileno() for listener in lock.listeners)
            hub.leave("stop")

        await hub.run(leave)
    return {number: asyncio.get_running_loop().remove_reader(number) for number in numbers}
