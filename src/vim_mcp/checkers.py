"""What editors say of their language servers: asked for `vim-mcp doctor`, all at once."""

from __future__ import annotations

import asyncio
from typing import Any

from vim_mcp.editor.directory import Directory
from vim_mcp.editor.link import Editor
from vim_mcp.errors import VimMcpError

_TIMEOUT = 2.0
"""Seconds that an editor has; the shell gives the hub a few more."""


async def checkers(directory: Directory) -> list[dict[str, Any]]:
    """What each editor has found, or the `fault` for which it does not tell."""
    return list(await asyncio.gather(*map(_of, directory)))


async def _of(editor: Editor) -> dict[str, Any]:
    try:
        found = await editor.request("get_checkers", timeout=_TIMEOUT)
    except VimMcpError as error:
        found = {"fault": error.message}
    return {**found, "instance_id": editor.instance_id}
