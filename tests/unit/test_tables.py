"""The tables that are made from the code and the help page are as they would be made now."""

from __future__ import annotations

import re

import pytest

from dev.tables import HELP, README, with_tables
from vim_mcp.tools.table import TOOLS

PAGE = README.read_text()


@pytest.mark.requirement("WORDS-01")
def test_readmes_tables_are_fresh() -> None:
    assert with_tables(PAGE) == PAGE, "run: make words"


def test_every_tool_and_setting_has_its_row() -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    documented = HELP.read_text().partition("*vim-mcp-settings*")[2].partition("\n====")[0]
    settings = re.findall(r"^\*(g:vim_mcp_\w+)\*", documented, re.MULTILINE)
    assert len(settings) > 20
    assert {*settings, *TOOLS, "vim://state"} - set(rows) == set()
