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
    assert lost["fix"] == "false hub --background, which starts it or says why not, then :VimMCPReconnect"


FAULTS: dict[str, dict[str, str]] = {
    "runtime directory": {"text": "is open to others", "fix": "chmod 700 '/run/x'"},
    "hub": {"text": "it is stopped", "fix": "kill -CONT 7"},
}


@pytest.mark.requirement("DOCTOR-02")
@pytest.mark.parametrize("subject", FAULTS)
def test_what_keeps_it_from_a_hub_is_mended_first(
    home: EditorHome, launch: Launch, inside: Inside, subject: str
) -> None:
    home.add("let g:vim_mcp_command = ['false']")
    terminal = launch("one.txt")
    terminal.wait_screen("the hub does not start")
    others = [{"level": "error", "subject": name, "text": "x", "fix": "y"} for name in ("port", "claude")]
    fault = {"level": "error", "subject": subject, **FAULTS[subject]}
    lost = findings(inside, terminal, __version__, *others, fault)["connection"]
    assert lost["fix"] == f"{FAULTS[subject]['fix']}, then :VimMCPReconnect"
    terminal.type(":let g:vim_mcp_command = '/nowhere/vim-mcp'\r")
    absent = {found["subject"]: found for found in inside.value(terminal, "vim_mcp#doctor#all(1, [])")}
    assert absent["connection"]["fix"] == f"{absent['program']['fix']}, then :VimMCPReconnect"
    assert absent["program"]["fix"].startswith(":unlet g:vim_mcp_command")


REFUSALS = {
    "vim-mcp has 2 editors, and that is its limit: close one, then :VimMCPReconnect": "close another editor",
    "info.pid: missing": "true install",
}


@pytest.mark.requirement("DOCTOR-02")
@pytest.mark.parametrize("reason", REFUSALS)
def test_an_editor_that_the_hub_refuses(raw_hub: RawHub, launch: Launch, inside: Inside, reason: str) -> None:
    terminal = launch("one.txt")
    link = raw_hub.editor()
    link.send({"type": "refused", "code": 1004, "message": reason})
    terminal.wait_screen("vim-mcp: " + reason[:12])
    refused = findings(inside, terminal)["connection"]
    assert (refused["level"], refused["text"]) == ("error", f"refused: {reason}")
    assert refused["fix"] == f"{REFUSALS[reason]}, then :VimMCPReconnect"


WRONG = {
    "vim_mcp_acess = 'read'": ("g:vim_mcp_acess is no setting", ":unlet g:vim_mcp_acess, and set g:vim_mcp_access"),
    "vim_mcp_g = 1": ("g:vim_mcp_g is no setting", ":unlet g:vim_mcp_g, and see :help vim-mcp-settings"),
    "vim_mcp_transport = 'x'": (
        "g:vim_mcp_transport is 'x'", ":unlet g:vim_mcp_transport, or in your vimrc give it 'auto' or 'job'"
    ),
    "vim_mcp_ask_timeout = '5'": (
        "g:vim_mcp_ask_timeout is '5'",
        ":unlet g:vim_mcp_ask_timeout, or in your vimrc give it a whole number from 0 on",
    ),
    "vim_mcp_signs = 'on'": ("g:vim_mcp_signs is 'on'", ":unlet g:vim_mcp_signs, or in your vimrc give it 0 or 1"),
    "vim_mcp_ignore = ['a', 1]": (
        "g:vim_mcp_ignore is ['a', 1]",
        ":unlet g:vim_mcp_ignore, or in your vimrc give it a string or a list of strings",
    ),
}  # fmt: skip


@pytest.mark.requirement("DOCTOR-02")
@pytest.mark.parametrize("wrong", WRONG)
def test_the_settings(raw_hub: RawHub, launch: Launch, inside: Inside, wrong: str) -> None:
    """Those of the test itself are in order."""
    terminal = launch("one.txt")
    raw_hub.editor()
    assert findings(inside, terminal)["g: settings"]["level"] == "ok"
    terminal.type(f":let g:{wrong}\r")
    found = findings(inside, terminal)["g: settings"]
    assert (found["level"], (found["text"], found["fix"])) == ("warning", WRONG[wrong])
    terminal.type(f":{found['fix'].partition(',')[0]}\r")
    assert findings(inside, terminal)["g: settings"]["level"] == "ok"


@pytest.mark.requirement("DOCTOR-02")
def test_true_and_false_are_as_good_as_numbers(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside
) -> None:
    home.add("let g:vim_mcp_signs = v:true", "let g:vim_mcp_selection = v:false")
    terminal = launch("one.txt")
    raw_hub.editor().event("BufEnter")
    assert findings(inside, terminal)["g: settings"]["level"] == "ok"
    assert inside.value(terminal, "[vim_mcp#setting('signs', 0), vim_mcp#setting('selection', 1)]") == [1, 0]


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
@pytest.mark.parametrize("setting", ["'sh -x'", "['sh', '-x']", "''"])
def test_the_program_looks_at_the_claude_of_a_setting(home: EditorHome, launch: Launch, setting: str) -> None:
    told = home.home / "arguments"
    program = home.home / "program"
    program.write_text(f'#!/bin/sh\necho "$@" >> {told}\nexit 1\n')
    program.chmod(0o755)
    home.add(f"let g:vim_mcp_command = '{program}'", f"let g:vim_mcp_claude_command = {setting}")
    terminal = launch("one.txt")
    terminal.wait_screen("the hub does not start")
    terminal.type(":VimMCPDoctor\r")
    wait_until(lambda: "doctor" in told.read_text(), "the program")
    assert told.read_text().splitlines()[-1] == "doctor --json --inside" + (" --claude sh" if "sh" in setting else "")


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
    terminal = launch("one.txt", size=(30, 120))
    terminal.wait_screen("one.txt")
    terminal.type(":VimMCPDoctor\r")
    # Neovim may conceal the backticks around the command.
    seen = (
        "true doctor",
        "failed (0)",
        "connection: stopped",
        ":VimMCPReconnect",
        "q closes" if kind == "vim" else "ADVICE",
    )
    shown = terminal.wait_screen(*seen, lambda screen: kind != "vim" or "1 error" in screen)
    assert "vim-mcp doctor: 1 error, 2 warnings   q closes" in shown if kind == "vim" else "ADVICE" in shown
    assert "Press ENTER" not in shown
