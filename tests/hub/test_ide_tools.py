"""The IDE's tools, as Claude Code would call them: from an editor's port to the real editor and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command as run_command
from tests.support.editors import Terminal, find
from tests.support.ideclient import IdeClient, wait_lock
from tests.support.mcpclient import Message, RpcError, ToolError
from tests.support.stage import Stage
from tests.support.waiting import wait_until

CODE = "def one():\n    return 'a.b*'\n\n\ndef two():\n    return '\u6f22 \U0001d4b3'\n"


class Scene:
    """An editor with `one.py` open, and a client of its port."""

    def __init__(self, stage: Stage, kind: str):
        self.project = stage.project("pro ject", one_py=CODE, two_py="two\n")
        self.editor: Terminal = stage.editor(kind, "one.py", cwd=self.project)
        self.editor.wait_screen("def one")
        self.client = IdeClient.of(stage.home, self.editor.editor_pid)
        self.kind = kind

    def path(self, name: str) -> str:
        """The absolute path of a file of the project."""
        return str(self.project / name)

    def text(self) -> str:
        """The current buffer's text."""
        return self.client.read_text("vim://buffer/current")

    def state(self) -> Any:
        """The editor's state without text."""
        return self.client.read_json("vim://cursor")

    def command(self, line: str) -> None:
        """Run an Ex command and wait until the screen shows that it was, and then no more."""
        run_command(self.editor, line)
        self.editor.type(":\x1b")

    def fails(self, name: str, **arguments: Any) -> ToolError:
        """The error of a tool call."""
        with pytest.raises(ToolError) as caught:
            self.client.texts(name, **arguments)
        return caught.value


@pytest.fixture
def scene(stage: Stage, kind: str) -> Iterator[Scene]:
    """The editor and its client."""
    stage.home.add("set noswapfile hidden", "filetype on")
    scene = Scene(stage, kind)
    yield scene
    scene.client.close()


# ---- openFile


@pytest.mark.requirement("IDE-TOOL-01", "IDE-TOOL-02", "MCP-04", "IDE-RESULT-01")
def test_a_file_is_opened_and_a_passage_selected(scene: Scene) -> None:
    two = scene.path("two.py")
    assert scene.client.texts("openFile", filePath=two) == [f"Opened file: {two}"]
    assert scene.text() == "two\n"
    one = scene.path("one.py")
    texts = scene.client.texts("openFile", filePath="one.py", startText="one", endText="return", selectToEndOfLine=True)
    assert texts == [f"Opened file: {one}"]
    assert scene.state()["context"]["selection"]["text"] == ["one():", "    return 'a.b*'"]
    scene.editor.type("d")
    wait_until(lambda: scene.text().startswith("def \n\n\ndef two"), "the passage is gone")
    texts = scene.client.texts("openFile", filePath=one, startText="not there")
    assert (texts[0], "not found" in texts[1]) == (f"Opened file: {one}", True)


@pytest.mark.slow
@pytest.mark.requirement("IDE-OPEN-02")
def test_what_cannot_be_opened_is_named(scene: Scene) -> None:
    before = scene.client.tool_json("getOpenEditors")
    for name in ("gone.py", "no/gone.py", "tw*.py", ".", "https://host/x", "/dev/null", "a\0b"):
        told = {".": "pro ject", "a\0b": "NUL"}.get(name, name)
        for frontmost in (True, False):
            assert told in str(scene.fails("openFile", filePath=name, makeFrontmost=frontmost))
    assert scene.client.tool_json("getOpenEditors") == before
    assert scene.text() == CODE


