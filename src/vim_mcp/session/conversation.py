"""What the sessions of both kinds do alike for their client: list and call tools, list and read resources."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from vim_mcp.errors import INVALID_PARAMS, VimMcpError
from vim_mcp.session import forms, resources
from vim_mcp.session.transport import Transport
from vim_mcp.tools.base import Listed

Context = ServerRequestContext[Any, Any]
_Tool = TypeVar("_Tool", bound=Listed)


class Conversation(ABC, Generic[_Tool]):
    """One client's conversation. `write` sends bytes to it, `drain` waits until they are taken.

    `client_name` is what the client calls itself, once it has said so.
    """

    def __init__(
        self,
        tools: Mapping[str, _Tool],
        listed_resources: Sequence[resources.Resource],
        write: Callable[[bytes], None],
        drain: Callable[[], Awaitable[None]],
    ):
        self._tools = tools
        self._resources = listed_resources
        self._context: Context | None = None
        self.transport = Transport(write, drain)
        self.client_name = "an MCP client"

    @abstractmethod
    async def _run(self, tool: _Tool, arguments: Any, meta: Mapping[str, Any]) -> types.CallToolResult:
        """Run a tool with its validated arguments and the call's `_meta`; may raise `VimMcpError`."""

    @abstractmethod
    async def _contents(self, uri: str) -> list[resources.Content]:
        """Read a resource; may raise `VimMcpError`."""

    def _note_client(self, ctx: Context) -> None:
        self._context = ctx
        info = ctx.session.client_params.client_info if ctx.session.client_params else None
        if info:
            self.client_name = f"{info.name} {info.version}".strip()

    async def list_tools(self, _: Context, __: Any) -> types.ListToolsResult:
        """The answer to tools/list."""
        return types.ListToolsResult(tools=[forms.described(tool) for tool in self._tools.values()])

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The answer to tools/call; a call that fails is a result too. Raises -32602 for what is no such call."""
        self._note_client(ctx)
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool {params.name!r}. There are: {', '.join(self._tools)}")
        arguments = forms.validated(tool, params.arguments or {})
        try:
            with forms.faults_told(tool.name):
                return await self._run(tool, arguments, params.meta or {})
        except VimMcpError as error:
            return forms.failed(error)

    async def list_resources(self, _: Context, __: Any) -> types.ListResourcesResult:
        """The answer to resources/list."""
        return types.ListResourcesResult(resources=[forms.listed_resource(r) for r in self._resources])

    async def list_templates(self, _: Context, __: Any) -> types.ListResourceTemplatesResult:
        """The answer to resources/templates/list."""
        return types.ListResourceTemplatesResult(
            resource_templates=[forms.listed_template(r) for r in resources.TEMPLATES]
        )

    async def read_resource(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """The answer to resources/read; an error keeps its code."""
        self._note_client(ctx)
        try:
            with forms.faults_told(str(params.uri)):
                contents = await self._contents(str(params.uri))
        except VimMcpError as error:
            raise MCPError(error.code, error.message, error.data or None) from error
        return types.ReadResourceResult(contents=[forms.content(piece) for piece in contents])
