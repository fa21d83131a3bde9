"""Each client does the same work in a real editor, sees the same, and accepts every message."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.outside.conftest import TEXT, Scene
from tests.outside.messages import offered_tools, read_exchange, validate
from tests.outside.npm import Npm
from tests.support.mcpclient import VIM_MCP

HERE = Path(__file__).parent
CLIENTS = {
    "python, handshake": [sys.executable, str(HERE / "judge.py"), "legacy"],
    "python, stateless": [sys.executable, str(HERE / "judge.py"), "auto"],
    "typescript 1": ["{node}", str(HERE / "judge.mjs"), "{modules}", "sdk"],
    "typescript 2": ["{node}", str(HERE / "judge.mjs"), "{modules}", "client"],
}
VERSIONS = {
    "python, handshake": "2025-11-25",
    "python, stateless": "2026-07-28",
    "typescript 1": None,  # this client does not tell
    "typescript 2": "2026-07-28",
}
TOOLS = {
    "list_vim_instances", "select_vim_instance", "vim_execute", "vim_edit", "vim_search", "vim_navigate",
    "vim_get_diagnostics", "vim_execute_code",
}  # fmt: skip
RESOURCES = {
    "vim://instances": "application/json",
    "vim://state": "application/json",
    "vim://buffer/current": "text/plain",
    "vim://buffers": "application/json",
    "vim://windows": "application/json",
    "vim://diagnostics": "application/json",
    "vim://cursor": "application/json",
}


@dataclass
class Run:
    """Which client, what it saw, and the directory with what went over the wire."""

    client: str
    seen: dict[str, Any]
    record: Path


@pytest.fixture(scope="module", params=CLIENTS)
def run(request: pytest.FixtureRequest, scene: Scene, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Let one client do its work; afterwards the editor's text is as it was."""
    record = tmp_path_factory.mktemp("record")
    command = CLIENTS[request.param]
    if "{node}" in command:
        npm: Npm = request.getfixturevalue("npm")
        command = [part.format(node=npm.node, modules=npm.modules) for part in command]
    server = [sys.executable, str(HERE / "record.py"), str(record), str(VIM_MCP)]
    done = scene.run([*command, str(scene.file), *server])
    assert done.returncode == 0, done.stderr
    scene.terminal.wait_screen("gamma δ")
    yield Run(request.param, json.loads(done.stdout), record)
    scene.terminal.type("\x1bu")
    scene.terminal.wait_screen("beta")


def said(result: dict[str, Any]) -> str:
    """Return a tool result's first text."""
    return str(result["content"][0]["text"])


@pytest.mark.slow
@pytest.mark.requirement("JUDGE-01", "JUDGE-02", "VIM-CFG-01", "VIM-PLAT-01", "VIM-RES-08")
def test_it_sees_what_is_offered(run: Run) -> None:
    assert run.seen["server"] == "vim-mcp"
    assert run.seen["protocol"] == VERSIONS[run.client]
    assert set(run.seen["tools"]) >= TOOLS
    assert run.seen["resources"].items() >= RESOURCES.items()
    assert any(template.startswith("vim://buffer/{") for template in run.seen["templates"])


@pytest.mark.requirement("JUDGE-01", "JUDGE-02", "VIM-RES-01", "VIM-TOOL-01")
def test_it_reads_the_editor(run: Run, scene: Scene) -> None:
    (instance,) = json.loads(run.seen["instances"]["text"])
    assert instance["instance_id"] == scene.instance
    assert scene.instance in said(run.seen["list"])
    assert (run.seen["before"]["text"], run.seen["before"]["mimeType"]) == (TEXT, "text/plain")
    assert json.loads(run.seen["state"]["text"])["current_buffer"]["name"] == str(scene.file)


@pytest.mark.slow
@pytest.mark.requirement(
    "G1", "JUDGE-01", "JUDGE-02", "VIM-PULL-02", "VIM-TOOL-03", "VIM-TOOL-04", "VIM-TOOL-05", "VIM-TOOL-06"
)
def test_it_drives_the_editor(run: Run, scene: Scene) -> None:
    edit = run.seen["edit"]["structuredContent"]
    assert (edit["lines_added"], edit["lines_removed"], edit["saved"]) == (1, 1, False)
    assert run.seen["after"]["text"] == TEXT.replace("beta", "gamma δ")
    assert scene.file.read_text() == TEXT
    assert run.seen["echo"]["structuredContent"]["output"].strip() == "42"
    matches = run.seen["search"]["structuredContent"]["matches"]
    assert [(match["line"], match["column"], match["text"]) for match in matches] == [(1, 1, "alpha"), (3, 1, "aha")]
    assert (run.seen["navigate"]["structuredContent"]["line"], run.seen["diagnostics"].get("isError", False)) == (
        2,
        False,
    )


@pytest.mark.requirement("JUDGE-01", "JUDGE-02", "VIM-ERR-10", "VIM-ERR-13", "VIM-SEC-05")
def test_its_mistakes_are_answered(run: Run, scene: Scene) -> None:
    assert run.seen["refused"]["isError"]
    assert run.seen["refused"]["_meta"]["code"] == 1004
    assert not (scene.file.parent / "owned").exists()
    assert run.seen["unknown_instance"]["isError"]
    assert run.seen["unknown_instance"]["_meta"]["code"] == 1002
    assert scene.instance in said(run.seen["unknown_instance"])
    assert "structuredContent" not in run.seen["unknown_instance"]
    assert run.seen["unknown_tool"] == -32602
    assert run.seen["unknown_resource"] in (-32002, -32602)
    assert run.seen["bad_arguments"] == -32602


@pytest.mark.slow
@pytest.mark.requirement("JUDGE-04", "VIM-CONN-01", "VIM-MCP-01", "VIM-MCP-02", "VIM-MCP-03")
def test_every_message_fits_the_schema(run: Run) -> None:
    exchanges = [read_exchange(path) for path in run.record.glob("*.jsonl")]
    assert sum(len(exchange) for exchange in exchanges) > 20
    for exchange in exchanges:
        validate(exchange)


@pytest.mark.requirement("VIM-TOOL-08")
def test_the_tools_schemas_are_schemas(run: Run) -> None:
    tools = [tool for path in run.record.glob("*.jsonl") for tool in offered_tools(read_exchange(path))]
    assert tools
    for tool in tools:
        jsonschema.Draft202012Validator.check_schema(tool["inputSchema"])
        jsonschema.Draft202012Validator.check_schema(tool.get("outputSchema", {}))  # one gives blocks alone
        assert all(entry.get("description") for entry in tool["inputSchema"]["properties"].values()), tool["name"]