@pytest.mark.slow
@pytest.mark.requirement("IDE-OPEN-05")
def test_a_file_is_loaded_while_the_user_types(scene: Scene) -> None:
    scene.editor.type("iab")
    scene.editor.wait_screen("abdef")
    loaded = scene.client.tool_json("openFile", filePath="two.py", makeFrontmost=False, preview=True, startText="two")
    assert loaded == {
        "success": True, "filePath": scene.path("two.py"), "languageId": "python", "lineCount": 1
    }  # fmt: skip
    scene.editor.type("cd\x1b")
    wait_until(lambda: scene.text() == f"abcd{CODE}", "what was typed")
    tabs = scene.client.tool_json("getOpenEditors")["tabs"]
    assert [(tab["label"], tab["isActive"], tab["isDirty"]) for tab in tabs] == [
        ("one.py", True, True), ("two.py", False, False),
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.requirement("IDE-OPEN-03", "MCP-07")
def test_nothing_is_opened_under_the_users_hands(scene: Scene) -> None:
    scene.editor.type("ia")
    scene.editor.wait_screen("adef")
    call = scene.client.start_tool("openFile", filePath="two.py")
    scene.client.notify("notifications/cancelled", requestId=call)
    error = scene.fails("openFile", filePath="two.py")
    assert (error.kind, error.data["waiting_for"]) == ("busy", "insert mode")
    scene.editor.type("b\x1b")
    wait_until(lambda: scene.text() == f"ab{CODE}", "what was typed")
    assert scene.client.request("ping") == {}
    with pytest.raises(AssertionError, match="no answer"):
        scene.client.answer(call, timeout=0.1)
    assert [tab["label"] for tab in scene.client.tool_json("getOpenEditors")["tabs"]] == ["one.py"]


@pytest.mark.slow
@pytest.mark.skipif(find("vim") is None, reason="only Vim has other values of 'encoding'")
@pytest.mark.parametrize("kind", ["vim"])
@pytest.mark.requirement("IDE-TOOL-02")
def test_a_passage_in_another_encoding(stage: Stage, kind: str) -> None:
    stage.home.add("set encoding=latin1")
    scene = Scene(stage, kind)
    (scene.project / "latin.txt").write_bytes("a\u00e9b ab\n".encode("latin1"))
    assert len(scene.client.texts("openFile", filePath="latin.txt", startText="\u00e9b")) == 1
    assert scene.state()["context"]["selection"]["text"] == ["\u00e9b"]
    scene.editor.type("\x1b")
    assert "cannot be represented" in str(scene.fails("openFile", filePath="latin.txt", startText="a\u6f22b"))
    scene.client.close()


# ---- diagnostics


def diagnose(scene: Scene) -> None:
    """Have the editor report an error at the wide characters of one.py."""
    if scene.kind == "vim":
        item = "{'bufnr': 1, 'lnum': 6, 'col': 17, 'end_lnum': 6, 'end_col': 21, 'type': 'E', 'nr': 7, 'text': 'wrong'}"
        scene.command(f"call setqflist([{item}])")
    else:
        item = "{lnum = 5, col = 16, end_lnum = 5, end_col = 20, severity = 1, message = 'wrong', code = 7}"
        scene.command(f"lua vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 1, {{{item}}})")


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-08", "IDE-DIAG-01", "IDE-DIAG-02")
def test_diagnostics(scene: Scene) -> None:
    one = scene.project / "one.py"
    assert scene.client.tool_json("getDiagnostics") == []
    assert scene.client.tool_json("getDiagnostics", uri=one.as_uri()) == [{"uri": one.as_uri(), "diagnostics": []}]
    diagnose(scene)
    found: list[Message] = scene.client.tool_json("getDiagnostics", uri=f"file://{one}")
    assert found == scene.client.tool_json("getDiagnostics")
    ((file,),) = (found,)
    (item,) = file["diagnostics"]
    assert file["uri"] == f"file://{one}"
    assert item["range"] == {"start": {"line": 5, "character": 14}, "end": {"line": 5, "character": 16}}
    assert (item["message"], item["severity"], item["code"]) == ("wrong", "Error", "7")
    (scene.project / "link.py").symlink_to("one.py")
    link = (scene.project / "link.py").as_uri()
    assert scene.client.tool_json("getDiagnostics", uri=link) == [{**file, "uri": link}]
    two = (scene.project / "two.py").as_uri()
    assert scene.client.tool_json("getDiagnostics", uri=two) == [{"uri": two, "diagnostics": []}]
    for absent in ("one.py.bak", "o*", "gone/one.py", "."):
        assert scene.client.tool_json("getDiagnostics", uri=f"file://{scene.path(absent)}") == []


# ---- selections


@pytest.mark.requirement("IDE-TOOL-10", "IDE-TOOL-11")
def test_selections(scene: Scene) -> None:
    one = scene.path("one.py")
    scene.editor.type("gg0wve")
    wait_until(lambda: scene.state()["mode"] == "v", "Visual mode")
    wanted = {
        "success": True, "text": "one", "filePath": one, "fileUrl": Path(one).as_uri(),
        "selection": {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 7}, "isEmpty": False},
    }  # fmt: skip
    wait_until(lambda: scene.client.tool_json("getCurrentSelection") == wanted, "the selection")
    assert scene.client.tool_json("getLatestSelection") == wanted
    scene.editor.type("\x1bG$")
    wait_until(lambda: scene.client.tool_json("getCurrentSelection").get("text") == "", "no selection")
    empty = scene.client.tool_json("getCurrentSelection")
    assert (empty["filePath"], empty["selection"]["isEmpty"]) == (one, True)


# ---- open editors, unsaved changes, saving


@pytest.mark.slow
@pytest.mark.requirement("IDE-TOOL-12", "IDE-TOOL-14", "IDE-TOOL-15")
def test_unsaved_changes_are_seen_and_saved(scene: Scene) -> None:
    one, client = scene.path("one.py"), scene.client
    clean = {"success": True, "filePath": one, "isDirty": False, "isUntitled": False}
    assert client.tool_json("checkDocumentDirty", filePath="one.py") == clean
    scene.editor.type("Oadded\x1b")
    wait_until(lambda: client.tool_json("checkDocumentDirty", filePath=one) == {**clean, "isDirty": True}, "a change")
    saved = client.tool_json("saveDocument", filePath="one.py")
    assert (saved["success"], saved["filePath"], saved["saved"]) == (True, one, True)
    assert Path(one).read_text() == f"added\n{CODE}"
    assert client.tool_json("checkDocumentDirty", filePath=one) == clean
    for name in ("two.py", "one.py.bak", "o*"):
        refused = {"success": False, "message": f"Document not open: {scene.path(name)}"}
        assert client.tool_json("checkDocumentDirty", filePath=name) == refused
        assert client.tool_json("saveDocument", filePath=name) == refused
    scene.editor.type("Omore\x1b")
    wait_until(lambda: client.tool_json("checkDocumentDirty", filePath=one)["isDirty"], "a change")
    Path(one).write_text("somebody else's\n")
    assert scene.fails("saveDocument", filePath=one).kind == "changed"
    assert Path(one).read_text() == "somebody else's\n"


