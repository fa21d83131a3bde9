"""Waiting for what nobody announces: ask until it is so."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.support.editors import TIMEOUT

_Answer = TypeVar("_Answer")
_PAUSE = 0.01
"""Seconds between two questions, so that the one who is asked gets on with it."""


def wait_until(condition: Callable[[], _Answer], what: str = "what was waited for") -> _Answer:
    """Ask until the answer is true, and return it; fails after `TIMEOUT`, naming `what` never came about."""
    deadline = time.monotonic() + TIMEOUT
    while not (answer := condition()):
        assert time.monotonic() < deadline, f"never reached: {what}"
        time.sleep(_PAUSE)
    return answer


def has_ended(pid: int) -> bool:
    """Whether the process runs no more; one that nobody has waited for (a zombie) has ended too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_ended(pid: int) -> None:
    """Wait until the process has ended: whoever started it may have gone before it."""
    wait_until(lambda: has_ended(pid), f"the end of process {pid}")
