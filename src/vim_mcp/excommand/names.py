"""Command names in the notation of Vim's help: `d[elete]` is `:delete`, which may be cut down to `:d`."""

from __future__ import annotations


def full(notation: str) -> str:
    """The whole name: "delete" of "d[elete]"."""
    return notation.replace("[", "").replace("]", "")


def spellings(notation: str) -> tuple[str, ...]:
    """Every way to write the name, the shortest first: "d", "de", "del", … of "d[elete]"."""
    name, shortest = full(notation), len(notation.partition("[")[0])
    return tuple(name[:length] for length in range(shortest, len(name) + 1))
