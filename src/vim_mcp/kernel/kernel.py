"""One editor's kernel: there when it is needed, one piece of code at a time, interrupted, replaced when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vim_mcp.errors import CommandFailed
from vim_mcp.kernel import place, starting
from vim_mcp.kernel.guarded import Guarded
from vim_mcp.kernel.interpreters import Wanted, choose
from vim_mcp.kernel.output import Transcript
from vim_mcp.kernel.run import Outcome, Report, Run, first, leaves
from vim_mcp.kernel.starting import ALL_LOST, NEXT
from vim_mcp.tasks import Tasks

if TYPE_CHECKING:
    from vim_mcp.kernel.channels import Channels

logger = logging.getLogger(__name__)

OBEDIENCE = 5.0
"""Seconds that code has for its end once it is interrupted; then the kernel is ended."""

_NO_INPUT = (
    "input() has no one to answer it here: the code is run without a keyboard. Put the value into the code instead."
)


class Kernel:
    """The kernel of the editor whose process id is `editor`; there need not be one yet."""

    def __init__(self, runtime: Path, editor: int):
        self.report: Report = lambda _kind, _fields: None
        self._runtime = runtime
        self._editor = editor
        self._turn = asyncio.Lock()
        self._guarded: Guarded | None = None
        self._channels: Channels | None = None
        self._current: Run | None = None
        self._waiting = 0
        self._runs = 0
        self._lost = ""
        self._dismissed = ""
        self._why = ""
        self._tasks = Tasks(_fail)

    # What clients ask

    async def execute(self, run: Run, describe: Callable[[], Awaitable[Wanted]]) -> Outcome:
        """Run code when its turn has come; a cancelled call's code is interrupted, or not begun.

        `describe` says what kernel is wanted, if one has to be started. Raises `CommandFailed` (kind `missing`) where
        none can be, and what `describe` does.
        """
        task = self._tasks.spawn(self._in_turn(run, describe))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            run.withdrawn.set()
            raise

    async def _in_turn(self, run: Run, describe: Callable[[], Awaitable[Wanted]]) -> Outcome:
        self._waiting += 1
        try:
            async with self._turn:
                if run.withdrawn.is_set():
                    return Outcome([], failed=True)
                lost = self._lost
                notes = await self._present(describe)
                if run.withdrawn.is_set():  # while the kernel started
                    self._lost = lost
                    return Outcome([], failed=True)
                return await self._run(run, notes)
        finally:
            self._waiting -= 1

    # A kernel that is there

    async def _present(self, describe: Callable[[], Awaitable[Wanted]]) -> list[str]:
        """See to it that there is a kernel; what its user has to be told of it."""
        if self._channels is not None:
            return []
        lost, self._lost = self._lost, ""
        notes = [f"The kernel has ended since the last call: {lost}. {ALL_LOST} This ran in a new one."] if lost else []
        try:
            if directory := place.find(self._runtime, self._editor):
                with contextlib.suppress(OSError, ValueError):  # its files have gone meanwhile
                    self._settle(*await starting.adopt(directory, self._report_output))
                    return notes
            choice = await choose(await describe())
            self._settle(*await starting.start(self._runtime, self._editor, choice, self._report_output))
        except BaseException:
            self._lost = lost
            raise
        return notes + ([choice.note] if choice.note else [])

    def _settle(self, guarded: Guarded, channels: Channels) -> None:
        self._guarded, self._channels = guarded, channels
        guarded.ended.add_done_callback(lambda _: self._has_ended(guarded))
        if guarded.about["attached"]:
            self._tasks.spawn(self._follow(guarded, channels))
        logger.info("the editor %d has the kernel %s", self._editor, guarded.about["name"])
        self.report("started", {"name": guarded.about["name"]})

    async def _follow(self, guarded: Guarded, channels: Channels) -> None:
        """Let go of an attached kernel when it has gone: its guard has no process to watch."""
        gone = asyncio.create_task(channels.gone())
        try:
            if await first(gone, guarded.ended, math.inf) == "done":
                await self._end("the attached kernel has hung up")
        finally:
            gone.cancel()

    # Its end

    def _has_ended(self, guarded: Guarded) -> None:
        if self._guarded is guarded:
            self._why = self._dismissed or guarded.ended.result()
            self._lost = self._why if self._runs else ""
            self._forget()
            self.report("ended", {"words": self._why})

    def _forget(self) -> None:
        channels, self._channels, self._guarded = self._channels, None, None
        self._runs, self._dismissed = 0, ""
        if channels is not None:
            self._tasks.spawn(channels.close())

    async def _end(self, why: str) -> None:
        if self._guarded is not None:
            self._dismissed = why
            await self._guarded.end()

    # One run

    async def _run(self, run: Run, notes: list[str]) -> Outcome:
        guarded, channels = self._guarded, self._channels
        if guarded is None or channels is None:
            raise CommandFailed(f"The kernel ended before the code was begun. {NEXT}", kind="lost")
        self._runs, self._current = self._runs + 1, run
        self.report("input", {"client": run.client, "text": run.code})

        def hear(kind: str, content: dict[str, Any]) -> None:
            run.hear(kind, content)
            self._report_output(kind, content)

        running = asyncio.create_task(channels.run(run.code, hear))
        try:
            end = await first(running, guarded.ended, run.limit, run.withdrawn)
            notes += await self._stopped(end, run, running, guarded)
        finally:
            self._current = None
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
        failed = end != "done" or run.transcript.failed
        if run.transcript.error == "StdinNotImplementedError":
            notes.append(_NO_INPUT)
        self.report("done", {"failed": failed})
        return Outcome([*notes, *run.transcript.pieces()], failed)

    async def _stopped(self, end: str, run: Run, running: asyncio.Task[Any], guarded: Guarded) -> list[str]:
        """Stop what has not ended by itself; how that went."""
        if end == "ended":
            self._lost = ""  # the client is told here
            return [f"The kernel has ended while the code ran: {self._why}. {ALL_LOST} {NEXT}"]
        if end == "done":
            return await self._left(running.result(), guarded)
        if guarded.about["attached"] and not run.begun:
            return [f"The kernel was busy with other code for {run.limit:.0f} s; it runs this one when that has ended."]
        what = f"It was interrupted after {run.limit:g} s (g:vim_mcp_execute_code_timeout)."
        if await self._obeys(running, guarded):
            return [f"{what} The kernel's state is kept."]
        if guarded.about["attached"]:
            return [f"{what} It goes on all the same: the kernel is not vim-mcp's own, so it was not ended."]
        if not guarded.ended.done():
            await guarded.end()
        self._lost = "" if end == "limit" else "code that was cancelled could not be interrupted"
        return [f"{what} It went on for {OBEDIENCE:g} s, so the kernel was ended. {ALL_LOST} {NEXT}"]

    async def _left(self, answer: dict[str, Any], guarded: Guarded) -> list[str]:
        """What is to be told of code that has had the kernel end, once it has."""
        if not leaves(answer):
            return []
        await asyncio.wait({guarded.ended}, timeout=OBEDIENCE)
        if not guarded.ended.done():
            return []
        self._lost = ""  # the client is told here
        return [f"The code has ended the kernel. {ALL_LOST} {NEXT}"]

    async def _obeys(self, running: asyncio.Task[Any], guarded: Guarded) -> bool:
        """Interrupt the code, twice if need be: between two of the kernel's own steps the first may be lost."""
        for patience in (0.4 * OBEDIENCE, 0.6 * OBEDIENCE):
            self._interrupt()
            if await first(running, guarded.ended, patience) != "limit":
                break
        return running.done()

    def _report_output(self, kind: str, content: dict[str, Any]) -> None:
        if kind == "stream":
            self.report("output", {"text": str(content.get("text", ""))})
        elif kind in ("execute_result", "display_data", "error"):
            shown = Transcript()
            shown.take(kind, content)
            for piece in shown.pieces():
                text = piece if isinstance(piece, str) else f"[image: {piece.mime_type}]"
                self.report("output", {"text": f"{text}\n"})

    def _interrupt(self) -> None:
        if self._guarded is not None and self._channels is not None:
            starting.interrupt(self._guarded, self._channels)

    # What the editor's user asks

    def interrupt(self) -> str:
        """Interrupt what runs; what was done, in words."""
        if self._current is None:
            return "No code is running"
        self._interrupt()
        return "The code that runs is interrupted"

    async def shut_down(self, why: str) -> str:
        """End the kernel; the next run starts one. Clients are told `why`, such as "the user has restarted it"."""
        guarded = self._guarded or self._left_by_another_hub()
        if guarded is None:
            return "There is no kernel"
        attached = guarded.about["attached"]
        if guarded is self._guarded:
            await self._end(why)
        else:
            await guarded.end()
        return "The kernel is not used any more; it runs on" if attached else "The kernel has ended"

    def _left_by_another_hub(self) -> Guarded | None:
        directory = place.find(self._runtime, self._editor)
        return Guarded.adopt(directory, place.state(directory) or {}) if directory else None

    async def attach(self, file: Path) -> str:
        """Use the kernel of a connection file from now on. Raises `CommandFailed` where that cannot be."""
        from vim_mcp.kernel.channels import read_connection

        try:
            connection = read_connection(file)
        except (OSError, ValueError) as error:
            raise CommandFailed(f"{file} is no connection file of a kernel: {error}", kind="refused") from None
        async with self._turn:
            await self.shut_down("the user has attached another")
            about = {"name": str(file), "language": "", "by_message": True, "attached": str(file)}
            directory = place.new(self._runtime, self._editor)
            order = {"watch": self._editor, "argv": None, "about": about}
            guarded = await Guarded.start(directory, order)
            try:
                channels = await starting.connect(guarded, connection, OBEDIENCE, self._report_output)
            except starting.NoAnswer as fault:
                raise CommandFailed(f"The kernel of {file} is not attached: {fault}", kind="busy") from None
            self._settle(guarded, channels)
        return f"Attached to the kernel of {file}"

    def status(self) -> dict[str, Any]:
        """What is known of it: `state` is `none`, `starting`, `idle` or `busy`; `waiting` runs wait for their turn."""
        about = self._guarded.about if self._guarded else self._about_left()
        return {
            "state": "busy" if self._current else "starting" if self._waiting else "idle" if about else "none",
            "name": about.get("name", ""),
            "attached": bool(about.get("attached")),
            "runs": self._runs,
            "waiting": max(0, self._waiting - 1),
        }

    def _about_left(self) -> dict[str, Any]:
        """What an earlier hub has written of the kernel, if it has left one."""
        directory = place.find(self._runtime, self._editor)
        state = (place.state(directory) if directory else None) or {"about": {}}
        return dict(state["about"])

    async def close(self) -> None:
        """Hang up, since the hub leaves; the kernel runs on for the next."""
        guarded, channels, self._guarded, self._channels = self._guarded, self._channels, None, None
        if guarded is not None:
            guarded.let_go()
        self._tasks.cancel()
        await self._tasks.ended()
        if channels is not None:
            await channels.close()


def _fail(error: BaseException) -> None:
    if not isinstance(error, CommandFailed):
        logger.info("code was not run: %s", type(error).__name__)
