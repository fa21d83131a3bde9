"""Columns in UTF-16 units, against Python's own encoder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside

Count = Callable[[list[bytes]], list[int]]

# Characters that lines of text cannot hold in an editor are left out: NL ends them, and surrogates are none.
CHARACTERS = st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])
HARD = st.sampled_from(list("aé\u0301\u200d漢\ufeff\uffff😀🏳🇫🇷\U0001d165\U0010ffff"))
TEXTS = st.text(CHARACTERS) | st.text(HARD) | st.text("ab", max_size=200)


def units(text: str) -> int:
    """How many UTF-16 units a text has."""
    return len(text.encode("utf-16-le")) // 2


@pytest.fixture
def count(launch: Callable[..., Terminal], home: EditorHome, inside: Inside, tmp_path: Path) -> Count:
    """Has an editor count the lines that it is given."""
    home.add("let g:vim_mcp_enabled = 0")
    terminal, lines = launch(), tmp_path / "lines"

    def counted(texts: list[bytes]) -> list[int]:
        lines.write_bytes(b"".join(text + b"\n" for text in texts))
        read = f"readfile({json.dumps(str(lines))}, 'b')[:-2]"  # without 'b' a first U+FEFF would be taken for a mark
        found = inside.value(terminal, f"map({read}, 'vim_mcp#utf16#length(v:val)')")
        assert isinstance(found, list)
        return found

    return counted


@pytest.mark.requirement("SEL-04")
def test_every_text_has_as_many_units_as_python_says(count: Count) -> None:
    quick = settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))

    @quick
    @given(st.lists(TEXTS, min_size=1, max_size=100))
    def holds(texts: list[str]) -> None:
        assert count([text.encode() for text in texts]) == [units(text) for text in texts]

    holds()


@pytest.mark.requirement("SEL-04")
def test_what_is_no_character_counts_as_one(count: Count) -> None:
    texts = {
        b"a\xffb": 3, b"\xe9t\xe9": 3, b"\xf0\x9f\x98": 3, "😀".encode() + b"\x80": 3,
        b"\xf4\x90\x80\x80": 1, b"\xed\xa0\x80": 1, b"": 0,
    }  # fmt: skip
    assert count(list(texts)) == list(texts.values())


@pytest.mark.requirement("SEL-04")
def test_a_long_text_has_as_many(count: Count) -> None:
    texts = [text * 40_000 for text in ("aé", "e\u0301\u200d漢", "a\ufeff\uffff😀", "🏳🇫🇷", "\U0001d165", "\U0010ffff")]
    assert count([text.encode() for text in texts]) == [units(text) for text in texts]
