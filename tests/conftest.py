"""Which editors a run tests: all, unless `--editors` names some."""

from __future__ import annotations

import pytest

from tests.support.editors import KINDS


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--editors vim,nvim`: of the tests that go through every editor, only those of these."""
    parser.addoption("--editors", default=",".join(KINDS), help=f"a list of {', '.join(KINDS)}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests of editors that were not named."""
    wanted = {*config.getoption("--editors").split(","), None}
    left_out = [item for item in items if _kind(item) not in wanted]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if _kind(item) in wanted]


def _kind(item: pytest.Item) -> str | None:
    kind = getattr(item, "callspec", None) and item.callspec.params.get("kind")  # type: ignore[attr-defined]  # a Function
    return str(kind) if kind in KINDS else None
