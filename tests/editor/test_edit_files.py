"""Edits of files: their names, files that nobody has opened, and what is on disk."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import edit, kind_of, refused, state, text, wait_text, wait_until
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor

NASTY = r"""with␣space ␣leading trailing␣ 100% % # #1 a*b a?b [ab] {a,b} it's a"b a|b a\b $HOME ~ ~root `touch␣x`
    `=system('touch␣x')` =1+1 +1 + - --cmd !ls @x <cfile> ünïcode␣✻ a:b a;b & (x) |q %:p ## \ ^x a$ /./dot .hidden""".split()
NASTY = [name.replace("␣", " ") for name in NASTY] + ["a\tb", "a\rb", "a\x1bb", "x" * 200]


@pytest.fixture
def plugins(home: EditorHome) -> None:
    """File types are recognised, as they are in most people's editors."""
    home.add("filetype plugin indent on", "syntax on")


@pytest.fixture
def link(plugins: None, inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor's connection."""
    editor[0].type(":set noswapfile hidden\r")
    wait_until(lambda: state(editor[1], "mode") == "n", "normal mode")
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


@pytest.mark.requirement("VIM-SEC-06")
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
    terminal.type(":buffer other.py\r")
    wait_until(lambda: bool(state(link, "current_buffer")["id"] == buffer["id"]), "other.py")
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


@pytest.mark.requirement("KEEP-01")
def test_unsaved_changes_are_never_replaced(link: RawEditor, project: Path) -> None:
    path = project / "f"
    path.write_text("disk\n")
    edit(link, "insert", file=str(path), line=1, lines=["unsaved"])
    path.write_text("disk has changed\n")
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))
    edit(link, "insert", file=str(path), line=1, lines=["again"])
    assert text(link, file=str(path)) == ["again", "unsaved", "disk"]
    for _ in range(2):
        error = refused(link, "edit", file=str(path), kind="insert", line=1, lines=["more"], save=True)
        assert kind_of(error) == "changed"
        assert "disk" in error["message"]
        assert text(link, file=str(path)) == ["again", "unsaved", "disk"]
    assert path.read_text() == "disk has changed\n"


@pytest.mark.requirement("KEEP-04")
def test_a_file_that_changed_on_disk_is_read_again_first(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    path = project / "f"
    path.write_text("one\ntwo\n")
    ticks = link.request("get_text", buffer=link.request("show", file=str(path))["buffer"])["changedtick"]
    path.write_text("zero\none\ntwo\n")
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))
    assert kind_of(refused(link, "edit", file=str(path), kind="all", lines=[], changedtick=ticks)) == "changed"
    edit(link, "substitute", file=str(path), old_lines=["two"], lines=["2"], save=True)
    assert path.read_text() == "zero\none\n2\n"
    terminal, _ = editor
    for wanted in (["zero", "one", "two"], ["one", "two"]):
        terminal.type("u")
        wait_text(link, wanted)


@pytest.mark.requirement("KEEP-01")
def test_a_prompt_about_the_file_on_disk_is_declined(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    path = project / "f"
    path.write_text("disk\n")
    link.request("show", file=str(path))
    edit(link, "insert", line=1, lines=["unsaved"])
    path.write_text("disk has changed\n")
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))
    terminal.type(":checktime\r")
    terminal.wait_screen("W12")
    terminal.type("o")  # keep what is in the buffer
    wait_until(lambda: bool(state(link, "mode") == "n"), "normal mode")
    error = refused(link, "edit", buffer=0, kind="insert", line=1, lines=["more"], save=True)
    assert kind_of(error) == "changed", error
    assert path.read_text() == "disk has changed\n"
    terminal.type("iyes \x1b")
    wait_until(lambda: "yes " in "".join(text(link)), "what is typed next")
    assert path.read_text() == "disk has changed\n"


