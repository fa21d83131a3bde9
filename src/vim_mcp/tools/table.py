"""The table of tools."""

from __future__ import annotations

from vim_mcp.tools import code, diagnostics, edit, execute, instances, navigate, search
from vim_mcp.tools.base import Tool

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for family in (instances, execute, edit, search, navigate, diagnostics, code)
    for tool in family.TOOLS
}  # fmt: skip
