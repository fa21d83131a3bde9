"""The MCP inspector's command line: one process, one server, one request each."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.outside.conftest import TEXT, Scene
from tests.outside.npm import Npm
from tests.outside.test_clients import RESOURCES, TOOLS
from tests.support.mcpclient import VIM_MCP


class Inspector:
    """Asks one question at a time."""

    def __init__(self, npm: Npm, scene: Scene):
        program = npm.modules / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
        settings = [f"{key}={value}" for key, value in scene.environment.items() if value and key != "PATH"]
        environment = [part for setting in settings for part in ("-e", setting)]
        self._command = [npm.node, str(program), "--cli", *environment, str(VIM_MCP)]
        self._scene = scene

    def ask(self, method: str, *options: str) -> dict[str, Any]:
        """Return the result of one request."""
        done = self._scene.run([*self._command, "--method", method, *options])
        assert done.returncode == 0, done.stderr + done.stdout
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture(scope="module")
def inspector(npm: Npm, scene: Scene) -> Inspector:
    """The inspector, before an editor that shows a file."""
    return Inspector(npm, scene)


@pytest.mark.slow
@pytest.mark.requirement("JUDGE-03")
def test_it_lists_tools_and_resources(inspector: Inspector) -> None:
    assert {tool["name"] for tool in inspector.ask("tools/list")["tools"]} >= TOOLS
    found = {entry["uri"]: entry["mimeType"] for entry in inspector.ask("resources/list")["resources"]}
    assert found.items() >= RESOURCES.items()


@pytest.mark.slow
@pytest.mark.requirement("JUDGE-03")
def test_it_reads_the_current_buffer(inspector: Inspector) -> None:
    (content,) = inspector.ask("resources/read", "--uri", "vim://buffer/current")["contents"]
    assert content["text"] == TEXT


@pytest.mark.requirement("JUDGE-03")
def test_it_calls_a_tool(inspector: Inspector) -> None:
    answer = inspector.ask(
        "tools/call", "--tool-name", "vim_search", "--tool-arg", "pattern=be", "--tool-arg", "limit=5"
    )
    (match,) = answer["structuredContent"]["matches"]
    assert (match["line"], match["column"], match["text"]) == (2, 1, "beta")
