"""Which tests run: all, unless `--editors` names some editors, or `--part` a part."""

from __future__ import annotations

import pytest

from tests.support.editors import KINDS


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--editors vim,nvim`: of the tests that go through every editor, only those of these. `--part`: quick or rest."""
    help_of_part = "quick: what `make test` runs; rest: the slow tests, and those of the oldest Neovim"
    parser.addoption("--part", choices=["quick", "rest", "all"], default="all", help=help_of_part)
    parser.addoption("--editors", default=",".join(KINDS), help=f"a list of {', '.join(KINDS)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of editors that were not named, and of the other part."""
    editors = {*config.getoption("--editors").split(","), None}
    parts = {"quick": {True}, "rest": {False}}.get(config.getoption("--part"), {True, False})
    wanted: list[pytest.Item] = []
    left_out: list[pytest.Item] = []
    for item in items:
        (wanted if _kind(item) in editors and _is_quick(item) in parts else left_out).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = wanted


def _is_quick(item: pytest.Item) -> bool:
    return _kind(item) != KINDS[-1] and item.get_closest_marker("slow") is None


def _kind(item: pytest.Item) -> str | None:
    kind = getattr(item, "callspec", None) and item.callspec.params.get("kind")  # type: ignore[attr-defined]  # a Function
    return str(kind) if kind in KINDS else None
