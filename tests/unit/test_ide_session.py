"""The IDE session over a transport in this process: MCP's lifecycle, its faults, and what the tools answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from vim_mcp.editor.messages import EditorInfo
from vim_mcp.editor.reviews import Reviews
from vim_mcp.errors import CommandFailed, EditorBusy, EditorMethodError
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.session.ide import IdeSession
from vim_mcp.tools.idebase import IdeCall, Spellings

Message = dict[str, Any]
INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"roots": {}, "elicitation": {}},
    "clientInfo": {"name": "claude-code", "version": "2.1"},
}
SELECTION = {
    "file": "/p/\u00e9.py", "lines": ["one", "t\nwo"], "empty": False,
    "start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 4},
}  # fmt: skip
NOTHING = {**SELECTION, "file": "", "lines": [""], "empty": True}


class FakeEditor:
    """Answers requests from a table, by method; an exception is raised, and `hang` never answers."""

    def __init__(self, kind: str = "nvim", **answers: Any):
        self.instance_id = "main-p-1"
        self.info = EditorInfo(pid=1, cwd="/p", main_file="", buffers=(), version="9.0", editor=kind)
        self.state: Message = {"cwd": "/p"}
        self.answers = answers
        self.asked: list[tuple[str, Message]] = []
        self.on_gone: list[Callable[[], None]] = []
        self.questions: Message = {}
        self.runs_code = True
        self.hanging = asyncio.Event()
        self.ended = asyncio.Event()

    async def request(self, method: str, params: Message | None = None, timeout: float = 5.0) -> Any:
        self.asked.append((method, params or {}))
        answer = self.answers.get(method, {})
        if isinstance(answer, Exception):
            raise answer
        if answer == "hang":
            self.hanging.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.ended.set()
        return answer

    def tell(self, method: str, params: Message) -> None:
        self.asked.append((method, params))


class Client:
    """The other end of a session."""

    def __init__(self, editor: FakeEditor, latest: Message | None = None):
        self.editor = editor
        self.written: asyncio.Queue[Message] = asyncio.Queue()
        self.raw: list[bytes] = []
        reviews = Reviews(editor)  # type: ignore[arg-type]  # a fake
        kernel = Kernel(Path("/p"), 0)
        self.session = IdeSession(
            editor,  # type: ignore[arg-type]  # a fake
            lambda: ["/p", "/q"],
            lambda: latest,
            reviews,
            kernel,
            self._write,
            self._drain,
        )
        self._number = 0

    def _write(self, data: bytes) -> None:
        self.raw.append(data)
        self.written.put_nowait(json.loads(data))

    async def _drain(self) -> None:
        """It reads at once."""

    def send(self, message: Any) -> None:
        """Send a message, or bytes as they are."""
        self.session.transport.receive(message if isinstance(message, bytes) else json.dumps(message).encode())

    async def next(self) -> Message:
        """The next message of the session's."""
        return await asyncio.wait_for(self.written.get(), 10)

    async def request(self, method: str, **params: Any) -> Message:
        """A request's whole answer."""
        self._number += 1
        self.send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        answer = await self.next()
        assert answer["id"] == self._number
        return answer

    async def start(self, method: str = "notifications/initialized") -> Message:
        """Shake hands."""
        answer = await self.request("initialize", **INITIALIZE)
        self.send({"jsonrpc": "2.0", "method": method})
        return answer

    async def call(self, name: str, **arguments: Any) -> Message:
        """A tool call's result."""
        answer = await self.request("tools/call", name=name, arguments=arguments)
        assert "result" in answer, answer
        return answer["result"]  # type: ignore[no-any-return]  # JSON

    async def json(self, name: str, **arguments: Any) -> Any:
        """The JSON in a tool call's only text block."""
        result = await self.call(name, **arguments)
        (block,) = result["content"]
        assert set(result) <= {"content", "isError"}
        assert not result.get("isError")
        return json.loads(block["text"])


def talk(
    conversation: Callable[[Client], Awaitable[None]], editor: FakeEditor | None = None, latest: Message | None = None
) -> Client:
    """Hold a conversation with a session, and see that the session ends with it."""

    async def run() -> Client:
        client = Client(editor or FakeEditor(), latest)
        serving = asyncio.create_task(client.session.run())
        await conversation(client)
        client.session.transport.end()
        await asyncio.wait_for(serving, 10)
        return client

    return asyncio.run(run())


