"""Which tests run: all, unless `--editors` names some editors, or `--part` a part."""

from __future__ import annotations

import signal
from collections import Counter

import pytest

from tests.support.editors import KINDS

SHARE = 3
"""Of a test with many parameters, how many cases of each editor are quick: the others go the same ways."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--editors vim,nvim`: of the tests that go through every editor, only those of these. `--part`: quick or rest."""
    help_of_part = (
        f"quick: what `make test` runs; rest: slow tests, the oldest Neovim's, cases after a test's first {SHARE}"
    )
    parser.addoption("--part", choices=["quick", "rest", "all"], default="all", help=help_of_part)
    parser.addoption("--editors", default=",".join(KINDS), help=f"a list of {', '.join(KINDS)}")


def pytest_configure() -> None:
    """A shell has its background jobs ignore CTRL-C, and what they start with them: not what tests type it into."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of editors that were not named, and of the other part."""
    editors = {*config.getoption("--editors").split(","), None}
    parts = {"quick": {True}, "rest": {False}}.get(config.getoption("--part"), {True, False})
    wanted: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    cases: Counter[tuple[str, str | None]] = Counter()
    for item in items:
        case = item.nodeid.partition("[")[0], _kind(item)
        cases[case] += 1
        is_quick = _is_quick(item) and (case[1] is None or cases[case] <= SHARE)
        (wanted if case[1] in editors and is_quick in parts else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = wanted


def _is_quick(item: pytest.Item) -> bool:
    return _kind(item) != KINDS[-1] and item.get_closest_marker("slow") is None


def _kind(item: pytest.Item) -> str | None:
    kind = getattr(item, "callspec", None) and item.callspec.params.get("kind")  # type: ignore[attr-defined]  # a Function
    return str(kind) if kind in KINDS else None
