"""What an editor that does not answer is doing, as far as the system shows it."""

from __future__ import annotations


def what_it_does(pid: int) -> str | None:
    return None
