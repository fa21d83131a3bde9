"""Diff review from an editor's port to the real editor and back: every call is answered once, and nothing is left."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from websockets.exceptions import InvalidMessage

from tests.support.editors import TIMEOUT, Terminal
from tests.support.ideclient import IdeClient, LockFile, wait_lock
from tests.support.mcpclient import ToolError
from tests.support.stage import Stage, wait_for_exit
from tests.support.waiting import wait_until

TEXT = "one\ntwo\nthree\n"
CHANGED = "one\n2\nthree\n"
TITLE = "test-client: "
"""How the title of a diff begins."""


class Scene:
    """An editor with one.txt, and clients of its port."""

    def __init__(self, stage: Stage, kind: str):
        self.stage = stage
        self.project = stage.project("pro ject", one_txt=TEXT, two_txt=TEXT)
        self.editor: Terminal = stage.editor(kind, "one.txt", cwd=self.project, size=(24, 200))
        self.editor.wait_screen("three")
        self.clients: list[IdeClient] = []
        self.client = self.connect()
        self.before = self.windows()

    def connect(self) -> IdeClient:
        """One more client."""
        self.clients.append(IdeClient.of(self.stage.home, self.editor.editor_pid))
        return self.clients[-1]

    def windows(self) -> list[Any]:
        """The editor's windows and buffers, as far as they can be left over."""
        windows = self.client.read_json("vim://windows")["windows"]
        return [windows, [buffer["name"] for buffer in self.client.read_json("vim://buffers")["buffers"]]]

    def propose(
        self, text: str = CHANGED, file: str = "one.txt", tab: str = "tab", client: IdeClient | None = None
    ) -> int:
        """Propose a text for a file; the call's id."""
        path = str(self.project / file)
        asked = {"old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": tab}
        return (client or self.client).start_tool("openDiff", **asked)

    def shown(self, text: str = "1 change") -> str:
        """Wait until a diff is shown."""
        return self.editor.wait_screen(lambda screen: TITLE in screen and text in screen)

    def waits(self, file: str) -> None:
        """Wait until a diff is opened that the user is not led to."""
        self.editor.wait_screen(f"a diff of {file} waits")

    def goes(self, number: int = 1, text: str = "1 change") -> None:
        """The user goes to a diff, if they are not there already, and sees a text."""
        self.editor.wait_screen(lambda screen: TITLE in screen or "waits for review" in screen)
        self.editor.type(f":ClaudeCodeDiffs {number}\r")
        self.shown(text)

    def returns(self, file: str) -> None:
        """Once the diff that the user was in has gone, they go to the only one that is left."""
        self.editor.wait_screen(lambda screen: TITLE not in screen)
        self.editor.type(":ClaudeCodeDiffs\r")
        self.shown(f"{file},")

    def proposed(self, text: str = CHANGED, **more: Any) -> int:
        """Propose a text, and go to the diff."""
        call = self.propose(text, **more)
        self.goes()
        return call

    def verdict(self, call: int, client: IdeClient | None = None) -> list[str]:
        """The text blocks of an answer."""
        return [block["text"] for block in (client or self.client).tool_answer(call)["content"]]

    def unanswered(self, *calls: int, client: IdeClient | None = None) -> None:
        """See that calls wait: each message before a ping's answer has come."""
        assert (client or self.client).request("ping") == {}
        for call in calls:
            with pytest.raises(AssertionError, match="no answer"):
                (client or self.client).answer(call, timeout=0)

    def diffs(self) -> int:
        """How many wait, by the status."""
        return int(self.stage.status()["instances"][0]["diffs"])

    def files(self) -> list[str]:
        """The files of texts in the runtime directory."""
        return [path.name for path in self.stage.runtime.glob("text-*")]

    def settled(self) -> None:
        """Wait until nothing is left of reviews."""
        self.editor.wait_screen(lambda screen: TITLE not in screen)
        wait_until(lambda: self.windows() == self.before, "the windows and buffers that there were before")
        assert self.diffs() == 0
        assert self.files() == []


@pytest.fixture
def scene(stage: Stage, kind: str) -> Iterator[Scene]:
    """The editor and its first client."""
    stage.home.add("set noswapfile hidden")
    scene = Scene(stage, kind)
    yield scene
    for client in scene.clients:
        client.close()