# ---- the handshake


@pytest.mark.parametrize(("kind", "name"), [("nvim", "Claude Code Neovim MCP"), ("vim", "Claude Code Vim MCP")])
@pytest.mark.requirement("MCP-01", "MCP-05", "IDE-INIT-01")
def test_initialize(kind: str, name: str) -> None:
    async def conversation(client: Client) -> None:
        result = (await client.start())["result"]
        assert result["capabilities"]["tools"] == {"listChanged": True}
        assert result["capabilities"]["resources"]["listChanged"] is True
        assert "prompts" not in result["capabilities"], "Claude Code would ask for them"
        assert (result["serverInfo"]["name"], result["protocolVersion"]) == (name, "2025-11-25")
        assert result["serverInfo"]["version"]
        assert "Vim" in result["instructions"] or "Neovim" in result["instructions"]

    talk(conversation, FakeEditor(kind))


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1", "2025-11-25"),
    ],
)
@pytest.mark.requirement("IDE-INIT-02")
def test_protocol_versions(asked: str, answered: str) -> None:
    async def conversation(client: Client) -> None:
        answer = await client.request("initialize", **{**INITIALIZE, "protocolVersion": asked})
        assert answer["result"]["protocolVersion"] == answered

    talk(conversation)


@pytest.mark.parametrize("method", ["initialized", "notifications/initialized"])
@pytest.mark.requirement("MCP-02", "MCP-03", "MCP-06", "IDE-INIT-03")
def test_both_names_of_initialized_count(method: str) -> None:
    async def conversation(client: Client) -> None:
        await client.start(method)
        names = {tool["name"] for tool in (await client.request("tools/list"))["result"]["tools"]}
        assert {"openFile", "getDiagnostics"} <= names

    assert len(talk(conversation).raw) == 2, "a notification gets no answer"


@pytest.mark.requirement("IDE-INIT-04")
def test_what_comes_before_initialize_is_refused() -> None:
    async def conversation(client: Client) -> None:
        for method, params in (("tools/list", {}), ("tools/call", {"name": "openFile"}), ("resources/list", {})):
            error = (await client.request(method, **params))["error"]
            assert error["code"] == -32600
            assert "initialize" in error["message"]
        assert (await client.request("ping"))["result"] == {}
        await client.start()
        assert "result" in await client.request("tools/list")

    assert talk(conversation).editor.asked == []


@pytest.mark.requirement("IDE-INIT-05")
def test_what_is_said_beside_mcp() -> None:
    async def conversation(client: Client) -> None:
        client.send({"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": 1}})  # too early: not taken
        await client.start()
        client.send({"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": 4711}})
        client.send({"jsonrpc": "2.0", "method": "ide_connected", "params": {"pid": "x"}})
        client.send({"jsonrpc": "2.0", "method": "something_else"})
        assert (await client.request("ping"))["result"] == {}

    client = talk(conversation)
    assert (client.session.client_pid, client.session.client_name) == (4711, "claude-code 2.1")
    assert len(client.raw) == 2


# ---- what is no request

