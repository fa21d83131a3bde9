"""Where else than in a terminal of the editor `:ClaudeCode` runs the program."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.editing import command
from tests.support.editors import ROOT, EditorHome, Terminal, find
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.standin import SHOWS_KEYS, VARIABLES, put, started
from tests.support.waiting import wait_ended, wait_until

Launch = Callable[..., Terminal]


@pytest.fixture
def program(home: EditorHome, inside: Inside) -> Path:
    """The program that stands for the CLI, as the user's setting."""
    path = put(SHOWS_KEYS, home.home / "claude", inside)
    home.add(f"let g:vim_mcp_claude_command = ['{path}']")
    return path


def registered(hub: RawHub) -> RawEditor:
    """The editor's connection, once it has its port."""
    link = hub.editor()
    link.event("BufEnter")
    link.send({"type": "environment", "variables": VARIABLES})
    link.request("ping")
    return link


class Tmux:
    """An editor in a tmux server of its own; `terminal` is what tmux draws on."""

    def __init__(self, directory: Path, argv: list[str], environment: dict[str, str]):
        self._tmux = ["tmux", "-S", str(directory / "tmux"), "-f", "/dev/null"]
        self.terminal = Terminal([*self._tmux, "new-session", *argv], environment, directory, 24, 120)

    def panes(self) -> list[list[str]]:
        """The panes: each one's window, process, width, and whether keys go to it."""
        shown = "#{window_index} #{pane_pid} #{pane_width} #{&&:#{window_active},#{pane_active}}"
        return [line.split() for line in self.run("list-panes", "-a", "-F", shown).splitlines()]

    def run(self, *words: str) -> str:
        """What tmux says to a command."""
        return subprocess.run([*self._tmux, *words], capture_output=True, text=True, check=True).stdout

    def close(self) -> None:
        """End the server and what it draws on."""
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)
        self.terminal.close()


@pytest.fixture
def tmux(raw_hub: RawHub, home: EditorHome, program: Path, kind: str, tmp_path: Path) -> Iterator[Tmux]:
    """An editor in tmux that has its terminals there."""
    home.add("let g:vim_mcp_terminal_provider = 'tmux'")
    editor = find(kind)
    assert editor is not None
    server = Tmux(tmp_path, [editor, "-u", str(home.vimrc), "-i", "NONE", "one.txt"], home.environment())
    yield server
    server.close()


@pytest.mark.requirement("TERM-09")
def test_a_pane_of_tmux(raw_hub: RawHub, tmux: Tmux, inside: Inside) -> None:
    """It is shown, hidden with its program, shown again as large as it was, and ends with the editor."""
    link = registered(raw_hub)
    tmux.terminal.type(":ClaudeCode --model some\\ model\r")
    pid, arguments, environment = started(inside)
    assert arguments[-2:] == ["--model", "some model"]
    assert {name: environment[name] for name in VARIABLES} == VARIABLES
    own = ["0", str(pid), "48", "1"]
    wait_until(lambda: own in tmux.panes(), "the pane, with the keys")
    tmux.run("resize-pane", "-x", "30")
    tmux.run("select-pane", "-L")
    tmux.terminal.type(":ClaudeCode\r")
    wait_until(lambda: [pane[0] for pane in tmux.panes() if pane[1] == str(pid)] == ["1"], "a window of its own")
    tmux.terminal.type(":ClaudeCode\r")
    wait_until(lambda: ["0", str(pid), "30", "1"] in tmux.panes(), "the pane as it was")
    link.request("ping")  # the editor has done with tmux
    tmux.run("select-pane", "-L")
    link.send({"type": "listening", "pids": [pid]})
    link.request("ping")
    tmux.terminal.type(":ClaudeCodeAsk why\r")
    tmux.terminal.wait_screen("[200~why", "got b'\\r'")
    tmux.terminal.type(":qa\r")
    assert tmux.terminal.wait() == 0
    wait_ended(pid)


@pytest.mark.requirement("TERM-09", "SEEN-03")
def test_a_pane_that_tmux_does_not_show_counts_as_hidden(raw_hub: RawHub, tmux: Tmux, inside: Inside) -> None:
    """Another pane is zoomed, or it has a window of its own, where `:tab` has put it."""
    link = registered(raw_hub)
    tmux.terminal.type(":ClaudeCode\r")
    pid = str(started(inside)[0])
    wait_until(lambda: ["0", pid, "48", "1"] in tmux.panes(), "the pane, with the keys")
    tmux.run("select-pane", "-L")
    tmux.run("resize-pane", "-Z")
    link.send({"type": "ide", "clients": 1, "activity": "waiting"})
    tmux.terminal.wait_screen("vim-mcp: Claude waits for you: :ClaudeCode shows it")
    tmux.terminal.type(":ClaudeCode\r")
    wait_until(lambda: ["0", pid, "48", "1"] in tmux.panes(), "the pane, which is zoomed away no more")
    tmux.run("select-pane", "-L")
    tmux.terminal.type(":tab ClaudeCode\r")
    wait_until(lambda: ["1", pid, "120", "1"] in tmux.panes(), "a window of its own, with the keys")
    tmux.run("select-window", "-t", ":0")
    tmux.terminal.type(":ClaudeCode\r")
    wait_until(lambda: ["1", pid, "120", "1"] in tmux.panes(), "that window")


@pytest.mark.requirement("TERM-09")
def test_tmux_where_there_is_none_is_one_clear_message(
    raw_hub: RawHub, home: EditorHome, program: Path, launch: Launch
) -> None:
    home.add("let g:vim_mcp_terminal_provider = 'tmux'")
    terminal = launch()
    registered(raw_hub)
    terminal.type(":ClaudeCode\r")
    terminal.wait_screen("vim-mcp: not in tmux: see g:vim_mcp_terminal_provider")


