"""What language servers, linters and compilers say, as the editor has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import edit, kind_of, refused
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor

Do = Callable[[str], None]

neovim = pytest.mark.parametrize("kind", ["nvim", "nvim07"], indirect=True)
vim = pytest.mark.parametrize("kind", ["vim"], indirect=True)


@pytest.fixture
def link(inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor with twenty lines in buffer 1 that `inside` can look into: its connection."""
    edit(editor[1], lines=[f"línea {n}" for n in range(1, 21)])
    return editor[1]


@pytest.fixture
def do(link: RawEditor, editor: tuple[Terminal, RawEditor], inside: Inside) -> Do:
    """Type an Ex command and wait until it has run."""

    def run(command: str) -> None:
        editor[0].type(f":{command}\r")
        inside.value(editor[0], "1")

    return run


@pytest.fixture
def project(link: RawEditor, tmp_path: Path) -> Path:
    """The directory of `one.txt`."""
    return tmp_path / "project"


def get(link: RawEditor, **params: Any) -> dict[str, Any]:
    """All that `get_diagnostics` answers."""
    result: dict[str, Any] = link.request("get_diagnostics", **params)
    return result


def messages(link: RawEditor, **params: Any) -> list[str]:
    """The messages of the diagnostics."""
    return [item["message"] for item in get(link, **params)["diagnostics"]]


def place(item: dict[str, Any]) -> tuple[int, int, int, int]:
    """Where a diagnostic begins, and the place behind it."""
    return item["line"], item["column"], item["end_line"], item["end_column"]


def setting(items: str, buffer: int = 1) -> str:
    """An Ex command that gives Neovim diagnostics for a buffer."""
    return f"lua vim.diagnostic.set(vim.api.nvim_create_namespace('test'), {buffer}, {{{items}}})"


def test_there_are_none(link: RawEditor, kind: str) -> None:
    source = "location and quickfix lists" if kind == "vim" else "vim.diagnostic"
    assert get(link) == {"diagnostics": [], "source": source, "truncated": False, "skipped": []}


@pytest.mark.parametrize("buffer", [99, -5])
def test_a_buffer_that_does_not_exist(link: RawEditor, buffer: int) -> None:
    assert kind_of(refused(link, "get_diagnostics", buffer=buffer)) == "not_found"
    assert refused(link, "get_diagnostics", buffer="one")["code"] == -32602


# ---- Neovim


@neovim
def test_all_of_a_diagnostic(link: RawEditor, do: Do, project: Path) -> None:
    ends = "lnum = 2, col = 3, end_lnum = 2, end_col = 6"
    do(setting(f"{{{ends}, severity = 1, message = 'wrong', source = 'lint', code = 'E1'}}"))
    assert get(link) == {
        "diagnostics": [{
            "buffer": 1, "name": str(project / "one.txt"), "line": 3, "column": 4, "end_line": 3, "end_column": 7,
            "severity": "error", "message": "wrong", "source": "lint", "code": "E1",
        }],
        "source": "vim.diagnostic", "truncated": False, "skipped": [],
    }  # fmt: skip


@neovim
def test_severities_and_codes(link: RawEditor, do: Do) -> None:
    items = ["message = '1', severity = 1", "message = '2', severity = 2, code = 42", "message = '3', severity = 3"]
    last = "message = '4', severity = 4, user_data = {lsp = {code = 'deep'}}"
    do(setting(", ".join(f"{{lnum = {n}, col = 0, {item}}}" for n, item in enumerate([*items, last]))))
    found = get(link)["diagnostics"]
    assert [item["severity"] for item in found] == ["error", "warning", "information", "hint"]
    assert [item.get("code") for item in found] == [None, "42", None, "deep"]
    assert "source" not in found[0]


@neovim
def test_order_and_buffers(link: RawEditor, do: Do, project: Path) -> None:
    do("badd other.txt")
    do(
        setting(
            "{lnum = 4, col = 9, message = 'c'}, {lnum = 4, col = 1, message = 'b'}, {lnum = 1, col = 0, message = 'a'}"
        )
    )
    do(setting("{lnum = 0, col = 0, message = 'other'}", buffer=2))
    assert messages(link) == ["a", "b", "c", "other"]
    assert messages(link, buffer=0) == messages(link, buffer=1) == ["a", "b", "c"]
    assert messages(link, buffer=2) == ["other"]
    assert get(link, buffer=2)["diagnostics"][0]["name"] == str(project / "other.txt")
    do("bwipeout 2")
    assert messages(link) == ["a", "b", "c"]


@neovim
def test_they_are_bounded(link: RawEditor, do: Do) -> None:
    one = "{lnum = i % 20, col = 0, message = tostring(i)}"
    many = f"(function() local t = {{}} for i = 1, 2500 do t[i] = {one} end return t end)()"
    do(f"lua vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 1, {many})")
    found = get(link)
    assert (len(found["diagnostics"]), found["truncated"]) == (2000, True)