FAULTS = {
    "no JSON": (b"{nonsense", -32700, None),
    "cut off": (b'{"jsonrpc": "2.0", "id": 1', -32700, None),
    "nothing": (b"", -32700, None),
    "no UTF-8": (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', -32700, None),
    "too deep": (b"[" * 100_000, -32700, None),
    "a batch": (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600, None),
    "an empty batch": (b"[]", -32600, None),
    "a number": (b"5", -32600, None),
    "a string": (b'"ping"', -32600, None),
    "null": (b"null", -32600, None),
    "true": (b"true", -32600, None),
    "an empty object": (b"{}", -32600, None),
    "another version": (b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600, 7),
    "no version": (b'{"id": 7, "method": "ping"}', -32600, 7),
    "no method": (b'{"jsonrpc": "2.0", "id": "a"}', -32600, "a"),
    "a method of a wrong type": (b'{"jsonrpc": "2.0", "id": 7, "method": 5}', -32600, 7),
    "params of a wrong type": (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": 5}', -32600, 7),
    "params in a list": (b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []}', -32600, 7),
    "an id of a wrong type": (b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}', -32600, None),
    "an id that is null": (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600, None),
    "an id that is true": (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600, None),
}


@pytest.mark.parametrize("case", FAULTS)
@pytest.mark.requirement("MCP-08")
def test_what_is_no_request_is_answered_and_the_conversation_goes_on(case: str) -> None:
    data, code, request_id = FAULTS[case]

    async def conversation(client: Client) -> None:
        await client.start()
        client.send(data)
        answer = await client.next()
        assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", request_id, code)
        assert (await client.request("ping"))["result"] == {}

    talk(conversation)


WRONG: dict[str, tuple[str, Message, int, str]] = {
    "an unknown method": ("nothing/there", {}, -32601, "Method not found"),
    "prompts, which there are none of": ("prompts/list", {}, -32601, "Method not found"),
    "an unknown tool": ("tools/call", {"name": "nothing"}, -32602, "Unknown tool 'nothing'"),
    "no tool": ("tools/call", {}, -32602, ""),
    "a missing argument": ("tools/call", {"name": "openFile", "arguments": {}}, -32602, "filePath"),
    "arguments of a wrong type": ("tools/call", {"name": "openFile", "arguments": {"filePath": 5}}, -32602, "filePath"),
    "a switch of a wrong type": (
        "tools/call",
        {"name": "openFile", "arguments": {"filePath": "/a", "preview": "yes"}},
        -32602,
        "preview",
    ),
    "arguments in a list": ("tools/call", {"name": "openFile", "arguments": []}, -32602, ""),
    "another resource": ("resources/read", {"uri": "vim://nothing"}, -32602, "vim://nothing"),
    "other instances": ("resources/read", {"uri": "vim://instances"}, -32602, "vim://instances"),
    "a resource without an address": ("resources/read", {}, -32602, ""),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.requirement("MCP-08", "IDE-TOOL-17")
def test_a_wrong_request_has_its_code(case: str) -> None:
    method, params, code, words = WRONG[case]

    async def conversation(client: Client) -> None:
        await client.start()
        error = (await client.request(method, **params))["error"]
        assert error["code"] == code
        assert words in error["message"]

    assert talk(conversation).editor.asked == []


@pytest.mark.requirement("MCP-08")
def test_a_fault_of_ours_is_an_internal_error() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        answer = await client.request("tools/call", name="saveDocument", arguments={"filePath": "/a"})
        assert answer["error"]["code"] == -32603
        assert "secret" not in json.dumps(answer)

    talk(conversation, FakeEditor(save=ZeroDivisionError("secret")))


# ---- cancelling


@pytest.mark.requirement("MCP-07")
def test_a_cancelled_call_ends_and_is_not_answered() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        call = {"name": "getDiagnostics", "arguments": {}}
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call})
        await asyncio.wait_for(client.editor.hanging.wait(), 10)
        client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}})
        assert (await client.request("ping"))["result"] == {}
        await asyncio.wait_for(client.editor.ended.wait(), 10)

    client = talk(conversation, FakeEditor(get_diagnostics="hang"))
    assert [message["id"] for message in map(json.loads, client.raw)] == [1, 2]


