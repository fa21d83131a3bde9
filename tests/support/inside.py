"""Looking into an editor from its own command line, where no request may or can be sent."""

from __future__ import annotations

import json
import os
import select
from pathlib import Path
from typing import Any

from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal


class Inside:
    """Has editors of one home type expressions' values into a pipe; they must be in normal mode."""

    def __init__(self, home: EditorHome):
        self.path = home.home / "told"
        """The pipe, into which others may write a line of JSON too."""
        os.mkfifo(self.path)
        self._pipe = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        home.add(
            "function! Tell(value) abort",
            f"  call writefile([json_encode(a:value)], '{self.path}', 'S')",
            "endfunction",
        )

    def value(self, terminal: Terminal, expression: str) -> Any:
        """The value of a VimScript expression, from JSON."""
        terminal.type(f":silent call Tell({expression})\r")
        return self.told()

    def told(self, timeout: float = TIMEOUT) -> Any:
        """What the next call of `Tell()` in an editor tells."""
        text = b""
        while not text.endswith(b"\n"):
            ready, _, _ = select.select([self._pipe], [], [], timeout)
            assert ready, f"the editor told nothing within {timeout} s; so far {text!r}"
            text += os.read(self._pipe, 1 << 16)
        return json.loads(text)

    def close(self) -> None:
        """Free the pipe."""
        os.close(self._pipe)


def methods(directory: Path, *cases: str) -> str:
    """A vimrc line that puts a stand-in for the table of methods into force: VimScript lines that serve `a:method`.

    For faults that no real method has. The lines see `a:method`, `a:params` and `a:reply`; `ping` is always there.
    """
    module = directory / "stand-in" / "autoload" / "vim_mcp" / "methods.vim"
    module.parent.mkdir(parents=True)
    lines = [
        f"source {ROOT}/autoload/vim_mcp/methods.vim",
        "function! vim_mcp#methods#call(method, params, request) abort",
        "  call s:serve(a:method, a:params, function('vim_mcp#serve#reply', [a:request]))",
        "endfunction",
        "function! s:serve(method, params, reply) abort",
        *cases,
        "  call a:reply({'result': {}})",
        "endfunction",
    ]
    module.write_text("\n".join(lines) + "\n")
    return f"set runtimepath^={directory / 'stand-in'}"
