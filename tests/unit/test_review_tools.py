"""openDiff, close_tab and closeAllDiffTabs as Claude Code calls them, over sessions in this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.played import Played, write
from vim_mcp.editor.reviews import MAX_PENDING
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.session.ide import IdeSession

Message = dict[str, Any]
INFO = {"name": "claude-code", "version": "2"}
INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": INFO}
TAB = "\u273b [Claude Code] calc.py (acc4e2) \u29c9"
CHANGE = {"old_file_path": "/p/old", "new_file_path": "/p/new", "new_file_contents": "x\n", "tab_name": TAB}


class Client:
    """A client of the played editor's port."""

    def __init__(self, played: Played):
        self.answers: dict[int, list[Message]] = {}
        self._changed = asyncio.Event()
        self._number = 0
        folders = lambda: ["/p"]  # noqa: E731 - one of three callbacks in a row
        self.session = IdeSession(
            played.editor, folders, lambda: None, played.reviews, Kernel(Path("/p"), 0), self._write, self._drain
        )
        self._serving = asyncio.create_task(self.session.run())

    def _write(self, data: bytes) -> None:
        answer = json.loads(data)
        self.answers.setdefault(answer["id"], []).append(answer)
        self._changed.set()

    async def _drain(self) -> None:
        """It reads at once."""

    def send(self, **message: Any) -> None:
        """Send a message."""
        self.session.transport.receive(json.dumps({"jsonrpc": "2.0", **message}).encode())

    async def start(self) -> Client:
        """Shake hands."""
        self.send(id=0, method="initialize", params=INITIALIZE)
        await self.answer(0)
        self.send(method="notifications/initialized")
        return self

    def call(self, name: str, **arguments: Any) -> int:
        """Call a tool; the call's id."""
        self._number += 1
        self.send(id=self._number, method="tools/call", params={"name": name, "arguments": arguments})
        return self._number

    async def answer(self, number: int) -> Message:
        """The answer to a request."""
        async with asyncio.timeout(10):
            while number not in self.answers:
                self._changed.clear()
                await self._changed.wait()
        return self.answers[number][0]

    async def texts(self, number: int) -> list[str]:
        """The text blocks of a call's result, which is no error."""
        result = (await self.answer(number))["result"]
        assert set(result) <= {"content", "isError"}
        assert not result.get("isError"), result
        return [block["text"] for block in result["content"]]

    async def failure(self, number: int) -> str:
        """What a call that has failed says."""
        result = (await self.answer(number))["result"]
        assert result["isError"]
        return str(result["content"][0]["text"])

    async def leave(self) -> None:
        """Hang up; every call has one answer at most."""
        self.session.transport.end()
        await asyncio.wait_for(self._serving, 10)
        assert [len(answers) for answers in self.answers.values()] == [1] * len(self.answers)


def play(directory: Path, scene: Callable[..., Awaitable[None]], clients: int = 1) -> None:
    """Play a scene with an editor and so many clients, which leave in the end."""

    async def run() -> None:
        played = Played(directory)
        callers = [await Client(played).start() for _ in range(clients)]
        await scene(played, *callers)
        for caller in callers:
            await caller.leave()
        assert len(played.reviews) == 0
        assert played.files() == []

    asyncio.run(run())


@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-04")
@pytest.mark.parametrize("text", ["x\n", "x", "", "caf\u00e9 \U0001d4b3\r\n\ufeff\0"])
def test_accepted(tmp_path: Path, text: str) -> None:
    async def scene(played: Played, client: Client) -> None:
        call = client.call("openDiff", **CHANGE, more="ignored")
        diff = await played.answered("open_diff", review="", shown=True)
        wanted = {"file": "/p/old", "target": "/p/new", "tab_name": TAB, "client": "claude-code 2"}
        assert {name: diff[name] for name in wanted} == wanted
        assert call not in client.answers
        write(diff["answer_file"], text.encode())
        played.judge(diff, "accepted")
        assert await client.texts(call) == ["FILE_SAVED", text]

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-05", "IDE-TOOL-07")
def test_rejected(tmp_path: Path) -> None:
    async def scene(played: Played, client: Client) -> None:
        call = client.call("openDiff", **CHANGE)
        diff = await played.answered("open_diff", review="", shown=True)
        played.judge(diff, "rejected", reason="because")
        assert await client.texts(call) == ["DIFF_REJECTED", TAB]
        assert await client.texts(client.call("close_tab", tab_name=TAB)) == ["TAB_CLOSED"]
        assert played.asked.empty()

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-05", "IDE-TOOL-09", "IDE-TOOL-18")
def test_closed_by_the_client(tmp_path: Path) -> None:
    """TAB_CLOSED is what close_tab answers, and never openDiff: Claude Code would take it for an acceptance."""

    async def scene(played: Played, client: Client, other: Client) -> None:
        foreign = other.call("openDiff", **CHANGE)
        others = await played.answered("open_diff", review="", shown=True)
        for closing, arguments, answer in (
            ("close_tab", {"tab_name": TAB}, "TAB_CLOSED"),
            ("closeAllDiffTabs", {}, "CLOSED_1_DIFF_TABS"),
        ):
            call = client.call("openDiff", **CHANGE)
            diff = await played.answered("open_diff", review="", shown=True)
            closed = client.call(closing, **arguments)
            await played.closes(diff)
            assert await client.texts(call) == ["DIFF_REJECTED", TAB]
            assert await client.texts(closed) == [answer]
        assert await client.texts(client.call("close_tab", tab_name=TAB)) == ["TAB_CLOSED"]
        assert await client.texts(client.call("closeAllDiffTabs")) == ["CLOSED_0_DIFF_TABS"]
        assert foreign not in other.answers
        played.judge(others, "rejected")
        assert await other.texts(foreign) == ["DIFF_REJECTED", TAB]

    play(tmp_path, scene, clients=2)


