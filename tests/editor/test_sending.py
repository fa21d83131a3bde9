"""`:ClaudeCodeSend`, `:ClaudeCodeAdd` and the operator: what is put into Claude's prompt, and that it waits for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, mentioned, state, wait_mode
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.standin import SHOWS_KEYS, put, run, shown, wait_got

Launch = Callable[..., Terminal]
Scene = tuple[Terminal, RawEditor]
MAPS = ("nmap gs <Plug>(claude-send)", "nmap gss <Plug>(claude-send-line)", "xmap gs <Plug>(claude-send)")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with calc.py of six lines in two paragraphs, and files with names that need care."""
    project = tmp_path / "project"
    (project / "a dir").mkdir(parents=True)
    (project / "calc.py").write_text("1\n2\n\n4\n5\n6\n")
    for name in ("a dir/b c.py", "[x].py", "other.py", ".env"):
        (project / name).write_text("text\n")
    return project


@pytest.fixture
def scene(raw_hub: RawHub, launch: Launch, home: EditorHome, project: Path) -> Scene:
    """A registered editor on calc.py."""
    home.add(*MAPS)
    terminal = launch("calc.py", cwd=project, size=(24, 110))
    link = raw_hub.editor()
    link.event("BufEnter")
    return terminal, link


SENDING: dict[str, tuple[str, tuple[Any, ...]]] = {
    "the file": (":ClaudeCodeSend\r", ("calc.py",)),
    "a range": (":2,4ClaudeCodeSend!\r", ("calc.py", 2, 4)),
    "Visual mode": ("ggjVj:ClaudeCodeSend\r", ("calc.py", 2, 3)),
    "the key in Visual mode": ("ggjVjgs", ("calc.py", 2, 3)),
    "a motion": ("gggsj", ("calc.py", 1, 2)),
    "a text object": ("Ggsip", ("calc.py", 4, 6)),
    "a line": ("Ggss", ("calc.py", 6, 6)),
    "lines": ("gg2gss", ("calc.py", 1, 2)),
    "once more": ("gggsj:3\r.", ("calc.py", 1, 2)),
}


@pytest.mark.parametrize("way", SENDING)
@pytest.mark.requirement("ATM-05")
def test_lines_are_sent(scene: Scene, project: Path, way: str) -> None:
    terminal, link = scene
    keys, wanted = SENDING[way]
    terminal.type(keys)
    assert mentioned(link, project) == wanted
    if way == "once more":
        assert mentioned(link, project) == ("calc.py", 3, 4)


@pytest.mark.requirement("ATM-05")
def test_the_cursor_stays_where_the_operator_was_called(scene: Scene, project: Path) -> None:
    terminal, link = scene
    terminal.type("Ggsip")
    mentioned(link, project)
    assert state(link, "cursor") == [6, 1]


GLOBAL: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "lines": ("g/[126]/ClaudeCodeSend", [("calc.py", 1, 2), ("calc.py", 6, 6)]),
    "lines that do not match": ("v/[1-4]/ClaudeAtMention", [("calc.py", 3, 3), ("calc.py", 5, 6)]),
    "lines around": ("g/[26]/-1,.ClaudeCodeSend!", [("calc.py", 1, 2), ("calc.py", 5, 6)]),
}


@pytest.mark.parametrize("way", GLOBAL)
@pytest.mark.requirement("ATM-05")
def test_global_sends_the_lines_that_it_finds(inside: Inside, scene: Scene, project: Path, way: str) -> None:
    terminal, link = scene
    keys, wanted = GLOBAL[way]
    terminal.type(f":{keys}\r")
    assert [mentioned(link, project) for _ in wanted] == wanted
    terminal.wait_screen("2 places: waits for a Claude")
    assert inside.value(terminal, "[@/, mode()]") == [keys.split("/")[1], "n"]
    terminal.type(":4ClaudeCodeSend\r")
    assert mentioned(link, project) == ("calc.py", 4, 4)


ALL_LINES = {
    "one line": ("%d _|call setline(1, 'x')|w", "g/x/ClaudeCodeSend", ("calc.py", 1, 1)),
    "one closed fold": ("%fold", "g/[26]/ClaudeCodeSend", ("calc.py", 2, 2)),
    "silently": ("%fold", "silent g/2/ClaudeAtMention", ("calc.py", 2, 2)),
    "the file, once": ("1", "g/[26]/ClaudeCodeAdd", ("calc.py",)),
    "no :global": ("%fold", "ClaudeCodeSend", ("calc.py",)),
}


@pytest.mark.parametrize("way", ALL_LINES)
@pytest.mark.requirement("ATM-05")
def test_global_is_told_from_none_where_its_lines_are_all_lines(scene: Scene, project: Path, way: str) -> None:
    terminal, link = scene
    before, keys, wanted = ALL_LINES[way]
    command(terminal, before)
    terminal.type(f":{keys}\r:3ClaudeCodeSend\r" if way == "the file, once" else f":{keys}\r")
    assert mentioned(link, project) == wanted
    if way == "the file, once":
        assert mentioned(link, project) == ("calc.py", 3, 3)
    elif way == "one closed fold":
        assert mentioned(link, project) == ("calc.py", 6, 6)