# ---- who may


@pytest.mark.slow
@pytest.mark.requirement("IDE-ACCESS-01")
def test_pause_stops_every_tool(scene: Scene) -> None:
    calls: list[tuple[str, Message]] = [
        ("openFile", {"filePath": "two.py"}), ("openFile", {"filePath": "two.py", "makeFrontmost": False}),
        ("getDiagnostics", {}), ("getDiagnostics", {"uri": "one.py"}), ("getCurrentSelection", {}),
        ("getLatestSelection", {}), ("getOpenEditors", {}), ("checkDocumentDirty", {"filePath": "one.py"}),
        ("saveDocument", {"filePath": "one.py"}),
    ]  # fmt: skip
    scene.command("VimMCPPause")
    for name, arguments in calls:
        error = scene.fails(name, **arguments)
        assert (name, error.kind) == (name, "access")
    with pytest.raises(RpcError):
        scene.text()
    scene.command("VimMCPPause")
    scene.command("let g:vim_mcp_access = 'read'")
    assert scene.client.tool_json("getOpenEditors")["tabs"]
    assert scene.fails("openFile", filePath="two.py").kind == "access"
    assert scene.fails("saveDocument", filePath="one.py").kind == "access"
    assert scene.text() == CODE


@pytest.mark.slow
@pytest.mark.requirement("IDE-IGNORE-01")
def test_private_files_are_told_of_by_name_alone(scene: Scene) -> None:
    (scene.project / ".env").write_text("TOKEN=secret\n")
    texts = scene.client.texts("openFile", filePath=".env", startText="TOKEN")
    assert (texts[0], len(texts)) == (f"Opened file: {scene.path('.env')}", 2)
    scene.editor.wait_screen("TOKEN=secret")
    scene.editor.type("v$")
    wait_until(lambda: scene.state()["mode"] == "v", "Visual mode")
    for name in ("getCurrentSelection", "getLatestSelection", "getDiagnostics", "getOpenEditors"):
        assert "secret" not in json.dumps(scene.client.texts(name))
    scene.editor.type("\x1b")
    assert scene.fails("saveDocument", filePath=".env").kind == "ignored"


# ---- the rest of the conversation


@pytest.mark.requirement("MCP-01", "MCP-05", "IDE-TOOL-13")
def test_the_editor_introduces_itself(stage: Stage, scene: Scene) -> None:
    lock = wait_lock(stage.home, scene.editor.editor_pid)
    client = IdeClient(lock.port, lock.token)
    kind = "Vim" if scene.kind == "vim" else "Neovim"
    assert client.initialize()["serverInfo"]["name"] == f"Claude Code {kind} MCP"
    folders = client.tool_json("getWorkspaceFolders")
    assert [folder["path"] for folder in folders["folders"]] == lock.folders
    assert folders["folders"][0] == {
        "name": "pro ject", "uri": scene.project.as_uri(), "path": str(scene.project)
    }  # fmt: skip
    assert folders["rootPath"] == str(scene.project)
    client.close()


@pytest.mark.slow
@pytest.mark.requirement("MCP-08")
def test_faults_are_answered_and_the_socket_stays_usable(scene: Scene) -> None:
    faults = (b"{nonsense", -32700), (b"[" * 4000, -32700), (b"[]", -32600), (b"5", -32600), (b'{"id": 1}', -32600)
    for data, code in faults:
        scene.client.send_bytes(data)
        request_id = 1 if b"id" in data else None
        with pytest.raises(RpcError) as caught:
            scene.client.answer(request_id)
        assert caught.value.code == code
    with pytest.raises(RpcError, match="Unknown tool"):
        scene.client.texts("noSuchTool")
    for arguments in ([1], "text", 5, True):
        with pytest.raises(RpcError):
            scene.client.request("tools/call", {"name": "getDiagnostics", "arguments": arguments})
    assert scene.text() == CODE
    assert all(isinstance(frame, str) for frame in scene.client.frames)


@pytest.mark.slow
@pytest.mark.requirement("IDE-RES-01")
def test_resources(scene: Scene) -> None:
    listed = [entry["uri"] for entry in scene.client.request("resources/list")["resources"]]
    for uri in listed:
        assert scene.client.contents(uri)[0]["uri"] == uri
    assert "vim://instances" not in listed
    scene.editor.type("x")
    wait_until(lambda: scene.text() == CODE[1:], "the live text")
