"""A piece of code on its way through a kernel."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from vim_mcp.kernel.output import Piece, Transcript

Report = Callable[[str, dict[str, Any]], None]
"""Hears what is run and what comes of it, for the editor: a kind and fields."""


@dataclass(frozen=True)
class Outcome:
    """What a run has brought. `failed`: it ended by an error, was interrupted, or the kernel died."""

    pieces: list[Piece]
    failed: bool = False


@dataclass
class Run:
    """A piece of code that waits or runs. `limit` is in seconds from its beginning; `client` names who sends it, "" is
    the editor's user.
    """

    code: str
    limit: float
    client: str = ""
    transcript: Transcript = field(default_factory=Transcript)
    begun: bool = False
    withdrawn: asyncio.Event = field(default_factory=asyncio.Event)

    def words(self) -> str:
        """What it does now, for those who wait."""
        return self.transcript.last_line or ("running" if self.begun else "waiting for the kernel")

    def hear(self, kind: str, content: dict[str, Any]) -> None:
        """A message of the kernel's that is this run's."""
        self.begun = True
        self.transcript.take(kind, content)


async def first(
    running: asyncio.Task[Any], ended: asyncio.Future[str], limit: float, withdrawn: asyncio.Event | None = None
) -> str:
    """What comes first: `done`, `ended` (the kernel), `withdrawn`, or `limit` (after so many seconds)."""
    leaving = asyncio.create_task((withdrawn or asyncio.Event()).wait())
    try:
        await asyncio.wait({running, ended, leaving}, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
    finally:
        leaving.cancel()
    if running.done():
        running.result()
        return "done"
    return "ended" if ended.done() else "withdrawn" if leaving.done() and not leaving.cancelled() else "limit"


def leaves(answer: dict[str, Any]) -> bool:
    """Whether the answer says that the code has had the kernel end, as `exit` does."""
    payloads = answer.get("payload") or ()
    return any(one.get("source") == "ask_exit" and not one.get("keepkernel") for one in payloads)
