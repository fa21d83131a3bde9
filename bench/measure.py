"""Taking times in rounds, so that what is compared has met the same neighbours."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Round = Callable[[], Sequence[float]]
"""Does its work some times and returns how long each took, in seconds."""


@dataclass(frozen=True)
class Sample:
    """What the rounds of one workload took, in seconds."""

    rounds: tuple[tuple[float, ...], ...]

    @property
    def median(self) -> float:
        """The median of all, in milliseconds."""
        return 1000 * statistics.median(value for values in self.rounds for value in values)

    @property
    def p99(self) -> float:
        """The 99th percentile of each round, and of those the median, in milliseconds."""
        return 1000 * statistics.median(_percentile(values, 0.99) for values in self.rounds)


def _percentile(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def interleave(rounds: int, *workloads: Round) -> list[Sample]:
    """Run the workloads in turn, `rounds` times, after one round that does not count."""
    taken: list[list[tuple[float, ...]]] = [[] for _ in workloads]
    for number in range(rounds + 1):
        for work, results in zip(workloads, taken, strict=True):
            values = tuple(work())
            if number:
                results.append(values)
    return [Sample(tuple(results)) for results in taken]


def timed(work: Callable[[], object], times: int = 1) -> list[float]:
    """How long each of `times` calls took, in seconds."""
    values = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        values.append(time.perf_counter() - begin)
    return values
