"""docs/architecture.md names everything that there is: who looks for a part's place finds it."""

from __future__ import annotations

import re

import pytest

from tests.support.editors import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
NAMED = {word for code in re.findall(r"`([^`\n]+)`", PAGE) for word in re.findall(r"\w+", code)}
SMALL = {"__init__", "__main__", "settings"}
"""Parts that need no word, or have it with another."""


@pytest.mark.parametrize(("directory", "pattern"), [("autoload/vim_mcp", "*.vim"), ("lua/vim_mcp", "*.lua")])
def test_every_script_has_its_place(directory: str, pattern: str) -> None:
    names = {path.stem for path in (ROOT / directory).glob(pattern)}
    assert len(names) > 5
    assert names - NAMED - SMALL == set()


def test_every_module_and_package_has_its_place() -> None:
    source = ROOT / "src" / "vim_mcp"
    names = {path.stem for path in source.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert names - NAMED - SMALL == set()
