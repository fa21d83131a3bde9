"""Strings and Vim's lists of lines."""

from __future__ import annotations

from mmap import ACCESS_READ, mmap
from pathlib import Path

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


@pytest.mark.parametrize(
    ("data", "encoding", "result"),
    [
        ("é🙂\n".encode(), "utf-8", ("é🙂\n", False)),
        (b"a\xffb", "utf-8", ("a\ufffdb", True)),
        (b"a\x81b", "cp1252", ("a\ufffdb", True)),  # a codec that is written in Python
        ("日本".encode("euc_jp"), "euc-jp", ("日本", False)),
        (b"a\xffb", "euc-jp", ("a\ufffdb", True)),
    ],
)
def test_a_mapped_file_is_decoded_and_let_go(
    tmp_path: Path, data: bytes, encoding: str, result: tuple[str, bool]
) -> None:
    path = tmp_path / "text"
    path.write_bytes(data)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as mapped:
        assert text.decode(mapped, encoding) == result
