"""Strings and Vim's lists of lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vim_mcp import text


@pytest.mark.parametrize(
    ("string", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("\n", [""]),
        ("a\0b", ["a\nb"]),
        ("a\r\n", ["a\r"]),
    ],
)
def test_lines_of_a_string(string: str, lines: list[str]) -> None:
    assert text.to_lines(string) == lines


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_lines_and_back(string: str) -> None:
    assert text.from_lines(text.to_lines(string + "\n")) == string


def test_bytes_that_are_no_text_are_replaced_and_said_to_be() -> None:
    assert text.decode(b"a\xffb", "utf-8") == ("a\ufffdb", True)
    assert text.decode("é".encode("latin-1"), "latin1") == ("é", False)
    assert text.decode(b"abc", "an-encoding-of-vims-own") == ("abc", False)


@given(st.text(alphabet="aé🙂\n", max_size=40), st.integers(1, 10), st.integers(1, 40))
def test_a_clip_is_whole_lines_within_its_bounds(string: str, max_lines: int, max_bytes: int) -> None:
    clipped, count = text.clip(string, max_lines, max_bytes)
    assert string.startswith(clipped)
    assert count <= max_lines
    assert len(clipped.splitlines(keepends=True)) == count or "\n" not in clipped
    assert len(clipped.encode()) <= max_bytes or count == 1
    if clipped != string:
        assert clipped.endswith("\n")
