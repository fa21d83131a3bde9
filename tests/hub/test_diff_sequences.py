"""Random sequences of what three clients and the user do with diffs: each call ends once, and nothing is left."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.ideclient import IdeClient
from tests.support.inside import Inside
from tests.support.stage import Stage
from tests.support.waiting import wait_until

FILES = ("one.txt", "two.txt", "new/three.txt")
TABS = ("tab", "other tab")
STEPS = 200
LIMIT = 12.0
"""Seconds after which no further step is taken."""


@dataclass
class Diff:
    """One that is pending, as it must be."""

    client: IdeClient
    call: int
    tab: str
    text: str
    mark: str
    """What its proposal, and no other one, shows."""


class Walk:
    """An editor, three clients and one that looks, and what must be pending: `diffs`, the oldest first."""

    def __init__(self, stage: Stage, kind: str, seed: int):
        self.stage = stage
        self.random = random.Random(seed)
        stage.home.add("set noswapfile hidden")
        self.inside = Inside(stage.home)
        self.project = stage.project("project", one_txt="one\n", two_txt="two\n")
        self.editor = stage.editor(kind, "one.txt", cwd=self.project, size=(24, 160))
        self.editor.wait_screen("one")
        self.watcher = self.connect()
        self.clients = [self.connect() for _ in range(3)]
        self.left: list[tuple[IdeClient, list[int]]] = []
        """Those who have hung up, with the calls that then were pending."""
        self.cancelled: list[Diff] = []
        self.diffs: list[Diff] = []
        self.calls: list[tuple[IdeClient, int]] = []
        self.before = self.leftovers()

    def connect(self) -> IdeClient:
        """One more client."""
        return IdeClient.of(self.stage.home, self.editor.editor_pid)

    # What clients do

    def propose(self) -> None:
        """A client proposes a change, perhaps under a name that it has used."""
        client, tab = self.random.choice(self.clients), self.random.choice(TABS)
        path = str(self.project / self.random.choice(FILES))
        mark = f"<{len(self.calls) + 1}>"
        text = f"{mark}\n" + "".join(self.random.choice(("one\n", "two\n", "\u6f22\n", "\n", "end")) for _ in range(4))
        asked = {"old_file_path": path, "new_file_path": path, "new_file_contents": text, "tab_name": tab}
        call = client.start_tool("openDiff", **asked)
        self.calls.append((client, call))
        self.withdrawn([diff for diff in self.diffs if (diff.client, diff.tab) == (client, tab)])
        self.diffs.append(Diff(client, call, tab, text, mark))

    def withdrawn(self, diffs: list[Diff]) -> None:
        """These end by their client's doing."""
        for diff in diffs:
            self.diffs.remove(diff)
            assert self.answer(diff) == ["DIFF_REJECTED", diff.tab]

    def answer(self, diff: Diff) -> list[str]:
        """The text blocks of its answer."""
        return [block["text"] for block in diff.client.tool_answer(diff.call)["content"]]

    def close_tab(self) -> None:
        """A client closes a diff that is perhaps there."""
        client, tab = self.random.choice(self.clients), self.random.choice(TABS)
        assert client.texts("close_tab", tab_name=tab) == ["TAB_CLOSED"]
        self.withdrawn([diff for diff in self.diffs if (diff.client, diff.tab) == (client, tab)])

    def close_all(self) -> None:
        """A client closes its own."""
        client = self.random.choice(self.clients)
        own = [diff for diff in self.diffs if diff.client is client]
        assert client.texts("closeAllDiffTabs") == [f"CLOSED_{len(own)}_DIFF_TABS"]
        self.withdrawn(own)

    def cancel(self) -> None:
        """A client cancels a call."""
        if self.diffs:
            diff = self.random.choice(self.diffs)
            diff.client.notify("notifications/cancelled", requestId=diff.call)
            self.diffs.remove(diff)
            self.cancelled.append(diff)

    def reconnect(self) -> None:
        """A client hangs up, and another takes its place."""
        number = self.random.randrange(len(self.clients))
        leaving = self.clients[number]
        pending = [diff for diff in self.diffs if diff.client is leaving]
        leaving.close()
        self.left.append((leaving, [diff.call for diff in pending]))
        self.diffs = [diff for diff in self.diffs if diff.client is not leaving]
        self.clients[number] = self.connect()

    # What the user does

    def go(self) -> Diff | None:
        """The user goes to a diff, and looks whether it is that one."""
        if not self.diffs:
            return None
        diff = self.random.choice(self.diffs)
        self.editor.type(f"\x1c\x0e:ClaudeCodeDiffs {self.diffs.index(diff) + 1}\r")
        assert diff.mark in self.inside.value(self.editor, "getline(1, '$')")
        self.editor.wait_screen("test-client: ", diff.mark)
        return diff

    def edit(self) -> None:
        """The user changes a proposal."""
        if diff := self.go():
            self.editor.type("ggOmine\x1b")
            diff.text = f"mine\n{diff.text}"
            self.look()

    def accept(self) -> None:
        """The user accepts."""
        if diff := self.go():
            self.editor.type(self.random.choice((":w\r", ":wq\r", "ZZ", ":ClaudeCodeDiffAccept\r")))
            self.diffs.remove(diff)
            assert self.answer(diff) == ["FILE_SAVED", diff.text]

    def reject(self) -> None:
        """The user rejects."""
        if diff := self.go():
            self.editor.type(self.random.choice((":q\r", "ZQ", ":ClaudeCodeDiffDeny because\r")))
            self.diffs.remove(diff)
            assert self.answer(diff) == ["DIFF_REJECTED", diff.tab]

    def race(self) -> None:
        """The user accepts while the client closes."""
        if diff := self.go():
            self.editor.type(":w\r")
            assert diff.client.texts("close_tab", tab_name=diff.tab) == ["TAB_CLOSED"]
            self.diffs.remove(diff)
            assert self.answer(diff) in (["FILE_SAVED", diff.text], ["DIFF_REJECTED", diff.tab])

    # What must be so

    def step(self) -> None:
        """One of all this, and the editor has done its part."""
        actions: list[Callable[[], None]] = [
            self.propose,
            self.propose,
            self.propose,
            self.edit,
            self.accept,
            self.reject,
        ]
        actions += [self.race, self.close_tab, self.close_all, self.cancel, self.reconnect]
        self.random.choice(actions)()
        wait_until(lambda: self.pending() == len(self.diffs), f"{len(self.diffs)} diffs")
        self.look()

    def pending(self) -> int:
        """How many diffs there are, by the status."""
        return int(self.stage.status()["instances"][0]["diffs"])

    def look(self) -> Any:
        """The editor's windows, once it has done what it was asked before."""
        return self.watcher.read_json("vim://windows")["windows"]

    def leftovers(self) -> list[Any]:
        """What could be left over in the editor, which must be in normal mode, but for texts kept for its user."""
        asked = (
            "[tabpagenr('$'), winnr('$'), filter(map(getbufinfo(), 'v:val.name'), 'v:val !~# \"^vim-mcp://kept/\"'), "
            "exists('#vim_mcp_diff'), bufname('%'), "
            "exists('#vim_mcp_diff_write'), count(execute('autocmd'), '<buffer='), &diff, &showtabline]"
        )
        return list(self.inside.value(self.editor, asked))

    def finish(self) -> None:
        """Everybody but the one who looks leaves; nothing may be left, and each call has had its one answer."""
        for client in self.clients:
            self.left.append((client, [diff.call for diff in self.diffs if diff.client is client]))
            client.close()
        wait_until(lambda: self.pending() == 0, "no diff")
        self.editor.wait_screen(lambda screen: "test-client: " not in screen)
        wait_until(lambda: len(self.look()) == 1, "one window")
        self.editor.type("\x1c\x0e")
        wait_until(lambda: self.leftovers() == self.before, "nothing is left in the editor")
        wait_until(lambda: not list(self.stage.runtime.glob("text-*")), "no file")  # the state's come and go
        unanswered = {(id(client), call) for client, calls in self.left for call in calls}
        unanswered |= {(id(diff.client), diff.call) for diff in self.cancelled}
        for client, call in self.calls:
            answers = Counter(client.answered)[call]
            assert answers == (0 if (id(client), call) in unanswered else 1), (call, answers)


@pytest.fixture
def walk(stage: Stage, kind: str, seed: int) -> Iterator[Walk]:
    """A walk at its beginning."""
    walk = Walk(stage, kind, seed)
    yield walk
    for client in [walk.watcher, *walk.clients]:
        client.close()
    walk.inside.close()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.requirement("IDE-TOOL-06", "IDE-TOOL-07", "IDE-TOOL-09", "IDE-TOOL-18")
def test_whatever_is_done_each_call_ends_once_and_nothing_is_left(walk: Walk) -> None:
    end = time.monotonic() + LIMIT
    for _ in range(STEPS):
        if time.monotonic() > end:
            break
        walk.step()
    walk.finish()
