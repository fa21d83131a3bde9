"""One line for each thing measured, and whether it keeps its budget."""

from __future__ import annotations

from dataclasses import dataclass

from bench.budgets import Budget
from bench.measure import Sample

_FORMAT = "{:<62} {:>10} {:>10} {:>10} {:>9} {:>21} {:>3}  {}"
HEADER = _FORMAT.format("what", "median", "p99", "floor", "ratio", "budget", "", "beside").rstrip()


@dataclass(frozen=True)
class Row:
    """`measured`, `p99` and `floor` are in `unit`; a row without a budget only informs; `beside` is said at its end."""

    what: str
    measured: float
    floor: float | None = None
    budget: Budget | None = None
    p99: float | None = None
    unit: str = "ms"
    beside: str = ""

    @property
    def ratio(self) -> float | None:
        """Of what is judged (the 99th percentile where the budget says so) to the floor."""
        return self._judged / self.floor if self.floor else None

    @property
    def _judged(self) -> float:
        wants_p99 = self.budget is not None and self.budget.p99
        return self.p99 if wants_p99 and self.p99 is not None else self.measured

    @property
    def ok(self) -> bool:
        """Whether the budget is kept: by its ratio where it has one, else by its limit."""
        if self.budget is None:
            return True
        if self.budget.ratio is None or self.ratio is None:
            return self._judged <= self.budget.limit
        return self.ratio <= self.budget.ratio

    def __str__(self) -> str:
        verdict = "" if self.budget is None else "ok" if self.ok else "NO"
        ratio = "" if self.ratio is None else f"{self.ratio:.4f}x" if self.ratio < 1 else f"{self.ratio:.2f}x"
        numbers = (self._number(self.measured), self._number(self.p99), self._number(self.floor))
        return _FORMAT.format(self.what, *numbers, ratio, self._limit(), verdict, self.beside).rstrip()

    def _number(self, value: float | None) -> str:
        return "" if value is None else f"{value:.{3 if abs(value) < 10 else 1}f} {self.unit}"

    def _limit(self) -> str:
        if self.budget is None:
            return ""
        limit = f"{self.budget.limit:g} {self.unit}" + (" p99" if self.budget.p99 else "")
        return limit if self.budget.ratio is None else f"{self.budget.ratio:.3g}x ({limit})"


def row(what: str, sample: Sample, floor: Sample, budget: Budget | None = None, pings: Sample | None = None) -> Row:
    """A row of times against the floor's median; `pings` of the bare server are told beside it."""
    beside = f"{sample.median / pings.median:.1f} bare pings" if pings else ""
    return Row(what, sample.median, floor.median, budget, sample.p99, beside=beside)
