"""The workspace session: the SDK's server with our tools and resources, for one MCP client on stdio."""

from __future__ import annotations

import json
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.runner import serve_loop
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from mcp_types import PROTOCOL_VERSION_META_KEY

from vim_mcp import __version__, wire
from vim_mcp.editor.directory import Directory
from vim_mcp.editor.link import Editor
from vim_mcp.editor.registry import Preference
from vim_mcp.errors import VimMcpError
from vim_mcp.kernel.kernels import Kernels
from vim_mcp.session import forms, resources
from vim_mcp.session.conversation import Context, Conversation
from vim_mcp.session.roots import list_roots
from vim_mcp.session.selection import Selection
from vim_mcp.session.subscriptions import Subscriptions
from vim_mcp.tools.base import Call, Progress, Tool
from vim_mcp.tools.code import VIM_EXECUTE_CODE
from vim_mcp.tools.table import TOOLS

warnings.filterwarnings("ignore", category=MCPDeprecationWarning)  # roots are deprecated, and what clients have

INSTRUCTIONS = (
    "vim-mcp sees and drives the user's running Vim and Neovim editors. Read vim://state, vim://buffer/current or "
    "vim://cursor for what the user looks at, including unsaved changes. Change text with vim_edit (one undo step, not "
    "saved unless asked), search with vim_search, run Ex commands with vim_execute. If several editors are connected, "
    "list_vim_instances and select_vim_instance say which one is meant."
)


@dataclass(frozen=True)
class Hello:
    """What the relay says of its client: its directory, the instance it is tied to, what an earlier hub remembered."""

    cwd: str
    instance: str | None
    state: dict[str, Any]


class Session(Conversation[Tool]):
    """One client's conversation. `write` sends bytes to the client, `drain` waits until they are taken."""

    def __init__(
        self,
        directory: Directory,
        preference: Preference,
        kernels: Kernels,
        hello: Hello,
        write: Callable[[bytes], None],
        drain: Callable[[], Awaitable[None]],
    ):
        super().__init__(TOOLS, resources.RESOURCES, write, drain)
        self._directory = directory
        self._kernels = kernels
        self._hello = hello
        self._roots: list[str] | None = None
        self._selection = Selection(directory, preference, hello.instance, self._working_directories, self._remember)
        self._selection.expect(hello.state.get("selected"))
        self._subscriptions = Subscriptions(hello.state.get("subscriptions", ()), write, lambda: self.selected)

    @property
    def selected(self) -> str | None:
        """The instance id that this client's calls go to, if it is settled."""
        return self._selection.selected

    async def run(self) -> None:
        """Serve the client until its connection ends."""
        server = self._server()
        changes = NotificationOptions(resources_changed=True, tools_changed=True)
        stop_listening = self._directory.listen(self._on_change)
        try:
            await self._converse(server, server.create_initialization_options(changes))
        finally:
            stop_listening()

    def _on_change(self, events: frozenset[str], editor: Editor) -> None:
        self._subscriptions.on_change(events, editor)
        self.follow()

    async def _converse(self, server: Server[Any], options: InitializationOptions) -> None:
        """Serve in the client's era of the protocol, which its first request shows.

        `Server.run` finds that out too, but then passes every message of the connection through one stream more.
        """
        inbox, outbox = self.transport.inbox, self.transport.outbox
        opening = await inbox.first_request()
        if opening is not None and opening.method != "initialize" and PROTOCOL_VERSION_META_KEY in _meta(opening):
            await server.run(inbox, outbox, options)
        else:
            await serve_loop(server, inbox, outbox, lifespan_state={}, init_options=options)

    def _server(self) -> Server[Any]:
        server = Server(
            "vim-mcp",
            version=__version__,
            title="Vim and Neovim",
            instructions=INSTRUCTIONS,
            on_list_tools=self.list_tools,
            on_call_tool=self.call_tool,
            on_list_resources=self.list_resources,
            on_list_resource_templates=self.list_templates,
            on_read_resource=self.read_resource,
            on_subscribe_resource=self._subscribe,
            on_unsubscribe_resource=self._unsubscribe,
            on_subscriptions_listen=self._subscriptions.streams,
            on_roots_list_changed=self._roots_changed,
        )
        server.middleware.clear()  # it holds tracing alone, for which nobody listens here
        return server

    def _remember(self) -> None:
        """Give the relay what the next hub must know of this client."""
        state = {"selected": self._selection.selected, "subscriptions": self._subscriptions.uris()}
        self._write(wire.encode({"relay": {"state": state}}))

    # Tools and resources

    def _offers(self, tool: Tool) -> bool:
        editors = list(self._directory)
        return tool is not VIM_EXECUTE_CODE or not editors or any(editor.runs_code for editor in editors)

    async def _run(self, tool: Tool, arguments: Any, _: Mapping[str, Any], progress: Progress) -> types.CallToolResult:
        editor = None
        if tool.needs_editor:
            editor = await self._selection.editor(arguments.instance_id)
        else:
            await self._directory.settled()
        call = Call(self._selection, self.client_name, self._kernels.of, editor, progress)
        return forms.succeeded(await tool.run(call, arguments))

    async def _contents(self, uri: str) -> list[resources.Content]:
        if uri == "vim://instances":
            await self._directory.settled()
            return [resources.Content(uri, resources.JSON, json.dumps(self._selection.listing(), ensure_ascii=False))]
        read = resources.reader(uri)
        return await read(await self._selection.editor())

    # Subscriptions

    async def _subscribe(self, _: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        try:
            self._subscriptions.add(str(params.uri))
        except VimMcpError as error:
            raise MCPError(error.code, error.message) from error
        self._remember()
        return types.EmptyResult()

    async def _unsubscribe(self, _: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscriptions.remove(str(params.uri))
        self._remember()
        return types.EmptyResult()

    # Where the client works

    async def _working_directories(self) -> Sequence[str]:
        """The client's MCP roots where it offers them, else the directory it was started in."""
        if self._roots is None and self._context is not None:
            self._roots = await list_roots(self._context)
        return self._roots or [self._hello.cwd]

    async def _roots_changed(self, _: Context, __: Any) -> None:
        self._roots = None


def _meta(request: types.JSONRPCRequest) -> dict[str, Any]:
    meta = (request.params or {}).get("_meta")
    return meta if isinstance(meta, dict) else {}
