"""The IDE session: the SDK's server for one client of one editor's port, such as Claude Code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.runner import serve_loop
from mcp.shared.exceptions import MCPError

from vim_mcp import __version__
from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import Selection
from vim_mcp.editor.reviews import Reviews
from vim_mcp.errors import INVALID_REQUEST
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.session import forms, resources
from vim_mcp.session.conversation import Context, Conversation
from vim_mcp.tools.base import Progress
from vim_mcp.tools.code import EXECUTE_CODE
from vim_mcp.tools.ide import TOOLS
from vim_mcp.tools.idebase import IdeCall, IdeTool, Spellings
from vim_mcp.tools.known import Known

_INSTRUCTIONS = (
    "This is the user's running {}. Its tools open and save files, and tell what is selected, what is open and what "
    "language servers and linters report; the vim:// resources show what the user sees."
)
_BEFORE_INITIALIZE = ("initialize", "ping", "initialized", "notifications/initialized")
_TOOL_USE = "claudecode/toolUseId"
"""In the `_meta` of a call that Claude's model has asked for; Claude Code's own calls have none."""
_OWN = tuple(resource for resource in resources.RESOURCES if resource.uri != "vim://instances")
"""The resources of one editor."""


class IdeConnected(types.NotificationParams):
    """What Claude Code says beside MCP once it is there: its process id."""

    pid: int | None = None


class IdeSession(Conversation[IdeTool]):
    """One client's conversation with `editor`. Requirements MCP-01 to MCP-05.

    `folders` gives the editor's workspace folders (absolute, the main one first), `latest` what was last selected in
    it, `reviews` are the changes that its user is to judge, `kernel` runs code; `write` takes the bytes of one message
    each, `drain` waits until the client has taken them. `client_pid` is the client's process, where it has told it.
    """

    def __init__(
        self,
        editor: Editor,
        folders: Callable[[], list[str]],
        latest: Callable[[], Selection | None],
        reviews: Reviews,
        kernel: Kernel,
        write: Callable[[bytes], None],
        drain: Callable[[], Awaitable[None]],
    ):
        super().__init__(TOOLS, _OWN, write, drain)
        self._editor = editor
        self._folders = folders
        self._latest = latest
        self._reviews = reviews
        self._kernel = kernel
        self._spellings = Spellings()
        self._known = Known()
        self.client_pid: int | None = None

    async def run(self) -> None:
        """Serve the client until `transport.end()`, by the protocol's versions that begin with `initialize`."""
        server = self._server()
        changes = NotificationOptions(resources_changed=True, tools_changed=True)
        options = server.create_initialization_options(changes)
        inbox, outbox = self.transport.inbox, self.transport.outbox
        await serve_loop(server, inbox, outbox, lifespan_state={}, init_options=options)

    def _server(self) -> Server[Any]:
        kind = self._editor.info.display_name
        server: Server[Any] = Server(
            f"Claude Code {kind} MCP",
            version=__version__,
            title=kind,
            instructions=_INSTRUCTIONS.format(kind),
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
        )
        server.middleware[:] = [_initialize_first]  # in the place of tracing, for which nobody listens here
        server.add_notification_handler("ide_connected", IdeConnected, self._connected)
        return server

    async def _connected(self, ctx: Context, params: IdeConnected) -> None:
        self._note_client(ctx)
        self.client_pid = params.pid

    def _offers(self, tool: IdeTool) -> bool:
        return tool is not EXECUTE_CODE or self._editor.runs_code

    async def _run(
        self, tool: IdeTool, arguments: Any, meta: Mapping[str, Any], progress: Progress
    ) -> types.CallToolResult:
        spellings, reviews = self._spellings, self._reviews
        call = IdeCall(
            self._editor, self.client_name, self._folders, self._latest, spellings, reviews, self._kernel, owner=self,
            known=self._known, by_model=_TOOL_USE in meta, progress=progress,
        )  # fmt: skip
        return forms.told(await tool.run(call, arguments))

    async def _contents(self, uri: str) -> list[resources.Content]:
        return await resources.reader(uri)(self._editor)


async def _initialize_first(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Refuse requests before `initialize`, in words that say so. Requirement IDE-INIT-04."""
    if ctx.session.client_params is None and ctx.request_id is not None and ctx.method not in _BEFORE_INITIALIZE:
        raise MCPError(INVALID_REQUEST, f"{ctx.method} came before `initialize`: the session begins with that")
    return await call_next(ctx)
