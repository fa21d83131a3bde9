"""What the editors hold."""

from __future__ import annotations

from pathlib import Path

SOURCE = [
    f"    def method_{number}(self, argument: int) -> str:" if number % 4 == 1
    else f'        """Return argument {number} as text."""' if number % 4 == 2
    else "        return str(argument)" if number % 4 == 3
    else ""
    for number in range(1, 361)
]  # fmt: skip
"""360 lines of a program."""

LARGE = 10_000_000
"""Bytes of the large text."""


def write_source(path: Path) -> Path:
    """Put the 360 lines at `path`."""
    path.write_text("\n".join(SOURCE) + "\n")
    return path


def write_large(path: Path) -> Path:
    """Put 10 MB in lines of 80 bytes at `path`."""
    line = "the quick brown fox jumps over the lazy dog, and then over another lazy dog. 123"
    count = LARGE // (len(line) + 1)
    path.write_text((line + "\n") * count)
    return path
