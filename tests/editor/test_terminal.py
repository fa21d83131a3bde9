"""`:ClaudeCode`: a program in a terminal of the editor, with what it needs to find the editor."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vim_mcp
from tests.support.editing import command
from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.stage import wait_for_exit

Launch = Callable[..., Terminal]
Scene = tuple[Terminal, RawEditor]

PLUGIN = ROOT / "src" / "vim_mcp" / "claude_plugin"
VARIABLES = {"CLAUDE_CODE_SSE_PORT": "12345", "ENABLE_IDE_INTEGRATION": "true", "VIM_MCP_INSTANCE": "one-demo-1"}

PROGRAM = """#!{python}
import json, os, sys, termios, tty
tty.setraw(0)
with open({path!r}, "w") as pipe:
    print(json.dumps([os.getpid(), sys.argv[1:], dict(os.environ)]), file=pipe)
while True:
    keys = os.read(0, 100)
    if keys[:1] in b"qx":
        sys.exit(0 if keys[:1] == b"q" else "it failed")
    print("got " + ascii(keys), end="\\r\\n", flush=True)
"""
"""Stands for the CLI: tells what it was started with, then shows the keys that it gets."""


@pytest.fixture
def program(home: EditorHome, inside: Inside) -> Path:
    """The program, called `claude`, in a directory of its own."""
    path = home.home / "bin" / "claude"
    path.parent.mkdir()
    path.write_text(PROGRAM.format(python=sys.executable, path=str(home.home / "told")))
    path.chmod(0o755)
    return path


@pytest.fixture
def scene(raw_hub: RawHub, program: Path, home: EditorHome, launch: Launch, tmp_path: Path) -> Scene:
    """A registered editor that finds the program and knows its port."""
    home.add("let g:vim_mcp_command = ['env', 'A=it''s', 'vim-mcp']", "tnoremap <Esc> <C-\\><C-n>")
    path = f"{program.parent}:{home.environment()['PATH']}"
    terminal = launch("one.txt", cwd=tmp_path, size=(24, 120), PATH=path)
    link = raw_hub.editor()
    link.event("BufEnter")
    link.send({"type": "environment", "variables": VARIABLES})
    link.request("ping")
    return terminal, link


def kinds(link: RawEditor) -> list[str]:
    """What the windows show: values of 'buftype'."""
    state = link.request("get_state")
    types = {buffer["id"]: buffer["buftype"] for buffer in state["buffers"]}
    return [types[window["buffer"]] for window in state["windows"]]


def started(inside: Inside) -> tuple[int, list[str], dict[str, str]]:
    """The program's process id, arguments and environment."""
    pid, arguments, environment = inside.told()
    return pid, arguments, environment


def wait_got(terminal: Terminal, keys: str) -> None:
    """Wait until the program has got these keys last."""
    terminal.wait_screen(lambda screen: screen.rsplit("got ")[-1].startswith(ascii(keys.encode())))


@pytest.mark.requirement("ENV-01", "TERM-01", "LOG-01", "IDE-CMD-01")
def test_it_runs_in_a_split_and_finds_the_editor(scene: Scene, inside: Inside, tmp_path: Path) -> None:
    terminal, link = scene
    terminal.type(":ClaudeCode --model some\\ model\r")
    pid, arguments, environment = started(inside)
    assert arguments == ["--plugin-dir", str(PLUGIN), "--model", "some model"]
    assert {name: environment[name] for name in VARIABLES} == VARIABLES
    assert environment["no_proxy"] == environment["NO_PROXY"] == "127.0.0.1,localhost"
    assert shlex.split(environment["VIM_MCP_COMMAND"]) == ["env", "A=it's", "vim-mcp"]
    assert os.readlink(f"/proc/{pid}/cwd") == str(tmp_path)
    assert link.event("log") == {"type": "log", "name": "run_claude_command", "data": {}}
    windows = link.request("get_state")["windows"]
    assert kinds(link) == ["", "terminal"]
    assert windows[1]["column"] > windows[0]["width"]


@pytest.mark.requirement("TERM-02")
def test_keys_belong_to_the_program(scene: Scene, inside: Inside) -> None:
    terminal, _ = scene
    terminal.type(":ClaudeCode\r")
    started(inside)
    for keys in ("a", "\x1b", "b", "\x1b", "\x03"):
        terminal.type(keys)
        wait_got(terminal, keys)
    terminal.type("q")
    terminal.wait_screen(lambda screen: "got" not in screen)


def test_what_a_program_that_fails_has_said_stays(scene: Scene, inside: Inside) -> None:
    terminal, _ = scene
    terminal.type(":ClaudeCode\r")
    started(inside)
    terminal.type("x")
    terminal.wait_screen("it failed")


