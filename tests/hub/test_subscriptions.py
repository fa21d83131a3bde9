"""A subscription of the protocol's stateless era, held by the `mcp` package's client, over the loss of the hub."""

from __future__ import annotations

import asyncio
import json
import os
import socket

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from tests.support.editors import TIMEOUT
from tests.support.mcpclient import VIM_MCP
from tests.support.stage import Stage


def register(stage: Stage) -> socket.socket:
    """An editor of this process's id."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(stage.socket))
    info = {"pid": os.getpid(), "cwd": "/", "main_file": "", "buffers": [], "version": "9"}
    connection.sendall(json.dumps({"type": "register", "instance_id": "a-b-1", "info": info}).encode() + b"\n")
    return connection


async def reach(client: Client) -> None:
    """Ask until the next hub answers; what was under way when the last one died is an error."""
    try:
        await client.list_tools()
    except MCPError as error:
        assert error.error.code == 1003  # noqa: PT017 - it may as well come through
        await client.list_tools()


@pytest.mark.slow
@pytest.mark.requirement("RELAY-02")
def test_a_stream_of_events_outlives_the_hub(stage: Stage) -> None:
    server = StdioServerParameters(command=str(VIM_MCP), env=stage.environment())

    async def live() -> None:
        async with Client(server) as client, asyncio.timeout(4 * TIMEOUT):
            assert client.protocol_version == "2026-07-28"
            async with client.listen(resource_subscriptions=["vim://instances"]) as events:
                killed = stage.kill_hub()
                await reach(client)
                assert stage.hub_pid() != killed
                with register(stage):
                    event = await anext(events)
                assert getattr(event, "uri", None) == "vim://instances"

    asyncio.run(live())
