"""The editor's part in running code: what it says of its environment, its commands, and the window that follows."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import EditorError, RawEditor, RawHub
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
def test_the_window_waits_while_the_text_is_locked(editor: Editor) -> None:
    terminal, link = editor
    terminal.type(":VimMCPKernelOutput\r:wincmd p\r:nnoremap <expr> gz nr2char(getchar())\rgz")
    link.event("kernel")
    for line in ("one", "two"):
        link.send({"type": "kernel_output", "kind": "output", "lines": [line, ""]})
    link.request("ping")
    terminal.type("h")
    screen = terminal.wait_screen("one\ntwo\n")
    assert "Error" not in screen


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


CELLS = "# %% one\nx = 1\n\ny = 2\n\n# %% two\nz = 3\n"
WAYS = {
    "the cell": (":2\r:VimMCPRunCell\r", ["x = 1", "", "y = 2"]),
    "a range": (":4,8VimMCPRunCell\r", ["y = 2", "", "# %% two", "z = 3"]),
    "a line": (":7VimMCPRunCell\r", ["z = 3"]),
    "marked lines": ("2GVj:VimMCPRunCell\r", ["x = 1"]),
    "marked lines, by a map": ("3GVjgr", ["", "y = 2"]),
}


@pytest.mark.requirement("KERNEL-16")
@pytest.mark.parametrize("way", WAYS)
def test_the_cell_or_the_lines_that_are_named_run(editor: Editor, way: str) -> None:
    terminal, link = editor
    link.request("edit", kind="all", buffer=0, lines=[*CELLS.split("\n"), ""])
    keys, lines = WAYS[way]
    terminal.type(f":xmap gr <Plug>(vim-mcp-run-cell)\rgg{keys}")
    assert link.event("kernel")["lines"] == lines
    terminal.wait_screen(f"{lines[-1]}\n  running")


@pytest.mark.requirement("KERNEL-16")
def test_a_cell_shows_how_far_it_is_and_then_what_came_of_it(editor: Editor) -> None:
    terminal, link = editor
    terminal.type("ix = 1\x1b:VimMCPRunCell\r")
    cell = link.event("kernel")["cell"]

    def tell(*lines: str, **more: bool) -> None:
        link.send({"type": "kernel_cell", "cell": cell, "lines": lines, "failed": False, **more})

    tell("running: step 7", runs=True)
    terminal.wait_screen("x = 1\n  running: step 7\n~")
    tell(*(f"line {number}" for number in range(100)))
    terminal.wait_screen("x = 1\n  line 0\n", "more lines: :VimMCPKernelOutput)\n", "\n  line 99\n~")
    wide = "wide \u65e5\u672c " * 20
    tell(wide)  # no row is wider than the screen, and nothing of it is lost
    terminal.wait_screen(lambda screen: "".join(screen.split()).startswith("x=1" + "".join(wide.split())))


@pytest.mark.requirement("KERNEL-16")
def test_what_comes_of_a_cell_at_the_bottom_is_brought_into_sight(editor: Editor) -> None:
    terminal, link = editor
    link.request("edit", kind="all", buffer=0, lines=[f"# %%\nx = {n}".split("\n")[n % 2] for n in range(60)])
    terminal.type("22G")
    terminal.wait_screen("x = 21")
    terminal.type(":VimMCPRunCell\r")
    cell = link.event("kernel")["cell"]
    terminal.wait_screen("x = 21\n  running")
    link.send({"type": "kernel_cell", "cell": cell, "lines": ["a", "b", "c"], "failed": False})
    terminal.wait_screen("x = 21\n  a\n  b\n  c\n")
    assert link.request("get_state", sections=["cursor"])["cursor"] == [22, 1]
    terminal.type(":VimMCPRunCell\r40Gzt")  # one that has gone elsewhere stays there
    cell = link.event("kernel")["cell"]
    terminal.wait_screen(lambda screen: screen.startswith("x = 39"))
    link.send({"type": "kernel_cell", "cell": cell, "lines": ["seen later"], "failed": False})
    link.request("ping")
    terminal.type("22Gzt")
    terminal.wait_screen(lambda screen: screen.startswith("x = 21\n  seen later\n"))


@pytest.mark.requirement("KERNEL-16")
def test_a_result_goes_with_its_lines_and_comes_back_with_them(editor: Editor, kind: str) -> None:
    if kind == "nvim07":
        pytest.skip("its marks stay where the lines were")
    terminal, link = editor
    link.request("edit", kind="all", buffer=0, lines=["# %% one", "x = 1", "# %% two", "y = 2"])
    terminal.type("2G:VimMCPRunCell\r")
    cell = link.event("kernel")["cell"]
    terminal.wait_screen("x = 1\n  running")
    terminal.type("dd")
    terminal.wait_screen("# %% one\n# %% two\n")
    link.send({"type": "kernel_cell", "cell": cell, "lines": ["the end"], "failed": False})
    link.request("ping")
    assert "the end" not in terminal.text()
    terminal.type("u")
    terminal.wait_screen("x = 1\n  the end\n# %% two")
    terminal.type(":VimMCPRunCell!\r")
    terminal.wait_screen("x = 1\n# %% two")


@contextlib.contextmanager
def deaf_hub(home: EditorHome) -> Iterator[Path]:
    """The socket of a hub that takes calls and does not answer; no other is started."""
    home.add("let g:vim_mcp_command = ['true']")
    path = home.runtime / "vim-mcp-server.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        yield path


@pytest.mark.requirement("KERNEL-16")
def test_a_cell_waits_while_the_editor_connects(home: EditorHome, launch: Callable[..., Terminal]) -> None:
    with deaf_hub(home) as path:
        terminal = launch("one.txt")
        terminal.type("ix = 1\x1b:VimMCPRunCell\r")
        terminal.wait_screen("x = 1\n  connecting", "vim-mcp: connecting; it is done then")
        path.unlink()
        hub = RawHub(home.runtime)
    link = hub.editor()
    assert link.event("kernel")["lines"] == ["x = 1"]
    terminal.wait_screen("x = 1\n  running")
    terminal.type(":VimMCPKernel\r")
    assert link.event("kernel")["do"] == "status"
    hub.close()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-16")
def test_a_cell_does_not_wait_for_ever(home: EditorHome, launch: Callable[..., Terminal]) -> None:
    with deaf_hub(home):
        terminal = launch("one.txt")
        terminal.type("ix = 1\x1b:VimMCPRunCell\r")
        terminal.wait_screen("x = 1\n  connecting")
        terminal.wait_screen("not connected in time", "x = 1\n~")


@pytest.mark.requirement("KERNEL-15")
def test_without_a_hub_the_commands_say_so(home: EditorHome, launch: Callable[..., Terminal]) -> None:
    home.add("let g:vim_mcp_enabled = 0")
    terminal = launch("one.txt")
    terminal.type(":VimMCPKernel\r")
    terminal.wait_screen("not connected")