@pytest.mark.requirement("MCP-07")
def test_a_client_that_leaves_ends_its_calls() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        call = {"name": "getDiagnostics", "arguments": {}}
        client.send({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": call})
        await asyncio.wait_for(client.editor.hanging.wait(), 10)

    assert talk(conversation, FakeEditor(get_diagnostics="hang")).editor.ended.is_set()


# ---- tools


@pytest.mark.requirement("MCP-03", "IDE-TOOL-17")
def test_the_list_of_tools() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        tools = {tool["name"]: tool for tool in (await client.request("tools/list"))["result"]["tools"]}
        assert set(tools) == {
            "openDiff", "close_tab", "closeAllDiffTabs", "openFile", "getDiagnostics", "getCurrentSelection",
            "getLatestSelection", "getOpenEditors", "getWorkspaceFolders", "checkDocumentDirty", "saveDocument",
            "executeCode",
        }  # fmt: skip
        for tool in tools.values():
            assert len(tool["description"]) > 30
            assert "outputSchema" not in tool
            schema = tool["inputSchema"]
            assert schema["additionalProperties"] is False
            assert (schema["$schema"], schema["type"]) == ("http://json-schema.org/draft-07/schema#", "object")
            assert all("type" in p and "description" in p for p in schema["properties"].values())
        opening = tools["openFile"]["inputSchema"]
        assert opening["required"] == ["filePath"]
        assert {name: (p["type"], p.get("default")) for name, p in opening["properties"].items()} == {
            "filePath": ("string", None), "preview": ("boolean", False), "startText": ("string", None),
            "endText": ("string", None), "selectToEndOfLine": ("boolean", False), "makeFrontmost": ("boolean", True),
        }  # fmt: skip
        assert "required" not in tools["getDiagnostics"]["inputSchema"]
        for name in ("checkDocumentDirty", "saveDocument"):
            assert tools[name]["inputSchema"]["required"] == ["filePath"]
        assert tools["executeCode"]["inputSchema"]["required"] == ["code"]

    talk(conversation)


@pytest.mark.requirement("IDE-TOOL-17", "IDE-RESULT-01", "MCP-04")
def test_unknown_arguments_and_nulls_are_ignored() -> None:
    opened = {"name": "/p/a", "filetype": "", "line_count": 1, "found": True, "selected": False, "buffer": 1}

    async def conversation(client: Client) -> None:
        await client.start()
        result = await client.call("openFile", filePath="/p/a", startText=None, endText="", more=5)
        assert result["content"] == [{"type": "text", "text": "Opened file: /p/a"}]
        assert "structuredContent" not in result

    client = talk(conversation, FakeEditor(open_file=opened))
    wanted = {"file": "/p/a", "preview": False, "to_end_of_line": False, "client": "claude-code 2.1"}
    assert client.editor.asked == [("open_file", wanted)]


@pytest.mark.requirement("IDE-RESULT-01")
def test_a_call_that_fails_says_so_in_words() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        result = await client.call("openFile", filePath="/p/a")
        assert (result["isError"], result["content"]) == (True, [{"type": "text", "text": "/p/a does not exist"}])
        assert "structuredContent" not in result

    talk(conversation, FakeEditor(open_file=CommandFailed("/p/a does not exist", kind="not_found")))


@pytest.mark.requirement("IDE-TOOL-16")
@pytest.mark.parametrize(("permission", "told"), [("off", "'off'"), ("ask", "its plugin cannot")])
def test_code_is_not_executed_unless_the_user_lets_it(permission: str, told: str) -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        result = await client.call("executeCode", code="1 + 1")
        assert result["isError"]
        assert told in result["content"][0]["text"]

    unknown = EditorMethodError(-32601, "this editor knows no method `ask`")
    settings = {"permission": permission, "timeout": 120, "kernel": "", "folder": "/p"}
    talk(conversation, FakeEditor(get_environment=settings, ask=unknown))


SELECTED = {
    "success": True, "text": "one\nt\0wo", "filePath": "/p/\u00e9.py", "fileUrl": "file:///p/%C3%A9.py",
    "selection": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 4}, "isEmpty": False},
}  # fmt: skip
NONE = {"success": False, "message": "No active editor found"}


@pytest.mark.parametrize(("selection", "wanted"), [(SELECTION, SELECTED), (NOTHING, NONE)])
@pytest.mark.requirement("IDE-TOOL-10")
def test_the_current_selection(selection: Message, wanted: Message) -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        assert await client.json("getCurrentSelection") == wanted

    talk(conversation, FakeEditor(get_selection={"selection": selection}))


CURSOR = {**SELECTION, "file": "/p/b", "lines": [""], "empty": True}
AT_CURSOR = {**SELECTED, "text": "", "filePath": "/p/b", "fileUrl": "file:///p/b"}
AT_CURSOR["selection"] = {**SELECTED["selection"], "isEmpty": True}  # type: ignore[dict-item]  # it is a dict


@pytest.mark.parametrize(
    ("current", "latest", "wanted"),
    [
        (SELECTION, None, SELECTED),
        (SELECTION, CURSOR, SELECTED),
        (CURSOR, SELECTION, SELECTED),
        (CURSOR, NOTHING, AT_CURSOR),
        (CURSOR, None, AT_CURSOR),
        (NOTHING, SELECTION, SELECTED),
        (NOTHING, CURSOR, AT_CURSOR),
        (NOTHING, None, NONE),
        (NOTHING, NOTHING, NONE),
        ("busy", SELECTION, SELECTED),
    ],
)
@pytest.mark.requirement("IDE-TOOL-11")
def test_the_latest_selection(current: Any, latest: Message | None, wanted: Message) -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        assert await client.json("getLatestSelection") == wanted

    busy = EditorBusy("it waits for its user", waiting_for="a key")
    talk(conversation, FakeEditor(get_selection=busy if current == "busy" else {"selection": current}), latest)


