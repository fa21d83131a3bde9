"""Where a diff is seen: its windows come and go without disturbing whoever types, and all is as it was afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command
from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.inside import methods
from tests.support.rawhub import EditorError, RawEditor, RawHub
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]

SERVED = [
    "if a:method ==# 'value'",
    "  call a:reply({'result': {'value': eval(a:params.expression)}})",
    "  return",
    "endif",
]
"""VimScript: a request that evaluates an expression in the midst of whatever the person types."""


class Scene:
    """An editor with a file of 60 lines; all is asked and told over its connection, none of it typed."""

    def __init__(self, terminal: Terminal, link: RawEditor, kind: str):
        self.terminal = terminal
        self.link = link
        self.kind = kind

    def value(self, expression: str) -> Any:
        """The value of a VimScript expression."""
        return self.link.request("value", expression=expression)["value"]

    def type(self, keys: str) -> None:
        """Type."""
        self.terminal.type(keys)

    def wait(self, expression: str, wanted: Any) -> None:
        """Wait until an expression has a value."""
        wait_until(lambda: bool(self.value(expression) == wanted), f"{expression} = {wanted!r}")

    def run(self, line: str) -> None:
        """Run an Ex command as the person does, in Normal mode."""
        command(self.terminal, line)

    def rest(self) -> None:
        """Wait until the person is taken to rest."""
        self.wait("vim_mcp#diff_windows#resting()", 1)

    def open(self) -> bool:
        """Open a diff; whether it was brought to the front."""
        return bool(self.value("DiffOpen()"))

    def close(self) -> None:
        """Close the diff opened last."""
        self.value("DiffClose()")


@pytest.fixture
def scene(raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str) -> Scene:
    """A connected editor of 30 lines and 120 columns, whose keys are noted since a client is connected."""
    home.add(f"source {ROOT}/tests/support/diffs.vim", methods(tmp_path, *SERVED), "set noswapfile showmode showcmd")
    file = tmp_path / "one.txt"
    file.write_text("".join(f"text {number}\n" for number in range(1, 61)))
    terminal = launch(str(file), cwd=tmp_path, size=(30, 120))
    link = raw_hub.editor()
    link.send({"type": "ide", "clients": 1})
    link.request("ping")
    return Scene(terminal, link, kind)


def rows(screen: str) -> list[str]:
    """A screen without its last row, where messages come and go."""
    return screen.split("\n")[:-1]


def test_a_person_at_rest_is_led_to_it(scene: Scene) -> None:
    scene.type("30Gzt20|")
    scene.run("echo")
    scene.rest()
    shape, options, screen = scene.value("DiffShape()"), scene.value("DiffOptions()"), scene.terminal.text()
    assert scene.open()
    shown = scene.terminal.wait_screen("line 20 new")
    assert "Claude: calc.py  [:w accepts, :q rejects]" in shown
    assert scene.value("[bufname('%'), line('.'), tabpagenr()]") == ["diff://1/new", 20, 2]
    scene.close()
    scene.terminal.wait_screen(lambda text: rows(text) == rows(screen))
    assert scene.value("DiffShape()") == shape
    assert scene.value("DiffOptions()") == options


def test_who_has_just_typed_is_not_led_to_it(scene: Scene) -> None:
    scene.type("j")
    scene.wait("line('.')", 2)
    assert not scene.open()
    assert scene.value("[tabpagenr(), tabpagenr('$'), line('.')]") == [1, 2, 2]
    scene.terminal.wait_screen("a diff of calc.py waits for review in tab page 2")


TERMINAL = {
    "vim": "call term_start('cat', {'curwin': 1}) | let b:vim_mcp_claude = 1",
    "nvim": "enew | call termopen('cat') | let b:vim_mcp_claude = 1",
}

ARRANGEMENTS = {
    "alone": "",
    "split": "split | wincmd p | resize 5 | wincmd p",
    "tabs": "tabnew | tabnew | tabprevious | tabfirst",
    "beside Claude": "botright vertical 50split | {terminal} | wincmd p",
    "Claude, a tree and a list": "botright vertical 40split | {terminal} | wincmd p | copen 5 | setlocal winfixheight "
    "| Lexplore | vertical resize 20 | wincmd b | wincmd k | wincmd h",
}

BUSY = {
    "insert": ("ihello", "i", " on\x1b", "getline(1)", "hello ontext 1"),
    "replace": ("Rab", "R", "cd\x1b", "getline(1)", "abcd 1"),
    "virtual replace": ("gRab", "Rv", "cd\x1b", "getline(1)", "abcd 1"),
    "insert, for one command": ("iab\x0f", "niI", "~\x1b", "getline(1)", "abText 1"),
    "an insertion in a block": ("l\x16jIxy", "i", "z\x1b", "getline(2)", "txyzext 2"),
    "visual": ("jvl", "v", "ly", "getreg('\"')", "tex"),
    "visual line": ("jVj", "V", "y", "getreg('\"')", "text 2\ntext 3\n"),
    "visual block": ("l\x16j", "\x16", "d", "getline(1, 2)", ["txt 1", "txt 2"]),
    "command line": (":let g:typed = 'ab", "c", "cd'\r", "g:typed", "abcd"),
    "search": ("/text ", "c", "20\r", "line('.')", 20),
    "command line in insert mode": ("iab\x12='x'", "c", " . 'y'\r\x1b", "getline(1)", "abxytext 1"),
    "recording": ("qqj", "n", "jq", "[line('.'), @q]", [3, "jj"]),
}
"""What the person is in the midst of: the keys that lead there, its mode, the keys that go on, and what comes of all."""


def arrange(scene: Scene, name: str) -> None:
    """Arrange windows, with the file of 60 lines the current one."""
    terminal = TERMINAL["vim" if scene.kind == "vim" else "nvim"]
    lines = ARRANGEMENTS[name].format(terminal=terminal).split(" | ")
    scene.value(f"execute({json.dumps(lines)})")
    scene.wait("fnamemodify(bufname('%'), ':t')", "one.txt")


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("busy", BUSY)
def test_typing_goes_on(scene: Scene, busy: str, arrangement: str) -> None:
    before, mode, after, told, wanted = BUSY[busy]
    arrange(scene, arrangement)
    scene.type(before)
    scene.wait("mode(1)", mode)
    shape, options = scene.value("DiffShape()"), scene.value("DiffOptions()")
    assert not scene.open()
    assert "line 20 new" in scene.terminal.text() or "Claude" not in arrangement
    assert scene.value("mode(1)") == mode
    scene.close()
    assert scene.value("DiffShape()") == shape
    assert scene.value("DiffOptions()") == options
    assert not scene.open()
    scene.type(after)
    scene.wait(told, wanted)
    scene.wait("mode(1)", "n")
    if mode in ("i", "R", "Rv"):
        scene.type("u")
        scene.wait("getline(1)", "text 1")
    scene.close()
    assert scene.value("mode(1)") == "n"
