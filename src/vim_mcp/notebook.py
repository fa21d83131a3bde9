"""What an editor's user does with the kernel (`:VimMCPKernel`), and what the editor is told of what runs in it."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from pathlib import Path
from typing import Any, cast

from vim_mcp.editor.directory import JOINED, LEFT, Directory
from vim_mcp.editor.link import Editor
from vim_mcp.editor.vocabulary import KernelOutput
from vim_mcp.errors import VimMcpError
from vim_mcp.kernel import kernels
from vim_mcp.kernel.interpreters import Wanted
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.kernel.output import Bounded
from vim_mcp.kernel.run import Outcome, Run
from vim_mcp.tasks import Tasks
from vim_mcp.text import from_lines, to_lines

logger = logging.getLogger(__name__)

_PAUSE = 0.05
"""Seconds in which output is collected before the editor is told."""
_PROGRESS = 0.5
"""Seconds between two looks at how far the user's own code is."""
_AT_ONCE = 20_000
"""Characters of output that an editor is told at once, about; of more it is told the beginning and the end."""
_KEPT = 500_000
"""Characters of inputs and outputs that are kept, about, for an editor that begins to watch."""


class Notebook:
    """One editor's. It hears of inputs and outputs while it watches, first of those that have been."""

    def __init__(self, editor: Editor, kernel: Kernel):
        self._editor = editor
        self._kernel = kernel
        self._watching = False
        self._told: deque[tuple[int, KernelOutput]] = deque()
        """Messages of inputs and outputs, the last ones, with their sizes."""
        self._size = 0
        self._output: Bounded | None = None
        self._first_line = self._over = self._returned = False
        """Of the output that is collected: whether it is in its first line yet, which takes the place of the last one
        that was told (`over`), as a progress bar's does; whether the output so far ends with a return to the beginning
        of its line.
        """
        self._timer: asyncio.TimerHandle | None = None
        self._tasks = Tasks(_fail)
        editor.on_message["kernel"] = self._asked
        kernel.report = self._report

    def close(self) -> None:
        """The editor has gone. What its user runs is interrupted."""
        self._watching = False
        self._tasks.cancel()

    # What its user asks

    def _asked(self, message: dict[str, Any]) -> None:
        if message.get("do") == "watch":
            self._watch(bool(message.get("on")))
            return
        self._tasks.spawn(self._do(message))

    async def _do(self, message: dict[str, Any]) -> None:
        try:
            words = await self._answer(str(message.get("do")), message)
        except VimMcpError as error:
            words = error.message
        if words:
            self._editor.send({"type": "kernel", "words": words})

    async def _answer(self, do: str, message: dict[str, Any]) -> str:
        if do == "status":
            return _described(self._kernel.status())
        if do == "interrupt":
            return self._kernel.interrupt()
        if do in ("restart", "shutdown"):
            return await self._kernel.shut_down(
                "the user has restarted it" if do == "restart" else "the user has ended it"
            )
        if do == "attach":
            await kernels.load()
            return await self._kernel.attach(Path(str(message.get("file"))))
        if do == "run":
            return await self._run(message)
        return f"vim-mcp knows nothing to do with a kernel by the name {do!r}"

    async def _run(self, message: dict[str, Any]) -> str:
        """Run the user's own code, and tell the editor what has come of it; why it was not run, in words, or ""."""
        # Without a limit: its user sees it, and interrupts it when they will.
        run, why = Run(from_lines(message["lines"]), math.inf), ""
        teller = self._tasks.spawn(self._tell_progress(run, message.get("cell")))
        try:
            outcome = await self._execute(run, message["settings"])
        except VimMcpError as error:
            outcome, why = Outcome([error.message], failed=True), error.message
        finally:
            teller.cancel()
        texts = [piece if isinstance(piece, str) else f"[image: {piece.mime_type}]" for piece in outcome.pieces]
        lines = [line for text in texts for line in text.split("\n")]
        self._editor.send(
            {"type": "kernel_cell", "cell": message.get("cell"), "lines": lines, "failed": outcome.failed}
        )
        return why

    async def _tell_progress(self, run: Run, cell: int | None) -> None:
        """Tell the editor how far the user's code is, whenever that has changed."""
        told = "running"
        while True:
            await asyncio.sleep(_PROGRESS)
            line = run.transcript.last_line
            words = f"running: {line}" if line else run.words()
            if words != told:
                self._editor.send(
                    {"type": "kernel_cell", "cell": cell, "lines": [words], "failed": False, "runs": True}
                )
            told = words

    async def _execute(self, run: Run, settings: dict[str, Any]) -> Outcome:
        wanted = Wanted(settings["folder"], settings["variables"], settings["kernel"])

        async def describe() -> Wanted:
            return wanted

        await kernels.load()
        return await self._kernel.execute(run, describe)

    # What it is told

    def _watch(self, on: bool) -> None:
        """From now on the editor is told, or not any more; what it has missed comes first."""
        self._flush()
        if on and not self._watching:
            for _, message in self._told:
                self._editor.send(message)
        self._watching = on

    def _report(self, kind: str, fields: dict[str, Any]) -> None:
        if kind == "output":
            self._collect(str(fields["text"]))
            return
        self._flush()
        self._returned = False
        told = {key: value for key, value in fields.items() if key != "text"}
        if "text" in fields:
            told["lines"] = to_lines(str(fields["text"]))
        self._tell(kind, told)

    def _tell(self, kind: str, fields: dict[str, Any]) -> None:
        message = cast("KernelOutput", {"type": "kernel_output", "kind": kind, **fields})  # each kind has its own
        size = sum(len(line) + 1 for line in fields.get("lines", ()))
        self._told.append((size, message))
        self._size += size
        while self._size > _KEPT and len(self._told) > 1:
            self._size -= self._told.popleft()[0]
        if self._watching and self._editor.connected:
            self._editor.send(message)

    def _collect(self, text: str) -> None:
        if self._output is None:
            self._output = Bounded(_AT_ONCE)
            self._timer = asyncio.get_running_loop().call_later(_PAUSE, self._flush)
            self._first_line, self._over = True, False
        self._note_returns(text)
        self._output.feed(text)

    def _note_returns(self, text: str) -> None:
        if self._first_line:
            line, end, _ = text.replace("\r\n", "\n").partition("\n")
            self._over |= "\r" in line.rstrip("\r") or bool(self._returned and line)
            self._first_line = not end
        self._returned = text.endswith("\r")

    def _flush(self) -> None:
        output, self._output = self._output, None
        if self._timer is not None:
            self._timer.cancel()
        if output is not None:
            over = {"over": True} if self._over else {}
            self._tell("output", {"lines": output.text().split("\n"), **over})


def _fail(error: BaseException) -> None:
    logger.error("what an editor asked of its kernel has failed", exc_info=error)


def _described(status: dict[str, Any]) -> str:
    """Raises as `require_jupyter` where there is no kernel and none can be started."""
    if status["state"] == "none":
        kernels.require_jupyter()
        return "There is no kernel yet: the first code starts one"
    kind = "attached to " if status["attached"] else ""
    name = f"{kind}{status['name']}, " if status["name"] else ""
    waiting = f", {status['waiting']} more wait" if status["waiting"] else ""
    return f"Kernel: {name}{status['state']}{waiting}"


class Notebooks:
    """Those of all editors in `directory`."""

    def __init__(self, directory: Directory, of: kernels.Kernels):
        self._kernels = of
        self._notebooks: dict[str, Notebook] = {}
        directory.listen(self._on_change)

    def _on_change(self, events: frozenset[str], editor: Editor) -> None:
        if JOINED in events:
            self._notebooks[editor.instance_id] = Notebook(editor, self._kernels.of(editor.info.pid))
        elif LEFT in events:
            self._notebooks.pop(editor.instance_id).close()
