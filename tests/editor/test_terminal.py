"""`:ClaudeCode`: a program in a terminal of the editor, with what it needs to find the editor."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vim_mcp
from tests.support.editing import command, text, wait_mode
from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.stage import wait_for_exit
from tests.support.standin import SHOWS_KEYS, VARIABLES, kinds, put, run, shown, started, wait_got
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]
Scene = tuple[Terminal, RawEditor]

PLUGIN = ROOT / "src" / "vim_mcp" / "claude_plugin"


@pytest.fixture
def program(home: EditorHome, inside: Inside) -> Path:
    """The program, called `claude`, in a directory of its own."""
    return put(SHOWS_KEYS, home.home / "bin" / "claude", inside)


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


@pytest.mark.slow
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
def test_leaving_asks_nothing_and_leaves_no_orphan(scene: Scene, inside: Inside) -> None:
    """Neither of the one that is seen nor of the one that is hidden and has written since."""
    terminal, link = scene
    terminal.type(":ClaudeCode\r")
    pids = [started(inside)[0]]
    terminal.type("a")
    wait_got(terminal, "a")
    run(terminal, "2ClaudeCode")
    pids.append(started(inside, link)[0])
    descriptors = [os.pidfd_open(pid) for pid in pids]
    run(terminal, "qa")
    assert terminal.wait() == 0
    for descriptor in descriptors:
        wait_for_exit(descriptor)


@pytest.mark.requirement("TERM-01", "TERM-06")
def test_a_second_time_hides_it_and_a_third_shows_it_as_it_was(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":ClaudeCode\r")
    started(inside, link)
    run(terminal, "vertical resize 30")
    run(terminal, "wincmd p")
    for key in "ab":
        terminal.type(":ClaudeCode\r")
        shown(link, [""])
        terminal.type(":ClaudeCode\r")
        assert shown(link, ["", "terminal"])[1]["width"] == 30
        terminal.type(key)
        wait_got(terminal, key)
        run(terminal, "wincmd p")
    terminal.type(":tab ClaudeCode\r")
    wait_until(lambda: [window["tab"] for window in shown(link, ["", "terminal"])] == [1, 2], "it in a tab page")


@pytest.mark.requirement("TERM-06")
def test_a_key_hides_it_from_within_and_shows_it_again(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    command(terminal, "exe 'nmap <F2> <Plug>(claude-code)' | tmap <F2> <Plug>(claude-code)")
    terminal.type(f2 := "\x1bOQ")
    started(inside)
    terminal.type(f2)
    shown(link, [""])
    terminal.type(f2)
    shown(link, ["", "terminal"])
    terminal.type("k")
    wait_got(terminal, "k")


@pytest.mark.requirement("TERM-06")
def test_the_only_window_shows_a_file_when_it_is_hidden(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":ClaudeCode\r")
    started(inside, link)
    run(terminal, "only")
    terminal.type(":ClaudeCode\r")
    shown(link, [""])
    assert link.request("get_state")["current_buffer"]["name"].endswith("/one.txt")


@pytest.mark.requirement("TERM-06")
def test_focus_goes_to_it_and_back(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":ClaudeCodeFocus\r")
    started(inside, link)
    run(terminal, "wincmd p")
    terminal.type(":ClaudeCodeFocus\r")
    terminal.type("f")
    wait_got(terminal, "f")
    run(terminal, "ClaudeCodeFocus")
    shown(link, [""])


@pytest.mark.requirement("TERM-07")
def test_sessions_have_numbers_and_take_turns_in_one_window(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":ClaudeCode\r")
    pids = [started(inside, link)[0]]
    run(terminal, "2ClaudeCode")
    pids.append(started(inside, link)[0])
    run(terminal, "1ClaudeCode")
    terminal.type("1")
    wait_got(terminal, "1")
    shown(link, ["", "terminal"])
    run(terminal, "2ClaudeCode --resume")
    terminal.wait_screen("session 2 runs: leave the 2 out for another")
    run(terminal, "tab ClaudeCode --resume")
    pid, arguments, _ = started(inside)
    assert arguments[-1] == "--resume"
    assert len({*pids, pid}) == 3
    assert [window["tab"] for window in shown(link, ["", "terminal", "terminal"])] == [1, 1, 2]


# What is true of the terminal's window on a screen of 24 lines and 120 columns.
POSITIONS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "left": lambda window: (window["column"], window["width"]) == (1, 30),
    "right": lambda window: (window["column"], window["width"]) == (91, 30),
    "top": lambda window: (window["row"], window["height"], window["width"]) == (1, 6, 120),
    "bottom": lambda window: (window["height"], window["width"]) == (6, 120) and window["row"] > 10,
    "tab": lambda window: window["tab"] == 2,
    "float": lambda window: window["type"] == "popup",
}


@pytest.mark.slow
@pytest.mark.requirement("TERM-08")
@pytest.mark.parametrize("position", POSITIONS)
def test_it_opens_where_the_user_wants_it(scene: Scene, inside: Inside, kind: str, position: str) -> None:
    """In Vim, which has no floating window to type into, "float" is "right"."""
    terminal, link = scene
    holds = POSITIONS["right" if (kind, position) == ("vim", "float") else position]
    command(terminal, f"let [g:vim_mcp_terminal_position, g:vim_mcp_terminal_size] = ['{position}', 25]")
    terminal.type(":ClaudeCode\r")
    started(inside)
    for hide in (True, False):
        wait_mode(link, "t")
        windows = link.request("get_state")["windows"]
        assert [holds(window) for window in windows if window["current"]] == [True]
        if hide:
            run(terminal, "ClaudeCode")
            shown(link, [""])
            terminal.type(":ClaudeCode\r")
            wait_until(lambda: "terminal" in kinds(link), "the terminal")


@pytest.mark.requirement("TERM-08")
def test_a_place_that_there_is_not_is_told(raw_hub: RawHub, home: EditorHome, launch: Launch) -> None:
    home.add("let g:vim_mcp_terminal_position = 'botom'")
    launch(size=(24, 160)).wait_screen("g:vim_mcp_terminal_position is none of right, left, top, bottom, tab, float: ")


@pytest.mark.requirement("TERM-01")
def test_it_opens_from_visual_mode_and_not_from_the_command_line_window(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type("q:iClaudeCode\x1b:ClaudeCode\r")
    terminal.wait_screen("cannot be opened from the command-line window")
    terminal.type(":q\r")
    command(terminal, "xmap gc <Plug>(claude-code)")
    terminal.type("Vgc")
    started(inside, link)
    assert kinds(link) == ["", "terminal"]
    run(terminal, "wincmd p")
    terminal.type("Vj:silent ClaudeCode\r")
    shown(link, [""])
    terminal.type("ione\rtwo\rthree\x1bggVj:s/$/ ClaudeCode/\r")
    wait_until(lambda: text(link) == ["one ClaudeCode", "two ClaudeCode", "three"], "the lines of the selection alone")
    terminal.type("V:ClaudeCodeFocus\r")
    shown(link, ["", "terminal"])


@pytest.mark.requirement("TERM-08")
def test_modifiers_that_name_no_place_leave_it_where_it_is(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":silent verbose keepalt ClaudeCode\r")
    started(inside, link)
    left, right = shown(link, ["", "terminal"])
    assert right["column"] > left["width"]


@pytest.mark.requirement("TERM-04")
def test_a_missing_program_is_one_clear_message(scene: Scene) -> None:
    terminal, link = scene
    for setting, name in (("'no-such-claude --flag'", "no-such-claude"), ("['no-such', 'x']", "no-such")):
        command(terminal, f"let g:vim_mcp_claude_command = {setting}")
        terminal.type(":ClaudeCode\r")
        terminal.wait_screen(f'cannot run "{name}": see g:vim_mcp_claude_command')
    command(terminal, "unlet g:vim_mcp_claude_command | let $PATH = '/nowhere'")
    terminal.type(":ClaudeCode\r")
    terminal.wait_screen('vim-mcp: no "claude" on PATH: install Claude Code')
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


@pytest.mark.slow
@pytest.mark.requirement("TERM-01")
def test_without_a_hub_it_starts_all_the_same(program: Path, home: EditorHome, launch: Launch, inside: Inside) -> None:
    home.add("let g:vim_mcp_command = ['true']", f"let g:vim_mcp_claude_command = ['{program}']")
    terminal = launch()
    terminal.type(":ClaudeCode\r")
    assert "CLAUDE_CODE_SSE_PORT" not in started(inside)[2]
    terminal.wait_screen("vim-mcp: Claude does not see this editor: :VimMCPStatus")


@pytest.mark.requirement("TERM-01")
@pytest.mark.parametrize("command", ["['false']", "'/nowhere/vim-mcp'"])
def test_a_hub_that_cannot_come_is_not_waited_for(
    program: Path, home: EditorHome, launch: Launch, inside: Inside, command: str
) -> None:
    """The program tells before a timer does that runs shorter than a hub is waited for."""
    home.add(f"let g:vim_mcp_command = {command}", f"let g:vim_mcp_claude_command = ['{program}']")
    terminal = launch()
    terminal.wait_screen("vim-mcp: ")
    terminal.type(":call timer_start(4000, {-> Tell('late')}) | ClaudeCode\r")
    assert inside.told() != "late"


@pytest.mark.requirement("TERM-05")
def test_the_claude_plugin_runs_the_command_that_the_editor_names(tmp_path: Path) -> None:
    manifest = json.loads((PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("vim-mcp", vim_mcp.__version__)
    server: dict[str, Any] = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["vim-mcp"]
    (tmp_path / "vim-mcp").write_text("#!/bin/sh\necho default\n")
    (tmp_path / "vim-mcp").chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for extra, wanted in (({"VIM_MCP_COMMAND": "'echo' 'it'\\''s' 'a  b'"}, "it's a  b\n"), ({}, "default\n")):
        argv = [server["command"], *(arg.replace("${CLAUDE_PLUGIN_ROOT}", str(PLUGIN)) for arg in server["args"])]
        done = subprocess.run(argv, env={**path, **extra}, capture_output=True, text=True, timeout=TIMEOUT, check=True)
        assert done.stdout == wanted
