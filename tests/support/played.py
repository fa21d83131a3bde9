"""An editor in this process that a test plays, with the changes that its user is to judge."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from vim_mcp.connection import LineConnection
from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import EditorInfo
from vim_mcp.editor.reviews import Reviews, Verdict

Message = dict[str, Any]
NO_PROCESS = 2**22 + 1
"""A process id that the system gives to nobody."""
CLAUDE = object()
"""Who asks for reviews, where a test does not say."""


class Played:
    """An editor at the end of a connection that the test holds: it reads what is asked and says what it likes."""

    def __init__(self, runtime: Path):
        self.runtime = runtime
        self.asked: asyncio.Queue[Message] = asyncio.Queue()
        self.cancelled: list[int] = []
        self.closed = False
        self.on_line: Callable[[bytes], None] = lambda _line: None
        self.on_close: Callable[[], None] = lambda: None
        info = EditorInfo(NO_PROCESS, "/p", "", (), "9.0")
        self.editor = Editor("main-p-1", info, cast("LineConnection", self), runtime)
        self.reviews = Reviews(self.editor)
        self.editor.on_message.update(self.reviews.kinds)
        self.running: list[asyncio.Task[Verdict]] = []

    def write(self, data: bytes) -> None:
        message = json.loads(data)
        if "cancel" in message:
            self.cancelled.append(message["cancel"])
        else:
            self.asked.put_nowait(message)

    def close(self) -> None:
        if not self.closed:
            self.closed = True
            self.on_close()

    def say(self, **message: Any) -> None:
        """Send the hub a message."""
        self.on_line(json.dumps(message).encode())

    async def request(self, method: str) -> Message:
        """The next request, which must be of that method."""
        message = await asyncio.wait_for(self.asked.get(), 10)
        assert message["method"] == method
        return message

    async def answered(self, method: str, **result: Any) -> Message:
        """The parameters of the next request, once it is answered."""
        request = await self.request(method)
        self.say(id=request["id"], result=result)
        return cast("Message", request["params"])

    async def closes(self, *diffs: Message) -> None:
        """Wait until the editor is asked to close these diffs, and no others, and answer."""
        closed = await self.answered("close_diffs", closed=len(diffs))
        assert set(closed["reviews"]) == {diff["review"] for diff in diffs}

    def start(self, tab: str, owner: object = CLAUDE, contents: str = "new\n") -> asyncio.Task[Verdict]:
        """Ask for a review of a change of /p/file by its owner."""
        asking = self.reviews.review(owner, "claude-code 2.1", "/p/file", "/p/file", contents, tab)
        self.running.append(asyncio.create_task(asking))
        return self.running[-1]

    async def shown(
        self, tab: str, owner: object = CLAUDE, contents: str = "new\n"
    ) -> tuple[asyncio.Task[Verdict], Message]:
        """A review that the editor has taken: who waits for it, and what the editor was asked."""
        waiting = self.start(tab, owner, contents)
        return waiting, await self.answered("open_diff", review="", shown=True)

    def judge(self, diff: Message, verdict: str, **more: Any) -> None:
        """Give the user's verdict."""
        self.say(type="review", review=diff["review"], verdict=verdict, **more)

    def files(self) -> list[str]:
        """What lies in the runtime directory."""
        return sorted(path.name for path in self.runtime.iterdir())


def read(path: str) -> bytes:
    """What is in a file."""
    return Path(path).read_bytes()


def write(path: str, data: bytes) -> None:
    """Put it into a file, as editors do."""
    Path(path).write_bytes(data)