@pytest.mark.requirement("IDE-TOOL-11", "IDE-ACCESS-01")
@pytest.mark.parametrize("fault", [EditorBusy("busy"), CommandFailed("access is off", kind="access")])
def test_the_latest_selection_of_an_editor_that_gives_none(fault: CommandFailed) -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        assert (await client.call("getLatestSelection"))["isError"]

    talk(conversation, FakeEditor(get_selection=fault), None if fault.data["kind"] == "busy" else SELECTION)


@pytest.mark.requirement("IDE-TOOL-13")
def test_workspace_folders() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        assert await client.json("getWorkspaceFolders") == {
            "success": True,
            "folders": [
                {"name": "p", "uri": "file:///p", "path": "/p"},
                {"name": "q", "uri": "file:///q", "path": "/q"},
            ],
            "rootPath": "/p",
        }

    talk(conversation)


BUFFER = {
    "id": 1, "name": "/p/a b.py", "listed": True, "loaded": True, "modified": False, "filetype": "python",
    "buftype": "", "line_count": 9, "current": True, "visible": True, "ignored": False,
}  # fmt: skip


def buffers(*changes: Message) -> Message:
    """An answer of `get_state`: a buffer for each."""
    return {"buffers": [{**BUFFER, "id": number, **change} for number, change in enumerate(changes, 1)]}


@pytest.mark.requirement("IDE-TOOL-12")
def test_open_editors() -> None:
    shown = buffers(
        {}, {"name": "/p/b", "current": False, "modified": True, "visible": False, "filetype": ""},
        {"name": "", "current": False, "modified": True}, {"name": "", "current": False},
        {"name": "/p/c", "listed": False}, {"name": "term://x", "buftype": "terminal"},
    )  # fmt: skip

    async def conversation(client: Client) -> None:
        await client.start()
        tabs = (await client.json("getOpenEditors"))["tabs"]
        assert tabs[0] == {
            "uri": "file:///p/a%20b.py", "isActive": True, "label": "a b.py", "languageId": "python", "isDirty": False,
            "isUntitled": False, "isVisible": True, "fileName": "/p/a b.py", "lineCount": 9,
        }  # fmt: skip
        keys = ("uri", "label", "isActive", "isDirty", "isUntitled", "isVisible")
        assert [tuple(tab[key] for key in keys) for tab in tabs[1:]] == [
            ("file:///p/b", "b", False, True, False, False),
            ("untitled:Untitled-3", "[No Name]", False, True, True, True),
        ]

    talk(conversation, FakeEditor(get_state=shown))


@pytest.mark.requirement("IDE-TOOL-12")
def test_the_active_editor_is_the_one_before_a_terminal() -> None:
    shown = buffers({"current": False}, {"name": "/p/b", "current": False}, {"name": "t", "buftype": "terminal"})

    async def conversation(client: Client) -> None:
        await client.start()
        tabs = (await client.json("getOpenEditors"))["tabs"]
        assert [(tab["fileName"], tab["isActive"]) for tab in tabs] == [("/p/a b.py", False), ("/p/b", True)]

    talk(conversation, FakeEditor(get_state=shown), {**SELECTION, "file": "/p/b"})


# ---- resources


@pytest.mark.requirement("IDE-RES-01")
def test_the_editors_resources() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        listed = [entry["uri"] for entry in (await client.request("resources/list"))["result"]["resources"]]
        assert sorted(listed) == [
            "vim://buffer/current", "vim://buffers", "vim://cursor", "vim://diagnostics", "vim://state", "vim://windows"
        ]  # fmt: skip
        templates = (await client.request("resources/templates/list"))["result"]["resourceTemplates"]
        assert "vim://buffer/{id}" in [entry["uriTemplate"] for entry in templates]
        (content,) = (await client.request("resources/read", uri="vim://buffers"))["result"]["contents"]
        assert json.loads(content["text"])["buffers"][0]["name"] == "/p/a b.py"

    talk(conversation, FakeEditor(get_state=buffers({})))


RANGE = {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 2}}


