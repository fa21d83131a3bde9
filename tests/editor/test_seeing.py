"""What Claude does is seen in status lines, heard by the user's autocommands, and told to who cannot see it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.editing import command
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.reviewing import Desk
from tests.support.standin import SHOWS_KEYS, VARIABLES, put, run, started

SHOWN = "set laststatus=2 statusline=<%{vim_mcp#statusline()}>"
HEARD = [
    "let g:heard = []",
    "autocmd User VimMCPClaudeWorking call add(g:heard, 'working')",
    "autocmd User VimMCPClaudeWaiting call add(g:heard, 'waiting')",
    "autocmd User VimMCPClaudeIdle call add(g:heard, 'idle')",
]
WAITS = "vim-mcp: Claude waits for you"


def does(link: RawEditor, activity: str, clients: int = 1) -> None:
    """So many Claudes are connected, and that is what they do."""
    link.send({"type": "ide", "clients": clients, "activity": activity})
    link.request("ping")


@pytest.mark.requirement("SEEN-01")
def test_a_status_line_shows_it_and_the_diffs(desk: Desk) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_focus = 'never'")
    command(desk.terminal, SHOWN)
    desk.terminal.wait_screen("<>")
    for activity, clients, shown in (
        ("", 1, "<Claude>"), ("working", 1, "<Claude working>"), ("waiting", 2, "<2 Claudes waiting>"),
        ("idle", 0, "<Claude idle>"), ("", 0, "<>"), ("waiting", 1, "<Claude waiting>"),
    ):  # fmt: skip
        does(desk.link, activity, clients)
        desk.terminal.wait_screen(shown)
    first = desk.propose(old=b"one\n")
    desk.terminal.wait_screen("<Claude waiting, 1 diff>")
    desk.propose(file=desk.file.with_name("other.py"))
    desk.terminal.wait_screen("<Claude waiting, 2 diffs>")
    desk.link.request("close_diffs", reviews=[first])
    desk.terminal.wait_screen("<Claude waiting, 1 diff>")
    desk.link.request("close_diffs", reviews=["r2"])
    desk.terminal.wait_screen("<Claude waiting>")


@pytest.mark.requirement("SEEN-01")
def test_components_of_status_line_plugins_show_the_same(
    inside: Inside, editor: tuple[Terminal, RawEditor], kind: str
) -> None:
    terminal, link = editor
    does(link, "idle")
    if kind != "vim":
        assert inside.value(terminal, "luaeval('require(\"lualine.components.vim_mcp\")()')") == "Claude idle"
    command(terminal, "let g:airline_section_x = 'x' | let g:extension = {'added': []}")
    command(terminal, "function g:extension.add_statusline_func(name) dict\rcall add(self.added, a:name)\rendfunction")
    command(terminal, "call airline#extensions#vim_mcp#init(g:extension)")
    for _ in range(2):  # airline calls it for each status line, again and again
        command(terminal, "for name in g:extension.added | call call(name, [{}, {}]) | endfor")
    command(terminal, "set laststatus=2 | let &statusline = '<' . w:airline_section_x . '>'")
    terminal.wait_screen("<Claude idle x>")
    does(link, "", 0)
    terminal.wait_screen("<x>")


@pytest.mark.requirement("SEEN-02")
def test_autocommands_hear_each_change_once(inside: Inside, editor: tuple[Terminal, RawEditor]) -> None:
    terminal, link = editor
    for line in HEARD:
        command(terminal, line)
    for activity in ("working", "working", "waiting", "working", "idle", "idle", "", "idle"):
        does(link, activity)
    assert inside.value(terminal, "g:heard") == ["working", "waiting", "working", "idle", "idle"]


@pytest.mark.requirement("SEEN-03")
@pytest.mark.parametrize("hidden", [True, False])
def test_who_does_not_see_that_claude_waits_is_told(
    inside: Inside, editor: tuple[Terminal, RawEditor], home: EditorHome, hidden: bool
) -> None:
    terminal, link = editor
    command(terminal, f"let g:vim_mcp_claude_command = ['{put(SHOWS_KEYS, home.home / 'claude', inside)}']")
    link.send({"type": "environment", "variables": VARIABLES})
    terminal.type(":ClaudeCode\r")
    started(inside, link)
    run(terminal, "ClaudeCode" if hidden else "wincmd p")
    does(link, "waiting")
    if hidden:
        terminal.wait_screen(WAITS)
        command(terminal, "mode")
        does(link, "working")
    # Whatever was to be told has been told before this.
    command(terminal, "call timer_start(1100, {_ -> vim_mcp#notice#unasked('that was all')})")
    terminal.wait_screen("vim-mcp: that was all")
    told: Any = inside.value(terminal, "split(execute('messages'), '\\n')")
    assert len([line for line in told if line.startswith(WAITS)]) == (1 if hidden else 0)


SHOWS_TITLES = """#!{python}
import os, sys, time, tty
tty.setraw(0)
with open({path!r}, "w") as pipe:
    print([os.getpid(), [], 0], file=pipe)

def call(sign):
    print(end="\\x1b]0;%s Claude Code\\x07" % chr(sign), flush=True)

while key := os.read(0, 1):
    if key != b"r":
        call(0x25d0)
    if key == b"m":
        time.sleep(0.7)
    if key != b"w":
        call(0x2733)
"""
"""Calls its terminal what the CLI does: that it works (w), for a moment alone (m), and that it rests (r)."""


@pytest.fixture
def titled(editor: tuple[Terminal, RawEditor], home: EditorHome, inside: Inside, kind: str) -> int:
    """Claude's terminal has the keys, and the status line shows what it is called; its process."""
    terminal, link = editor
    title = "term_gettitle(bufnr(''))" if kind == "vim" else "get(b:, 'term_title', '')"
    command(terminal, f"set laststatus=2 | let &statusline = '<%{{{title.replace(chr(39), chr(39) * 2)}}}'")
    command(terminal, f"let g:vim_mcp_claude_command = ['{put(SHOWS_TITLES, home.home / 'claude', inside)}']")
    link.send({"type": "environment", "variables": VARIABLES})
    terminal.type(":ClaudeCode\r")
    return started(inside, link)[0]


@pytest.mark.requirement("SEEN-04")
def test_its_title_tells_that_a_turn_was_ended_by_escape(editor: tuple[Terminal, RawEditor], titled: int) -> None:
    terminal, link = editor
    terminal.type("w")
    terminal.wait_screen("<\u25d0 Claude Code")
    does(link, "working")
    terminal.type("r")
    terminal.wait_screen("<\u2733 Claude Code")
    assert link.event("rested")["pid"] == titled


@pytest.mark.requirement("SEEN-04")
def test_so_it_does_of_a_first_turn_that_was_ended_at_once(editor: tuple[Terminal, RawEditor], titled: int) -> None:
    terminal, link = editor
    does(link, "working")
    link.request("ping")
    terminal.type("m")
    assert link.event("rested")["pid"] == titled


@pytest.mark.slow
@pytest.mark.requirement("SEEN-04")
def test_a_title_that_never_changes_tells_nothing(editor: tuple[Terminal, RawEditor], titled: int) -> None:
    terminal, link = editor
    terminal.type("r")
    terminal.wait_screen("<\u2733 Claude Code")
    does(link, "working")
    terminal.type("\x1c\x0e")
    command(terminal, "call timer_start(4000, {_ -> vim_mcp#notice#unasked('that was all')})")
    terminal.wait_screen("vim-mcp: that was all")
    link.request("ping")
    assert all(message["type"] != "rested" for message in list(link.events.queue))
