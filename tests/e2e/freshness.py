"""What Claude's model is told of the errors that its edits bring: many edits by the real CLI in one turn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tests.support.claude import Claude
from tests.support.scriptedapi import Message, ToolUse, said

_ERROR = re.compile(r"\[Line \d+:\d+\] (?:F821: )?Undefined name `(\w+)`")


def listed(cli: Claude) -> None:
    """Wait until the CLI has listed the editor's tools: in a turn that begins before it calls none of them."""
    cli.shows("⧉ In ")


def accept_edits(cli: Claude) -> None:
    """From here on the CLI writes without leave, and shows no diff."""
    listed(cli)
    cli.terminal.type("\x1b[Z")
    cli.shows("accept edits on")


def edits(cli: Claude, file: Path, texts: Sequence[str]) -> list[list[str]]:
    """Let the model read a file and write each text into it, one after the other; the undefined names that it is told
    of after each."""
    before = len(cli.api.turns)
    writes = [ToolUse("Write", {"file_path": str(file), "content": text}) for text in texts]
    cli.api.script(ToolUse("Read", {"file_path": str(file)}), *writes, f"Done {before}.")
    cli.submit(f"Go {before}.")
    for count in range(len(texts) + 2):
        cli.api.wait_turn(lambda _: True, "the next turn", before + count)
    cli.shows(f"Done {before}.")
    return [undefined(turn) for turn in cli.api.turns[before + 2 :][: len(texts)]]


def undefined(turn: Message) -> list[str]:
    """The undefined names that the model is told of in a turn."""
    return _ERROR.findall(said(turn))


def text(*names: str, above: int = 0) -> str:
    """A file in which these names are undefined, each in a line of its own, below so many lines."""
    return "".join(f"a{number} = {number}\n" for number in range(above)) + "".join(f"print({name})\n" for name in names)


def course(number: int) -> tuple[list[str], list[list[str]]]:
    """So many edits that each bring one error, and as many between them that bring none, but move or mend old ones: the
    texts, and the names that each brings."""
    texts, brought = [], []
    for step in range(number):
        texts += [text("old", f"new{step}", above=step), text("old", *[f"new{step}"] * (step % 2), above=step + 1)]
        brought += [[f"new{step}"], []]
    return texts, brought
