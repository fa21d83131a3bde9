"""docs/protocol.md says what the code does."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from typing import get_args

import pytest

from dev.protocol import PROTOCOL, with_reference
from tests.support.editors import ROOT
from tests.support.shapes import faults, required
from vim_mcp.editor import vocabulary
from vim_mcp.editor.messages import EditorInfo

PAGE = PROTOCOL.read_text()


@pytest.mark.requirement("WORDS-01")
def test_the_reference_is_fresh() -> None:
    assert with_reference(PAGE) == PAGE, "run: make words"


def test_every_method_of_the_editors_is_in_the_table_and_no_other() -> None:
    source = (ROOT / "autoload" / "vim_mcp" / "methods.vim").read_text()
    methods = re.findall(r"^ +\\ '(\w+)': \{'run': ", source, re.MULTILINE)
    table = PAGE.partition("### Methods\n")[2].partition("\n\n")[0]
    assert len(methods) > 10
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(methods)


def test_every_type_of_message_is_spoken_of() -> None:
    """In the prose too, where its meaning is told at length."""
    prose = PAGE.partition("## 5.")[0]
    for message in (*get_args(vocabulary.FromEditor), *get_args(vocabulary.ToEditor)):
        kind = message.__annotations__.get("type")
        if kind is not None:
            name = re.search(r"'(\w+)'|\"(\w+)\"", str(kind))
            assert name, message
            assert f'"type": "{name[1] or name[2]}"' in prose, message


def test_what_an_editor_registers_with_is_what_is_read() -> None:
    read = {field.name: field.default is MISSING for field in fields(EditorInfo)}
    assert vocabulary.Info.__annotations__.keys() == read.keys()
    assert {name for name in read if read[name]} == required(vocabulary.Info)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"type": "turn", "turn": "middle"}, ".turn: 'middle' is none of ('begin', 'end')"),
        ({"type": "turn"}, ".turn is missing"),
        ({"type": "turn", "turn": "end", "more": 1}, ".more is not known"),
        ([], ": [] is no object"),
    ],
)
def test_a_wrong_shape_is_seen(value: object, fault: str) -> None:
    assert list(faults(value, vocabulary.Turn)) == [fault]
    assert list(faults({"type": "turn", "turn": "end"}, vocabulary.Turn)) == []
    assert list(faults({"first": True}, vocabulary.Mention)) != []
