""":VimMCPDoctor and :checkhealth vim_mcp: what the editor finds by itself, in order and out of order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.checkers import checker
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.waiting import wait_until
from vim_mcp import __version__

Launch = Callable[..., Terminal]


def findings(
    inside: Inside, terminal: Terminal, version: str = __version__, *program: Any
) -> dict[str, dict[str, str]]:
    """The editor's findings by subject, beside a program of that version that has found `program`."""
    told = json.dumps({"version": version, "findings": program}).replace("'", "''")
    found = inside.value(terminal, f"vim_mcp#doctor#all(0, ['{told}'])")
    assert all(bool(finding["fix"]) == (finding["level"] != "ok") for finding in found)
    return {finding["subject"]: finding for finding in found}


@pytest.mark.requirement("DOCTOR-02")
def test_the_connection(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    terminal = launch("one.txt")
    link = raw_hub.editor()
    link.event("BufEnter")
    assert findings(inside, terminal)["connection"]["level"] == "ok"
    terminal.type(":VimMCPStop\r")
    link.event("bye")
    stopped = findings(inside, terminal)["connection"]
    assert (stopped["level"], stopped["fix"]) == ("warning", ":VimMCPReconnect")


@pytest.mark.requirement("DOCTOR-02")
def test_an_editor_without_a_hub(home: EditorHome, launch: Launch, inside: Inside) -> None:
    home.add("let g:vim_mcp_command = ['false']")
    terminal = launch("one.txt")
    terminal.wait_screen("the hub does not start")
    lost = findings(inside, terminal)["connection"]
    assert (lost["level"], "the hub does not start" in lost["text"]) == ("error", True)


@pytest.mark.requirement("DOCTOR-02")
def test_the_versions(raw_hub: RawHub, launch: Launch, inside: Inside, kind: str) -> None:
    terminal = launch("one.txt")
    raw_hub.editor()
    found = findings(inside, terminal)
    assert (found["program"]["level"], found["editor"]["level"]) == ("ok", "ok")
    assert found["editor"]["text"].startswith("Vim " if kind == "vim" else "Neovim ")
    other = findings(inside, terminal, "0.0.1")["program"]
    assert (other["level"], "0.0.1" in other["text"]) == ("warning", True)
    assert other["fix"] == "true install, and start this editor anew"


@pytest.mark.requirement("DOCTOR-02")
def test_a_program_that_is_missing_or_fails(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    terminal = launch("one.txt")
    raw_hub.editor()
    failed = inside.value(terminal, "vim_mcp#doctor#all(1, ['Traceback', 'ValueError: x'])")[0]
    assert (failed["level"], failed["text"]) == ("error", "`true doctor` failed (1): ValueError: x")
    terminal.type(":let g:vim_mcp_command = '/nowhere/vim-mcp'\r")
    absent = inside.value(terminal, "vim_mcp#doctor#all(1, [])")[0]
    assert (absent["level"], "g:vim_mcp_command" in absent["fix"]) == ("error", True)


@pytest.mark.requirement("DOCTOR-02")
def test_claudes_command_by_a_setting(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    terminal = launch("one.txt")
    raw_hub.editor()
    absent = {"level": "warning", "subject": "claude", "text": "no `claude` is on PATH", "fix": "install it"}
    assert findings(inside, terminal, __version__, absent)["claude"] == absent
    terminal.type(":let g:vim_mcp_claude_command = 'sh'\r")
    assert findings(inside, terminal, __version__, absent)["claude"]["level"] == "ok"
    terminal.type(":let g:vim_mcp_claude_command = '/nowhere/claude'\r")
    assert findings(inside, terminal, __version__, absent)["claude"]["level"] == "error"


@pytest.mark.requirement("DOCTOR-02")
def test_without_a_language_server(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    terminal = launch("one.txt")
    raw_hub.editor()
    found = findings(inside, terminal)["language servers"]
    assert (found["level"], found["fix"]) == ("warning", ":help vim-mcp-diagnostics")


@pytest.mark.requirement("DOCTOR-02")
def test_with_a_language_server(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside, kind: str, tmp_path: Path
) -> None:
    home.add(*checker(kind))
    terminal = launch("one.py", cwd=tmp_path)
    raw_hub.editor()
    wait_until(lambda: findings(inside, terminal)["language servers"]["level"] == "ok", "a language server")
    assert findings(inside, terminal)["language servers"]["text"] == ("ALE" if kind == "vim" else "ruff")


@pytest.mark.requirement("DOCTOR-02")
def test_what_is_seen(home: EditorHome, launch: Launch, kind: str) -> None:
    """With a program that ends well and says nothing, which is an error that both kinds of screen show."""
    home.add("let g:vim_mcp_command = ['true']", "let g:vim_mcp_enabled = 0")
    terminal = launch("one.txt")
    terminal.wait_screen("one.txt")
    terminal.type(":VimMCPDoctor\r")
    text = "program: `true doctor` failed (0)"
    shown = terminal.wait_screen(text, "connection: stopped", ":VimMCPReconnect")
    assert "vim-mcp doctor   q closes" in shown if kind == "vim" else "ADVICE" in shown
    assert "Press ENTER" not in shown
