"""State that is pushed: when, how often, and what it holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub

Launch = Callable[..., Terminal]
State = dict[str, Any]

# event: keys that bring it about, what the pushed state then shows
EVENTS: dict[str, tuple[str, Callable[[State], bool]]] = {
    "BufEnter": (":edit two.txt\r", lambda state: state["current_buffer"]["name"].endswith("/two.txt")),
    "BufWritePost": ("ihello\x1b:write\r", lambda state: state["current_buffer"]["modified"] is False),
    "BufAdd": (":badd two.txt\r", lambda state: len(state["buffers"]) == 2),
    "BufFilePost": (":file renamed.txt\r", lambda state: state["current_buffer"]["name"].endswith("renamed.txt")),
    "WinEnter": (":split\r", lambda state: len(state["windows"]) == 2),
    "TabEnter": (":tabnew\r", lambda state: state["windows"][-1]["tab"] == 2),
    "ModeChanged": ("v", lambda state: state["mode"] == "v"),
    "InsertEnter": ("i", lambda state: state["mode"] == "i"),
    "TextChanged": (":call setline(1, 'x')\r", lambda state: state["current_buffer"]["changedtick"] > 2),
    "TextChangedI": ("ix", lambda state: state["current_buffer"]["modified"] is True),
    "CursorMoved": (":call setline(1, range(9)) | normal! G\r", lambda state: state["cursor"] == [9, 1]),
    "DirChanged": (":cd /\r", lambda state: state["cwd"] == "/"),
    "FileType": (":set filetype=python\r", lambda state: state["current_buffer"]["filetype"] == "python"),
}


def _pushed(link: RawEditor, wanted: Callable[[State], bool]) -> list[State]:
    """The pushed messages up to the first whose state is as wanted."""
    messages: list[State] = []
    while not messages or not wanted(messages[-1]["state"]):
        messages.append(link.event("event"))
    return messages


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.requirement("VIM-CONN-05", "VIM-PUSH-01", "VIM-PUSH-02", "VIM-PUSH-03", "VIM-PUSH-04")
def test_a_change_is_pushed_with_the_events_that_told_it(editor: tuple[Terminal, RawEditor], event: str) -> None:
    terminal, link = editor
    keys, wanted = EVENTS[event]
    terminal.type(keys)
    messages = _pushed(link, wanted)
    assert event in [name for message in messages for name in message["events"]]
    for message in messages:
        assert message["event"] == message["events"][0]
        assert set(message["state"]) == {
            "current_buffer", "windows", "buffers", "cursor", "mode", "cwd", "access", "folders", "execute_code",
        }  # fmt: skip
        assert "content" not in message["state"]["current_buffer"]


def test_what_is_pushed_is_what_get_state_gives(editor: tuple[Terminal, RawEditor]) -> None:
    terminal, link = editor
    terminal.type(":vsplit two.txt\r")
    pushed = _pushed(link, lambda state: len(state["windows"]) == 2)[-1]["state"]
    sections = ["current_buffer", "windows", "buffers", "cursor", "mode", "cwd"]
    rest = {"access": "edit", "execute_code": "ask", "folders": link.hello["info"]["folders"]}
    assert {**link.request("get_state", sections=sections), **rest} == pushed


def test_a_deleted_buffer_leaves_the_pushed_state(editor: tuple[Terminal, RawEditor]) -> None:
    terminal, link = editor
    terminal.type(":edit two.txt\r")
    _pushed(link, lambda state: len(state["buffers"]) == 2)
    terminal.type(":bdelete 1\r")
    messages = _pushed(link, lambda state: len(state["buffers"]) == 1)
    assert "BufDelete" in [name for message in messages for name in message["events"]]
    terminal.type(":split\r")
    _pushed(link, lambda state: len(state["windows"]) == 2)
    terminal.type(":close\r")
    messages = _pushed(link, lambda state: len(state["windows"]) == 1)
    assert "WinClosed" in [name for message in messages for name in message["events"]]


def test_many_keys_make_few_pushes_and_the_last_one_is_current(editor: tuple[Terminal, RawEditor]) -> None:
    terminal, link = editor
    terminal.type("i")
    _pushed(link, lambda state: state["mode"] == "i")
    begun = time.monotonic()
    for _ in range(300):
        terminal.type("word ")
    messages = _pushed(link, lambda state: state["cursor"] == [1, 1501])
    elapsed = time.monotonic() - begun
    assert len(messages) <= elapsed / 0.1 + 2
    assert {name for message in messages for name in message["events"]} <= {
        "TextChangedI", "CursorMovedI", "WinScrolled", "BufModifiedSet",
    }  # fmt: skip


def _is_silent(link: RawEditor) -> bool:
    """Whether nothing is pushed for longer than any span."""
    assert link.request("ping") == {}
    try:
        link.event("event", timeout=0.5)
    except AssertionError:
        return True
    return False


def test_an_event_without_a_change_is_not_pushed(editor: tuple[Terminal, RawEditor], inside: Inside) -> None:
    terminal, link = editor
    terminal.type(":\x1b:doautocmd BufEnter\r:doautocmd CursorMoved\r")
    link.request("get_state")
    while not _is_silent(link):
        pass
    terminal.type(":doautocmd BufEnter\r:doautocmd WinEnter\r:doautocmd CursorMoved\r")
    modes = set()
    while not _is_silent(link):  # typing the commands changes the mode for a moment
        modes.add("n")
    terminal.type("x")
    assert _is_silent(link)


@pytest.mark.parametrize("events", ["['BufWrite']", "['BufWrite', 'NoSuchEvent', 7, 'BufEnter * let g:bad = 1 |']"])
@pytest.mark.requirement("VIM-CFG-07")
def test_the_user_chooses_the_events(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside, events: str, tmp_path: Path
) -> None:
    home.add(f"let g:vim_mcp_state_push_events = {events}")
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    link.event("event")  # the first state
    terminal.type("ihello\x1b:split\r")
    terminal.wait_screen(lambda screen: screen.count("hello") == 2)
    assert _is_silent(link)
    terminal.type(":write\r")
    assert link.event("event")["events"] == ["BufWrite"]
    assert inside.value(terminal, "exists('g:bad')") == 0


@pytest.mark.requirement("VIM-CFG-07")
def test_no_events_no_pushes(raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path) -> None:
    home.add("let g:vim_mcp_state_push_events = []")
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    assert _is_silent(link)
    terminal.type("ihello\x1b:split\r")
    terminal.wait_screen(lambda screen: screen.count("hello") == 2)
    link.request("execute", command="close", safe=True, reason="", timeout=1000)
    assert _is_silent(link)


def test_what_a_request_has_changed_is_pushed(editor: tuple[Terminal, RawEditor], tmp_path: Path) -> None:
    _, link = editor
    file = tmp_path / "project" / "one.txt"
    link.request("edit", file=str(file), kind="all", lines=["new", "text"], save=False)
    _pushed(link, lambda state: state["current_buffer"]["line_count"] == 2)


def test_without_a_hub_nothing_is_watched(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    terminal = launch()
    link = raw_hub.editor()
    link.event("event")
    assert inside.value(terminal, "exists('#vim_mcp_events#CursorMoved')") == 1
    raw_hub.close()
    assert link.closed.wait(TIMEOUT)
    deadline = time.monotonic() + TIMEOUT
    while inside.value(terminal, "exists('#vim_mcp_events')"):
        assert time.monotonic() < deadline
    again = RawHub(home.runtime)
    link = again.editor()
    link.event("event")
    terminal.type(":split\r")
    _pushed(link, lambda state: len(state["windows"]) == 2)
    again.close()


@pytest.mark.requirement("ACCESS-01")
def test_an_editor_that_is_paused_pushes_nothing_of_its_buffers(editor: tuple[Terminal, RawEditor]) -> None:
    terminal, link = editor
    terminal.type(":VimMCPPause\r")
    terminal.wait_screen("paused")
    terminal.type(":edit secret.txt\r")
    state = _pushed(link, lambda state: not state["buffers"])[-1]["state"]
    assert state["current_buffer"] is None
    assert state["windows"] == []
