"""An editor in which diffs come and go while its person does something: asked and told without a key being typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command
from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.inside import methods
from tests.support.rawhub import RawEditor, RawHub
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

    def do(self, *lines: str) -> None:
        """Run Ex commands of which no key is typed; `{terminal}` is the command for a terminal of Claude's."""
        terminal = TERMINAL["vim" if self.kind == "vim" else "nvim"]
        commands = [line.replace("{terminal}", terminal) for line in lines]
        self.value(f"execute({json.dumps(commands)})")

    def rest(self) -> None:
        """Wait until the person is taken to rest."""
        self.wait("vim_mcp#diff_focus#resting()", 1)

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


def start_scene(
    raw_hub: RawHub, home: EditorHome, launch: Launch, directory: Path, kind: str, size: tuple[int, int] = (30, 120)
) -> Scene:
    """A connected editor with a file `one.txt` of 60 lines, whose keys are noted since a client is connected."""
    options = "set noswapfile showmode showcmd complete=. completeopt=menu,menuone hlsearch shortmess+=F"
    home.add(f"source {ROOT}/tests/support/diffs.vim", methods(directory, *SERVED), options)
    file = directory / "one.txt"
    file.write_text("".join(f"text {number}\n" for number in range(1, 61)))
    terminal = launch(str(file), cwd=directory, size=size)
    link = raw_hub.editor()
    link.send({"type": "ide", "clients": 1})
    link.request("ping")
    return Scene(terminal, link, kind)


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
"""Commands that arrange windows, with the file the current one."""


def quick(names: Iterable[str], *these: str) -> list[Any]:
    """Values of a parameter, of which all but `these` are for `make rest`."""
    return [pytest.param(name, marks=() if name in these else pytest.mark.slow) for name in names]


def arrange(scene: Scene, name: str) -> None:
    """Arrange windows, with the file of 60 lines the current one."""
    scene.do(*ARRANGEMENTS[name].split(" | "))
    scene.wait("fnamemodify(bufname('%'), ':t')", "one.txt")
