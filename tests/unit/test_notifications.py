"""What an editor tells becomes what Claude Code understands: once for each client, kept for one that comes later."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from vim_mcp.ide.notifications import MAX_MENTIONS, Listener, Notifications

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """The hub's event loop."""
    return "asyncio"


class Client:
    """What one client is told."""

    def __init__(self, notifications: Notifications):
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.listener: Listener = notifications.join(lambda data: self.messages.put_nowait(json.loads(data)))

    async def ready(self) -> Client:
        """Say so, and wait until it counts."""
        self.listener.ready()
        later = asyncio.Event()
        asyncio.get_running_loop().call_later(0.001, later.set)
        await later.wait()
        assert self.listener.settled
        return self

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """The methods and parameters of all that has come since the last call."""
        messages = [self.messages.get_nowait() for _ in range(self.messages.qsize())]
        assert all(message["jsonrpc"] == "2.0" and "id" not in message for message in messages)
        return [(message["method"], message["params"]) for message in messages]


@pytest.fixture
def notifications() -> Notifications:
    """An editor's; its clients settle at once."""
    return Notifications(settling=0)


@pytest.fixture
def say(notifications: Notifications) -> Callable[..., None]:
    """Take a message of the editor's."""
    return lambda kind, **fields: notifications.kinds[kind]({"type": kind, **fields})


def selection(file: str = "/p/calc.py", *lines: str, end: int = 0) -> dict[str, Any]:
    """A selection as the editor gives it."""
    return {
        "file": file, "lines": list(lines), "empty": not lines,
        "start": {"line": 0, "character": 0}, "end": {"line": 0, "character": end},
    }  # fmt: skip


@pytest.mark.requirement("SEL-01", "SEL-04")
async def test_a_selection_is_told_as_it_is(notifications: Notifications, say: Callable[..., None]) -> None:
    client = await Client(notifications).ready()
    say("selection", selection=selection("/p/ä b#.py", "one 😀", "t\nwo", end=7))
    ((method, params),) = client.told()
    assert method == "selection_changed"
    assert params == {
        "text": "one 😀\nt\0wo",
        "filePath": "/p/ä b#.py",
        "fileUrl": "file:///p/%C3%A4%20b%23.py",
        "selection": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 7}, "isEmpty": False},
    }  # fmt: skip
    assert notifications.latest() == selection("/p/ä b#.py", "one 😀", "t\nwo", end=7)


@pytest.mark.requirement("SEL-01")
async def test_nothing_selected_and_no_file_shown_clears_it(
    notifications: Notifications, say: Callable[..., None]
) -> None:
    client = await Client(notifications).ready()
    say("selection", selection=selection(""))
    ((_, params),) = client.told()
    assert (params["text"], params["filePath"], params["fileUrl"], params["selection"]["isEmpty"]) == ("", "", "", True)


@pytest.mark.requirement("SEL-03")
async def test_the_same_selection_is_told_once(notifications: Notifications, say: Callable[..., None]) -> None:
    client = await Client(notifications).ready()
    for text in ("a", "a", "b", "a"):
        say("selection", selection=selection("/f", text))
    assert [params["text"] for _, params in client.told()] == ["a", "b", "a"]


@pytest.mark.requirement("IDE-NOTE-01")
async def test_who_connects_later_is_told_the_last_selection(
    notifications: Notifications, say: Callable[..., None]
) -> None:
    first = Client(notifications)
    say("selection", selection=selection("/f", "a"))
    say("selection", selection=selection("/f", "b"))
    assert first.told() == []
    await first.ready()
    first.listener.ready()
    second = await Client(notifications).ready()
    say("selection", selection=selection("/f", "b"))
    for client in (first, second):
        assert [params["text"] for _, params in client.told()] == ["b"]


@pytest.mark.parametrize("asked", [1, 2])
async def test_a_client_that_waits_for_answers_is_told_after_them(
    notifications: Notifications, say: Callable[..., None], asked: int
) -> None:
    client = Client(notifications)
    say("mention", file="/f", first=1, last=2)
    client.listener.ready()
    for _ in range(asked):
        client.listener.asked()
    for _ in range(asked):
        await asyncio.sleep(0.001)
        assert client.told() == []
        client.listener.answer(b'{"jsonrpc": "2.0", "method": "answered", "params": {}}')
        assert [method for method, _ in client.told()] == ["answered"]
    await client.ready()
    assert [method for method, _ in client.told()] == ["at_mentioned"]


