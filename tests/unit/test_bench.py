"""How the bench judges: by ratios to a floor of the same run, sizes as they are."""

from __future__ import annotations

import pytest

from bench.budgets import REFERENCE, Budget
from bench.measure import Sample, interleave
from bench.report import Row, row


def sample(*milliseconds: float) -> Sample:
    """One round of these times."""
    return Sample((tuple(value / 1000 for value in milliseconds),))


@pytest.mark.parametrize(
    ("slower", "measured", "ok"), [(1, 1.0, True), (1, 1.1, False), (3, 2.9, True), (3, 3.1, False)]
)
def test_a_slower_machine_may_take_longer(slower: float, measured: float, ok: bool) -> None:
    assert row("call", sample(measured), sample(slower * REFERENCE), Budget(1.0)).ok is ok


def test_the_99th_percentile_is_judged_where_the_budget_says_so() -> None:
    times = sample(*[1.0] * 98, 5.0, 5.0)
    assert row("call", times, sample(REFERENCE), Budget(2.0)).ok
    assert not row("call", times, sample(REFERENCE), Budget(2.0, p99=True)).ok


def test_a_size_is_judged_as_it_is() -> None:
    assert Row("memory", 11.9, 1.0, Budget(12.0, is_size=True), unit="MB").ok
    assert not Row("memory", 12.1, 100.0, Budget(12.0, is_size=True), unit="MB").ok


def test_a_row_without_a_budget_only_informs() -> None:
    assert Row("thing", 1e9).ok
    assert "NO" not in str(Row("thing", 1e9))


def test_workloads_run_in_turn_and_the_first_round_does_not_count() -> None:
    order: list[str] = []

    def work(name: str) -> list[float]:
        order.append(name)
        return [float(len(order))]

    first, second = interleave(2, lambda: work("a"), lambda: work("b"))
    assert order == ["a", "b"] * 3
    assert (first.rounds, second.rounds) == (((3.0,), (5.0,)), ((4.0,), (6.0,)))
