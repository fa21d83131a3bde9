"""What the user is told: on one line, never at a hit-enter prompt, and whole in the message history."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.support.editing import wait_mode
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub

LONG = "it is not done, " + "because of this and that, " * 20 + "and :ThisCommand mends it"
Scene = tuple[Terminal, RawEditor]


@pytest.fixture
def scene(inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], home: EditorHome) -> Scene:
    """An editor that is asked for Enter and for more wherever it can be, with two commands that tell something long."""
    home.add(
        "set more shortmess-=T showmode showcmd ruler laststatus=2 cmdheight=2", f"let g:long = '{LONG}'",
        "command Now call vim_mcp#notice#error(g:long)", "command Later call vim_mcp#notice#unasked(g:long)",
    )  # fmt: skip
    terminal = launch("one.txt")
    link = raw_hub.editor()
    link.event("BufEnter")
    return terminal, link


CUT = re.compile(r"^vim-mcp: it is not done, because .*\.\.\. \(:messages\)$", re.MULTILINE)


def told(terminal: Terminal) -> None:
    """Wait until it is told on one line, the last but one, since a mode is shown below it."""
    terminal.wait_screen(lambda screen: bool(CUT.search(screen)) and "ThisCommand" not in screen)


def kept(inside: Inside, terminal: Terminal) -> list[str]:
    """What the history has of it."""
    lines: list[str] = inside.value(terminal, "split(execute('messages'), '\\n')")
    return [line for line in lines if line.startswith("vim-mcp: it is not done")]


def test_what_is_cut_is_whole_in_the_history(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":Now\r")
    told(terminal)
    wait_mode(link, "n")
    assert kept(inside, terminal) == [f"vim-mcp: {LONG}"]
    assert inside.value(terminal, "[&more, &shortmess =~# 'T']") == [1, 0]


@pytest.mark.parametrize("command", ["Now", "Later"])
@pytest.mark.parametrize("options", ["laststatus=2", "laststatus=0 noruler noshowcmd", "laststatus=0 columns=60"])
def test_where_there_is_no_command_line_the_history_has_it_in_lines(
    scene: Scene, inside: Inside, kind: str, command: str, options: str
) -> None:
    """Neovim would ask for Enter where more is said at once than fits."""
    if kind != "nvim":
        pytest.skip("it has always a command line")
    terminal, link = scene
    terminal.type(f":set cmdheight=0 {options}\r:{command}\r")
    terminal.wait_screen("it is not done, bec", lambda screen: "ThisCommand" not in screen)
    wait_mode(link, "n")
    lines = [line.strip() for line in inside.value(terminal, "split(execute('messages'), '\\n')")]
    begin = next(number for number, line in enumerate(lines) if line.startswith("vim-mcp: it is not done"))
    assert " ".join(lines[begin:]).startswith(f"vim-mcp: {LONG}")


MODES = {"insert": ("i", "i"), "visual": ("v", "v"), "terminal": (":terminal cat\r", "t")}


@pytest.mark.parametrize("mode", MODES)
def test_what_nobody_asked_for_leaves_the_mode_as_it_is(scene: Scene, inside: Inside, kind: str, mode: str) -> None:
    terminal, link = scene
    keys, letter = MODES[mode]
    terminal.type(":Later\r" + keys + ("i" if mode == "terminal" and kind != "vim" else ""))
    told(terminal)
    wait_mode(link, letter)
    terminal.type("\x1c\x0e")  # to Normal mode, from everywhere
    assert kept(inside, terminal) == [f"vim-mcp: {LONG}"]


@pytest.mark.parametrize("options", ["", "cmdheight=1", "cmdheight=0"])
def test_what_comes_together_is_counted_on_one_line(
    inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], home: EditorHome, kind: str, options: str
) -> None:
    """Each by itself would be wiped off by the next; none of it asks for Enter."""
    if options == "cmdheight=0" and kind != "nvim":
        pytest.skip("it has always a command line")
    texts = ["'one'", "'two'", f"'three {LONG}'"]
    home.add(f"set {options or 'cmdheight=2'} more", *(f"call vim_mcp#notice#unasked({text})" for text in texts))
    terminal = launch("one.txt")
    link = raw_hub.editor()
    terminal.wait_screen("vim-mcp: 3 messages (:messages has all): three")
    wait_mode(link, "n")
    history = inside.value(terminal, "split(execute('messages'), '\\n')")
    lines = [line.strip() for line in history]
    begin = lines.index("vim-mcp: one")
    assert lines[begin + 1] == "vim-mcp: two"
    assert " ".join(lines[begin + 2 :]).startswith(f"vim-mcp: three {LONG}")
