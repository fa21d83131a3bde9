"""The variables by which a program that is started in the editor finds it, and how many Claudes have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command
from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub

Launch = Callable[..., Terminal]

VARIABLES = {"CLAUDE_CODE_SSE_PORT": "12345", "ENABLE_IDE_INTEGRATION": "true", "VIM_MCP_INSTANCE": "one-demo-1"}
NAMES = [*VARIABLES, "no_proxy", "NO_PROXY"]
LOOPBACK = "127.0.0.1,localhost"


def send(link: RawEditor, **variables: str) -> None:
    """Send the hub's variables to an editor, and wait until it has taken them."""
    link.send({"type": "environment", "variables": {**VARIABLES, **variables}})
    link.request("ping")


def environment(inside: Inside, terminal: Terminal) -> dict[str, Any]:
    """The editor's values of the variables that are set."""
    names = ", ".join(f"'{name}'" for name in NAMES)
    found = inside.value(terminal, f"map(filter([{names}], 'exists(\"$\" . v:val)'), '[v:val, eval(\"$\" . v:val)]')")
    return dict(found)


@pytest.mark.requirement("ENV-02")
def test_they_are_set_and_put_back(raw_hub: RawHub, inside: Inside, launch: Launch) -> None:
    terminal = launch(ENABLE_IDE_INTEGRATION="maybe", NO_PROXY="example.org, localhost")
    link = raw_hub.editor()
    link.event("BufEnter")
    before = environment(inside, terminal)
    assert before == {"ENABLE_IDE_INTEGRATION": "maybe", "NO_PROXY": "example.org, localhost"}
    for port in ("12345", "23456"):
        send(link, CLAUDE_CODE_SSE_PORT=port)
        exceptions = "example.org, localhost,127.0.0.1"
        proxies = {"no_proxy": exceptions, "NO_PROXY": exceptions}
        assert environment(inside, terminal) == {**VARIABLES, **proxies, "CLAUDE_CODE_SSE_PORT": port}
    command(terminal, "VimMCPStop")
    assert environment(inside, terminal) == before


@pytest.mark.requirement("ENV-02")
def test_they_outlive_a_hub_and_what_the_user_has_set_since_stays(
    raw_hub: RawHub, inside: Inside, launch: Launch, home: EditorHome
) -> None:
    terminal = launch()
    link = raw_hub.editor()
    link.event("BufEnter")
    send(link)
    raw_hub.close()
    assert link.closed.wait(TIMEOUT)
    assert environment(inside, terminal) == {**VARIABLES, "no_proxy": LOOPBACK, "NO_PROXY": LOOPBACK}
    command(terminal, "let $no_proxy = '*' | let $VIM_MCP_INSTANCE = 'mine'")
    command(terminal, "VimMCPStop")
    assert environment(inside, terminal) == {"no_proxy": "*", "VIM_MCP_INSTANCE": "mine"}


def test_what_is_no_variable_is_left_out(raw_hub: RawHub, inside: Inside, launch: Launch) -> None:
    terminal = launch()
    link = raw_hub.editor()
    link.event("BufEnter")
    link.send({"type": "environment", "variables": {"A | quit": "x", "VIM_MCP_INSTANCE": 7, "ENABLE": "yes"}})
    link.send({"type": "environment"})
    link.request("ping")
    assert inside.value(terminal, "[$ENABLE, exists('$VIM_MCP_INSTANCE')]") == ["yes", 0]


@pytest.mark.requirement("ENV-02")
def test_an_editor_in_a_terminal_of_another_has_its_own(
    kind: str, raw_hub: RawHub, inside: Inside, launch: Launch, tmp_path: Path
) -> None:
    outer = launch("outer.txt", cwd=tmp_path)
    link = raw_hub.editor()
    link.event("BufEnter")
    send(link)
    start = "term_start([v:progpath, '-u', $MYVIMRC, 'inner.txt'], {'curwin': 1})"
    if kind != "vim":
        start = "termopen([v:progpath, '-u', $MYVIMRC, 'inner.txt'])"
    command(outer, "enew | let $OUTER = $CLAUDE_CODE_SSE_PORT | let $MYVIMRC = $HOME . '/vimrc'")
    outer.type(f":call {start}\r" + ("" if kind == "vim" else "i"))
    nested = raw_hub.editor()
    assert nested.hello["instance_id"].startswith("inner-")
    nested.event("BufEnter")
    send(nested, CLAUDE_CODE_SSE_PORT="54321")
    outer.type(":call Tell([$OUTER, $CLAUDE_CODE_SSE_PORT])\r")
    assert inside.told() == ["12345", "54321"]


def test_the_number_of_claudes_is_known(raw_hub: RawHub, inside: Inside, launch: Launch, home: EditorHome) -> None:
    home.add("set laststatus=2 statusline=%{vim_mcp#ide_clients()}\\ here")
    terminal = launch(size=(24, 160))
    link = raw_hub.editor()
    terminal.wait_screen("0 here")
    link.send({"type": "ide", "clients": 2})
    terminal.wait_screen("2 here")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen(", 2 Claudes, as ")
    link.send({"type": "ide", "clients": 1})
    terminal.wait_screen("1 here")
    raw_hub.close()
    terminal.wait_screen("0 here")
