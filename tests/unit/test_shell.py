"""`vim-mcp call`, `read` and `tools` without a hub: how words become arguments, and how results are shown."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from vim_mcp import listing, shell
from vim_mcp.editor import instances
from vim_mcp.errors import VimMcpError
from vim_mcp.shell import BadArguments, parsed, whole
from vim_mcp.tools.table import TOOLS

EDIT = TOOLS["vim_edit"].schema


def words(*given: str) -> dict[str, Any]:
    """The arguments of vim_edit."""
    return parsed(list(given), lambda: EDIT)


@pytest.mark.requirement("SHELL-01")
def test_arguments_are_pairs_or_json(monkeypatch: pytest.MonkeyPatch) -> None:
    assert words() == {}
    assert words("file=a=b.txt", "line=3", "save=true", "content=12") == {
        "file": "a=b.txt", "line": 3, "save": True, "content": "12",
    }  # fmt: skip
    assert words('{"file": "a", "line": 3}') == {"file": "a", "line": 3}
    monkeypatch.setattr("sys.stdin", io.StringIO('{"file": "\\u00e9"}\n'))
    assert words("-") == {"file": "\u00e9"}
    assert parsed(["count=3"], lambda: None) == {"count": "3"}, "of a tool that is not there nothing is known"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (["lin=3"], r"no argument 'lin'; there are: instance_id, file, line, "),
        (["a.txt"], r"'a\.txt' is neither KEY=VALUE nor a JSON object"),
        (['{"file":'], r"the argument is no JSON \(.*write it as"),
        (["{}", "line=3"], r"'line=3' comes after the JSON object"),
    ],
)
def test_words_that_cannot_be_understood(given: list[str], reason: str) -> None:
    with pytest.raises(BadArguments, match=reason):
        words(*given)


def test_a_value_of_a_wrong_kind_is_left_to_the_hub() -> None:
    assert words("line=three", "file=a") == {"line": "three", "file": "a"}


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("cursor", "vim://cursor"),
        ("vim://state", "vim://state"),
        ("buffer/current", "vim://buffer/current?last=-1"),
        ("vim://buffer/3?first=5", "vim://buffer/3?first=5&last=-1"),
        ("buffer/3?first=5&last=7", "vim://buffer/3?first=5&last=7"),
        ("file:///etc/passwd", "file:///etc/passwd"),
    ],
)
def test_a_shell_gets_all_of_a_buffer(written: str, asked: str) -> None:
    assert whole(written) == asked


def test_results_are_shown_for_a_person() -> None:
    structured = {"a": ["ü"]}
    text = json.dumps(structured)
    blocks = [{"type": "text", "text": text}, {"type": "image", "data": "…", "mimeType": "image/png"}]
    shown = list(listing.blocks({"content": blocks, "structuredContent": structured}))
    assert shown == ['{\n  "a": [\n    "ü"\n  ]\n}', "[image: image/png; --json has it]"]
    assert list(listing.blocks({"content": blocks[:1]})) == [text]


def test_a_tool_is_explained() -> None:
    tool = TOOLS["vim_search"]
    about = {
        "name": tool.name, "title": tool.title, "description": tool.description, "inputSchema": tool.schema,
    }  # fmt: skip
    lines = list(listing.explained(about))
    assert lines[0] == "vim_search: Search in Vim's buffers"
    assert any(line.split() == ["pattern", "required;", "string;", *line.split()[3:]] for line in lines)
    assert any(line.startswith('  scope        current, all; default "current"; ') for line in lines)
    assert list(listing.tools([about])) == [
        "vim_search  Search in Vim's buffers", "            [instance_id=] pattern= [scope=] [limit=]",
    ]  # fmt: skip


def candidate(name: str, short_lived: bool = False) -> instances.Candidate:
    return instances.Candidate(name, "/p", f"/p/{name}.py", short_lived=short_lived)


SEVERAL = [candidate("a-p-1"), candidate("b-p-2")]


@pytest.mark.parametrize(
    ("choose", "told"),
    [
        (lambda: instances.choose(SEVERAL, []), "Several Vim instances are connected"),
        (lambda: instances.find(SEVERAL, "x"), "No Vim instance 'x'"),
        (lambda: instances.choose([candidate("a-p-1", True)], []), "Only short-lived editors are connected (such as"),
    ],
)
def test_who_has_to_choose_is_told_how_a_shell_does(
    capsys: pytest.CaptureFixture[str], choose: Callable[[], str], told: str
) -> None:
    """The hub's words for a model are cut where they tell of its tools."""
    with pytest.raises(VimMcpError) as caught:
        choose()
    assert shell._refuse(caught.value.message, shell.NO_EDITOR) == shell.NO_EDITOR
    errors = capsys.readouterr().err
    assert errors.startswith(f"vim-mcp: {told}")
    assert ". Choose one with -i INSTANCE, such as -i a-p-1; there are:\n- a-p-1: /p/a-p-1.py in /p\n" in errors
    assert "select_vim_instance" not in errors
