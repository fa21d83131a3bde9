"""The editor's part in running code: what it says of its environment, its commands, and the window that follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import EditorError, RawEditor
from tests.support.waiting import wait_until

Editor = tuple[Terminal, RawEditor]


@pytest.mark.requirement("KERNEL-10", "KERNEL-13")
def test_the_environment_is_the_editors_own(editor: Editor, tmp_path: Path) -> None:
    terminal, link = editor
    told = link.request("get_environment")
    folder = str(tmp_path / "project")
    assert told == {"permission": "ask", "timeout": 120, "kernel": "", "folder": folder}
    for setting in (
        "$ONE = '\u00e9'", '$TWO = "a\\xff"', "g:vim_mcp_execute_code = 'maybe'", "g:vim_mcp_kernel = 'bash'",
        "g:vim_mcp_execute_code_timeout = 5",
    ):  # fmt: skip
        terminal.type(f":let {setting}\r")
    wait_until(lambda: link.request("get_environment")["timeout"] == 5, "the last setting")
    told = link.request("get_environment", variables=True)
    variables = told.pop("variables")
    assert told == {"permission": "off", "timeout": 5, "kernel": "bash", "folder": folder}
    assert (variables["ONE"], "TWO" in variables, variables["TERM"]) == ("\u00e9", False, "xterm-256color")


@pytest.mark.requirement("KERNEL-13")
@pytest.mark.parametrize("setting", ["let g:vim_mcp_access = 'read'", "VimMCPPause"])
def test_without_access_no_environment_is_given(editor: Editor, setting: str) -> None:
    terminal, link = editor
    terminal.type(f":{setting}\r")

    def fault() -> str:
        try:
            link.request("get_environment", variables=True)
        except EditorError as error:
            return error.kind
        return ""

    wait_until(lambda: fault() == "access", "no access")


@pytest.mark.requirement("KERNEL-13")
def test_the_permission_is_pushed(editor: Editor) -> None:
    terminal, link = editor
    terminal.type(":let g:vim_mcp_execute_code = 'off' | new\r")
    wait_until(lambda: link.event("event")["state"]["execute_code"] == "off", "the push")


@pytest.mark.requirement("KERNEL-15")
def test_commands_are_passed_on_and_answers_shown(editor: Editor, tmp_path: Path) -> None:
    terminal, link = editor
    for typed, sent in (
        ("", {"do": "status"}),
        (" restart", {"do": "restart"}),
        (" interrupt", {"do": "interrupt"}),
        (" shutdown", {"do": "shutdown"}),
        (" attach a b.json", {"do": "attach", "file": str(tmp_path / "project" / "a b.json")}),
    ):
        terminal.type(f":VimMCPKernel{typed}\r")
        assert link.event("kernel") == {"type": "kernel", **sent}
    link.send({"type": "kernel", "words": "Kernel: python, idle"})
    terminal.wait_screen("vim-mcp: Kernel: python, idle")
    for typed, error in (("jump", "takes status, restart"), ("attach", "needs the connection file")):
        terminal.type(f":VimMCPKernel {typed}\r")
        terminal.wait_screen(error)


@pytest.mark.requirement("KERNEL-15")
def test_the_window_follows_what_runs(editor: Editor) -> None:
    terminal, link = editor

    def tell(kind: str, **fields: object) -> None:
        link.send({"type": "kernel_output", "kind": kind, **fields})

    tell("output", lines=["nobody looks"])
    link.request("ping")
    terminal.type(":VimMCPKernelOutput\r")
    assert link.event("kernel") == {"type": "kernel", "do": "watch", "on": True}
    tell("started", name="/p/python")
    tell("input", client="claude-code 2", lines=["for i in x:", "    print(i)"])
    tell("output", lines=["one", "tw"])
    tell("output", lines=["o\x1b[31m", ""])
    tell("output", lines=[" 10%"])
    tell("output", lines=[" 20%", ""], over=True)
    tell("done", failed=False)
    inputs = ("-- /p/python", "claude-code 2", "> for i in x:", ">     print(i)")
    screen = terminal.wait_screen(*inputs, "one", "two^[[31m", "\n 20%")
    assert "nobody looks" not in screen
    assert "10%" not in screen
    tell("output", lines=[*(f"line {number}" for number in range(100)), "the end"])
    terminal.wait_screen("the end")
    terminal.type("gg")
    terminal.wait_screen("-- /p/python")
    tell("output", lines=["", "more"])
    link.request("ping")
    terminal.type(":echo line('.') line('$')\r")
    terminal.wait_screen("1 10")
    terminal.type("q")
    tell("ended", words="the user has ended it")
    link.request("ping")
    assert "the user has ended it" not in terminal.text()
    terminal.type(":VimMCPKernelOutput\r")  # it is at the end again, and follows
    terminal.wait_screen("the user has ended it")
    terminal.type(":bwipeout\r")
    while link.event("kernel") != {"type": "kernel", "do": "watch", "on": False}:
        pass


@pytest.mark.requirement("KERNEL-15")
def test_a_long_life_keeps_the_last_lines(editor: Editor) -> None:
    terminal, link = editor
    terminal.type(":VimMCPKernelOutput\r")
    link.event("kernel")
    for part in range(30):
        lines = [str(part * 500 + number) for number in range(500)]
        link.send({"type": "kernel_output", "kind": "output", "lines": [*lines, ""]})
    link.request("ping")
    terminal.type(":echo 'lines' line('$') getline(1) getline(line('$') - 1)\r")
    terminal.wait_screen("lines 10000 5001 14999")


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-16")
def test_a_cell_does_not_seem_to_run_when_nobody_will_tell_its_end(editor: Editor) -> None:
    terminal, link = editor
    terminal.type("ix = 1\x1b:VimMCPRunCell\r")
    link.event("kernel")
    terminal.wait_screen("\n  running")
    link.close()
    terminal.wait_screen(lambda screen: "connection to the hub was lost" in screen and "\n  running" not in screen)


@pytest.mark.requirement("KERNEL-15")
def test_without_a_hub_the_commands_say_so(home: EditorHome, launch: Callable[..., Terminal]) -> None:
    home.add("let g:vim_mcp_enabled = 0")
    terminal = launch("one.txt")
    terminal.type(":VimMCPKernel\r")
    terminal.wait_screen("not connected")