def finding(name: str, **more: Any) -> Message:
    """A Diagnostic of the editor's."""
    found = {
        "buffer": 1, "name": name, "line": 1, "column": 2, "severity": "error", "message": "wrong", "line_hash": "a"
    }  # fmt: skip
    return {**found, "range": RANGE, **more}


@pytest.mark.requirement("IDE-TOOL-08", "IDE-DIAG-01")
def test_diagnostics_of_all_files() -> None:
    findings = [
        finding("/p/a b.py", source="ruff", code="F401"), finding("/p/c", severity="hint"),
        finding("/p/a b.py", severity="warning"), finding("/p/c", severity="information"), finding(""),
    ]  # fmt: skip

    async def conversation(client: Client) -> None:
        await client.start()
        assert await client.json("getDiagnostics") == [
            {
                "uri": "file:///p/a%20b.py",
                "diagnostics": [
                    {"message": "wrong", "severity": "Error", "range": RANGE, "source": "ruff", "code": "F401"},
                    {"message": "wrong", "severity": "Warning", "range": RANGE},
                ],
            },
            {
                "uri": "file:///p/c",
                "diagnostics": [
                    {"message": "wrong", "severity": "Hint", "range": RANGE},
                    {"message": "wrong", "severity": "Information", "range": RANGE},
                ],
            },
        ]

    talk(conversation, FakeEditor(get_diagnostics={"diagnostics": findings}))


@pytest.mark.requirement("IDE-DIAG-02")
def test_a_uri_is_answered_as_it_was_asked(tmp_path: Path) -> None:
    name = "50%25 d\u00e9j\u00e0 #1?.py"
    real = tmp_path / "real" / name
    real.parent.mkdir()
    real.write_text("")
    (tmp_path / "link").symlink_to("real")
    linked = tmp_path / "link" / name
    editor = FakeEditor(get_diagnostics={"diagnostics": [finding(str(real))], "open": True, "settled": True})

    async def conversation(client: Client) -> None:
        await client.start()
        answers = [await client.json("getDiagnostics")]
        for uri in (f"file://{linked}", linked.as_uri()):
            answers += [await client.json("getDiagnostics", uri=uri), await client.json("getDiagnostics")]
        plain, encoded = f"file://{linked}", linked.as_uri()
        assert [found[0]["uri"] for found in answers] == [real.as_uri(), plain, plain, encoded, encoded]
        assert [found[0]["diagnostics"] for found in answers] == [answers[0][0]["diagnostics"]] * 5

    talk(conversation, editor)
    assert {params["file"] for _, params in editor.asked if "file" in params} == {str(linked)}


@pytest.mark.parametrize(
    ("uri", "file"),
    [
        ("/p/x%20y", "/p/x%20y"), ("x", "/p/x"), ("file:///p/x%20y", "/p/x y"), ("file://localhost/p/x", "/p/x"),
        ("file:///p/%E6%BC%A2", "/p/\u6f22"), ("file://elsewhere/p/x", None), ("untitled:Untitled-1", None),
        ("https://host/x", None), ("_claude_fs_right:/p/x", "/p/_claude_fs_right:/p/x"), ("file:///p/%00", "/p/%00"),
    ],
)  # fmt: skip
@pytest.mark.requirement("IDE-TOOL-08")
def test_a_file_that_is_not_open_has_an_empty_list(uri: str, file: str | None) -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        assert await client.json("getDiagnostics", uri=uri) == []

    client = talk(conversation, FakeEditor(get_diagnostics={"diagnostics": [], "open": False, "settled": True}))
    wanted = [("get_diagnostics", {"file": file, "fresh": 400, "utf16": True, "client": "claude-code 2.1"})]
    assert client.editor.asked == (wanted if file else [])


@pytest.mark.requirement("IDE-DIAG-04")
def test_a_file_that_is_not_checked_yet_has_no_list() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        result = await client.call("getDiagnostics", uri="file:///p/slow.py")
        assert result["isError"]
        assert "/p/slow.py has not been checked yet" in result["content"][0]["text"]
        await client.json("getDiagnostics")

    client = talk(conversation, FakeEditor(get_diagnostics={"diagnostics": [], "open": True, "settled": False}))
    assert client.editor.asked[-1][1]["files"] == [], "nothing is compared with it, so it is not waited for"


