"""README's pictures, taken from real editors on real terminals: a diff under review, a question, the status.

Usage: python -m dev.screenshots [NAME …]        writes docs/images/NAME.svg
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from dev.svg import picture
from tests.support.editors import ROOT, Terminal
from tests.support.ideclient import IdeClient, wait_lock
from tests.support.stage import Stage

IMAGES = ROOT / "docs" / "images"
LOOKS = """
syntax on
filetype on
set termguicolors background=dark number noswapfile noshowcmd laststatus=2 showtabline=0 statusline=%t%=%l,%c
execute 'colorscheme' has('nvim') ? 'default' : 'habamax'
let g:vim_mcp_diff_focus = 'always'
let g:vim_mcp_execute = 'ask'
let g:vim_mcp_ask_calm = 0
"""
CLAUDE = "claude-code"
_STILL = 0.4
"""Seconds without a change after which a screen is taken to be complete."""
OLD = '''"""Prices with tax."""

RATE = 0.19


def total(prices):
    sum = 0
    for price in prices:
        sum = sum + price
    return sum * RATE


def rounded(amount):
    return round(amount, 2)
'''
NEW = '''"""Prices with tax."""

RATE = 0.19


def total(prices: list[float]) -> float:
    """The sum, tax included."""
    return sum(prices) * (1 + RATE)


def rounded(amount):
    return round(amount, 2)
'''


def taken(terminal: Terminal, title: str, with_cursor: bool = True) -> str:
    """The picture of what a terminal shows, once it has drawn all of it."""
    with terminal._changed:  # the cells themselves, which no test asks for
        while terminal._changed.wait(_STILL):
            pass
        screen = terminal._screen
        rows = [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]
        cursor = (screen.cursor.y, screen.cursor.x) if with_cursor else None
    return picture(rows, cursor, title)


def project(stage: Stage) -> Path:
    """A directory in the person's home, with a file."""
    path = stage.home.home / "shop"
    path.mkdir(exist_ok=True)
    (path / "prices.py").write_text(OLD)
    return path


def diff(stage: Stage) -> str:
    """What Claude Code proposes, beside what there is, in Neovim."""
    directory = project(stage)
    editor = stage.editor("nvim", "prices.py", cwd=directory, size=(22, 110))
    editor.wait_screen("rounded")
    client = IdeClient.of(stage.home, editor.editor_pid, name=CLAUDE)
    file = str(directory / "prices.py")
    client.start_tool(
        "openDiff", old_file_path=file, new_file_path=file, new_file_contents=NEW, tab_name="\u273b prices.py"
    )
    editor.wait_screen("The sum, tax included", "[:w yes, :q no]")
    image = taken(editor, "A change that Claude proposes: edit it, :w accepts it, :q rejects it")
    client.close()
    return image


def question(stage: Stage) -> str:
    """A client wants to run what is not known to be harmless, in Vim."""
    directory = project(stage)
    editor = stage.editor("vim", "prices.py", cwd=directory, size=(22, 110))
    wait_lock(stage.home, editor.editor_pid)
    client = stage.client(directory, initialize=False)
    client.initialize(name="an-assistant")
    call = client.start_tool("vim_execute", command="!pytest -q tests/test_prices.py")
    editor.wait_screen("pytest -q tests")
    image = taken(editor, "A question: your keys stay yours, and CTRL-\\ y or n answers")
    editor.type("\x1cn")
    client.answer(call)
    return image


def status(stage: Stage) -> str:
    """Two editors and a client in a shell's eyes."""
    directory = project(stage)
    editors = []
    for kind, file in (("vim", "prices.py"), ("nvim", "notes.md")):
        editors.append(stage.editor(kind, file, cwd=directory))
        editors[-1].wait_screen(file)
        wait_lock(stage.home, editors[-1].editor_pid)
    assistant = stage.client(directory, initialize=False)
    assistant.initialize(name="an-assistant")
    assistant.request("tools/list")
    client = IdeClient.of(stage.home, editors[0].editor_pid, name=CLAUDE)
    shell = Terminal(["bash", "--norc", "-i"], stage.environment(PS1="$ "), directory, 14, 110)
    try:
        shell.wait_screen("$")
        shell.type("vim-mcp status\r")
        shell.wait_screen("clients: ", CLAUDE, lambda screen: screen.rstrip().endswith("\n$"))
        return taken(shell, "vim-mcp status")
    finally:
        shell.close()
        client.close()


SCENES: dict[str, Callable[[Stage], str]] = {"diff": diff, "question": question, "status": status}


def take(name: str, directory: Path) -> str:
    """The picture `name`, taken now; `directory` holds what that needs."""
    stage = Stage(directory, LOOKS)
    try:
        return SCENES[name](stage)
    finally:
        stage.close()


def main(names: list[str]) -> int:
    """Take the pictures that are named, or all."""
    IMAGES.mkdir(exist_ok=True)
    for name in names or SCENES:
        with tempfile.TemporaryDirectory(prefix="vim-mcp-") as directory:
            (IMAGES / f"{name}.svg").write_text(take(name, Path(directory)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
