"""Whose a lock file is that no ledger names: our own ones say on which machine, and since which start of it, they lie.

The ledger goes with the runtime directory when the machine is started anew, and locks stay. A lock of ours from an
earlier start of this machine names an editor that cannot live any more, whatever process has its number by now. Of all
others that cannot be known: they may be another program's, or of a machine that shares this home.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

FIELD = "vimMcp"
"""Claude Code ignores what it does not know."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MACHINE = Path("/etc/machine-id")


def _line(path: Path) -> str:
    with contextlib.suppress(OSError, ValueError):
        return path.read_text().strip()
    return ""


def here() -> dict[str, str]:
    """What a lock says that is written now; "" for what the system does not tell."""
    return {"host": os.uname().nodename, "machine": _line(_MACHINE), "boot": _line(_BOOT)}


def is_of_earlier_start(content: Any) -> bool:
    """Whether a lock is ours, and was written before this machine was started last. Requirement LOCK-11."""
    its, now = content.get(FIELD) if isinstance(content, dict) else None, here()
    if not isinstance(its, dict) or not all(isinstance(its.get(name), str) for name in now):
        return False
    same = (its["host"], its["machine"]) == (now["host"], now["machine"])
    return same and bool(its["boot"]) and bool(now["boot"]) and its["boot"] != now["boot"]
