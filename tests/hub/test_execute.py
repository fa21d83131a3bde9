"""Ex commands through the whole line: client, relay, hub, editor."""

from __future__ import annotations

import pytest

from tests.support.mcpclient import StdioClient, ToolError
from tests.support.stage import Stage


@pytest.fixture
def client(stage: Stage, kind: str) -> StdioClient:
    """A client of one editor whose user allows every command."""
    stage.home.add("let g:vim_mcp_execute = 'all'")
    stage.instance(stage.editor(kind, "one.txt"))
    return stage.client()


@pytest.mark.slow
def test_a_command_that_never_ends_is_interrupted(client: StdioClient) -> None:
    for command in ("while 1 | endwhile", "r !sleep 100"):
        with pytest.raises(ToolError, match=r"it took more than \d+ ms"):
            client.tool("vim_execute", command=command)
        assert client.tool("vim_execute", command="echo 'next'")["output"] == "next"
