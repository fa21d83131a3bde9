"""One line of the doctor's."""

from __future__ import annotations

from dataclasses import dataclass

OK, WARNING, ERROR = "ok", "warning", "error"


@dataclass(frozen=True)
class Finding:
    """How it stands with `subject`: a level (one of the three above), words, and the command that mends it, or ""."""

    level: str
    subject: str
    text: str
    fix: str = ""
