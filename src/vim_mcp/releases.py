"""Which of two versions is the newer one. Imports nothing: every client's start pays for it."""

from __future__ import annotations


def release(version: str) -> tuple[int, ...]:
    """The numbers that order versions, () where there are none. A pre-release counts as its release."""
    numbers = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        numbers += [int(digits)] if digits else []
        if digits != part:
            break
    return tuple(numbers)
