"""Changes under review: one editor's, which the test plays, and what comes of each however it ends."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.played import CLAUDE, Message, Played, read, write
from vim_mcp.editor import objections, sending
from vim_mcp.editor import reviews as module
from vim_mcp.editor.link import TEXT_FILE
from vim_mcp.editor.reviews import MAX_PENDING, Verdict
from vim_mcp.errors import CommandFailed, ConnectionLost, EditorMethodError

OTHER = object()


def play(directory: Path, scene: Callable[[Played], Awaitable[None]]) -> None:
    """Play a scene; afterwards nothing may wait, no file be left, and the editor not be asked anything any more."""

    async def run() -> None:
        played = Played(directory)
        await scene(played)
        await asyncio.wait(played.running, timeout=10)
        assert all(task.done() for task in played.running)
        assert len(played.reviews) == 0
        assert played.files() == []
        assert played.asked.empty()
        ours = {asyncio.current_task()}
        await asyncio.wait_for(asyncio.gather(*asyncio.all_tasks() - ours, return_exceptions=True), 10)
        assert played.asked.empty()

    asyncio.run(run())


@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-04")
def test_what_is_asked_and_what_was_accepted(tmp_path: Path) -> None:
    heard = []

    async def scene(played: Played) -> None:
        played.reviews.on_accepted.append(lambda path, text: heard.append((path, text)))
        text = "caf\u00e9 \U0001d4b3\r\n\0\nno end"
        waiting = played.start("a tab", contents=text)
        request = await played.request("open_diff")
        diff = request["params"]
        assert read(diff["proposal_file"]) == text.encode()
        assert (diff["file"], diff["target"], diff["tab_name"]) == ("/p/file", "/p/file", "a tab")
        assert diff["client"] == "claude-code 2.1"
        assert all(name.startswith(TEXT_FILE) for name in played.files())
        assert all(path.stat().st_mode & 0o777 == 0o600 for path in played.runtime.iterdir())
        played.say(id=request["id"], result={"review": diff["review"], "shown": True})
        assert len(played.reviews) == 1
        write(diff["answer_file"], f"{text}\n\n".encode())
        played.judge(diff, "accepted")
        assert heard == [("/p/file", f"{text}\n\n")], "before the client is told"
        assert await waiting == Verdict(accepted=True, text=f"{text}\n\n")
        played.judge(diff, "rejected")

    play(tmp_path, scene)
    assert len(heard) == 1


@pytest.mark.requirement("IDE-TOOL-04")
def test_two_editors_show_a_change_at_the_same_time(tmp_path: Path) -> None:
    """Their texts lie in one directory, and each has asked for as many as the other."""

    async def scene(played: Played) -> None:
        editors = [played, Played(tmp_path)]
        shown = [await editor.shown("a tab") for editor in editors]
        assert len({diff["answer_file"] for _, diff in shown}) == 2
        for editor, (waiting, diff) in zip(editors, shown, strict=True):
            write(diff["answer_file"], b"mine\n")
            editor.judge(diff, "accepted")
            assert await waiting == Verdict(accepted=True, text="mine\n")

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-04")
def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab", contents="\ud800")
        write(diff["answer_file"], b"a\xffb\n")
        played.judge(diff, "accepted")
        assert (await waiting).text == "a\ufffdb\n"

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-04")
def test_a_text_that_cannot_be_read_is_not_accepted(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        os.unlink(diff["answer_file"])
        played.judge(diff, "accepted")
        with pytest.raises(CommandFailed, match="cannot be read"):
            await waiting

    play(tmp_path, scene)


@pytest.mark.parametrize("verdict", ["rejected", "", None, 5])
@pytest.mark.requirement("IDE-TOOL-05")
def test_only_a_word_accepts(tmp_path: Path, verdict: Any) -> None:
    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        played.judge(diff, verdict, reason="not so")
        assert await waiting == Verdict(accepted=False, reason="not so")

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-07")
def test_a_verdict_that_comes_before_the_answer_counts(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        waiting = played.start("tab")
        request = await played.request("open_diff")
        played.judge(request["params"], "rejected")
        assert not (await waiting).accepted
        await asyncio.sleep(0)
        assert played.cancelled == [request["id"]]
        played.say(id=request["id"], result={})

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-06")
def test_the_same_name_again_takes_the_place_of_its_owners_own(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        first, earlier = await played.shown("tab")
        others, foreign = await played.shown("tab", OTHER)
        second = played.start("tab")
        requests = [await played.request("close_diffs"), await played.request("open_diff")]
        for request in requests:
            played.say(id=request["id"], result={})
        closing, later = (request["params"] for request in requests)
        assert closing["reviews"] == [earlier["review"]]
        assert not (await first).accepted
        played.judge(earlier, "accepted")  # which crosses what the hub says
        assert not second.done()
        assert not others.done()
        played.judge(later, "accepted")
        played.judge(foreign, "accepted")
        assert (await second).accepted
        assert (await others).accepted

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-09")
def test_closing_ends_ones_own_and_waits_for_the_editor(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        first, diff = await played.shown("tab")
        second, foreign = await played.shown("tab", OTHER)
        assert not await played.reviews.close(CLAUDE, "another")
        closing = asyncio.create_task(played.reviews.close(CLAUDE, "tab"))
        assert not (await first).accepted
        assert not closing.done()
        await played.closes(diff)
        assert await closing
        assert not await played.reviews.close(CLAUDE, "tab")
        assert not second.done()
        played.judge(foreign, "rejected")

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-09", "IDE-TOOL-18")
def test_closing_all_ends_ones_own(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        mine = [await played.shown(name) for name in ("one", "two", "three")]
        waiting, foreign = await played.shown("one", OTHER)
        closing = asyncio.create_task(played.reviews.close_all(CLAUDE))
        await played.closes(*(diff for _, diff in mine))
        assert await closing == 3
        assert await played.reviews.close_all(CLAUDE) == 0
        assert {(await ended).accepted for ended, _ in mine} == {False}
        played.judge(foreign, "accepted")
        assert (await waiting).accepted

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-07")
def test_a_verdict_that_crosses_the_closing_leaves_no_file(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        closing = asyncio.create_task(played.reviews.close(CLAUDE, "tab"))
        assert not (await waiting).accepted
        assert played.files() == []
        write(diff["answer_file"], b"accepted")
        played.judge(diff, "accepted")
        await played.closes(diff)
        await closing

    play(tmp_path, scene)


@pytest.mark.parametrize("answered", [True, False])
@pytest.mark.requirement("MCP-07")
def test_cancelling_closes_the_diff(tmp_path: Path, answered: bool) -> None:
    async def scene(played: Played) -> None:
        waiting = played.start("tab")
        request = await played.request("open_diff")
        if answered:
            played.say(id=request["id"], result={})
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        await played.closes(request["params"])
        assert played.cancelled == ([] if answered else [request["id"]])

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-07")
def test_an_editor_that_leaves(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        shown, _ = await played.shown("one")
        asked = played.start("two")
        await played.request("open_diff")
        played.close()
        for waiting in (shown, asked):
            with pytest.raises(ConnectionLost, match="main-p-1 has left"):
                await waiting
        with pytest.raises(ConnectionLost):
            await played.start("three")

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-05")
def test_a_verdict_with_which_the_editor_leaves(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("one")
        played.judge(diff, "rejected")
        played.say(type="bye")
        assert not (await waiting).accepted

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-03")
def test_a_busy_editor_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_AGAIN", 0.0)

    async def scene(played: Played) -> None:
        waiting = played.start("tab")
        asked = []
        for _ in range(3):
            request = await played.request("open_diff")
            asked.append(request["params"])
            played.say(id=request["id"], error={"code": 1004, "message": "busy", "data": {"kind": "busy"}})
        assert asked[0] == asked[1] == await played.answered("open_diff")
        assert read(asked[0]["proposal_file"]) == b"new\n"
        played.judge(asked[0], "rejected")
        assert not (await waiting).accepted

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-09")
def test_a_deaf_editor_closes_later_and_nobody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending, "_AGAIN", 0.0)
    monkeypatch.setattr(module, "_CLEARING", 0.0)

    async def scene(played: Played) -> None:
        waiting = played.start("tab")
        opening = await played.request("open_diff")
        assert await played.reviews.close_all(CLAUDE) == 1
        assert not (await waiting).accepted
        closing = await played.request("close_diffs")
        again = played.start("tab")
        second = await played.request("open_diff")
        assert await played.reviews.close_all(CLAUDE) == 1
        played.say(id=closing["id"], error={"code": 1004, "message": "busy", "data": {"kind": "busy"}})
        await played.closes(opening["params"])
        await played.closes(second["params"])
        assert not (await again).accepted

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-03")
def test_what_the_editor_refuses_is_the_callers_error(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        errors: list[tuple[Message, type[Exception]]] = [
            ({"code": 1004, "message": "no access", "data": {"kind": "access"}}, CommandFailed),
            ({"code": -32601, "message": "no such method"}, EditorMethodError),
        ]
        for error, raised in errors:
            waiting = played.start("tab")
            request = await played.request("open_diff")
            played.say(id=request["id"], error=error)
            with pytest.raises(raised, match=error["message"]):
                await waiting
            closing = await played.request("close_diffs")
            played.say(id=closing["id"], error=error)

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-03")
def test_there_is_a_limit(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        shown = [await played.shown(str(number)) for number in range(MAX_PENDING)]
        with pytest.raises(CommandFailed) as caught:
            await played.start("one more")
        assert caught.value.data["kind"] == "limit"
        assert len(played.files()) == MAX_PENDING, "only those for the answers"
        replacing = played.start("0")
        await played.closes(shown[0][1])
        again = await played.answered("open_diff")
        for diff in [again, *(diff for _, diff in shown[1:])]:
            played.judge(diff, "rejected")
        await asyncio.wait([replacing])

    play(tmp_path, scene)


@pytest.mark.requirement("IDE-TOOL-07")
def test_a_verdict_on_nothing_is_nobodys(tmp_path: Path) -> None:
    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        nothing: list[Any] = [None, {}, "x"]
        for review in nothing:
            played.say(type="review", review=review, verdict="accepted")
        played.say(type="review")
        assert not waiting.done()
        played.judge(diff, "rejected")

    play(tmp_path, scene)


@pytest.mark.requirement("HOOK-04")
def test_a_hook_that_waits_is_the_first_to_tell_of_a_rejection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_AFTER_HOOK", 0.01)
    heard: list[str] = []

    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        played.reviews.objections.wait("/p/../p/file", heard.append)
        played.reviews.objections.wait("/p/other", heard.append)
        played.judge(diff, "rejected", reason="not so")
        assert heard == ["not so"]
        assert not waiting.done()
        assert await waiting == Verdict(accepted=False, reason="not so")

    play(tmp_path, scene)
    assert heard == ["not so"]


@pytest.mark.requirement("HOOK-04")
def test_a_user_may_be_quicker_than_the_hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But a reason is for the change that was rejected, and no later one."""
    monkeypatch.setattr(module, "_AFTER_HOOK", 0.01)
    monkeypatch.setattr(objections, "LATE", 0.01)
    heard: list[str] = []

    async def scene(played: Played) -> None:
        played.reviews.objections.expect()
        for hooks in (2, 0):
            waiting, diff = await played.shown("tab")
            played.judge(diff, "rejected", reason="not so")
            for _ in range(hooks):
                played.reviews.objections.wait("/p/file", heard.append)()
            await waiting
        await asyncio.sleep(0.02)
        played.reviews.objections.wait("/p/file", heard.append)()

    play(tmp_path, scene)
    assert heard == ["not so"]


