"""What each thing may cost, and the floor that it is judged by.

A budget in milliseconds holds on a machine where the floors are as in `REFERENCE`. On any other machine, or a busy one,
the ratio to the floor of the same run decides: the budget's ratio is its limit divided by the reference floor.
"""

from __future__ import annotations

from dataclasses import dataclass

PYTHON = "python -c pass"
PING = "bare ping"
REFERENCE = {PYTHON: 12.0, PING: 0.12}
"""Milliseconds: the start of an interpreter that does nothing, a ping of a bare stdio server."""


@dataclass(frozen=True)
class Budget:
    """At most `limit`: ms where `floor` names a reference floor, else MB. `p99`: the 99th percentile is judged."""

    limit: float
    floor: str | None = None
    p99: bool = False

    @property
    def ratio(self) -> float | None:
        """How many times the floor it may take, None for a size."""
        return self.limit / REFERENCE[self.floor] if self.floor else None


INITIALIZE = Budget(3 * REFERENCE[PYTHON], PYTHON)
COLD_INITIALIZE = Budget(1500.0, PYTHON)
RELAY_RSS = Budget(12.0)
TOTAL_PSS = Budget(100.0)

PING_CALL = Budget(0.45, PING)
STATE = Budget(1.2, PING)
EXECUTE = Budget(0.9, PING)
TEN_MEGABYTES = Budget(150.0, PYTHON)

# A tenth of what the specification allows.
MANY_SELECT = Budget(10.0, PING, p99=True)
MANY_STATE = Budget(20.0, PING, p99=True)
MANY_EXECUTE = Budget(50.0, PING, p99=True)
MANY_REGISTRY = Budget(5.0, PING, p99=True)

PLUGIN_LOAD = Budget(1.0, PYTHON)
