"""`require('vim_mcp').setup{…}`: Neovim's way to the g: settings."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.waiting import wait_until

PAGE = (ROOT / "doc" / "vim-mcp.txt").read_text()
SETTINGS = (ROOT / "autoload" / "vim_mcp" / "settings.vim").read_text()
NEOVIMS = pytest.mark.parametrize("kind", ["nvim", "nvim07"], indirect=True)

Start = Callable[[str], Terminal]


def test_it_knows_every_setting() -> None:
    section = PAGE.partition("*vim-mcp-settings*")[2].partition("\n====")[0]
    documented = re.findall(r"^\*g:vim_mcp_(\w+)\*", section, re.MULTILINE)
    assert re.findall(r"^ +\\ '(\w+)': \[", SETTINGS, re.MULTILINE) == sorted(documented), (
        "autoload/vim_mcp/settings.vim"
    )


def test_what_chooses_has_its_choices() -> None:
    table = (ROOT / "autoload" / "vim_mcp" / "choices.vim").read_text()
    choosing = re.findall(r"^ +\\ '(\w+)': \['choice'\]", SETTINGS, re.MULTILINE)
    assert re.findall(r"^ +\\ '(\w+)': \[", table, re.MULTILINE) == choosing, "autoload/vim_mcp/choices.vim"


@pytest.fixture
def start(raw_hub: RawHub, launch: Callable[..., Terminal], home: EditorHome) -> Start:
    """A registered editor whose vimrc calls setup() with a table."""

    def started(options: str) -> Terminal:
        home.add(f"lua require('vim_mcp').setup({options})")
        terminal = launch()
        raw_hub.editor()
        return terminal

    return started


@NEOVIMS
@pytest.mark.requirement("SETUP-01")
def test_each_key_is_the_variable_of_its_name(start: Start, inside: Inside) -> None:
    terminal = start(
        "{ access = 'read', autoread = false, headless = true, ask_timeout = 5000, ignore = {'*.txt', 'x'}, "
        "claude_command = 'echo', state_push_events = {} }"
    )
    names = ["access", "autoread", "headless", "ask_timeout", "ignore", "claude_command", "state_push_events"]
    value = inside.value(terminal, f"map({names}, 'g:[''vim_mcp_'' . v:val]')")
    assert value == ["read", 0, 1, 5000, ["*.txt", "x"], "echo", []]
    assert "setup" not in inside.value(terminal, "execute('messages')")


@NEOVIMS
@pytest.mark.requirement("SETUP-01")
@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("{ acess = 'read' }", "setup(): no setting acess; did you mean access?"),
        ("{ g_whatever = 1 }", "setup(): no setting g_whatever; see :help vim-mcp-settings"),
        ("{ access = 'write' }", "setup{access = \"write\"}: give 'edit' or 'read' or 'off'"),
        ("{ ask_timeout = '5' }", 'setup{ask_timeout = "5"}: give a whole number from 0 on'),
        ("{ selection = 'on' }", 'setup{selection = "on"}: give true or false'),
        ("{ ask_timeout = 1.5 }", "setup{ask_timeout = 1.5}: give a whole number from 0 on"),
        ("{ selection = {} }", "setup{selection = {}}: give true or false"),
        ("{ ignore = {'a', x = 'b'} }", 'setup{ignore = { "a", x = "b" }}: give a string or a list of strings'),
        ("{ selection = print }", "setup{selection = <function 1>}: give true or false"),
        ("{ ignore = {'a', 1} }", 'setup{ignore = { "a", 1 }}: give a string or a list'),
        ("'read'", 'setup() takes a table, not "read"'),
    ],
)
def test_what_is_wrong_is_told_and_left(start: Start, inside: Inside, options: str, told: str) -> None:
    terminal = start(options)
    wait_until(lambda: f"vim-mcp: {told}" in inside.value(terminal, "execute('messages')"), "the message")
    names = "['acess', 'access', 'ask_timeout', 'selection', 'ignore']"
    assert inside.value(terminal, f"filter({names}, 'exists(''g:vim_mcp_'' . v:val)')") == []


@NEOVIMS
@pytest.mark.requirement("SETUP-01")
def test_all_that_is_wrong_can_be_read(start: Start, inside: Inside) -> None:
    terminal = start("{ acess = 'read', selection = 'on', ask_timeout = '5', access = 'read' }")
    terminal.wait_screen("vim-mcp: 3 messages (:messages has all): setup")
    messages = inside.value(terminal, "execute('messages')")
    assert all(told in messages for told in ("no setting acess;", "setup{selection = ", "setup{ask_timeout = "))
    assert inside.value(terminal, "g:vim_mcp_access") == "read"