@neovim
def test_private_buffers_are_named_and_no_more(link: RawEditor, do: Do, project: Path) -> None:
    do("badd .env")
    do(setting("{lnum = 0, col = 0, message = 'secret'}", buffer=2))
    do(setting("{lnum = 0, col = 0, message = 'public'}"))
    found = get(link)
    assert [item["message"] for item in found["diagnostics"]] == ["public"]
    assert found["skipped"] == [str(project / ".env")]
    assert "secret" not in str(get(link, buffer=2))


# ---- Vim


@vim
def test_a_compilers_list(link: RawEditor, do: Do, project: Path) -> None:
    output = (
        "one.txt:3:4: error: wrong;one.txt:5:1: warning: odd;one.txt:9:2: note: see;noise;other.txt:1:1: error: other"
    )
    (project / "compile.sh").write_text("\n".join(f"echo '{line}'" for line in output.split(";")))
    formats = ",".join(f"%f:%l:%c:\\ %t{rest}:\\ %m" for rest in ("rror", "arning", "ote"))
    do(f"set makeprg=sh\\ compile.sh errorformat={formats},%-G%.%#")
    do("silent make! | redraw!")
    one, other, source = str(project / "one.txt"), str(project / "other.txt"), ":sh compile.sh "
    keys = ("name", "line", "column", "severity", "message", "source")
    found = [tuple(item[key] for key in keys) for item in get(link)["diagnostics"]]
    assert found == [
        (one, 3, 4, "error", "wrong", source), (one, 5, 1, "warning", "odd", source),
        (one, 9, 2, "hint", "see", source), (other, 1, 1, "error", "other", source),
    ]  # fmt: skip
    assert [item["message"] for item in get(link, buffer=1)["diagnostics"]] == ["wrong", "odd", "see"]


@vim
def test_location_lists_of_all_windows_each_entry_once(link: RawEditor, do: Do) -> None:
    both = "{'bufnr': 1, 'lnum': 2, 'col': 3, 'end_lnum': 2, 'end_col': 6, 'type': 'W', 'nr': 7, 'text': 'both'}"
    do(f"call setloclist(0, [{both}])")
    there = "{'bufnr': 1, 'lnum': 1, 'type': 'I', 'text': 'there'}"
    do(f"tabnew | call setloclist(0, [{both}, {there}]) | lopen | tabfirst")
    do(f"call setqflist([{both}, {{'bufnr': 1, 'lnum': 9, 'text': 'Warning: said'}}, {{'text': 'not valid'}}])")
    found = get(link)["diagnostics"]
    assert [(item["message"], item["severity"]) for item in found] == [
        ("there", "information"), ("both", "warning"), ("Warning: said", "warning"),
    ]  # fmt: skip
    assert (place(found[1]), found[1]["code"]) == ((2, 3, 2, 6), "7")
    assert "code" not in found[0]
    assert "end_line" not in found[0]


@vim
def test_screen_columns_become_byte_columns(link: RawEditor, do: Do) -> None:
    do("call setqflist([{'bufnr': 1, 'lnum': 2, 'col': 3, 'vcol': 1, 'text': 'x'}])")
    assert get(link)["diagnostics"][0]["column"] == 4


@vim
def test_what_was_searched_for_is_no_diagnostic(link: RawEditor, do: Do, project: Path) -> None:
    (project / "found.txt").write_text("needle\n")
    do("silent vimgrep /needle/j found.txt")
    assert messages(link) == []
    do("silent lgrep needle found.txt | redraw!")
    assert messages(link) == []
    changes = "'title': ':ClaudeCodeChanges', 'items': [{'bufnr': 1, 'lnum': 1, 'text': '+1 -1 a line'}]"
    do(f"call setqflist([], 'r', {{{changes}}})")
    assert messages(link) == []
    do("call setqflist([], 'r', {'title': 'grep', 'items': [{'bufnr': 1, 'lnum': 1, 'type': 'E', 'text': 'typed'}]})")
    assert messages(link) == ["typed"]


@vim
def test_lists_are_bounded_and_private_buffers_named(link: RawEditor, do: Do, project: Path) -> None:
    do("badd .env")
    secret = "{'bufnr': 2, 'lnum': 1, 'text': 'secret'}"
    many = "map(range(2500), {_, n -> {'bufnr': 1, 'lnum': 1, 'nr': n, 'text': 'x'}})"
    do(f"call setqflist({many} + [{secret}])")
    found = get(link)
    assert (len(found["diagnostics"]), found["truncated"]) == (2000, True)
    assert found["skipped"] == [str(project / ".env")]
    assert "secret" not in str(get(link, buffer=2))


# ---- as IDEs count


