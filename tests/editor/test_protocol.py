"""What real editors say has the shape that the protocol's types give it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args, get_origin, get_type_hints

import pytest

from tests.support.editors import TIMEOUT, Terminal
from tests.support.rawhub import RawEditor
from tests.support.shapes import faults
from vim_mcp.editor import vocabulary

MESSAGES = {
    get_args(get_type_hints(message)["type"])[0]: message
    for message in get_args(vocabulary.FromEditor)
    if get_origin(get_type_hints(message).get("type")) is not None
}


def check_until(link: RawEditor, kind: str) -> set[str]:
    """Check all that comes, up to a message of that type; which types have come."""
    seen: set[str] = set()
    while kind not in seen:
        message = link.events.get(timeout=TIMEOUT)
        assert list(faults(message, MESSAGES[message["type"]])) == [], message["type"]
        seen.add(message["type"])
    return seen


@pytest.mark.requirement("WORDS-01")
def test_editors_say_what_the_types_say(editor: tuple[Terminal, RawEditor], tmp_path: Path) -> None:
    terminal, link = editor
    assert list(faults(link.hello, vocabulary.Register)) == []
    link.send({"type": "ide", "clients": 1, "activity": ""})
    link.send({"type": "listening", "pids": [None]})
    terminal.type("ihello\x1bV")
    seen = check_until(link, "selection")
    terminal.type(":ClaudeAtMention\r")
    seen |= check_until(link, "mention")
    file = tmp_path / "project" / "one.txt"
    edited = link.request("edit", file=str(file), kind="insert", line=1, lines=["more"], client="test 1")
    assert list(faults(edited["buffer"], vocabulary.BufferObject)) == []
    link.request("ask", question="q1", client="test 1", kind="execute", lines=["!ls"])
    terminal.type(":VimMCPAnswer no\r")
    seen |= check_until(link, "answer")
    terminal.type(":qa!\r")
    seen |= check_until(link, "bye")
    assert seen >= {"event", "begun"}
