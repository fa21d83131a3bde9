"""What the sessions of both kinds do alike for their client: list and call tools, list and read resources."""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from vim_mcp import wire
from vim_mcp.errors import INVALID_PARAMS, VimMcpError
from vim_mcp.session import forms, resources
from vim_mcp.session.transport import Transport
from vim_mcp.tools.base import Listed, Progress

Context = ServerRequestContext[Any, Any]
_Tool = TypeVar("_Tool", bound=Listed)
_BY_STREAMS = "2026-07-28"
"""From this version of the protocol on clients are told only of what they have asked for, by streams."""
_TICK = 1.0
"""Seconds between two messages that a call runs on."""
_MAX_NAME = 100
"""Characters of what a client calls itself: editors show it, and it may be any length."""


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
        self._write = write
        self._listed: list[str] | None = None
        self.transport = Transport(write, drain)
        self.client_name = "an MCP client"

    @abstractmethod
    async def _run(
        self, tool: _Tool, arguments: Any, meta: Mapping[str, Any], progress: Progress
    ) -> types.CallToolResult:
        """Run a tool with its validated arguments and the call's `_meta`; may raise `VimMcpError`.

        `progress` tells the client how far the call is, if it has asked for that.
        """

    def _offers(self, tool: _Tool) -> bool:
        """Whether the tool is listed now."""
        return True

    @abstractmethod
    async def _contents(self, uri: str) -> list[resources.Content]:
        """Read a resource; may raise `VimMcpError`."""

    def _note_client(self, ctx: Context) -> None:
        self._context = ctx
        info = ctx.session.client_params.client_info if ctx.session.client_params else None
        if info:
            self.client_name = f"{info.name} {info.version}".strip()[:_MAX_NAME]

    async def list_tools(self, ctx: Context, _: Any) -> types.ListToolsResult:
        """The answer to tools/list."""
        self._note_client(ctx)
        if ctx.protocol_version < _BY_STREAMS:
            self._listed = self._offered()
        return types.ListToolsResult(tools=[forms.described(self._tools[name]) for name in self._offered()])

    def _offered(self) -> list[str]:
        return [name for name, tool in self._tools.items() if self._offers(tool)]

    def follow(self) -> None:
        """An editor has changed: tell a client that has listed the tools when there are others now."""
        if self._listed is not None and self._listed != self._offered():
            self._listed = self._offered()
            self._write(wire.encode({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}))

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        """The answer to tools/call; a call that fails is a result too. Raises -32602 for what is no such call."""
        self._note_client(ctx)
        tool = self._tools.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool {params.name!r}. There are: {', '.join(self._tools)}")
        arguments = forms.validated(tool, params.arguments or {})
        try:
            with forms.faults_told(tool.name):
                return await self._run(tool, arguments, params.meta or {}, partial(_progress, ctx))
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


@contextlib.contextmanager
def _progress(ctx: Context, words: Callable[[], str]) -> Iterator[None]:
    """Tell the client that its call runs on: nothing where it has not asked for that."""
    telling = asyncio.create_task(_tell(ctx, words))
    try:
        yield
    finally:
        telling.cancel()


async def _tell(ctx: Context, words: Callable[[], str]) -> None:
    seconds = 0.0
    while True:
        await asyncio.sleep(_TICK)
        seconds += _TICK
        await ctx.session.report_progress(seconds, message=words())
