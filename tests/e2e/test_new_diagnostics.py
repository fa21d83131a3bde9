"""The real Claude CLI tells its model what an edit has broken, whatever the file and its directory are called."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.scene import Scene
from tests.support.scriptedapi import ToolUse

NAME = "50%25 d\u00e9j\u00e0 #1.txt"
BROKEN = "broken: \u6f22\n"
REPORT = {
    "vim": "call setqflist([{'bufnr': bufnr('%'), 'lnum': 1, 'col': 9, 'type': 'E', 'text': 'not ' . 'there'}])",
    "nvim": "call luaeval('vim.diagnostic.set(_A, 0, {{lnum = 0, col = 8, severity = 1, message = \"not there\"}})', "
    "nvim_create_namespace('test'))",
}
"""How an editor comes to report an error at the wide character."""


def watching(kind: str) -> list[str]:
    """A vimrc's lines: what has changed on disk is read again, and an error in it is reported at once."""
    return [
        "set autoread",
        "call timer_start(50, {-> execute('silent! checktime')}, {'repeat': -1})",
        "function! Report() abort",
        f"  {REPORT[kind]}",
        "endfunction",
        "autocmd FileChangedShellPost * call Report()",
    ]


def tells(request: dict[str, Any]) -> bool:
    """Whether the model is told of the error."""
    told = json.dumps(request["messages"], ensure_ascii=False)
    return "new diagnostic issues were detected" in told and f"{NAME}:" in told and "[Line 1:9] not there" in told


@pytest.mark.parametrize("kind", ["vim", "nvim"])
@pytest.mark.requirement("IDE-DIAG-02")
def test_the_model_hears_of_an_error_in_a_file_with_an_awkward_name(scene: Scene, kind: str) -> None:
    scene.stage.home.add(*watching(kind))
    directory = scene.project / "a b"
    directory.mkdir()
    (directory / NAME).write_text("fine\n")
    (scene.project / "link").symlink_to("a b")
    file = str(scene.project / "link" / NAME)
    cli = scene.claude_of(scene.editor(f"a b/{NAME}"))
    cli.terminal.type("\x1b[Z")  # from here on edits need no leave
    cli.shows("accept edits on")
    cli.api.script(
        ToolUse("Read", {"file_path": file}),
        ToolUse("Write", {"file_path": file, "content": BROKEN}),
        ToolUse("Read", {"file_path": file}),
    )
    cli.submit("Break it.")
    cli.api.wait_turn(tells, "the new diagnostic")
    assert (directory / NAME).read_text() == BROKEN
