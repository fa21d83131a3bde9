"""The `mcp` package's client at work: run each step, print what came back as one JSON object.

Usage: python judge.py MODE FILE COMMAND...      MODE: "legacy" (handshake) or "auto" (stateless where it can be)
FILE is the file that the editor shows. The steps are those of judge.mjs.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable
from typing import Any

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its result as it came."""
    result = await client.call_tool(tool, arguments)
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


async def read(client: Client, uri: str) -> Any:
    """Read a resource and return its first content."""
    (content,) = (await client.read_resource(uri)).contents
    return content.model_dump(by_alias=True, exclude_none=True, mode="json")


async def code(request: Awaitable[Any]) -> int | None:
    """Return the code of the error that the request ends in."""
    try:
        await request
    except MCPError as error:
        return error.error.code
    return None


async def listed(client: Client) -> dict[str, Any]:
    """Return what the server offers."""
    resources = (await client.list_resources()).resources
    return {
        "server": client.server_info.name if client.server_info else None,
        "protocol": client.protocol_version,
        "tools": [tool.name for tool in (await client.list_tools()).tools],
        "resources": {str(resource.uri): resource.mime_type for resource in resources},
        "templates": [item.uri_template for item in (await client.list_resource_templates()).resource_templates],
    }


async def worked(client: Client, file: str) -> dict[str, Any]:
    """Return what reading and driving the editor gave."""
    return {
        "instances": await read(client, "vim://instances"),
        "list": await call(client, "list_vim_instances"),
        "before": await read(client, "vim://buffer/current"),
        "edit": await call(client, "vim_edit", file=file, old_text="beta", new_text="gamma δ"),
        "after": await read(client, "vim://buffer/current"),
        "state": await read(client, "vim://state"),
        "echo": await call(client, "vim_execute", command="echo 6 * 7"),
        "search": await call(client, "vim_search", pattern=r"\<a\w*a\>"),
        "navigate": await call(client, "vim_navigate", direction="line", count=2),
        "diagnostics": await call(client, "vim_get_diagnostics"),
    }


async def failed(client: Client) -> dict[str, Any]:
    """Return how mistakes were answered."""
    return {
        "refused": await call(client, "vim_execute", command="!touch owned"),
        "unknown_instance": await call(client, "select_vim_instance", instance_id="nobody-nowhere-1"),
        "unknown_tool": await code(client.call_tool("vim_nonsense", {})),
        "unknown_resource": await code(client.read_resource("vim://nonsense")),
        "bad_arguments": await code(client.call_tool("vim_search", {"pattern": 5})),
    }


async def main() -> None:
    """Connect, run the steps, print."""
    mode, file, *command = sys.argv[1:]
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(server, mode=mode, read_timeout_seconds=20) as client:
        print(json.dumps({**await listed(client), **await worked(client, file), **await failed(client)}))


if __name__ == "__main__":
    asyncio.run(main())
