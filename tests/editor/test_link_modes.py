"""The editor in every state that waits for its person: it answers, or says what it waits for, and loses no key."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.inside import methods
from tests.support.rawhub import RawEditor, RawHub

Launch = Callable[..., Terminal]

KEY, NEOVIM, NEOVIM07 = "a key", ("nvim", "nvim07"), ("nvim07",)

# name: keys that lead into the state, what the screen then shows, who does not serve requests there and what it says
# that it waits for, keys that lead out of it.
STATES: dict[str, tuple[str, str, tuple[str, ...], str, str]] = {
    "insert mode": ("i", "INSERT", (), "", "\x1b"),
    "insert CTRL-O": ("i\x0f", "(insert)", (), "", "\x1b\x1b"),
    "replace mode": ("R", "REPLACE", (), "", "\x1b"),
    "visual mode": ("v", "VISUAL", (), "", "\x1b"),
    "select mode": ("gh", "SELECT", (), "", "\x1b"),
    "command line": (":abc", ":abc", (), "", "\x1b"),
    "command-line window": ("q:", "[Command Line]", (), "", ":q\r"),
    "Ex mode": ("gQ", "Ex mode", (), "", "vi\r"),
    "terminal": (":terminal ./shell\r", "ready", (), "", ""),
    "input()": (":call input('Name? ')\r", "Name?", (), "", "\r"),
    "getchar()": (":echo 'wait' | call getchar()\r", "wait", (), "", "x"),
    ":sleep": (":echo 'doze' | sleep 1\r", "doze", (), "", ""),
    "operator pending": ("d", "d", (), "", "\x1b"),
    "operator and count": ("d2", "d2", NEOVIM, "a motion (pending operator)", "\x1b"),
    "count": ("2", "2", NEOVIM, KEY, "\x1b"),
    "f": ("f", "f", NEOVIM, KEY, "\x1b"),
    "register": ('"', '"', NEOVIM, KEY, "\x1b"),
    "g": ("g", "g", NEOVIM, KEY, "\x1b"),
    "window command": ("\x17", "^W", NEOVIM, KEY, "\x1b"),
    "r": ("r", "r", NEOVIM, KEY, "\x1b"),
    "visual f": ("vf", "f", NEOVIM, KEY, "\x1b\x1b"),
    "insert CTRL-V": ("i\x16", "^V", NEOVIM, KEY, "x\x1b"),
    "insert CTRL-R": ("i\x12", "^R", NEOVIM, KEY, "\x1b\x1b"),
    "hit-enter prompt": (':echo "a\\nb"\r', "Press ENTER", NEOVIM, "a key (hit-enter prompt)", "\r"),
    "more prompt": (':set more | echo join(range(99), "\\n")\r', "-- More --", NEOVIM, "a key (more prompt)", "q"),
    "confirm()": (':call confirm("Sure?")\r', "Sure?", NEOVIM07, "an answer (confirm prompt)", "o"),
    ":substitute with c": (":s/one/two/c\r", "replace with", NEOVIM07, "an answer (confirm prompt)", "n"),
}


def _outcome(link: RawEditor, request: int) -> str:
    """'' once the request is answered, or what the editor says that it waits for."""
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        if request in link.answered:
            return ""
        try:
            message = link.events.get(timeout=0.05)
        except queue.Empty:
            continue
        if message["type"] == "waiting":
            return str(message["waiting_for"])
    raise AssertionError("neither answered nor told to wait")


@pytest.mark.parametrize("state", STATES)
@pytest.mark.requirement("BUSY-01")
def test_every_state_answers_or_says_what_it_waits_for(
    raw_hub: RawHub, launch: Launch, home: EditorHome, kind: str, state: str, tmp_path: Path
) -> None:
    keys, shown, deaf, waiting_for, out = STATES[state]
    home.add("set showcmd")
    (tmp_path / "one.txt").write_text("one fine line\n")
    (tmp_path / "shell").write_text("#!/bin/sh\necho ready\nexec cat\n")
    (tmp_path / "shell").chmod(0o755)
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    terminal.wait_screen("one fine line")
    link.event("BufEnter")
    terminal.type(keys)
    terminal.wait_screen(lambda screen: shown in screen.replace("one fine line", "").replace("one.txt", ""))
    request = link.start("ping")
    outcome = _outcome(link, request)
    assert outcome.startswith(waiting_for) if kind in deaf else outcome == ""
    terminal.type(out)
    assert link.answer(request) == {}
    assert link.request("ping") == {}


def test_a_shell_command_is_told_as_far_as_the_editor_can(
    editor: tuple[Terminal, RawEditor], kind: str, tmp_path: Path
) -> None:
    terminal, link = editor
    lock = tmp_path / "go"
    terminal.type(f":!echo begun; until test -e {lock}; do sleep 0.05; done\r")
    terminal.wait_screen("begun\n")
    request = link.start("ping")
    if kind != "vim":  # Vim runs nothing at all until the command ends
        assert link.event("waiting")["waiting_for"] == "a shell command to end"
    lock.touch()
    terminal.wait_screen("Press ENTER")
    terminal.type("\r")
    assert link.answer(request) == {}


def test_a_withdrawn_request_is_not_begun(raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path) -> None:
    home.add(methods(tmp_path, "  let g:done = get(g:, 'done', []) + [a:method]", "  if a:method ==# 'count'",
                     "    return a:reply({'result': g:done})", "  endif"))  # fmt: skip
    terminal = launch()
    link = raw_hub.editor()
    link.event("BufEnter")
    lock = tmp_path / "go"
    terminal.type(f":!echo begun; until test -e {lock}; do sleep 0.05; done\r")
    terminal.wait_screen("begun\n")
    link.send({"cancel": link.start("withdrawn")})
    link.send({"id": link.expect(), "method": "late", "params": {}, "expires": int(time.time()) - 1})
    link.send({"id": link.expect(), "method": "timely", "params": {}, "expires": int(time.time()) + 60})
    request = link.start("count")
    lock.touch()
    terminal.wait_screen("Press ENTER")
    terminal.type("\r")
    assert link.answer(request) == ["timely", "count"]
    assert link.answered == [3, 4]


def test_a_request_behind_one_that_asks_the_person_is_told_to_wait(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add(methods(tmp_path, "  if a:method ==# 'ask'", "    return a:reply({'result': input('Name? ')})", "  endif"))
    terminal = launch()
    link = raw_hub.editor()
    link.event("BufEnter")
    asking = link.start("ask")
    terminal.wait_screen("Name?")
    behind = link.start("ping")
    assert link.event("waiting")["waiting_for"] == "an answer on the command line"
    terminal.type("Ada\r")
    assert link.answer(asking) == "Ada"
    assert link.answer(behind) == {}


KEYS = (
    "ithe quick brown fox jumps over\x1b0f r-wdwyyp:s/$/ é✻/\riabc\x12=1+1\r\x1bqqcwmacro\x1bjq2@q"
    'oa longer line\x1b0"ayw3l"aPvex~u~Olast\x08\x08x\x1b2Xmm`mGotyped\x1b'
)


def _type_slowly(terminal: Terminal) -> None:
    for key in KEYS:
        terminal.type(key)
        time.sleep(0.003)  # as keys come: one by one
    terminal.wait_screen("typed")


@pytest.mark.requirement("BUSY-03")
def test_no_typed_key_is_lost_while_requests_come(
    editor: tuple[Terminal, RawEditor], launch: Launch, raw_hub: RawHub
) -> None:
    terminal, link = editor
    stop = threading.Event()
    served: list[object] = []

    def flood() -> None:
        while not stop.is_set():
            started = [link.start("get_state"), link.start("ping")]
            served.extend(link.answer(request) for request in started)

    flooding = threading.Thread(target=flood)
    flooding.start()
    _type_slowly(terminal)
    stop.set()
    flooding.join(TIMEOUT)
    quiet = launch("quiet.txt")
    quiet_link = raw_hub.editor()
    quiet_link.event("BufEnter")
    _type_slowly(quiet)
    expected = quiet_link.request("get_state")["current_buffer"]["content"]
    assert len(expected) > 3
    assert link.request("get_state")["current_buffer"]["content"] == expected
    assert len(served) > 10


@pytest.mark.requirement("BUSY-04")
def test_a_request_that_is_withdrawn_while_it_waits_for_normal_mode_is_not_done(
    editor: tuple[Terminal, RawEditor], tmp_path: Path
) -> None:
    terminal, link = editor
    (tmp_path / "two.txt").write_text("second\n")
    terminal.type("i")
    terminal.wait_screen("INSERT")
    request = link.start("show", file=str(tmp_path / "two.txt"))
    assert link.request("ping") == {}  # so it has been looked at once
    link.send({"cancel": request})
    assert link.request("ping") == {}
    terminal.type("typed\x1b")
    link.event("InsertLeave")
    with pytest.raises(AssertionError, match="no event"):
        link.event("BufEnter", timeout=1.5)  # longer than a request waits for normal mode
    assert link.request("get_state")["current_buffer"]["content"] == ["typed"]