@pytest.mark.parametrize("autoread", ["autoread", "noautoread"])
@pytest.mark.requirement("VIM-SCOPE-01")
def test_saving_runs_what_the_person_has_set_up(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path, autoread: str
) -> None:
    terminal, _ = editor
    path = project / "f.txt"
    terminal.type(
        f":set {autoread} confirm\r:autocmd BufWritePre *.txt call append('$', expand('<afile>:t') . bufnr())\r"
    )
    terminal.type(":let g:wrote = 0\r:autocmd BufWritePost *.txt let g:wrote += 1\r")
    wait_until(lambda: bool(state(link, "mode") == "n"), "normal mode")
    result = edit(link, "all", file=str(path), lines=["one"], save=True)
    number = result["buffer"]["id"]
    assert path.read_text() == f"one\nf.txt{number}\n"
    assert (result["buffer"]["line_count"], result["buffer"]["modified"]) == (2, False)
    link.request("show", file=str(path))
    edit(link, "all", lines=["two"], save=True)
    assert path.read_text() == f"two\nf.txt{number}\n"


def test_a_write_that_fails_says_why_and_loses_nothing(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    path = project / "new" / "f.txt"
    terminal.type(":autocmd BufWritePre *.txt throw 'no writing today'\r")
    wait_until(lambda: bool(state(link, "mode") == "n"), "normal mode")
    error = refused(link, "edit", file=str(path), kind="all", lines=["one"], save=True)
    assert kind_of(error) == "vim"
    assert "no writing today" in error["message"]
    assert "unsaved" in error["message"]
    assert text(link, file=str(path)) == ["one"]
    assert entries(project) == set()


def test_saving_keeps_options(
    link: RawEditor, inside: Inside, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    path = project / "f.txt"
    path.write_text("one")
    terminal.type(":set confirm shortmess=a undoreload=77\r")
    edit(link, "insert", file=str(path), line=1, lines=["new"], save=True)
    assert path.read_text() == "new\none"
    options = "[&confirm, &shortmess, &undoreload, getbufvar('f.txt', '&fixeol'), getbufvar('f.txt', '&eol')]"
    assert inside.value(terminal, options) == [1, "a", 77, 1, 0]
    assert inside.value(terminal, "filter(getcompletion('', 'augroup'), 'v:val =~# \"^vim_mcp_[dws]\"')") == []


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("set nomodifiable", "'modifiable'"),
        ("set readonly", "'readonly'"),
        ("help", "help"),
        ("copen", "quickfix"),
        ("terminal", "terminal"),
    ],
)
def test_buffers_that_are_not_for_editing_are_refused(
    link: RawEditor, editor: tuple[Terminal, RawEditor], command: str, reason: str
) -> None:
    terminal, _ = editor
    terminal.type(f":{command}\r:\x1b" if command != "terminal" else ":terminal\r")
    wait_until(lambda: command.startswith("set") or len(state(link, "windows")) + (command == "terminal") > 1, command)
    if command.startswith("set"):
        wait_until(lambda: refusal(link) is not None, command)
    wait_until(lambda: bool(command != "terminal" or state(link, "current_buffer")["buftype"] == "terminal"), command)
    error = refused(link, "edit", buffer=0, kind="insert", line=1, lines=["x"])
    assert kind_of(error) == "refused"
    assert reason in error["message"]


def refusal(link: RawEditor) -> Any:
    """The error of an edit that changes nothing, if any."""
    try:
        edit(link, "insert", line=1, lines=[])
    except Exception as error:
        return error
    return None


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


def test_what_the_file_cannot_hold_is_not_written(link: RawEditor, project: Path) -> None:
    path = project / "f.txt"
    path.write_bytes("größer\n".encode("latin1"))
    error = refused(link, "edit", file=str(path), kind="insert", line=1, lines=["漢"], save=True)
    assert kind_of(error) == "refused"
    assert "latin1" in error["message"]
    assert path.read_bytes() == "größer\n".encode("latin1")
    edit(link, "insert", file=str(path), line=1, lines=["漢"])
    assert kind_of(refused(link, "edit", file=str(path), kind="insert", line=2, lines=["x"], save=True)) == "refused"
    edit(link, "all", file=str(path), lines=["Größe"], save=True)
    assert path.read_bytes() == "Größe\n".encode("latin1")