@pytest.mark.requirement("ATM-05", "ATM-09")
def test_claudes_terminal_is_gone_to_unless_it_is_told_not_to(
    scene: Scene, home: EditorHome, inside: Inside, project: Path
) -> None:
    terminal, link = scene
    program = put(SHOWS_KEYS, home.home / "claude", inside)
    command(terminal, f"let g:vim_mcp_claude_command = ['{program}']")
    link.send({"type": "environment", "variables": {"CLAUDE_CODE_SSE_PORT": "12345"}})
    terminal.type(":ClaudeCode\r")
    pid = inside.told()[0]
    wait_mode(link, "t")
    run(terminal, "ClaudeCode")
    shown(link, [""])
    terminal.type(":1ClaudeCodeSend!\r")
    assert mentioned(link, project) == ("calc.py", 1, 1)
    shown(link, [""])
    terminal.type(":2ClaudeCodeSend\r")
    assert mentioned(link, project) == ("calc.py", 2, 2)
    terminal.type("s")
    wait_got(terminal, "s")
    link.send({"type": "listening", "pids": [1, pid]})
    link.request("ping")
    run(terminal, "wincmd p | 3ClaudeCodeSend!")
    assert link.event("mention")["pid"] == pid


ADDING: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "nothing": ("", [("calc.py",)]),
    "a file": (" other.py", [("other.py",)]),
    "a line": (" calc.py 2", [("calc.py", 2, 2)]),
    "lines": (" calc.py 2 4", [("calc.py", 2, 4)]),
    "this file": (" % 2", [("calc.py", 2, 2)]),
    "a name with a blank": (" a\\ dir/b\\ c.py 1", [("a dir/b c.py", 1, 1)]),
    "a directory": (" a\\ dir/", [("a dir",)]),
    "a name with dots": (" ./a\\ dir/.././calc.py", [("calc.py",)]),
    "a name that is a pattern": (" [x].py", [("[x].py",)]),
    "a pattern": (" *.py", [("[x].py",), ("calc.py",), ("other.py",)]),
    "a completed name": (" a\tb\t", [("a dir/b c.py",)]),
}


@pytest.mark.parametrize("way", ADDING)
@pytest.mark.requirement("ATM-06")
def test_files_are_added_by_their_names(scene: Scene, project: Path, way: str) -> None:
    terminal, link = scene
    arguments, wanted = ADDING[way]
    terminal.type(f":ClaudeCodeAdd{arguments}\r")
    assert [mentioned(link, project) for _ in wanted] == wanted


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("nowhere.py", "there is no nowhere.py"), ("calc.py 4 2", "there are no lines 4-2"),
        (".env", "it matches g:vim_mcp_ignore"), ("calc.py 0", "there are no lines 0-0"),
    ],
)  # fmt: skip
@pytest.mark.requirement("ATM-06", "ATM-04")
def test_what_cannot_be_added_is_not_and_the_user_is_told_why(scene: Scene, arguments: str, complaint: str) -> None:
    terminal, link = scene
    terminal.type(f":ClaudeCodeAdd {arguments}\r")
    terminal.wait_screen(f"vim-mcp: not mentioned: {complaint}")
    link.request("ping")
    assert all(message.get("type") != "mention" for message in list(link.events.queue))


@pytest.mark.requirement("ATM-08")
def test_another_hub_is_told_what_waits_until_a_claude_has_heard_it(
    scene: Scene, raw_hub: RawHub, home: EditorHome, project: Path
) -> None:
    terminal, link = scene
    terminal.type(":1ClaudeCodeSend\r:2ClaudeCodeSend\r")
    wanted = [("calc.py", 1, 1), ("calc.py", 2, 2)]
    assert [mentioned(link, project) for _ in wanted] == wanted
    command(terminal, "let g:vim_mcp_reconnect_interval = 100")
    raw_hub.close()
    link.closed.wait()
    terminal.type(":3ClaudeCodeSend\r")
    terminal.wait_screen("calc.py line 3: waits for a Claude")
    hub = RawHub(home.runtime)
    try:
        link = hub.editor()
        wanted.append(("calc.py", 3, 3))
        assert [mentioned(link, project) for _ in wanted] == wanted
        link.send({"type": "listening", "pids": [1]})
        link.request("ping")
        terminal.type(":4ClaudeCodeSend\r")
        assert mentioned(link, project) == ("calc.py", 4, 4)
    finally:
        hub.close()
    hub = RawHub(home.runtime)
    try:
        link = hub.editor()
        terminal.type(":5ClaudeCodeSend\r")
        assert mentioned(link, project) == ("calc.py", 5, 5)
    finally:
        hub.close()


@pytest.mark.slow
@pytest.mark.requirement("ATM-08")
def test_the_user_is_told_when_no_claude_comes(scene: Scene, project: Path) -> None:
    terminal, link = scene
    command(terminal, "let g:vim_mcp_send_timeout = 10")
    terminal.type(":1ClaudeCodeSend\r")
    assert mentioned(link, project) == ("calc.py", 1, 1)
    terminal.wait_screen("vim-mcp: a mention still waits for a Claude: :ClaudeCode")
