"""`execute` and `navigate` beside a terminal that the person types into, as into a Claude Code's in their editor."""

from __future__ import annotations

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, wait_mode
from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

LINES = [f"line {number}" for number in range(1, 6)]


@pytest.fixture
def typing(editor: tuple[Terminal, RawEditor], kind: str) -> tuple[Terminal, RawEditor]:
    """An editor with one.txt, whose person types into a terminal beside it: `typed` stands there, no Enter yet."""
    terminal, link = editor
    edit(link, lines=LINES)
    command(terminal, "let g:vim_mcp_execute = 'all' | set hidden hlsearch | let @/ = 'line'")
    terminal.type(":terminal cat\r" if kind == "vim" else ":new | terminal cat\ri")
    wait_mode(link, "t")
    terminal.type("typed")
    terminal.wait_screen("typed")
    return terminal, link


def goes_on(terminal: Terminal, link: RawEditor) -> None:
    """The person's typing has stayed where it is, and nothing else was typed there."""
    assert state(link, "mode") == "t"
    terminal.type(" on\r")
    terminal.wait_screen(lambda screen: [line.strip() for line in screen.split("\n")].count("typed on") == 2)


def file_of(link: RawEditor) -> int:
    """The number of the buffer one.txt."""
    [window] = [window for window in state(link, "windows") if window["name"].endswith("one.txt")]
    return int(window["buffer"])


@pytest.mark.parametrize("how", [{}, {"safe": True, "text": True, "keys": True}])
def test_a_command_runs_in_the_window_before(typing: tuple[Terminal, RawEditor], how: dict[str, bool]) -> None:
    terminal, link = typing
    result = link.request("execute", command="2,3s/line/LINE/ | echo expand('%:t') line('.')", **how)
    assert (result["output"].split("\n")[-1], result["buffer"]) == ("one.txt 3", file_of(link))
    assert text(link, buffer=file_of(link)) == ["line 1", "LINE 2", "LINE 3", "line 4", "line 5"]
    terminal.wait_screen("LINE 3")
    goes_on(terminal, link)


@pytest.mark.parametrize("line", ["nohlsearch", "wincmd w", "split", "tabnew", "normal! Vjd", "startinsert", "nosuch"])
def test_whatever_the_command_the_typing_stays(typing: tuple[Terminal, RawEditor], line: str) -> None:
    terminal, link = typing
    if line == "nosuch":
        assert refused(link, "execute", command=line)["data"]["vim_error"] == "E492"
    else:
        link.request("execute", command=line)
    goes_on(terminal, link)


def test_a_command_is_one_step_to_undo(typing: tuple[Terminal, RawEditor]) -> None:
    terminal, link = typing
    link.request("execute", command="%s/line/LINE/")
    link.request("execute", command="1,2delete")
    terminal.type("\x1c\x0e")
    terminal.type("\x17p")
    wait_mode(link, "n")
    terminal.type("u")
    terminal.wait_screen("LINE 1")
    terminal.type("u")
    terminal.wait_screen("line 1")
    assert text(link) == LINES


def test_the_cursor_is_moved_there(typing: tuple[Terminal, RawEditor]) -> None:
    terminal, link = typing
    result = link.request("navigate", direction="bottom")
    assert (result["buffer"], result["line"], result["moved"]) == (file_of(link), 5, True)
    goes_on(terminal, link)


@pytest.mark.parametrize("direction", ["window_next", "tab_next"])
def test_another_window_waits_for_the_person(typing: tuple[Terminal, RawEditor], direction: str) -> None:
    terminal, link = typing
    error = refused(link, "navigate", direction=direction)
    assert (kind_of(error), error["data"]["waiting_for"]) == ("busy", "terminal mode")
    goes_on(terminal, link)


def test_where_there_is_only_the_terminal_it_waits(typing: tuple[Terminal, RawEditor]) -> None:
    terminal, link = typing
    terminal.type("\x1c\x0e:only\ri")
    wait_until(lambda: len(state(link, "windows")) == 1, "only the terminal")
    wait_mode(link, "t")
    assert kind_of(refused(link, "execute", command="echo 1")) == "busy"
    goes_on(terminal, link)