@pytest.mark.requirement("IDE-DIAG-05")
def test_the_model_is_told_where_errors_are_and_the_client_where_it_knows_them() -> None:
    moved = {"start": {"line": 7, "character": 1}, "end": {"line": 7, "character": 2}}
    editor = FakeEditor(get_diagnostics={"diagnostics": [finding("/p/a")], "open": True, "settled": True})

    async def conversation(client: Client) -> None:
        async def ranges(**meta: Any) -> list[Any]:
            (found,) = (await client.request("tools/call", name="getDiagnostics", arguments={}, **meta))["result"][
                "content"
            ]
            return [item["range"] for item in json.loads(found["text"])[0]["diagnostics"]]

        await client.start()
        await client.json("getDiagnostics", uri="file:///p/a")
        editor.answers["get_diagnostics"]["diagnostics"] = [finding("/p/a", range=moved)]
        assert await ranges() == [RANGE]
        assert await ranges(_meta={"claudecode/toolUseId": "toolu_1"}) == [moved]

    talk(conversation, editor)


@pytest.mark.requirement("IDE-DIAG-03")
def test_files_that_were_asked_for_are_looked_at_anew() -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        for name in ("a", "b", "a"):
            await client.json("getDiagnostics", uri=f"file:///p/{name}")
        await client.json("getDiagnostics")

    client = talk(conversation, FakeEditor(get_diagnostics={"diagnostics": [], "open": True, "settled": True}))
    wanted = {"files": ["/p/b", "/p/a"], "fresh": 1500, "utf16": True, "client": "claude-code 2.1"}
    assert client.editor.asked[-1] == ("get_diagnostics", wanted)


@pytest.mark.requirement("IDE-TOOL-14")
@pytest.mark.parametrize("name", ["a b.py", "link.py"])
def test_unsaved_changes(tmp_path: Path, name: str) -> None:
    (tmp_path / "a b.py").write_text("")
    (tmp_path / "link.py").symlink_to("a b.py")
    shown = buffers({"name": str(tmp_path / "a b.py.bak")}, {"name": str(tmp_path / "a b.py"), "modified": True})

    async def conversation(client: Client) -> None:
        await client.start()
        file = str(tmp_path / name)
        wanted = {"success": True, "filePath": file, "isDirty": True, "isUntitled": False}
        assert await client.json("checkDocumentDirty", filePath=file) == wanted
        other = await client.json("checkDocumentDirty", filePath=str(tmp_path / "a b.py.bak"))
        assert other["isDirty"] is False
        assert await client.json("checkDocumentDirty", filePath="a*") == {
            "success": False, "message": "Document not open: /p/a*"
        }  # fmt: skip

    talk(conversation, FakeEditor(get_state=shown))


@pytest.mark.requirement("IDE-TOOL-14", "IDE-OPEN-02")
@pytest.mark.parametrize("tool", ["checkDocumentDirty", "openFile", "saveDocument"])
def test_a_name_with_a_nul_goes_nowhere(tool: str) -> None:
    async def conversation(client: Client) -> None:
        await client.start()
        result = await client.call(tool, filePath="/p/a\0b")
        assert result["isError"]
        assert "NUL" in result["content"][0]["text"]

    assert talk(conversation).editor.asked == []


@pytest.mark.requirement("IDE-OPEN-02")
def test_relative_names_are_in_the_folder_that_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    Path(second).mkdir()
    (tmp_path / "second" / "there").write_text("")
    monkeypatch.setenv("HOME", "/home/ada")

    def named(path: str, *folders: str) -> str:
        editor: Any = FakeEditor()
        call = IdeCall(
            editor, "", lambda: list(folders), lambda: None, Spellings(), Reviews(editor), Kernel(Path("/p"), 0), None
        )
        return call.file(path)

    assert named("there", first, second) == f"{second}/there"
    assert named("nowhere", first, second) == f"{first}/nowhere"
    assert named("there") == "/p/there", "without folders the working directory counts"
    assert named("/there", first) == "/there"
    assert named("~/there", first) == "/home/ada/there"
    assert named("https://host/there", first) == "https://host/there"


@pytest.mark.requirement("IDE-DIAG-02")
def test_spellings_are_bounded() -> None:
    spellings = Spellings()
    for number in range(3000):
        spellings.note(f"/p/{number}", f"file:///p/%3{number}")
    assert spellings.of("/p/0") == "file:///p/0"
    assert spellings.of("/p/2999") == "file:///p/%32999"
    assert len(vars(spellings)["_uris"]) == 1000