TEXTS = {
    "changed": CHANGED, "no final newline": "one\n2\nthree", "empty": "", "an empty line": "\n", "CRLF": "one\r\n2\r\n",
    "mixed line ends": "one\r\n2\nthree\r\n", "a BOM": "\ufeffone\n", "NUL": "a\0b\n\0\n", "lone CR": "a\rb\n\r",
    "wide": "caf\u00e9 \u6f22 \U0001d4b3 e\u0301\n", "tabs": "\ta\t\n \n\n\n", "CTRL-Z": "a\x1a", "long": "x" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("case", TEXTS)
@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-04")
def test_accepted_it_comes_back_as_it_went(scene: Scene, case: str) -> None:
    call = scene.proposed(TEXTS[case])
    scene.shown("one.txt,")
    assert scene.diffs() == 1
    scene.editor.type(":w\r")
    assert scene.verdict(call) == ["FILE_SAVED", TEXTS[case]]
    scene.settled()
    assert (scene.project / "one.txt").read_text() == TEXT, "writing it is the client's part"


@pytest.mark.requirement("IDE-TOOL-04")
def test_accepted_after_changes(scene: Scene) -> None:
    call = scene.proposed()
    scene.editor.type("GA more\x1bggOzero\x1b:x\r")
    assert scene.verdict(call) == ["FILE_SAVED", "zero\none\n2\nthree more\n"]
    scene.settled()


@pytest.mark.parametrize("keys", [":q\r", "ZQ", ":ClaudeCodeDiffDeny no\r", ":tabclose\r"])
@pytest.mark.requirement("IDE-TOOL-05", "IDE-TOOL-07")
def test_rejected(scene: Scene, keys: str) -> None:
    call = scene.proposed()
    scene.editor.type(keys)
    assert scene.verdict(call) == ["DIFF_REJECTED", "tab"]
    scene.settled()


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-05")
def test_leaving_the_editor_is_a_verdict_that_is_heard(scene: Scene) -> None:
    calls = [scene.proposed(), scene.propose(file="two.txt", tab="other")]
    scene.waits("two.txt")
    scene.editor.type(":qa!\r")
    assert [scene.verdict(call) for call in calls] == [["DIFF_REJECTED", "tab"], ["DIFF_REJECTED", "other"]]
    assert scene.client.closed.wait(TIMEOUT)
    scene.editor.wait()
    assert scene.files() == []


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-05")
def test_a_new_file_in_a_new_directory(scene: Scene) -> None:
    name = "new dir \u00e9/sub/a b.txt"
    for keys, verdict in ((":q\r", ["DIFF_REJECTED", "tab"]), (":w\r", ["FILE_SAVED", "new"])):
        call = scene.proposed("new", file=name)
        scene.shown("a b.txt")
        scene.editor.type(keys)
        assert scene.verdict(call) == verdict
        scene.settled()
        assert not (scene.project / "new dir \u00e9").exists()


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-07", "IDE-TOOL-09", "IDE-TOOL-18")
def test_closed_by_its_client(scene: Scene) -> None:
    other = scene.connect()
    foreign = scene.proposed(file="two.txt", client=other)
    for close, arguments, answer in (
        ("close_tab", {"tab_name": "tab"}, "TAB_CLOSED"),
        ("closeAllDiffTabs", {}, "CLOSED_1_DIFF_TABS"),
    ):
        call = scene.propose()
        scene.waits("one.txt")
        scene.goes(2, "one.txt,")
        assert scene.client.texts(close, **arguments) == [answer]
        assert scene.verdict(call) == ["DIFF_REJECTED", "tab"]
        scene.returns("two.txt")
    assert scene.client.texts("close_tab", tab_name="one.txt") == ["TAB_CLOSED"], "that is the user's, and stays"
    scene.unanswered(foreign, client=other)
    assert other.texts("closeAllDiffTabs") == ["CLOSED_1_DIFF_TABS"]
    assert scene.verdict(foreign, other) == ["DIFF_REJECTED", "tab"]
    scene.settled()


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-06")
def test_the_same_name_again(scene: Scene) -> None:
    first = scene.proposed()
    second = scene.propose("other\n")
    assert scene.verdict(first) == ["DIFF_REJECTED", "tab"]
    scene.waits("one.txt")
    scene.editor.wait_screen(lambda screen: TITLE not in screen)
    scene.goes(text="other")
    assert scene.diffs() == 1
    scene.editor.type(":w\r")
    assert scene.verdict(second) == ["FILE_SAVED", "other\n"]
    scene.settled()


@pytest.mark.slow
@pytest.mark.requirement("MCP-07", "IDE-TOOL-07")
def test_cancelled_or_left_alone(scene: Scene) -> None:
    other = scene.connect()
    kept = scene.proposed(file="two.txt", client=other)
    call = scene.propose()
    scene.waits("one.txt")
    scene.goes(2, "one.txt,")
    scene.client.notify("notifications/cancelled", requestId=call)
    scene.returns("two.txt")
    wait_until(lambda: scene.diffs() == 1, "one diff")
    scene.unanswered(call)
    leaving = scene.connect()
    scene.propose("gone\n", file="three.txt", client=leaving)
    scene.waits("three.txt")
    scene.goes(2, "gone")
    leaving.close()
    scene.returns("two.txt")
    wait_until(lambda: scene.diffs() == 1, "one diff")
    scene.editor.type(":w\r")
    assert scene.verdict(kept, other) == ["FILE_SAVED", CHANGED]
    scene.settled()


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-03")
def test_an_editor_that_is_busy_shows_it_later(scene: Scene) -> None:
    pipe = scene.stage.home.home / "go"
    os.mkfifo(pipe)
    scene.editor.type(":call system('read x < ' . shellescape($HOME . '/go'))\r")
    call = scene.propose()
    gone = scene.propose("never seen\n", tab="gone")
    wait_until(lambda: scene.diffs() == 2, "both wait")
    assert scene.client.texts("close_tab", tab_name="gone") == ["TAB_CLOSED"]
    assert scene.verdict(gone) == ["DIFF_REJECTED", "gone"]
    scene.unanswered(call)
    with pipe.open("w") as writer:
        writer.write("\n")
    scene.goes(text="one.txt,")
    scene.editor.type(":w\r")
    assert scene.verdict(call) == ["FILE_SAVED", CHANGED]
    scene.settled()


# ---- when something dies


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-07")
def test_the_editor_is_killed(scene: Scene) -> None:
    call = scene.proposed()
    os.kill(scene.editor.editor_pid, signal.SIGKILL)
    with pytest.raises(ToolError, match="has left"):
        scene.verdict(call)
    assert scene.client.closed.wait(TIMEOUT)
    wait_until(lambda: scene.files() == [], "no file is left")


@pytest.mark.slow
@pytest.mark.parametrize("cleaner", ["another editor", "the next hub"])
@pytest.mark.requirement("IDE-REVIEW-02")
def test_what_a_killed_editor_leaves_is_removed(stage: Stage, kind: str, cleaner: str) -> None:
    stage.home.add("set noswapfile hidden", "autocmd InsertLeave * write")
    scene = Scene(stage, kind)
    scene.proposed()
    (left,) = (
        path for path in stage.runtime.iterdir() if path.name.startswith(f"vim-mcp-review-{scene.editor.editor_pid}-")
    )
    os.kill(scene.editor.editor_pid, signal.SIGKILL)
    scene.editor.wait()
    assert left.is_dir()
    assert not [path for path in left.rglob("*") if path.is_file()]
    if cleaner == "the next hub":
        stage.run("stop")
        stage.client()
    else:
        stage.editor(kind, "two.txt", cwd=scene.project)
    wait_until(lambda: not left.exists(), "its directory to go")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["stop", "SIGTERM"])
