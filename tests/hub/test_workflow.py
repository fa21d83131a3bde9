"""The specification's workflows from an MCP client to real editors and back."""

from __future__ import annotations

import json

import pytest

from tests.support.mcpclient import RpcError, ToolError
from tests.support.stage import Stage, numbered
from tests.support.waiting import wait_until


@pytest.mark.requirement("G1", "G3", "G4", "VIM-FLOW-01", "VIM-RES-04", "VIM-SCOPE-02", "VIM-SEL-03")
def test_what_buffers_are_open(stage: Stage, kind: str) -> None:
    """The specification's complete message flow, from the client's side."""
    project = stage.project("proj", main_py="", test_py="", README_md="")
    editor = stage.editor(kind, "main.py", "test.py", "README.md", cwd=project)
    stage.instance(editor)
    client = stage.client()
    answer = client.request("resources/read", {"uri": "vim://buffers"})
    (content,) = answer["contents"]
    assert content["mimeType"] == "application/json"
    buffers = json.loads(content["text"])["buffers"]
    assert [buffer["name"] for buffer in buffers] == [str(project / n) for n in ("main.py", "test.py", "README.md")]


@pytest.mark.requirement("G1", "VIM-PULL-01", "VIM-RES-02", "VIM-RES-03", "VIM-STATE-02")
def test_the_live_text_is_read(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="first\nsecond\n")
    editor = stage.editor(kind, "one.txt", cwd=project)
    stage.instance(editor)
    client = stage.client()
    editor.wait_screen("second")
    editor.type("ggOunsaved \u00e9\U0001f642\x1b")
    wait_until(lambda: client.read_json("vim://state")["mode"] == "n", "normal mode")
    assert client.read_text("vim://buffer/current") == "unsaved \u00e9\U0001f642\nfirst\nsecond\n"
    state = client.read_json("vim://state")
    assert state["current_buffer"]["content"] == ["unsaved \u00e9\U0001f642", "first", "second"]
    assert state["current_buffer"]["modified"] is True
    assert state["mode"] == "n"


@pytest.mark.slow
@pytest.mark.requirement("TEXT-02", "TEXT-03")
def test_a_long_text_is_given_in_parts_that_name_the_next(stage: Stage, kind: str) -> None:
    project = stage.project("proj", long_txt=numbered(5000))
    stage.instance(stage.editor(kind, "long.txt", cwd=project))
    client = stage.client()
    part, rest = client.contents("vim://buffer/current")
    assert part["text"] == numbered(2000)
    assert (part["_meta"]["first"], part["_meta"]["last"], part["_meta"]["line_count"]) == (1, 2000, 5000)
    assert "vim://buffer/1?first=2001" in rest["text"]
    assert client.read_text("vim://buffer/1?first=4999").split("\n") == ["line 4999", "line 5000", ""]
    assert client.read_text("vim://buffer/current?first=1&last=-1") == numbered(5000)
    state = client.read_json("vim://state")["current_buffer"]
    assert (len(state["content"]), state["content_range"]["next"]) == (2000, "vim://buffer/1?first=2001")


@pytest.mark.slow
@pytest.mark.requirement("SCALE-02", "VIM-LIM-01")
def test_ten_megabytes_are_read_and_more_is_refused(stage: Stage, kind: str) -> None:
    line = "x" * 99 + "\n"
    project = stage.project("proj", big_txt=line * 100_000, bigger_txt=line * 120_000)
    stage.instance(stage.editor(kind, "big.txt", "bigger.txt", cwd=project))
    client = stage.client()
    assert client.read_text("vim://buffer/1?first=1&last=-1") == line * 100_000
    with pytest.raises(RpcError, match=r"first.*last|range") as error:
        client.read_text("vim://buffer/2?first=1&last=-1")
    assert error.value.code == 1004
    assert client.read_text("vim://buffer/2?first=119999&last=120000") == line * 2


@pytest.mark.requirement("SCALE-01", "VIM-SCOPE-02", "VIM-TOOL-03")
def test_twenty_calls_at_once_are_all_answered(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt=numbered(30))
    stage.instance(stage.editor(kind, "one.txt", cwd=project))
    client = stage.client()
    calls = [client.start_tool("vim_execute", command=f"echo {number} * 2") for number in range(20)]
    outputs = [client.tool_answer(call)["structuredContent"]["output"].strip() for call in calls]
    assert outputs == [str(number * 2) for number in range(20)]


@pytest.mark.requirement("VIM-ERR-07", "VIM-ERR-09", "VIM-ERR-10", "VIM-ERR-13", "VIM-ERR-15", "VIM-TOOL-08")
def test_errors_have_the_specified_codes(stage: Stage, kind: str) -> None:
    stage.instance(stage.editor(kind, cwd=stage.project("proj")))
    client = stage.client()
    for method, params, code in (
        ("tools/call", {"name": "vim_search", "arguments": {"patern": "x"}}, -32602),
        ("tools/call", {"name": "no_such_tool", "arguments": {}}, -32602),
        ("no/such/method", {}, -32601),
        ("resources/read", {"uri": "vim://nothing"}, -32602),
    ):
        with pytest.raises(RpcError) as error:
            client.request(method, params)
        assert error.value.code == code, method
    with pytest.raises(ToolError) as failed:
        client.tool("vim_execute", command="s/not there/x/")
    assert (failed.value.code, failed.value.data["vim_error"]) == (1004, "E486")
    assert "structuredContent" not in failed.value.result
    with pytest.raises(ToolError, match="No Vim instance 'nobody-1'") as unknown:
        client.tool("select_vim_instance", instance_id="nobody-1")
    assert unknown.value.code == 1002


@pytest.mark.requirement("VIM-ERR-01", "VIM-ERR-12", "VIM-RES-01", "VIM-RES-09", "VIM-SEL-02", "VIM-TOOL-01")
def test_without_an_editor_the_client_is_told_what_to_do(stage: Stage) -> None:
    client = stage.client()
    assert client.tool("list_vim_instances") == {"instances": []}
    with pytest.raises(ToolError, match="No instances found, run :VimMCPReconnect in Vim") as failed:
        client.tool("vim_execute", command="ls")
    assert failed.value.code == 1001
    with pytest.raises(RpcError) as error:
        client.read_json("vim://state")
    assert error.value.code == 1001
    assert client.read_json("vim://instances") == []