@pytest.mark.requirement("TERM-03")
def test_leaving_asks_nothing_and_leaves_no_orphan(scene: Scene, inside: Inside, kind: str) -> None:
    terminal, _ = scene
    terminal.type(":ClaudeCode\r")
    pid, _, _ = started(inside)
    descriptor = os.pidfd_open(pid)
    terminal.type("\x17:qa\r" if kind == "vim" else "\x1c\x0e:qa\r")
    assert terminal.wait() == 0
    wait_for_exit(descriptor)


@pytest.mark.requirement("TERM-01")
def test_a_second_time_goes_to_the_one_that_runs(scene: Scene, inside: Inside, kind: str) -> None:
    terminal, link = scene
    out = "\x17:" if kind == "vim" else "\x1c\x0e:"
    terminal.type(":ClaudeCode\r")
    started(inside)
    for leave in ("wincmd p", "hide"):
        terminal.type(f"{out}{leave}\r")
        terminal.type(":ClaudeCode\r")
        terminal.type(leave[0])
        terminal.wait_screen(f"got b'{leave[0]}'")
        assert kinds(link) == ["", "terminal"]
    terminal.type(f"{out}tab ClaudeCode --new\r")
    assert started(inside)[1][-1] == "--new"
    assert [window["tab"] for window in link.request("get_state")["windows"]] == [1, 1, 2]


@pytest.mark.requirement("TERM-01")
def test_it_opens_from_visual_mode_and_not_from_the_command_line_window(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type("q:iClaudeCode\x1b:ClaudeCode\r")
    terminal.wait_screen("cannot be opened from the command-line window")
    terminal.type(":q\r")
    terminal.type("V:ClaudeCode\r")
    started(inside)
    assert kinds(link) == ["", "terminal"]


@pytest.mark.requirement("TERM-04")
def test_a_missing_program_is_one_clear_message(scene: Scene) -> None:
    terminal, link = scene
    for setting, name in (("'no-such-claude --flag'", "no-such-claude"), ("['no-such', 'x']", "no-such")):
        command(terminal, f"let g:vim_mcp_claude_command = {setting}")
        terminal.type(":ClaudeCode\r")
        terminal.wait_screen(f'cannot run "{name}": see :help :ClaudeCode')
    assert len(link.request("get_state")["windows"]) == 1


@pytest.mark.requirement("TERM-01")
def test_it_waits_for_the_hub(raw_hub: RawHub, program: Path, home: EditorHome, launch: Launch, inside: Inside) -> None:
    home.add("let g:vim_mcp_enabled = 0", f"let g:vim_mcp_claude_command = ['{program}', '--first']")
    terminal = launch()
    terminal.type(":ClaudeCode\r")
    link = raw_hub.editor()
    link.send({"type": "environment", "variables": VARIABLES})
    _, arguments, environment = started(inside)
    assert arguments[0] == "--first"
    assert environment["CLAUDE_CODE_SSE_PORT"] == "12345"


@pytest.mark.requirement("TERM-01")
def test_who_asks_twice_while_it_waits_gets_one(
    raw_hub: RawHub, program: Path, home: EditorHome, launch: Launch, inside: Inside
) -> None:
    home.add("let g:vim_mcp_enabled = 0", f"let g:vim_mcp_claude_command = ['{program}']")
    terminal = launch()
    terminal.type(":ClaudeCode\r:ClaudeCode\r")
    terminal.wait_screen("Claude Code is about to open")
    link = raw_hub.editor()
    link.send({"type": "environment", "variables": VARIABLES})
    started(inside)
    link.request("ping")
    assert kinds(link).count("terminal") == 1


@pytest.mark.requirement("TERM-01")
def test_without_a_hub_it_starts_all_the_same(program: Path, home: EditorHome, launch: Launch, inside: Inside) -> None:
    home.add("let g:vim_mcp_command = ['true']", f"let g:vim_mcp_claude_command = ['{program}']")
    terminal = launch()
    terminal.type(":ClaudeCode\r")
    assert "CLAUDE_CODE_SSE_PORT" not in started(inside)[2]
    terminal.wait_screen("vim-mcp: Claude does not see this editor: :VimMCPStatus")


@pytest.mark.requirement("TERM-05")
def test_the_claude_plugin_runs_the_command_that_the_editor_names(tmp_path: Path) -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("vim-mcp", vim_mcp.__version__)
    server: dict[str, Any] = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["vim-mcp"]
    (tmp_path / "vim-mcp").write_text("#!/bin/sh\necho default\n")
    (tmp_path / "vim-mcp").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for extra, wanted in (({"VIM_MCP_COMMAND": "'echo' 'it'\\''s' 'a  b'"}, "it's a  b\n"), ({}, "default\n")):
        argv = [server["command"], *server["args"]]
        done = subprocess.run(argv, env={**path, **extra}, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        assert done.stdout == wanted
