"""What other MCP clients want to read in their own configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from vim_mcp.install.plugin import command

_FILES = {
    "Claude Desktop": "claude_desktop_config.json",
    "Cursor": "~/.cursor/mcp.json",
    "Gemini CLI": "~/.gemini/settings.json",
}
"""The clients that want the same, with their files."""


def _written(value: Any) -> str:
    """As JSON, every character as itself: TOML, which wants the same, knows no pairs of surrogates."""
    return json.dumps(value, ensure_ascii=False)


def snippets() -> Iterator[str]:
    """The lines that tell for each client which text belongs into which file."""
    program = command()
    yield "Other clients, each in its own file:"
    yield "  " + ", ".join(f"{name} ({file})" for name, file in _FILES.items())
    yield "    " + _written({"mcpServers": {"vim-mcp": {"command": program}}})
    yield "  VS Code (mcp.json, by `MCP: Open User Configuration`)"
    yield "    " + _written({"servers": {"vim-mcp": {"type": "stdio", "command": program}}})
    yield "  Zed (~/.config/zed/settings.json)"
    yield "    " + _written({"context_servers": {"vim-mcp": {"command": program, "args": []}}})
    yield "  Codex (~/.codex/config.toml)"
    yield "    [mcp_servers.vim-mcp]"
    yield f"    command = {_written(program)}"
