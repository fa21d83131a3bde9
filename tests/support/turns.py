"""Turns of Claude's, played to an editor: what it writes meanwhile, and how its user sees and takes that back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.editing import command, state, text
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

OLD = "".join(f"line {number}\n" for number in range(1, 21))
NEW = OLD.replace("line 3\n", "three\nand more\n").replace("line 10\n", "").replace("line 20\n", "  twenty\n")
LISTED = "map(getqflist(), '[fnamemodify(bufname(v:val.bufnr), \":t\"), v:val.lnum, v:val.text]')"


class Turn:
    """A turn of Claude's in an editor that shows one.txt, in whose folder the files are."""

    def __init__(self, terminal: Terminal, link: RawEditor, inside: Inside, project: Path):
        self.terminal, self.link, self.project, self._inside = terminal, link, project, inside
        self.one = project / "one.txt"

    def begin(self) -> None:
        """The user has sent a prompt."""
        self.link.send({"type": "turn", "turn": "begin"})
        self.link.request("ping")

    def end(self) -> None:
        """Claude has come to an end."""
        self.link.send({"type": "turn", "turn": "end"})
        self.link.request("ping")

    def write(self, path: Path, new: str | bytes, expected: bool = True) -> None:
        """Claude writes a file, by a tool of its own (`expected`) or by a shell command."""
        if expected:
            self.link.send({"type": "expect", "file": str(path)})
            self.link.request("ping")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(new.encode() if isinstance(new, str) else new)
        self.link.request("follow_disk")

    def value(self, expression: str) -> Any:
        """The value of an expression."""
        return self._inside.value(self.terminal, expression)

    def listed(self) -> Any:
        """What `:ClaudeCodeChanges` lists."""
        command(self.terminal, "silent ClaudeCodeChanges | silent! cclose")
        return self.value(LISTED)

    def revert(self) -> list[str]:
        """What `:ClaudeCodeRevert` shows."""
        command(self.terminal, "ClaudeCodeRevert")
        assert state(self.link, "current_buffer")["modified"] is False
        return text(self.link)

    def confirm(self) -> None:
        """Say `:w` to it."""
        self.terminal.type(":w\r")
        wait_until(lambda: "taken back" in text(self.link)[0] and "u brings" in text(self.link)[0], "taken back")
