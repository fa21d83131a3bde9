"""The seven resources and the lists, as a client reads them from real editors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.mcpclient import StdioClient
from tests.support.stage import Stage

DIAGNOSE = {
    "vim": "call setqflist([#{bufnr: bufnr('one.txt'), lnum: 3, col: 2, type: 'E', text: 'no such letter', nr: 7}])",
    "nvim": "lua vim.diagnostic.set(vim.api.nvim_create_namespace('x'), vim.fn.bufnr('one.txt'), {{lnum = 2, col = 1,"
    " severity = 1, message = 'no such letter', source = 'linter', code = '7'}})",
}


@pytest.fixture
def client(stage: Stage, kind: str) -> StdioClient:
    """A client whose editor shows `two.txt` below `one.txt`, the cursor on `beta` in the latter, diagnosed."""
    project = stage.project("proj", one_txt="alpha\nbeta\ngamma\n", two_txt="second\n")
    editor = stage.editor(kind, "one.txt", "two.txt", cwd=project)
    stage.instance(editor)
    editor.wait_screen("gamma")
    editor.type(f":set noruler splitbelow\r:{DIAGNOSE[kind.removesuffix('07')]}\r")
    editor.type(":split two.txt\r:wincmd k\r2G2l:echo 'rea' . 'dy'\r")
    editor.wait_screen("ready")
    return stage.client()


@pytest.mark.requirement("G1", "VIM-RES-05")
def test_the_windows(client: StdioClient) -> None:
    windows = client.read_json("vim://windows")["windows"]
    assert [window["name"].rpartition("/")[2] for window in windows] == ["one.txt", "two.txt"]
    upper, lower = windows
    assert (upper["cursor"], upper["current"], lower["current"]) == ([2, 3], True, False)
    assert (upper["row"], upper["column"], upper["width"], lower["width"]) == (1, 1, 80, 80)
    assert lower["row"] > upper["height"]


@pytest.mark.requirement("G1", "VIM-RES-07")
def test_the_cursor(client: StdioClient) -> None:
    cursor = client.read_json("vim://cursor")
    assert cursor["cursor"] == [2, 3]
    context = cursor["context"]
    assert (context["before"], context["line_text"], context["after"]) == (["alpha"], "beta", ["gamma"])
    assert context["selection"] is None


@pytest.mark.slow
@pytest.mark.requirement("VIM-RES-01", "VIM-TOOL-01")
def test_the_instances(client: StdioClient, kind: str) -> None:
    (instance,) = client.read_json("vim://instances")
    assert instance["instance_id"] == f"one-proj-{instance['pid']}"
    assert instance["editor"] == ("vim" if kind == "vim" else "nvim")
    assert [name.rpartition("/")[2] for name in instance["buffers"]] == ["one.txt", "two.txt"]
    text = client.tool_text("list_vim_instances")
    assert instance["instance_id"] in text
    assert "select_vim_instance" in text.splitlines()[-1], "the list ends with how to select"


@pytest.mark.requirement("VIM-RES-06", "VIM-TOOL-07")
def test_the_diagnostics(client: StdioClient, kind: str) -> None:
    answers = [client.read_json("vim://diagnostics"), client.tool("vim_get_diagnostics")]
    answers.append(client.tool("vim_get_diagnostics", buffer=answers[0]["diagnostics"][0]["buffer"]))
    for answer in answers:
        (found,) = answer["diagnostics"]
        assert found["name"].endswith("/one.txt")
        assert (found["line"], found["column"], found["severity"]) == (3, 2, "error")
        assert (found["message"], str(found["code"])) == ("no such letter", "7")
        assert kind == "vim" or found["source"] == "linter"
    other = [b["id"] for b in client.read_json("vim://buffers")["buffers"] if b["name"].endswith("two.txt")]
    assert client.tool("vim_get_diagnostics", buffer=other[0])["diagnostics"] == []


@pytest.mark.requirement("VIM-RES-08", "VIM-TOOL-08", "TEXT-03")
def test_everything_on_offer_is_described(stage: Stage) -> None:
    client = stage.client()
    tools: list[dict[str, Any]] = client.request("tools/list")["tools"]
    for tool in tools:
        assert tool["title"]
        assert len(tool["description"]) > 40
        hints = tool["annotations"]
        assert not (hints["readOnlyHint"] and hints["destructiveHint"])
        needs_editor = "instance" not in tool["name"]
        assert ("instance_id" in tool["inputSchema"]["properties"]) or not needs_editor
    read_only = {tool["name"] for tool in tools if tool["annotations"]["readOnlyHint"]}
    assert read_only == {"list_vim_instances", "vim_search", "vim_get_diagnostics"}
    for listed in (
        client.request("resources/list")["resources"],
        client.request("resources/templates/list")["resourceTemplates"],
    ):
        assert all(entry["name"] and entry["description"] and entry["mimeType"] for entry in listed)


@pytest.mark.slow
@pytest.mark.requirement("VIM-RES-02", "VIM-RES-04")
def test_json_resources_are_json(client: StdioClient) -> None:
    for name in ("state", "buffers", "windows", "diagnostics", "cursor", "instances"):
        (content,) = client.contents(f"vim://{name}")
        assert content["uri"] == f"vim://{name}"
        assert content["mimeType"] == "application/json"
        json.loads(content["text"])
