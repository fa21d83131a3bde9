"""The directories that a client says it works in (MCP roots)."""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from urllib.parse import unquote, urlsplit

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

logger = logging.getLogger(__name__)

_TIME_LIMIT = 2.0
"""Seconds that a client has for its list."""


async def list_roots(ctx: ServerRequestContext[Any, Any]) -> list[str]:
    """Their paths; none where the client has no roots, or does not list them in time."""
    capabilities = ctx.session.client_capabilities
    if capabilities is None or capabilities.roots is None or not ctx.session.can_send_request:
        return []
    try:
        async with asyncio.timeout(_TIME_LIMIT):
            listed = await ctx.session.list_roots()
    except (MCPError, TimeoutError) as error:
        logger.info("the client declared roots but did not list them: %s", error)
        return []
    uris = (urlsplit(str(root.uri)) for root in listed.roots)
    return [unquote(uri.path) for uri in uris if uri.scheme == "file"]
