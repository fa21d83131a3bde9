"""What the system tells of processes, which may end, and close what they have open, while it is read."""

from __future__ import annotations

import os
from pathlib import Path


def command_line(pid: int) -> list[str]:
    """A process's arguments, its name first; [] for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
    except OSError:
        return []


def children(pid: int) -> list[int]:
    """The process ids of those that the main thread of a living process has started."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def open_files(pid: int) -> set[str]:
    """What a living process has open, as the system names it: a path, `socket:[INODE]` and the like."""
    return {name for entry in Path(f"/proc/{pid}/fd").iterdir() if (name := _target(entry))}


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return ""
