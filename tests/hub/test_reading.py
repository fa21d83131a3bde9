"""Text arrives whole and byte for byte whether it is little (in the answer) or much (by file)."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.mcpclient import StdioClient
from tests.support.stage import Stage
from tests.support.waiting import wait_until

LITTLE, MUCH = 200, 20_000
"""Lines: those of the second are more than travels in JSON."""


@pytest.fixture
def reader(stage: Stage, kind: str, tmp_path: Path) -> Callable[[bytes], StdioClient]:
    """Opens an editor on a file that holds the given bytes, and a client that is tied to it."""

    def open_on(content: bytes) -> StdioClient:
        path = tmp_path / "text.txt"
        path.write_bytes(content)
        editor = stage.editor(kind, "-b", str(path))  # binary: bytes stay what they are
        return stage.client(VIM_MCP_INSTANCE=stage.instance(editor))

    return open_on


def whole(client: StdioClient) -> tuple[str, bool]:
    """The text of the current buffer, and whether it is said to be lossy."""
    [content] = client.contents("vim://buffer/current?first=1&last=-1")
    return content["text"], content["_meta"].get("lossy", False)


@pytest.mark.slow
@pytest.mark.parametrize("count", [LITTLE, MUCH])
def test_text_arrives_as_it_is(reader: Callable[[bytes], StdioClient], count: int) -> None:
    text = 'tab\t nul\0 quote" back\\slash é 漢字 😀 \ufffd\n' * count + "no line end"
    assert whole(reader(text.encode())) == (text, False)


@pytest.mark.slow
@pytest.mark.parametrize("count", [LITTLE, MUCH])
def test_bytes_that_are_no_text_are_said_to_be_lost(reader: Callable[[bytes], StdioClient], count: int) -> None:
    assert whole(reader(b"b\xe9d\n" * count)) == ("b\ufffdd\n" * count, True)


@pytest.mark.slow
def test_state_holds_the_first_lines_of_a_large_text(reader: Callable[[bytes], StdioClient]) -> None:
    current = reader(b"0123456789\n" * MUCH).read_json("vim://state")["current_buffer"]
    assert current["content"] == ["0123456789"] * 2000
    assert (current["content_range"]["last"], current["line_count"]) == (2000, MUCH)


@pytest.mark.slow
def test_state_cuts_long_lines_at_its_bound(reader: Callable[[bytes], StdioClient]) -> None:
    current = reader((b"x" * 999 + b"\n") * 100).read_json("vim://state")["current_buffer"]
    assert current["content"] == ["x" * 999] * 50
    assert current["content_range"]["next"] == "vim://buffer/1?first=51"


def test_an_empty_buffer_has_one_empty_line_and_no_more(stage: Stage, kind: str) -> None:
    stage.instance(stage.editor(kind))
    current = stage.client().read_json("vim://state")["current_buffer"]
    assert (current["content"], current["line_count"]) == ([""], 1)
    assert "content_range" not in current


@pytest.mark.slow
def test_an_editor_that_began_without_a_file_is_told_by_the_one_it_has_now(stage: Stage, kind: str) -> None:
    editor = stage.editor(kind)
    stage.instance(editor)
    editor.type(":edit new.txt\r")
    listed = stage.instances(lambda entries: bool(entries[0]["main_file"]))
    assert Path(listed[0]["main_file"]).name == "new.txt"


@pytest.mark.requirement("VIM-TOOL-01")
def test_the_file_that_its_user_looks_at_is_listed(stage: Stage, kind: str) -> None:
    """Its id, and what that is named after, stay as they are."""
    project = stage.project("project", one_txt="1\n", two_txt="2\n")
    editor = stage.editor(kind, "one.txt", cwd=project)
    instance_id = stage.instance(editor)
    editor.type(":edit two.txt\r")
    stage.instances(lambda entries: entries[0]["current_file"] == str(project / "two.txt"))
    editor.type(":terminal cat\r" if kind == "vim" else ":split|terminal cat\r")
    client = stage.client()
    wait_until(lambda: len(client.read_json("vim://windows")) == 2, "a terminal beside it")
    (entry,) = stage.instances(lambda entries: entries[0]["current_file"] == str(project / "two.txt"))
    assert (entry["instance_id"], entry["main_file"]) == (instance_id, str(project / "one.txt"))
    assert f"{project}/two.txt in {project}" in client.tool_text("list_vim_instances")
    assert re.search(r"/project +two\.txt$", stage.run("status").stdout, re.MULTILINE)
    assert f"{project}/two.txt in {project}" in stage.run("complete", "call", "-i", "").stdout