@pytest.mark.requirement("IDE-TOOL-07")
def test_the_hub_leaves(scene: Scene, way: str) -> None:
    calls = [scene.proposed(), scene.propose(file="two.txt", tab="other")]
    scene.waits("two.txt")
    ended = os.pidfd_open(scene.stage.hub_pid())
    if way == "stop":
        scene.stage.run("stop")
    else:
        os.kill(scene.stage.hub_pid(), signal.SIGTERM)
    for call in calls:
        with pytest.raises(ToolError, match="no verdict"):
            scene.verdict(call)
    assert scene.client.closed.wait(TIMEOUT)
    wait_for_exit(ended)
    assert scene.files() == []


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-07")
def test_after_the_hubs_death_it_is_asked_for_again(scene: Scene) -> None:
    """What the user has typed into the diff is there still; a diff that nobody asks for goes."""
    scene.proposed()
    scene.propose(file="two.txt", tab="forgotten")
    scene.waits("two.txt")
    scene.editor.type("Gomine\x1b")
    scene.editor.wait_screen("mine")
    lock = wait_lock(scene.stage.home, scene.editor.editor_pid)
    scene.stage.kill_hub()
    scene.editor.wait_screen("not connected")
    scene.editor.type(":w\r")  # which nobody hears
    scene.client = reconnected(lock)
    scene.clients.append(scene.client)
    call = scene.propose()
    wait_until(lambda: scene.diffs() == 1, "it waits again")
    scene.unanswered(call)
    scene.shown("mine")
    scene.editor.type(":w\r")
    assert scene.verdict(call) == ["FILE_SAVED", f"{CHANGED}mine\n"]
    scene.settled()


def reconnected(lock: LockFile) -> IdeClient:
    """A client of the port that there was, once somebody is there again."""
    found: list[IdeClient] = []

    def connect() -> bool:
        with contextlib.suppress(OSError, InvalidMessage):
            found.append(IdeClient(lock.port, lock.token))
        return bool(found)

    wait_until(connect, "the port again")
    found[0].initialize()
    return found[0]
