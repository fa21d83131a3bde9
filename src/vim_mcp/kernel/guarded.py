"""A kernel's guard as the hub sees it: started, or found; asked to interrupt or end its kernel; watched."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from vim_mcp.editor.process import watch_exit
from vim_mcp.errors import CommandFailed
from vim_mcp.kernel import guard

_START_LIMIT = 10.0
"""Seconds in which a guard, not its kernel, has started."""
_END_LIMIT = 5.0
"""Seconds that it takes at most to end its kernel; then it is killed, and the kernel with it."""


class Guarded:
    """A guard that runs. `ended` becomes how its kernel has ended, in words."""

    def __init__(self, pid: int, directory: Path, about: dict[str, Any]):
        self.directory = directory
        self.about = about
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.output = ""
        """What the kernel has last written to its own stdout and stderr, once it has ended."""
        self._pid = pid
        self._stop_listening: Callable[[], None] = lambda: None

    @classmethod
    def adopt(cls, directory: Path, state: dict[str, Any]) -> Guarded:
        """One that an earlier hub has started."""
        adopted = cls(int(state["guard"]), directory, dict(state["about"]))
        adopted._stop_listening = watch_exit(adopted._pid, lambda: adopted._end_told({}))
        return adopted

    @classmethod
    async def start(cls, directory: Path, order: dict[str, Any]) -> Guarded:
        """Start one, which makes `directory` (see guard.py). Raises `CommandFailed` (kind `missing`) with a reason."""
        pid, orders, answers = _launch()
        reader, transport = await _reader(answers)
        started = cls(pid, directory, dict(order["about"]))
        try:
            await asyncio.to_thread(_hand_over, orders, {**order, "directory": str(directory)})
            told = json.loads(await asyncio.wait_for(reader.readline(), _START_LIMIT))
        except (OSError, ValueError, TimeoutError):
            told = {"error": "its guard did not start"}
        listening = asyncio.create_task(started._listen(reader, transport))

        def stop() -> None:
            listening.cancel()
            transport.close()

        started._stop_listening = stop
        if "error" in told:
            await started.end()
            raise CommandFailed(f"The kernel cannot be started: {told['error']}", kind="missing")
        return started

    async def _listen(self, reader: asyncio.StreamReader, transport: asyncio.ReadTransport) -> None:
        """Take the guard's last words, and its place in the table of processes."""
        last = (await reader.read()).splitlines()
        transport.close()
        await asyncio.to_thread(os.waitpid, self._pid, 0)
        self._end_told(json.loads(last[-1]) if last else {})

    def _end_told(self, told: dict[str, Any]) -> None:
        self.output = str(told.get("output", ""))
        if not self.ended.done():
            self.ended.set_result(_words(told.get("status")))

    def let_go(self) -> None:
        """Watch it no more, since the hub leaves."""
        self._stop_listening()

    def interrupt(self) -> None:
        """Interrupt the kernel, as CTRL-C in a terminal would."""
        self._signal(signal.SIGUSR1)

    async def end(self) -> None:
        """End the kernel, and wait until nothing is left of it."""
        self._signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self.ended), _END_LIMIT)
            return
        self._signal(signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self.ended), _END_LIMIT)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _signal(self, number: int) -> None:
        if not self.ended.done():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)


def _launch() -> tuple[int, int, int]:
    """Start a guard in a session of its own: its process id, a pipe for its order, and one for what it says.

    By hand: the subprocess module complains of, and asyncio kills, what runs on when the hub leaves.
    """
    (reader, orders), (answers, writer) = os.pipe(), os.pipe()
    standard = [
        (os.POSIX_SPAWN_DUP2, reader, 0),
        (os.POSIX_SPAWN_DUP2, writer, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    argv = [sys.executable, "-I", "-S", os.path.abspath(guard.__file__)]
    try:
        return os.posix_spawn(argv[0], argv, os.environ, file_actions=standard, setsid=True), orders, answers
    finally:
        os.close(reader)
        os.close(writer)


async def _reader(pipe: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    reader = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(pipe, "rb"))
    return reader, transport


def _hand_over(pipe: int, order: dict[str, Any]) -> None:
    with os.fdopen(pipe, "wb") as file:
        file.write(json.dumps(order).encode())


def _words(status: Any) -> str:
    if not isinstance(status, int):
        return "it ended"
    if status >= 0:
        return f"it ended with status {status}"
    try:
        return f"it was ended by {signal.Signals(-status).name}"
    except ValueError:
        return f"it was ended by signal {-status}"
