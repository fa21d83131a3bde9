"""`:ClaudeAtMention`: what is sent, and what the user is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub

Scene = tuple[Terminal, RawEditor]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file of five lines."""
    path = tmp_path / "calc.py"
    path.write_text("1\n2\n3\n4\n5\n")
    return path


@pytest.fixture
def scene(raw_hub: RawHub, launch: Callable[..., Terminal], home: EditorHome, file: Path) -> Scene:
    """A registered editor with that file and a key of the user's for the map."""
    home.add("nmap gm <Plug>(claude-at-mention)", "xmap gm <Plug>(claude-at-mention)")
    terminal = launch(file.name, cwd=file.parent)
    link = raw_hub.editor()
    link.event("BufEnter")
    return terminal, link


WAYS: dict[str, tuple[str, list[int], str]] = {
    "the file": (":ClaudeAtMention\r", [], "calc.py"),
    "a line": (":3ClaudeAtMention\r", [3, 3], "calc.py line 3"),
    "a range": (":2,4ClaudeAtMention\r", [2, 4], "calc.py lines 2-4"),
    "all lines": (":%ClaudeAtMention\r", [1, 5], "calc.py lines 1-5"),
    "a visual selection": ("2GVj:ClaudeAtMention\r", [2, 3], "calc.py lines 2-3"),
    "the key": ("gm", [], "calc.py"),
    "the key in visual mode": ("3Gvkgm", [2, 3], "calc.py lines 2-3"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.requirement("ATM-01", "ATM-03")
def test_it_is_sent_and_the_user_told(scene: Scene, file: Path, way: str) -> None:
    terminal, link = scene
    keys, lines, text = WAYS[way]
    terminal.type(keys)
    mention: dict[str, Any] = {"type": "mention", "file": str(file)}
    if lines:
        mention |= {"first": lines[0], "last": lines[1]}
    assert link.event("mention") == mention
    terminal.wait_screen(f"vim-mcp: {text}: waits for a Claude")


def test_a_mapping_that_runs_the_command_in_visual_mode_means_its_lines(scene: Scene, file: Path) -> None:
    terminal, link = scene
    command(terminal, "xnoremap gx <Cmd>ClaudeAtMention<CR>")
    terminal.type("2GVjgx")
    assert link.event("mention") == {"type": "mention", "file": str(file), "first": 2, "last": 3}


def test_with_a_claude_it_does_not_wait(scene: Scene, inside: Inside, file: Path) -> None:
    terminal, link = scene
    link.send({"type": "ide", "clients": 1})
    link.request("ping")
    terminal.type(":ClaudeAtMention\r")
    link.event("mention")
    terminal.wait_screen("vim-mcp: mentioned calc.py")
    assert "waits" not in terminal.text()


@pytest.mark.parametrize(
    ("before", "complaint"),
    [
        ("enew", "this buffer has no file"), ("help", "this buffer has no file"),
        ("edit .env", "it matches g:vim_mcp_ignore"), ("VimMCPPause on", "paused (:VimMCPPause off)"),
        ("let g:vim_mcp_access = 'off'", "g:vim_mcp_access is off"), ("VimMCPStop", "stopped (:VimMCPStart)"),
    ],
)  # fmt: skip
@pytest.mark.requirement("ATM-04")
def test_what_cannot_be_mentioned_is_not_and_the_user_is_told_why(scene: Scene, before: str, complaint: str) -> None:
    terminal, link = scene
    command(terminal, before)
    terminal.type(":ClaudeAtMention\r")
    terminal.wait_screen(lambda screen: f"vim-mcp: not mentioned: {complaint} " in f"{screen.splitlines()[-1]} ")
    if before == "VimMCPStop":
        return
    command(terminal, "enew | let g:vim_mcp_access = 'edit' | VimMCPPause off")
    command(terminal, "edit calc.py | 2ClaudeAtMention")
    assert link.event("mention")["first"] == 2
