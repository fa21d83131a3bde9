"""What each thing may cost.

A budget in milliseconds holds on a machine that starts an interpreter that does nothing in `REFERENCE` milliseconds. On
any other machine, or a busy one, the ratio to that floor decides, the floor measured in turn with what is judged.
"""

from __future__ import annotations

from dataclasses import dataclass

REFERENCE = 12.0
"""Milliseconds that `python -c pass` takes on the machine that the budgets were set on."""


@dataclass(frozen=True)
class Budget:
    """At most `limit` milliseconds (`p99`: at the 99th percentile, else in the median), or MB where `is_size`."""

    limit: float
    p99: bool = False
    is_size: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times `python -c pass` it may take; None for a size."""
        return None if self.is_size else self.limit / REFERENCE


INITIALIZE = Budget(3 * REFERENCE)
COLD_INITIALIZE = Budget(1500.0)
HOOK = Budget(40.0)
RELAY_RSS = Budget(12.0, is_size=True)
TOTAL_PSS = Budget(100.0, is_size=True)

PING_CALL = Budget(0.45)
STATE = Budget(1.2)
EXECUTE = Budget(0.9)
TEN_MEGABYTES = Budget(150.0)

# A tenth of what the specification allows.
MANY_SELECT = Budget(10.0, p99=True)
MANY_STATE = Budget(20.0, p99=True)
MANY_EXECUTE = Budget(50.0, p99=True)
MANY_REGISTRY = Budget(5.0, p99=True)

PLUGIN_LOAD = Budget(1.0)

# Differences of times, in milliseconds (an event's in microseconds), which are judged as they are.
STALL = Budget(2.0, is_size=True)
SELECTION_STEP = Budget(2.0, is_size=True)
SELECTION_TEXT = Budget(64.0, is_size=True)
SELECTION_TOLD = Budget(5.0, is_size=True)
CURSOR_MOVED = {"vim": Budget(20.0, is_size=True), "nvim": Budget(10.0, is_size=True)}
"""Microseconds of the plugin's part of a CursorMoved."""
DIFF_SMALL = Budget(25.0, is_size=True)
DIFF_LARGE = Budget(1.3, is_size=True)
"""How many times the editor's own `:diffsplit`."""
