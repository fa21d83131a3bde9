"""A kernel of this process's own hub half, on real ipykernel or another, with a process that stands for the editor."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from tests.support.editors import TIMEOUT
from tests.support.processes import command_line, open_files
from vim_mcp.kernel.interpreters import Wanted
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.kernel.run import Outcome, Run


class Lab:
    """The kernel of an editor that is `cat`, which ends when it is told to."""

    def __init__(self, directory: Path):
        self.runtime = directory / "run"
        self.runtime.mkdir(mode=0o700)
        self.folder = directory / "project"
        self.folder.mkdir()
        self.editor = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        self.kernel = Kernel(self.runtime, self.editor.pid)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "LANG": "C.UTF-8"}
        self.wanted = ""
        self.asked = 0

    async def describe(self) -> Wanted:
        """What the editor says."""
        self.asked += 1
        return Wanted(str(self.folder), self.environment, self.wanted)

    async def run(self, code: str, limit: float = TIMEOUT) -> Outcome:
        """Run code to its end."""
        return await asyncio.wait_for(self.kernel.execute(Run(code, limit), self.describe), 2 * TIMEOUT)

    def start(self, code: str, limit: float = TIMEOUT) -> asyncio.Task[Outcome]:
        """Run code without waiting."""
        return asyncio.create_task(self.kernel.execute(Run(code, limit), self.describe))

    async def text(self, code: str, limit: float = TIMEOUT) -> str:
        """The text that code gives."""
        return "\n".join(str(piece) for piece in (await self.run(code, limit)).pieces)

    async def next_hub(self) -> None:
        """This hub leaves without a word to the kernel, and another comes."""
        await self.kernel.close()
        self.kernel = Kernel(self.runtime, self.editor.pid)

    async def until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait until something has come about."""
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < deadline, f"never reached: {what}"
            await asyncio.sleep(0.01)

    def left(self) -> list[str]:
        """The kernels' files, and the processes that belong to them."""
        files = [str(path) for path in self.runtime.iterdir()]
        return files + processes(str(self.runtime))

    async def close(self) -> None:
        """End the editor, and with it the kernel."""
        await self.kernel.close()
        self.editor.kill()
        self.editor.communicate()
        await self.until(lambda: self.left() == [], "nothing is left")


def processes(words: str) -> list[str]:
    """The command lines that hold `words`."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        line = " ".join(command_line(int(process.name)))
        if words in line and int(process.name) != os.getpid():
            found.append(line)
    return found


def ports_of(pid: int | None = None) -> set[str]:
    """The places on which a process listens by TCP (None: any process), as the system writes them."""
    tables = (Path("/proc/net") / name for name in ("tcp", "tcp6"))
    rows = [line.split() for table in tables if table.exists() for line in table.read_text().splitlines()[1:]]
    sockets = {f"socket:[{row[9]}]": row[1] for row in rows if row[3] == "0A"}
    if pid is None:
        return set(sockets.values())
    files = open_files(pid)
    return {place for name, place in sockets.items() if name in files}


def conduct(directory: Path, experiment: Callable[[Lab], Awaitable[None]]) -> None:
    """Hold an experiment in a lab of its own; nothing is left afterwards."""

    async def work() -> None:
        lab = Lab(directory)
        try:
            await experiment(lab)
        finally:
            await lab.close()

    asyncio.run(work())
