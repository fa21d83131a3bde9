"""Work that nobody waits for, but somebody owns: a fault in it is told, and none of it outlives its owner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class Tasks:
    """One owner's. `failed` hears of each fault, but not of a task that was cancelled."""

    def __init__(self, failed: Callable[[BaseException], None]):
        self._failed = failed
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, _Result]) -> asyncio.Task[_Result]:
        """Begin it."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()):
            self._failed(error)

    def cancel(self) -> None:
        """End all that runs."""
        for task in list(self._running):
            task.cancel()

    async def ended(self) -> None:
        """Wait until all has ended."""
        await asyncio.gather(*self._running, return_exceptions=True)