@pytest.mark.requirement("HOOK-04")
def test_where_no_client_has_hooks_none_is_waited_for(tmp_path: Path) -> None:
    heard: list[str] = []

    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        played.judge(diff, "rejected", reason="not so")
        assert await asyncio.wait_for(asyncio.shield(waiting), module._AFTER_HOOK / 2) == Verdict(False, "", "not so")
        played.reviews.objections.wait("/p/file", heard.append)()

    play(tmp_path, scene)
    assert heard == []


@pytest.mark.parametrize("verdict", ["accepted", "rejected", "withdrawn"])
@pytest.mark.requirement("HOOK-04")
def test_a_hook_waits_no_longer_than_the_review(tmp_path: Path, verdict: str) -> None:
    heard: list[str] = []

    async def scene(played: Played) -> None:
        waiting, diff = await played.shown("tab")
        played.reviews.objections.wait("/p/file", heard.append)
        if verdict == "withdrawn":
            closing = asyncio.create_task(played.reviews.close(CLAUDE, "tab"))
            played.say(id=(await played.request("close_diffs"))["id"], result={})
            await closing
        else:
            played.judge(diff, verdict)
        await waiting
        assert heard == [""]

    play(tmp_path, scene)


@pytest.mark.requirement("HOOK-04")
def test_a_hook_that_has_gone_is_told_nothing_and_one_without_a_review_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objections, "_TOGETHER", 0.01)

    async def scene() -> None:
        gone: list[str] = []
        heard: asyncio.Queue[str] = asyncio.Queue()
        its = objections.Objections(lambda _path: False)
        its.wait("/p/file", gone.append)()
        its.wait("/p/file", heard.put_nowait)
        assert await asyncio.wait_for(heard.get(), 10) == ""
        assert gone == []

    asyncio.run(scene())


@pytest.mark.requirement("HOOK-04")
def test_a_later_reason_is_not_let_go_with_an_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    async def scene() -> None:
        its = objections.Objections(lambda _path: True)
        its.expect()
        for reason, seconds in (("not so", 0.01), ("nor so", 60.0)):
            monkeypatch.setattr(objections, "LATE", seconds)
            its.tell("/p/file", reason)
        await asyncio.sleep(0.05)
        its.wait("/p/file", heard.append)()

    asyncio.run(scene())
    assert heard == ["nor so"]


@pytest.mark.requirement("HOOK-04")
def test_a_hook_is_not_sent_away_with_an_earlier_one(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    async def scene() -> None:
        its = objections.Objections(lambda _path: False)
        for hook, seconds in (("first", 0.01), ("second", 60.0)):
            monkeypatch.setattr(objections, "_TOGETHER", seconds)
            its.wait("/p/file", lambda reason, hook=hook: heard.append(hook + reason))  # type: ignore[misc]  # typed by the call
        await asyncio.sleep(0.05)

    asyncio.run(scene())
    assert heard == ["first"]
