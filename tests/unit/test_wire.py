"""Framing: whatever way bytes are cut, the same lines come out."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vim_mcp import wire

CONTENT = st.binary(max_size=60).map(lambda data: data.replace(b"\n", b"").rstrip(b"\r"))


@given(st.lists(CONTENT, max_size=8), st.lists(st.integers(0, 500), max_size=10))
@pytest.mark.requirement("VIM-TEST-01", "VIM-WIRE-03")
def test_lines_survive_every_split(lines: list[bytes], cuts: list[int]) -> None:
    data = b"".join(line + b"\n" for line in lines)
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    decoder = wire.LineDecoder()
    got = [line for a, b in itertools.pairwise(edges) for line in decoder.feed(data[a:b])]
    assert got == [line for line in lines if line]


def test_a_line_without_end_is_bounded() -> None:
    decoder = wire.LineDecoder(limit=10)
    assert decoder.feed(b"0123456789") == []
    with pytest.raises(wire.LineTooLong):
        decoder.feed(b"x")


def test_text_of_every_kind_is_carried() -> None:
    message = {"text": "é 🙂 \u2028 \x00 \x1b"}
    assert wire.decode(wire.encode(message).rstrip(b"\n")) == message
    assert wire.encode(message).count(b"\n") == 1


def test_lone_surrogates_are_escaped_rather_than_fatal() -> None:
    assert wire.decode(wire.encode({"text": "\ud800"}).strip()) == {"text": "\ud800"}


def test_bytes_that_are_no_utf8_are_replaced() -> None:
    assert wire.decode(b'{"text": "a\xff"}') == {"text": "a\ufffd"}


def test_what_is_nested_deeper_than_the_quick_reader_minds_is_read_all_the_same() -> None:
    nested: list[object] = []
    for _ in range(400):
        nested = [nested]
    assert wire.decode(wire.encode({"nested": nested}).rstrip(b"\n")) == {"nested": nested}


@pytest.mark.parametrize("line", [b"", b"{", b'{"a":1} x', b"nul"])
def test_what_is_no_json_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        wire.decode(line)
