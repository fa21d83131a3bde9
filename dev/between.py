"""The parts of a page that are made from the code: each stands between two marks."""

from __future__ import annotations


def replaced(page: str, begin: str, text: str, end: str) -> str:
    """The page with `text` between the first `begin` and the next `end`. Raises ValueError without a `begin`."""
    before, found, rest = page.partition(begin)
    if not found:
        raise ValueError(f"The page lacks the line {begin!r}, behind which a part is made from the code")
    return f"{before}{begin}{text}{end}{rest.partition(end)[2]}"