@pytest.mark.requirement("IDE-TOOL-06")
def test_the_same_name_again(tmp_path: Path) -> None:
    async def scene(played: Played, client: Client) -> None:
        first = client.call("openDiff", **CHANGE)
        await played.answered("open_diff")
        second = client.call("openDiff", **CHANGE)
        await played.answered("close_diffs", closed=1)
        diff = await played.answered("open_diff")
        assert await client.texts(first) == ["DIFF_REJECTED", TAB]
        played.judge(diff, "rejected")
        assert await client.texts(second) == ["DIFF_REJECTED", TAB]

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-07", "MCP-07")
def test_cancelled_it_is_closed_and_not_answered(tmp_path: Path) -> None:
    async def scene(played: Played, client: Client) -> None:
        call = client.call("openDiff", **CHANGE)
        diff = await played.answered("open_diff")
        client.send(method="notifications/cancelled", params={"requestId": call})
        await played.closes(diff)
        assert await client.texts(client.call("closeAllDiffTabs")) == ["CLOSED_0_DIFF_TABS"]
        assert call not in client.answers
        await asyncio.wait_for(client.session.transport.open_calls.none(), 10)

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-07")
def test_a_client_that_leaves_takes_its_diffs_with_it(tmp_path: Path) -> None:
    async def scene(played: Played, client: Client, other: Client) -> None:
        for name in ("one", "two"):
            client.call("openDiff", **{**CHANGE, "tab_name": name})
        mine = [await played.answered("open_diff") for _ in range(2)]
        kept = other.call("openDiff", **CHANGE)
        diff = await played.answered("open_diff")
        await client.leave()
        closed: list[str] = []
        while len(closed) < 2:
            closed += (await played.answered("close_diffs"))["reviews"]
        assert sorted(closed) == sorted(one["review"] for one in mine)
        assert kept not in other.answers
        played.judge(diff, "rejected")
        await other.answer(kept)

    play(tmp_path, scene, clients=2)


@pytest.mark.requirement("IDE-TOOL-03")
def test_what_cannot_be_shown_is_an_error(tmp_path: Path) -> None:
    """Claude Code then asks in its terminal alone."""

    async def scene(played: Played, client: Client) -> None:
        call = client.call("openDiff", **CHANGE)
        request = await played.request("open_diff")
        played.say(id=request["id"], error={"code": 1004, "message": "no access", "data": {"kind": "access"}})
        assert await client.failure(call) == "no access"
        await played.answered("close_diffs")
        assert "NUL" in await client.failure(client.call("openDiff", **{**CHANGE, "old_file_path": "/p/a\0b"}))
        calls = [client.call("openDiff", **{**CHANGE, "tab_name": str(name)}) for name in range(MAX_PENDING + 1)]
        assert "limit" in await client.failure(calls[-1])
        for _ in calls[:-1]:
            await played.answered("open_diff")
        played.close()
        for call in calls[:-1]:
            assert "has left" in await client.failure(call)

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-17")
def test_how_they_are_listed(tmp_path: Path) -> None:
    async def scene(_: Played, client: Client) -> None:
        client.send(id=99, method="tools/list")
        tools = {tool["name"]: tool["inputSchema"] for tool in (await client.answer(99))["result"]["tools"]}
        for name, arguments in (("openDiff", list(CHANGE)), ("close_tab", ["tab_name"]), ("closeAllDiffTabs", [])):
            assert list(tools[name]["properties"]) == arguments
            assert tools[name].get("required", []) == arguments
            assert {about["type"] for about in tools[name]["properties"].values()} <= {"string"}
        for missing in CHANGE:
            given = {name: value for name, value in CHANGE.items() if name != missing}
            error = (await client.answer(client.call("openDiff", **given)))["error"]
            assert (error["code"], missing in error["message"]) == (-32602, True)

    play(tmp_path, scene)