def ranges(link: RawEditor, **params: Any) -> list[tuple[int, int, int, int]]:
    """The ranges of the diagnostics, 0-based and in units of UTF-16."""
    found = [item["range"] for item in get(link, utf16=True, **params)["diagnostics"]]
    ends = [(item["start"], item["end"]) for item in found]
    return [(start["line"], start["character"], end["line"], end["character"]) for start, end in ends]


def from_vim_or_neovim(kind: str, *places: tuple[int, int, int, int], buffer: int = 1) -> str:
    """An Ex command by which the editor has diagnostics at places: lines and byte columns from 1, ends just behind."""
    if kind == "vim":
        keys = ("lnum", "col", "end_lnum", "end_col")
        items = [", ".join(f"'{key}': {value}" for key, value in zip(keys, place, strict=True)) for place in places]
        listed = ", ".join(f"{{'bufnr': {buffer}, 'type': 'E', 'text': 'x', {item}}}" for item in items)
        return f"call setqflist([{listed}])"
    keys = ("lnum", "col", "end_lnum", "end_col")
    items = [", ".join(f"{key} = {value - 1}" for key, value in zip(keys, place, strict=True)) for place in places]
    return setting(", ".join(f"{{message = 'x', {item}}}" for item in items), buffer)


@pytest.mark.requirement("IDE-DIAG-01")
def test_ranges_count_utf16_units_from_zero(link: RawEditor, do: Do, kind: str) -> None:
    edit(link, lines=["ascii text", "\u00e9\u6f22 \U0001d4b3\U0001f642 e\u0301 end", ""])
    places = [(1, 1, 1, 6), (2, 3, 2, 6), (2, 7, 2, 11), (2, 15, 3, 1), (2, 1, 2, 1)]
    do(from_vim_or_neovim(kind, *places))
    found = ranges(link)
    assert sorted(found) == sorted([(0, 0, 0, 5), (1, 1, 1, 2), (1, 3, 1, 5), (1, 7, 2, 0), (1, 0, 1, 0)])
    assert all("range" not in item for item in get(link)["diagnostics"])


@pytest.mark.requirement("IDE-DIAG-01")
def test_places_that_are_gone_are_the_nearest(link: RawEditor, do: Do, kind: str) -> None:
    edit(link, lines=["short"])
    do(from_vim_or_neovim(kind, (1, 3, 1, 99), (50, 7, 50, 9)))
    assert ranges(link)[0] == (0, 2, 0, 5)
    assert ranges(link)[1][1:] in ((0, 0, 0), (0, 49, 0))


@vim
@pytest.mark.requirement("IDE-DIAG-01")
def test_there_is_always_an_end(link: RawEditor, do: Do, project: Path) -> None:
    (project / "other.txt").write_text("\u6f22\U0001f642x\n")
    do("badd other.txt")
    do("call setqflist([{'bufnr': 1, 'lnum': 2, 'col': 4, 'text': 'x'}, {'bufnr': 1, 'lnum': 3, 'text': 'x'}])")
    assert ranges(link) == [(1, 2, 1, 2), (2, 0, 2, 0)]
    do("call setqflist([{'bufnr': 2, 'lnum': 1, 'col': 8, 'text': 'x'}, {'bufnr': 2, 'lnum': 9, 'text': 'x'}])")
    assert ranges(link) == [(0, 3, 0, 3), (8, 0, 8, 0)]


@pytest.mark.requirement("IDE-TOOL-08")
def test_the_file_that_is_asked_for(link: RawEditor, do: Do, project: Path, kind: str) -> None:
    (project / "one.txt.bak").write_text("other\n")
    (project / "link.txt").symlink_to(project / "one.txt")
    do("silent write")
    do("badd one.txt.bak")
    do(from_vim_or_neovim(kind, (1, 1, 1, 2)))
    for name in ("one.txt", "link.txt"):
        found = get(link, file=str(project / name), utf16=True)
        assert (len(found["diagnostics"]), found["open"]) == (1, True)
        assert found["diagnostics"][0]["name"] == str(project / "one.txt")
    assert get(link, file=str(project / "one.txt.bak"))["diagnostics"] == []
    assert get(link, file=str(project / "one.txt.bak"))["open"] is True
    for absent in (str(project / "one"), str(project / "one*"), "one.txt", str(project), "scp://host/x"):
        found = get(link, file=absent)
        assert (found["diagnostics"], found["open"]) == ([], False)


@pytest.mark.requirement("IDE-TOOL-08", "IDE-IGNORE-01")
def test_a_private_files_diagnostics_are_not_given(link: RawEditor, do: Do, project: Path, kind: str) -> None:
    (project / ".env").write_text("SECRET=1\n")
    do("badd .env")
    do(from_vim_or_neovim(kind, (1, 1, 1, 2), buffer=2))
    found = get(link, file=str(project / ".env"), utf16=True)
    assert (found["diagnostics"], found["skipped"]) == ([], [str(project / ".env")])