async def test_a_client_that_withdraws_what_it_has_asked_for_is_told_all_the_same() -> None:
    impatient = Notifications(settling=0, answering=0.001)
    impatient.kinds["mention"]({"type": "mention", "file": "/f", "first": 1, "last": 2})
    client = Client(impatient)
    client.listener.ready()
    client.listener.asked()
    await asyncio.wait_for(client.messages.get(), 5)
    assert client.listener.settled


async def test_before_the_editor_has_said_anything_nothing_is_told(notifications: Notifications) -> None:
    assert (await Client(notifications).ready()).told() == []
    assert notifications.latest() is None


@pytest.mark.requirement("ATM-02", "ATM-03")
async def test_a_mention_is_of_lines_or_of_the_file(notifications: Notifications, say: Callable[..., None]) -> None:
    client = await Client(notifications).ready()
    say("mention", file="/p/calc.py", first=1, last=2)
    say("mention", file="/p/calc.py")
    assert client.told() == [
        ("at_mentioned", {"filePath": "/p/calc.py", "lineStart": 0, "lineEnd": 1}),
        ("at_mentioned", {"filePath": "/p/calc.py"}),
    ]


@pytest.mark.requirement("IDE-NOTE-02")
async def test_mentions_wait_for_a_client_and_are_told_once(
    notifications: Notifications, say: Callable[..., None]
) -> None:
    early = Client(notifications)
    for number in range(1, MAX_MENTIONS + 3):
        say("mention", file="/f", first=number, last=number)
    assert early.told() == []
    await early.ready()
    assert [params["lineStart"] for _, params in early.told()] == list(range(2, MAX_MENTIONS + 2))
    late = await Client(notifications).ready()
    assert late.told() == []
    say("mention", file="/g")
    assert early.told() == late.told() == [("at_mentioned", {"filePath": "/g"})]


@pytest.mark.requirement("IDE-NOTE-03", "DGN-01", "LOG-01")
async def test_diagnostics_and_events_go_to_who_is_there(
    notifications: Notifications, say: Callable[..., None]
) -> None:
    first, second = await Client(notifications).ready(), Client(notifications)
    say("diagnostics", files=["/p/a b.py", "/p/ü.py"])
    say("log", name="run_claude_command", data={})
    assert first.told() == [
        ("diagnostics_changed", {"uris": ["file:///p/a%20b.py", "file:///p/%C3%BC.py"]}),
        ("log_event", {"eventName": "run_claude_command", "eventData": {}}),
    ]
    assert (await second.ready()).told() == []


async def test_who_has_left_is_told_nothing(notifications: Notifications, say: Callable[..., None]) -> None:
    client, waiting = await Client(notifications).ready(), Client(notifications)
    waiting.listener.ready()
    notifications.leave(client.listener)
    notifications.leave(waiting.listener)
    say("mention", file="/f")
    say("selection", selection=selection("/f", "a"))
    last = await Client(notifications).ready()
    assert client.told() == waiting.told() == []
    assert [method for method, _ in last.told()] == ["selection_changed", "at_mentioned"]


async def test_a_text_that_is_no_unicode_is_sent_all_the_same(
    notifications: Notifications, say: Callable[..., None]
) -> None:
    client = await Client(notifications).ready()
    say("selection", selection=selection("/\udcff", "\ud800"))
    ((_, params),) = client.told()
    assert params["text"] == "\ud800"


@pytest.mark.requirement("ATM-09")
async def test_of_several_clients_the_one_that_is_meant_is_told(
    notifications: Notifications, say: Callable[..., None]
) -> None:
    first, second = [await Client(notifications).ready() for _ in range(2)]
    first.listener.pid, second.listener.pid = 1, 2
    say("mention", file="/p/one.py", pid=2)
    say("mention", file="/p/all.py", pid=3)
    said = [("at_mentioned", {"filePath": "/p/all.py"})]
    assert first.told() == said
    assert second.told() == [("at_mentioned", {"filePath": "/p/one.py"}), *said]
