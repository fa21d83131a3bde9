"""Coming by a kernel that answers: started anew, or taken over from an earlier hub. What is then done with it is in
kernel.py.

`Channels` is imported where it is used: Jupyter's client takes long to load, and most editors never run code.
"""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vim_mcp.errors import CommandFailed
from vim_mcp.kernel import guard, place
from vim_mcp.kernel.guarded import Guarded
from vim_mcp.kernel.interpreters import Choice
from vim_mcp.kernel.run import first

if TYPE_CHECKING:
    from vim_mcp.kernel.channels import Channels, Listener

_START_LIMIT = 60.0
"""Seconds in which a kernel that was started answers."""
_NO_SOCKETS = 20.0
"""Seconds after which a kernel of another language that does not answer is tried with ports: it may know no sockets."""
_ADOPTION = 3.0
"""Seconds in which a kernel that an earlier hub has left answers if it is idle."""

ALL_LOST = "Its variables, imports and definitions are lost."
NEXT = "The next call starts a new kernel."


class NoAnswer(Exception):
    """A kernel does not answer, for the reason that this says. It was ended."""


async def start(runtime: Path, editor: int, choice: Choice, late: Listener) -> tuple[Guarded, Channels]:
    """Start the kernel of the editor with that process id. `late` hears what comes after a run (see `Channels`).

    Raises `CommandFailed` (kind `missing`) with the kernel's own words when it does not start.
    """
    directory = place.new(runtime, editor)
    offers = list(place.connections(directory))
    if choice.language == "python":  # its kernel knows unix sockets
        offers = offers[:1]
    about = {"name": choice.name, "language": choice.language, "by_message": choice.by_message, "attached": ""}
    fault = ""
    for number, connection in enumerate(offers):
        guarded = await Guarded.start(directory, {
            "watch": editor, "argv": list(choice.argv), "environment": dict(choice.environment),
            "folder": choice.folder, "connection": connection, "about": about,
        })  # fmt: skip
        last = number == len(offers) - 1
        try:
            return guarded, await connect(guarded, connection, _START_LIMIT if last else _NO_SOCKETS, late)
        except NoAnswer as error:
            fault = str(error)
    raise CommandFailed(f"The kernel {choice.name} does not start: {fault}", kind="missing")


async def connect(guarded: Guarded, connection: dict[str, Any], limit: float, late: Listener) -> Channels:
    """The channels to a kernel that answers within so many seconds. Raises `NoAnswer`."""
    from vim_mcp.kernel.channels import Channels

    channels = Channels(connection, late)
    ready = asyncio.create_task(channels.ready())
    try:
        if await first(ready, guarded.ended, limit) == "done" and not guarded.ended.done():
            return channels
    except BaseException:
        await channels.close()
        await guarded.end()
        raise
    finally:
        ready.cancel()
    await channels.close()
    if not guarded.ended.done():
        await guarded.end()
        raise NoAnswer(f"it did not answer within {limit:.0f} s")
    raise NoAnswer(f"{guarded.ended.result()}. It said: {guarded.output.strip()[-1500:] or 'nothing'}")


async def adopt(directory: Path, late: Listener) -> tuple[Guarded, Channels]:
    """Take over the kernel that an earlier hub has started. What ran for a client of that hub's is interrupted.

    Raises OSError and ValueError where its files have gone, and `CommandFailed` where it does not answer: kind `busy`
    of an attached kernel, which runs on, else `lost`: it was ended.
    """
    from vim_mcp.kernel.channels import Channels, read_connection

    state = place.state(directory) or {}
    guarded = Guarded.adopt(directory, state)
    file = Path(guarded.about["attached"] or directory / guard.CONNECTION)
    channels = Channels(read_connection(file), late)
    attached = bool(guarded.about["attached"])
    for _ in range(2):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(channels.ready(), _ADOPTION)
            return guarded, channels
        if attached:
            break
        interrupt(guarded, channels)
    await channels.close()
    if attached:
        raise CommandFailed(f"The kernel of {file} does not answer: it is busy, or has ended", kind="busy")
    await guarded.end()
    raise CommandFailed(
        f"The kernel ran earlier code that could not be interrupted, and was ended. {ALL_LOST} {NEXT}",
        kind="lost",
    )


def interrupt(guarded: Guarded, channels: Channels) -> None:
    """Interrupt what the kernel runs, in the way that it understands."""
    if guarded.about["by_message"] or guarded.about["attached"]:
        channels.interrupt()
    else:
        guarded.interrupt()
