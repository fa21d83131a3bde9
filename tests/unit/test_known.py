"""Old diagnostics do not look new when their lines move."""

from __future__ import annotations

from typing import Any

import pytest

from vim_mcp.tools.known import Diagnostic, Known


def at(line: int, text: str = "x", message: str = "wrong", **more: Any) -> Diagnostic:
    """A diagnostic in a line, from 0, with that text."""
    place = {"line": line, "character": 0}
    return {"message": message, "severity": "error", "range": {"start": place, "end": place}, "line_hash": text, **more}


def lines(known: Known, *now: Diagnostic) -> list[int]:
    """The lines that the client is told of file `/f`'s diagnostics."""
    return [item["range"]["start"]["line"] for item in known.told({"/f": now})["/f"]]


@pytest.fixture
def known() -> Known:
    """Two errors of one kind and one of another are known of `/f`."""
    known = Known()
    known.begin("/f", [at(1), at(3), at(5, message="other")])
    return known


@pytest.mark.requirement("IDE-DIAG-05")
def test_what_has_moved_stays_where_it_is_known(known: Known) -> None:
    assert lines(known, at(2), at(4), at(6, message="other")) == [1, 3, 5]
    assert lines(known, at(12), at(14), at(16, message="other")) == [1, 3, 5]


@pytest.mark.requirement("IDE-DIAG-05")
def test_what_is_new_is_told_where_it_is_and_known_from_then_on(known: Known) -> None:
    assert lines(known, at(2), at(4), at(6), at(9, message="new")) == [1, 3, 6, 9]
    assert lines(known, at(2), at(4), at(8), at(11, message="new")) == [1, 3, 6, 9]


@pytest.mark.parametrize("more", [{"text": "y"}, {"source": "lint"}, {"code": "E1"}, {"severity": "warning"}])
@pytest.mark.requirement("IDE-DIAG-05")
def test_what_is_different_is_new(known: Known, more: dict[str, str]) -> None:
    assert lines(known, at(7, **more)) == [7]


@pytest.mark.requirement("IDE-DIAG-05")
def test_what_has_stayed_is_not_taken_for_another(known: Known) -> None:
    assert lines(known, at(0), at(1), at(3)) == [0, 1, 3]


@pytest.mark.requirement("IDE-DIAG-05")
def test_what_was_mended_is_new_when_it_comes_again(known: Known) -> None:
    assert known.told({}) == {}
    assert lines(known, at(9)) == [9]


@pytest.mark.requirement("IDE-DIAG-05")
def test_other_files_are_told_as_they_are(known: Known) -> None:
    assert known.told({"/g": [at(2)]}) == {"/g": [at(2)]}
    assert known.told({"/g": [at(3)]}) == {"/g": [at(3)]}


@pytest.mark.requirement("IDE-DIAG-05")
def test_they_are_bounded() -> None:
    known = Known()
    for number in range(1001):
        known.begin(f"/{number}", [at(1)])
    assert known.told({"/0": [at(2)], "/1": [at(2)]}) == {"/0": [at(2)], "/1": [at(1)]}
