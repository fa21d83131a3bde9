"""Where a diff is seen: its windows come and go without disturbing whoever types, and all is as it was afterwards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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


    def shape(self) -> dict[str, Any]:
        """What windows, tab pages, options, registers and buffers are like, as paths and values."""
        return dict(leaves(self.value("[DiffShape(), DiffOptions()]")))


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A value of JSON as paths and what stands there, so that a comparison shows where two differ."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if children is None:
        yield path, value
    for key, child in children or ():
        yield from leaves(child, f"{path}/{key}")


@pytest.fixture
def scene(raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str) -> Scene:
    """A connected editor of 30 lines and 120 columns, whose keys are noted since a client is connected."""
    home.add(f"source {ROOT}/tests/support/diffs.vim", methods(tmp_path, *SERVED), "set noswapfile showmode showcmd complete=. completeopt=menu,menuone hlsearch")
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
    shape, screen = scene.shape(), scene.terminal.text()
    assert scene.open()
    shown = scene.terminal.wait_screen("line 20 new")
    assert "Claude: calc.py  [:w accepts, :q rejects]" in shown
    assert scene.value("[bufname('%'), line('.'), tabpagenr()]") == ["diff://1/new", 20, 2]
    scene.close()
    scene.terminal.wait_screen(lambda text: rows(text) == rows(screen))
    assert scene.shape().items() ^ shape.items() == set()


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
    "insert": ("ihello", "mode(1) .. getline(1)", "ihellotext 1", " on\x1b", "getline(1)", "hello ontext 1"),
    "replace": ("Rab", "mode(1) .. getline(1)", "Rabxt 1", "cd\x1b", "getline(1)", "abcd 1"),
    "virtual replace": ("gRab", "mode(1) .. getline(1)", "Rvabxt 1", "cd\x1b", "getline(1)", "abcd 1"),
    "insert, for one command": ("iab\x0f", "mode(1)", "niI", "~\x1b", "getline(1)", "abText 1"),
    "an insertion in a block": ("l\x16jIxy", "mode(1) .. getline(1)", "itxyext 1", "z\x1b", "getline(2)", "txyzext 2"),
    "completion": ("A te\x0e", "[pumvisible(), getline(1)]", [1, "text 1 text"], "\x0e\x1b", "getline(1)", "text 1 te"),
    "visual": ("jvl", "[mode(1), col('.')]", ["v", 2], "ly", "getreg('\"')", "tex"),
    "visual line": ("jVj", "[mode(1), line('.')]", ["V", 3], "y", "getreg('\"')", "text 2\ntext 3\n"),
    "visual block": ("l\x16j", "[mode(1), line('.')]", ["\x16", 2], "d", "getline(1, 2)", ["txt 1", "txt 2"]),
    "visual, with a count": ("v1", "mode(1)", "v", "2ly", "getreg('\"')", "text 1\n"),
    "command line": (":let g:typed = 'ab", "mode(1) .. getcmdline()", "clet g:typed = 'ab", "cd'\r", "g:typed", "abcd"),
    "search": ("/text ", "mode(1) .. getcmdline()", "ctext ", "20\r", "line('.')", 20),
    "expression in insert mode": (
        "iab\x12='x'", "mode(1) .. getcmdline()", "c'x'", " . 'y'\r\x1b", "getline(1)", "abxytext 1"),
    "search for an operator": ("d/t 2", "mode(1) .. getcmdline()", "ct 2", "\r", "getline(1)", "t 2"),
    "recording": ("jqq", "reg_recording() .. line('.')", "q2", "jq", "[line('.'), @q]", [3, "j"]),
}  # fmt: skip
"""What the person is in the midst of: the keys that lead there and how that is seen, the keys that go on and what comes of
all."""


def arrange(scene: Scene, name: str) -> None:
    """Arrange windows, with the file of 60 lines the current one."""
    terminal = TERMINAL["vim" if scene.kind == "vim" else "nvim"]
    lines = ARRANGEMENTS[name].format(terminal=terminal).split(" | ")
    scene.value(f"execute({json.dumps(lines)})")
    scene.wait("fnamemodify(bufname('%'), ':t')", "one.txt")


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("busy", BUSY)
def test_typing_goes_on(scene: Scene, busy: str, arrangement: str) -> None:
    before, there, reached, after, told, wanted = BUSY[busy]
    arrange(scene, arrangement)
    scene.type(before)
    scene.wait(there, reached)
    shape = scene.shape()
    assert not scene.open()
    scene.terminal.wait_screen(lambda text: ("line 20 new" in text) is ("Claude" in arrangement))
    assert scene.value(there) == reached
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()
    assert not scene.open()
    scene.type(after)
    scene.wait(told, wanted)
    scene.wait("mode(1)", "n")
    if before[0] in "iRgA" and "\x0f" not in before:
        scene.type("u")
        scene.wait("getline(1)", "text 1")
    scene.close()
    assert scene.value("mode(1)") == "n"


PENDING = {
    "an operator": ("d", "w", "getline(1)", "1"),
    "a count": ("2", "dd", "getline(1)", "text 3"),
    "an operator with a count": ("2d", "w", "getline(1)", ""),
    "a register": ('"a', "yy", "@a", "text 1\n"),
    "a find": ("f", "t", "col('.')", 4),
    "a command of two keys": ("30Gz", "t", "line('w0')", 30),
    "CTRL-V in insert mode": ("i\x16", "065\x1b", "getline(1)", "Atext 1"),
    "a register in insert mode": ("yli\x12", '"\x1b', "getline(1)", "ttext 1"),
    "a replaced character": ("r", "x", "getline(1)", "xext 1"),
    "a mark": ("m", "a", "line(\"'a\")", 1),
}


@pytest.mark.parametrize("arrangement", ["alone", "split", "beside Claude"])
@pytest.mark.parametrize("pending", PENDING)
def test_a_command_typed_half_is_finished(scene: Scene, pending: str, arrangement: str) -> None:
    before, after, told, wanted = PENDING[pending]
    arrange(scene, arrangement)
    scene.run("set timeoutlen=100000")
    scene.type(before)
    last = before[-1] if before[-1] >= " " else f"^{chr(ord(before[-1]) + 64)}"
    scene.terminal.wait_screen(lambda screen: screen.rstrip().split("\n")[-1].rstrip().endswith(last))
    opening = scene.link.start("value", expression="DiffOpen()")
    if scene.kind == "vim":
        assert scene.link.answer(opening)["value"] == 0
    scene.type(after)
    if scene.kind != "vim":
        assert scene.link.answer(opening)["value"] == 0
    scene.wait(told, wanted)
    scene.wait("mode(1)", "n")
    scene.close()
    assert scene.value("mode(1)") == "n"


@pytest.mark.parametrize("arrangement", ["alone", "beside Claude"])
def test_typing_into_a_terminal_goes_on(scene: Scene, arrangement: str) -> None:
    arrange(scene, arrangement)
    if arrangement == "alone":
        scene.value(f"execute({json.dumps(TERMINAL['vim' if scene.kind == 'vim' else 'nvim'])})")
    else:
        scene.value("execute('wincmd b')")
    scene.type("" if scene.kind == "vim" else "i")
    scene.wait("mode(1)", "t")
    scene.type("be")
    scene.terminal.wait_screen("be")
    shape = scene.shape()
    assert not scene.open()
    scene.terminal.wait_screen("line 20 new")
    assert scene.value("tabpagenr('$')") == 1
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()
    assert not scene.open()
    scene.type("fore")
    scene.terminal.wait_screen("before")
    scene.close()
    scene.type(" after\r")
    scene.terminal.wait_screen(lambda screen: screen.count("before after") == 2)


LOCKED = {
    "the command-line window": ("q:", ":q\r"),
    "select mode": ("gh", "\x1b"),
    "a hit-enter prompt": (":echo 1 | echo 2\r", "\r"),
    "a confirmation": (":call confirm('sure?')\r", "\r"),
}


@pytest.mark.parametrize("locked", LOCKED)
def test_where_windows_cannot_be_changed_it_is_later(scene: Scene, locked: str) -> None:
    before, after = LOCKED[locked]
    scene.type(before)
    if "prompt" in locked or "confirm" in locked:
        scene.terminal.wait_screen("ENTER" if "prompt" in locked else "(O)k")
    else:
        scene.wait("mode(1) .. getcmdwintype()", "n:" if "window" in locked else "s")
    opening = scene.link.start("value", expression="DiffOpen()")
    if scene.kind == "vim" or locked in ("the command-line window", "select mode"):
        with pytest.raises(EditorError, match="^vim-mcp-later"):
            scene.link.answer(opening)
        scene.type(after)
        scene.wait("mode(1) .. getcmdwintype()", "n")
        assert not scene.open()
    else:
        scene.type(after)
        assert scene.link.answer(opening)["value"] == 0
    scene.close()
