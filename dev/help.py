"""The part of :help vim-mcp that is made from the code: the commands of g:vim_mcp_execute = 'safe'.

Usage: python -m dev.help        writes it into doc/vim-mcp.txt
"""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from dev.between import replaced
from vim_mcp.excommand import SAFE_COMMANDS

HELP = Path(__file__).resolve().parents[1] / "doc" / "vim-mcp.txt"
BEGIN = "The commands, as made from the table that decides: >\n"
END = "\n<\n"


def safe_list() -> str:
    """The commands with their forms and limits, as a literal block of help text."""
    return "".join(_entry(text) for text in SAFE_COMMANDS.values())


def _entry(text: str) -> str:
    form, _, meaning = text.partition("  ")
    wrapped = textwrap.wrap(meaning, 60)
    return f"    {form}\n" + "".join(f"        {line}\n" for line in wrapped)


def with_safe_list(page: str) -> str:
    """`page` with the list in its place."""
    return replaced(page, BEGIN, safe_list().removesuffix("\n"), END)


if __name__ == "__main__":
    HELP.write_text(with_safe_list(HELP.read_text()))
    sys.exit(0)
