"""Code in a real kernel of a real editor's: from an editor's port, or from stdio, to ipykernel and back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.editors import Terminal
from tests.support.ideclient import IdeClient
from tests.support.stage import Stage


@pytest.fixture
def editor(stage: Stage, kind: str) -> Terminal:
    """An editor whose user lets clients run code, with its port open."""
    stage.home.add("let g:vim_mcp_execute_code = 'allow'")
    project = stage.project("project", one_py="x = 1\n")
    editor = stage.editor(kind, "one.py", cwd=project)
    editor.wait_screen("x = 1")
    return editor


@pytest.fixture
def client(stage: Stage, editor: Terminal) -> Iterator[IdeClient]:
    """A client of its port."""
    client = IdeClient.of(stage.home, editor.editor_pid)
    yield client
    client.close()


def test_state_is_kept(client: IdeClient, stage: Stage) -> None:
    assert client.texts("executeCode", code="x = 6\nx * 7") == ["42"]
    assert client.texts("executeCode", code="import os; print(os.getcwd()); x") == [f"{stage.directory / 'project'}\n6"]
    other = stage.client()
    assert other.tool_text("vim_execute_code", code="x + 1") == "7"
