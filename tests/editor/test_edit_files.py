"""Edits of files: their names, files that nobody has opened, and what is on disk."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

_NAMES = r"""with␣space ␣leading trailing␣ 100% % # #1 a*b a?b [ab] {a,b} it's a"b a|b a\b $HOME ~ ~root `touch␣x`
    `=system('touch␣x')` =1+1 +1 + - --cmd !ls @x <cfile> ünïcode␣✻ a:b a;b & (x) |q %:p ## \ ^x a$ /./dot .hidden"""
NASTY = [name.replace("␣", " ") for name in _NAMES.split()] + ["a\tb", "a\rb", "a\x1bb", "x" * 200]


@pytest.fixture
def plugins(home: EditorHome) -> None:
    """File types are recognised, as they are in most people's editors."""
    home.add("filetype plugin indent on", "syntax on")


@pytest.fixture
def link(plugins: None, inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor's connection."""
    command(editor[0], "set noswapfile hidden")
    return editor[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Where that editor works."""
    return tmp_path / "project"


def buffers(link: RawEditor) -> list[str]:
    """The names of the buffers that clients see."""
    return [buffer["name"] for buffer in state(link, "buffers")]


def entries(directory: Path) -> set[str]:
    """Every name below a directory."""
    return {str(path.relative_to(directory)) for path in directory.rglob("*")}


@pytest.mark.slow
@pytest.mark.requirement("VIM-SEC-05", "VIM-SEC-06")
def test_names_are_taken_as_they_are(link: RawEditor, project: Path) -> None:
    expected = {}
    for name in NASTY:
        path = str(project) + "/" + name
        result = edit(link, "insert", file=path, line=1, lines=[f"new {name}"[:50]], save=True)
        expected[os.path.normpath(path)] = f"new {name}"[:50]
        assert result["buffer"]["name"] == os.path.normpath(path), name
        assert result["created"] is True, name
    on_disk = {
        str(path): path.read_bytes().decode().removesuffix("\n") for path in project.iterdir() if "." not in path.suffix
    }
    assert on_disk == expected
    for path in expected:
        assert link.request("show", file=path)["name"] == path
        assert edit(link, "substitute", file=path, old_lines=["new"], lines=["old"])["created"] is False
        assert text(link) == text(link, file=path)
    assert not (project / "x").exists()


REFUSED = {
    "not a full path": ["", "one.txt", "./one.txt", "~/x"],
    "not the name of a file": ["scp://host/file", "file:///etc/passwd", "http://x"],
    "address": ["{p}/scp://host/file", "{p}/zipfile:/a.zip::x", "{p}/x:/y"],
    "line break": ["{p}/a\nb"],
    "is a directory": ["{p}", "{p}/", "{p}/new/"],
    "not an ordinary file": [
        "{p}/fifo",
        "{p}/socket",
        "/dev/null",
        "/dev/tty",
        "{p}/to-null",
        "/proc/self/environ",
        "/dev/fd/0",
    ],
    "longer than": ["{p}/" + "y" * 5000],
}


@pytest.mark.requirement("VIM-SEC-06")
def test_what_is_no_ordinary_file_is_refused(link: RawEditor, project: Path) -> None:
    os.mkfifo(project / "fifo")
    listener = socket.socket(socket.AF_UNIX)
    directory = os.open(project, os.O_RDONLY)
    listener.bind(f"/proc/self/fd/{directory}/socket")
    (project / "to-null").symlink_to("/dev/null")
    before = (buffers(link), entries(project))
    for reason, name in [(reason, name) for reason, names in REFUSED.items() for name in names]:
        for method, params in (("edit", {"kind": "all", "lines": ["x"], "save": True}), ("show", {})):
            error = refused(link, method, file=name.replace("{p}", str(project)), **params)
            assert kind_of(error) == "refused", name
            assert reason in error["message"], name
    assert (buffers(link), entries(project)) == before
    listener.close()
    os.close(directory)


@pytest.mark.parametrize("wrong", [7, ["x"], {"a": 1}, True, 1.5])
def test_a_name_that_is_no_string_is_refused(link: RawEditor, wrong: Any) -> None:
    for method, params in (("show", {}), ("get_text", {}), ("edit", {"kind": "all", "lines": []})):
        error = refused(link, method, file=wrong, **params)
        assert error["code"] == -32602
        assert "`file` must be a string" in error["message"]


@pytest.mark.requirement("VIM-SCOPE-01", "VIM-TOOL-04")
def test_a_file_that_is_not_open_is_edited_unseen(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    path = project / "other.py"
    path.write_text("import os\nprint(1)\n")
    windows, cursor = state(link, "windows"), state(link, "cursor")
    result = edit(link, "substitute", file=str(path), old_lines=["(1)"], lines=["(2)"])
    assert result["saved"] is False
    assert result["created"] is False
    assert path.read_text() == "import os\nprint(1)\n"
    assert text(link, file=str(path)) == ["import os", "print(2)"]
    buffer = result["buffer"]
    assert (buffer["listed"], buffer["modified"], buffer["visible"]) == (True, True, False)
    assert (state(link, "windows"), state(link, "cursor")) == (windows, cursor)
    terminal, _ = editor
    command(terminal, "buffer other.py")
    terminal.type("u")
    wait_until(lambda: text(link) == ["import os", "print(1)"], "undone")
    assert state(link, "current_buffer")["modified"] is False


@pytest.mark.requirement("KEEP-05")
def test_an_edit_that_fails_leaves_nothing_open(link: RawEditor, project: Path) -> None:
    path = project / "other.txt"
    path.write_text("one\none\n")
    before = (buffers(link), entries(project))
    for wrong in (
        {"kind": "replace", "line": 3, "lines": []},
        {"kind": "insert", "line": 4, "lines": ["x"]},
        {"kind": "substitute", "old_lines": ["one"], "lines": []},
        {"kind": "substitute", "old_lines": ["two"], "lines": []},
        {"kind": "all", "lines": ["x"], "changedtick": 99},
    ):
        refused(link, "edit", file=str(path), **wrong)
        assert refused(link, "edit", file=str(project / "new" / "file"), save=True, **wrong)["code"] in (1004, -32602)
    assert (buffers(link), entries(project)) == before
    refused(link, "edit", file=str(project / "new" / "file"), kind="all", lines=7)
    assert (buffers(link), entries(project)) == before


@pytest.mark.requirement("VIM-TOOL-04")
def test_directories_are_made_only_to_save(link: RawEditor, project: Path) -> None:
    path = project / "a" / "b" / "new.txt"
    result = edit(link, "all", file=str(path), lines=["one"])
    assert (result["created"], result["saved"]) == (True, False)
    assert entries(project) == set()
    result = edit(link, "insert", file=str(path), line=2, lines=["two"], save=True)
    assert (result["created"], result["saved"], result["buffer"]["modified"]) == (True, True, False)
    assert path.read_text() == "one\ntwo\n"


UNFIT = {
    "set nomodifiable": "'modifiable'",
    "set readonly": "'readonly'",
    "help": "help",
    "copen": "quickfix",
    "terminal": "terminal",
}


@pytest.mark.parametrize("line", UNFIT)
def test_buffers_that_are_not_for_editing_are_refused(
    link: RawEditor, editor: tuple[Terminal, RawEditor], line: str
) -> None:
    terminal, _ = editor
    if line == "terminal":
        terminal.type(":terminal\r")
        wait_until(lambda: bool(state(link, "current_buffer")["buftype"] == "terminal"), "a terminal")
    else:
        command(terminal, line)
    error = refused(link, "edit", buffer=0, kind="insert", line=1, lines=["x"])
    assert kind_of(error) == "refused"
    assert UNFIT[line] in error["message"]


def test_a_file_without_permission_to_write_is_read_only(link: RawEditor, project: Path) -> None:
    path = project / "f"
    path.write_text("one\n")
    path.chmod(0o444)
    error = refused(link, "edit", file=str(path), kind="all", lines=["x"], save=True)
    assert kind_of(error) == "refused"
    assert path.read_text() == "one\n"
    assert str(path) not in buffers(link)


@pytest.mark.requirement("KEEP-03")
def test_file_format_encoding_and_type_are_detected_unseen(link: RawEditor, project: Path) -> None:
    path = project / "f.py"
    path.write_bytes("# größer\r\n".encode("latin1"))
    assert edit(link, "insert", file=str(path), line=2, lines=["# Ärger"])["buffer"]["filetype"] == "python"
    answer = link.request("get_text", file=str(path))
    assert (answer["fileformat"], answer["fileencoding"], answer["lines"]) == ("dos", "latin1", ["# größer", "# Ärger"])
    edit(link, "substitute", file=str(path), old_lines=["Ärger"], lines=["ärger"], save=True)
    assert path.read_bytes() == "# größer\r\n# ärger\r\n".encode("latin1")


@pytest.mark.parametrize(
    ("keys", "rest", "after"),
    [
        ("10GA", "TYPED\x1b", "line 10TYPED"),
        ("10GV", "cTYPED\x1b", "TYPED"),
        ("10Gmagg", "`aITYPED \x1b", "TYPED line 10"),
    ],
)
@pytest.mark.requirement("KEEP-01")
def test_a_file_that_has_grown_on_disk_moves_nobody(
    editor: tuple[Terminal, RawEditor], tmp_path: Path, keys: str, rest: str, after: str
) -> None:
    terminal, link = editor
    path = tmp_path / "project" / "grown.txt"
    lines = [f"line {number}" for number in range(1, 31)]
    path.write_text("\n".join(lines) + "\n")
    command(terminal, "edit grown.txt")
    terminal.type(keys)
    wait_until(lambda: state(link, "mode") == {"A": "i", "V": "V", "g": "n"}[keys[-1]], "the mode")
    wait_until(lambda: keys[-1] != "g" or state(link, "cursor") == [1, 1], "the cursor")
    path.write_text("\n".join(["new 1", "new 2", "new 3", *lines]) + "\n")
    edit(link, "replace", buffer=0, line=33, end_line=33, lines=["the last"])
    terminal.type(rest)
    wanted = ["new 1", "new 2", "new 3", *lines[:9], after, *lines[10:-1], "the last"]
    wait_until(lambda: text(link) == wanted, f"the text; it is {text(link)}")