@pytest.mark.requirement("TERM-09")
def test_an_external_terminal(
    raw_hub: RawHub, home: EditorHome, program: Path, inside: Inside, launch: Launch, tmp_path: Path
) -> None:
    """`script` stands for one: it runs a program on a terminal of its own."""
    window = tmp_path / "window"
    window.write_text('#!/bin/sh\nexec script -qec "$*" /dev/null </dev/null\n')
    window.chmod(0o755)
    home.add("let g:vim_mcp_terminal_provider = 'external'")
    terminal = launch(cwd=tmp_path)
    registered(raw_hub)
    terminal.type(":ClaudeCode\r")
    terminal.wait_screen('vim-mcp: set g:vim_mcp_terminal_command, as to "kitty"')
    command(terminal, f"let g:vim_mcp_terminal_command = '{window}'")
    terminal.type(":ClaudeCode --continue\r")
    pid, arguments, environment = started(inside)
    assert arguments[-1] == "--continue"
    assert environment["CLAUDE_CODE_SSE_PORT"] == "12345"
    assert os.readlink(f"/proc/{pid}/cwd") == str(tmp_path)
    terminal.type(":ClaudeCode\r")
    terminal.wait_screen("vim-mcp: Claude Code runs in a window of its own")
    terminal.type(":ClaudeCodeAsk x\r")
    terminal.wait_screen("vim-mcp: nothing can be typed into it from here: ask it there")
    terminal.type(":qa\r")
    assert terminal.wait() == 0
    wait_ended(pid)


MINE = """
function! MyClaude(wish) abort
  let g:wishes = get(g:, 'wishes', []) + [a:wish]
  let g:shown = a:wish.action =~# 'open\\|show' ? 1 : a:wish.action ==# 'hide' ? 0 : get(g:, 'shown')
  return a:wish.action ==# 'running' || g:shown
endfunction
let g:vim_mcp_terminal_provider = 'MyClaude'
"""


@pytest.mark.requirement("TERM-09")
def test_a_function_of_the_users(
    raw_hub: RawHub, home: EditorHome, program: Path, inside: Inside, launch: Launch, tmp_path: Path
) -> None:
    home.add(*MINE.splitlines())
    terminal = launch(cwd=tmp_path)
    registered(raw_hub)
    for line in ("tab ClaudeCode --resume", "ClaudeCode", "ClaudeCode", "ClaudeCodeFocus", "ClaudeCodeFocus"):
        command(terminal, line)
    asked = ("running", "visible", "focused")
    wishes = [wish for wish in inside.value(terminal, "g:wishes") if wish["action"] not in asked]
    assert [wish["action"] for wish in wishes] == ["open", "hide", "show", "hide", "show"]
    assert {wish["session"] for wish in wishes} == {1}
    assert (wishes[0]["argv"][0], wishes[0]["argv"][-1]) == (str(program), "--resume")
    assert (wishes[0]["cwd"], wishes[0]["mods"]) == (str(tmp_path), "tab")
    assert wishes[0]["env"].items() >= VARIABLES.items()
    command(terminal, "let g:vim_mcp_terminal_provider = 'native' | let g:wishes = []")
    command(terminal, "ClaudeCode")
    assert inside.value(terminal, "g:wishes[-1].action") == "hide"


@pytest.mark.requirement("TERM-09")
def test_what_a_function_of_the_users_throws_is_told_in_a_line(
    raw_hub: RawHub, home: EditorHome, program: Path, launch: Launch, tmp_path: Path
) -> None:
    home.add(*MINE.replace("  return", "  throw 'no room'\n  return").splitlines())
    terminal = launch(cwd=tmp_path)
    registered(raw_hub)
    terminal.type(":ClaudeCode\r")
    screen = terminal.wait_screen('vim-mcp: your function, asked to "open": no room')
    assert "ENTER" not in screen


@pytest.mark.requirement("TERM-09")
@pytest.mark.parametrize(
    ("provider", "complaint"),
    [
        ("none", "run it yourself, here: {program} --ide"),
        ("NoSuch", 'g:vim_mcp_terminal_provider: no function "NoSuch"'),
    ],
)
def test_nowhere_is_one_clear_message(
    raw_hub: RawHub, home: EditorHome, program: Path, launch: Launch, provider: str, complaint: str
) -> None:
    home.add("let g:vim_mcp_claude_command = 'cat'", f"let g:vim_mcp_terminal_provider = '{provider}'")
    terminal = launch()
    registered(raw_hub)
    terminal.type(":ClaudeCode\r")
    terminal.wait_screen("vim-mcp: " + complaint.format(program="cat"))


def test_every_provider_has_the_functions_that_each_must_have() -> None:
    scripts = ROOT / "autoload" / "vim_mcp"
    (listed,) = re.findall(r"^let s:providers = \[(.*)\]", (scripts / "terminal.vim").read_text(), re.MULTILINE)
    names = [*(name for name in re.findall(r"'(\w+)'", listed) if name != "none"), "function"]
    assert len(names) > 3
    for name in names:
        script = (scripts / f"terminal_{name}.vim").read_text()
        has = set(re.findall(rf"^function! vim_mcp#terminal_{name}#(\w+)\(", script, re.MULTILINE))
        assert has >= {"obstacle", "open", "running", "visible", "focused", "show", "hide"}, name
        assert has & (pasting := {"write", "screen", "process"}) in (set(), pasting), name
