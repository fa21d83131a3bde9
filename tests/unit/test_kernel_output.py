"""What a kernel says, made fit for a model: clean, bounded, in the form that says most."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vim_mcp.kernel.output import LIMIT, Bounded, Picture, Transcript, display, plain


@pytest.mark.requirement("KERNEL-02")
@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("\x1b[31mred\x1b[0m \x1b[38;5;3mnot\x1b[m", "red not"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(B\x1b=", "link "),
        ("10%\r50%\r100%\nnext\r\n", "100%\nnext\n"),
        ("a\x00b\x08\x9b1mc\x7f", "ab1mc"),
        ("tab\there \u6f22\n", "tab\there \u6f22\n"),
        ("\r\r", ""),
        ("half a\ud83d pair", "half a pair"),
    ],
)
def test_text_is_plain(text: str, wanted: str) -> None:
    assert plain(text) == wanted


@pytest.mark.requirement("KERNEL-02")
@given(st.lists(st.text(alphabet="ab\n\x1b[31m\r;]\x07")))
def test_however_it_is_cut_no_code_remains(pieces: list[str]) -> None:
    text = Bounded()
    for piece in pieces:
        text.feed(piece)
    assert not set(text.text()) & {"\x1b", "\r", "\x07"}


@pytest.mark.requirement("KERNEL-02")
def test_a_code_that_comes_in_two_pieces_is_one() -> None:
    text = Bounded()
    for piece in ("a\x1b", "[3", "1mb\x1b[", "0mc"):
        text.feed(piece)
    assert text.text() == "abc"


@pytest.mark.requirement("KERNEL-04")
@given(st.lists(st.text(alphabet="ab\n", max_size=60), max_size=60))
def test_of_long_text_both_ends_are_kept_and_the_rest_is_counted(pieces: list[str]) -> None:
    bounded, whole = Bounded(100), "".join(pieces)
    for piece in pieces:
        bounded.feed(piece)
    text = bounded.text()
    if len(whole) <= 100:
        assert text == whole
        return
    head, tail = whole[:50], whole[-50:]
    cut = whole[50:-50]
    if cut and text != whole:
        assert (
            text == f"{head}\n[\u2026 {len(cut):,} characters ({cut.count(chr(10)):,} lines) left out \u2026]\n{tail}"
        )


@pytest.mark.requirement("KERNEL-04")
@pytest.mark.parametrize(("piece", "times"), [("x" * 10_000_000, 1), ("line\n", 100_000), ("y" * 70_000, 100)])
def test_much_text_takes_little_memory(piece: str, times: int) -> None:
    transcript = Transcript()
    tracemalloc.start()
    for _ in range(times):
        transcript.take("stream", {"text": piece})
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (told,) = transcript.pieces()
    assert isinstance(told, str)
    assert len(told) <= LIMIT + 100
    assert "left out" in told
    assert kept < 2_000_000
    assert peak < 2_000_000 + 4 * len(piece)


@pytest.mark.requirement("KERNEL-03")
@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ({"text/plain": "<Figure size 1x1>", "image/png": "aGk=\n"}, [Picture("aGk=", "image/png")]),
        ({"text/plain": "x", "image/jpeg": "aGk="}, [Picture("aGk=", "image/jpeg")]),
        ({"text/plain": "<SVG>", "image/svg+xml": "<svg/>"}, ["<svg/>"]),
        ({"text/plain": "a  b", "text/html": "<table>"}, ["a  b", "<table>"]),
        ({"text/plain": "<IPython.core.display.HTML object>", "text/html": "<b>x</b>"}, ["<b>x</b>"]),
        ({"text/plain": "<x.Markdown object at 0x7f00>", "text/markdown": ["# a\n", "b"]}, ["# a\nb"]),
        ({"text/plain": "<IPython.core.display.JSON object>", "application/json": {"a": [1]}}, ['{"a": [1]}']),
        ({"text/plain": "<object object at 0x7f00>"}, ["<object object at 0x7f00>"]),
        ({"text/plain": "42"}, ["42"]),
    ],
)
def test_the_form_that_says_most_is_told(data: dict[str, Any], wanted: list[Any]) -> None:
    assert display(data) == wanted


@pytest.mark.requirement("KERNEL-03")
def test_long_html_is_cut_and_what_is_too_large_an_image_left_out() -> None:
    text, html = display({"text/plain": "a", "text/html": "x" * 5_000})
    assert (text, str(html)[:2000], "3,000 characters left out" in str(html)) == ("a", "x" * 2000, True)
    (large,) = display({"image/png": "A" * 6_000_000})
    assert "4,500,000 bytes" in str(large)


def taken(*messages: tuple[str, dict[str, Any]]) -> list[Any]:
    """The pieces that those messages make."""
    transcript = Transcript()
    for kind, content in messages:
        transcript.take(kind, content)
    return transcript.pieces()


def shown(text: str, display_id: str | None = None) -> dict[str, Any]:
    """A message's content that shows text."""
    return {"data": {"text/plain": text}, "transient": {"display_id": display_id} if display_id else {}}


@pytest.mark.requirement("KERNEL-02", "KERNEL-03")
def test_pieces_come_in_their_order() -> None:
    image = ("display_data", {"data": {"image/png": "aGk="}})
    result = ("execute_result", shown("42"))
    pieces = taken(("stream", {"text": "a"}), result, image, ("stream", {"text": "\n  \n"}), image, result)
    assert pieces == ["a\n42", Picture("aGk=", "image/png"), Picture("aGk=", "image/png"), "42"]
    error = {"ename": "E", "evalue": "v", "traceback": ["\x1b[31m---\x1b[0m", "E: v"]}
    assert taken(("error", error)) == ["---\nE: v"]
    assert taken(("error", {"ename": "E", "evalue": "v"})) == ["E: v"]


@pytest.mark.requirement("KERNEL-03")
def test_what_is_shown_anew_takes_the_earlier_place() -> None:
    first, second = ("display_data", shown("0%", "d")), ("update_display_data", shown("100%", "d"))
    assert taken(first, ("stream", {"text": "x"}), second) == ["100%", "x"]
    assert taken(second) == []
    assert taken(("stream", {"text": "x"}), ("clear_output", {"wait": True})) == ["x"]
    assert taken(("stream", {"text": "x"}), ("clear_output", {"wait": True}), ("stream", {"text": "y"})) == ["y"]
    assert taken(("stream", {"text": "x"}), ("clear_output", {})) == []


@pytest.mark.requirement("KERNEL-04")
def test_images_are_few_and_pieces_bounded() -> None:
    pieces = taken(*[("display_data", {"data": {"image/png": "aGk="}})] * 12)
    assert sum(isinstance(piece, Picture) for piece in pieces) == 10
    assert "left out" in str(pieces[-1])
    many = [("display_data", shown("x" * 3_000, str(number))) for number in range(1_000)]
    assert sum(len(str(piece)) for piece in taken(*many)) < 300_000
