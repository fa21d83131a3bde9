"""Text comes out of the editor, and goes into it and to disk, byte for byte."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text
from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import RawEditor, RawHub

Launch = Callable[..., Terminal]

UNICODE = "aé ß ∑ 漢字 ✻ 𝄞 👩‍👩‍👧‍👦 e\u0301 \u202eright\u202c \ufeff \u2028 \ud7ff \uffff 🇩🇪"
BYTES = {
    "unicode": UNICODE.encode() + b"\nsecond\n",
    "no final line end": b"one\ntwo",
    "empty": b"",
    "one empty line": b"\n",
    "NUL": b"a\0b\n\0\n",
    "invalid UTF-8": b"caf\xe9 \xff\xfe\xed\xa0\x80 \xc3\nplain\n",
    "CRLF": b"one\r\ntwo\r\n",
    "CRLF without the last": b"one\r\ntwo",
    "mixed line ends": b"one\r\ntwo\nthree\r\n",
    "old Mac's": b"one\rtwo\n",
    "BOM": b"\xef\xbb\xbfone\n",
    "latin1": "größer\n".encode("latin1") * 3,
    "controls": bytes(range(1, 32)) + b"\x7f\n",
    "long line": b"x" * 100_000 + b"\n",
}


def open_editor(raw_hub: RawHub, launch: Launch, directory: Path, *names: str) -> RawEditor:
    """An editor started in `directory` on some files."""
    launch(*names, cwd=directory)
    return raw_hub.editor()


@pytest.fixture
def link(editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor's connection."""
    return editor[1]


def file_text(link: RawEditor, path: Path, **params: Any) -> bytes:
    """What the editor writes into a file that it is asked to write the text into."""
    answer = link.request("get_text", text_file=str(path), **params)
    assert (answer["text_file"], answer["text_encoding"]) == (str(path), "utf-8")
    assert "lines" not in answer
    return path.read_bytes()


def in_buffer(name: str, data: bytes) -> bytes:
    """The bytes as they stand in a buffer, line ends NL, without a final one."""
    if name == "BOM":
        data = data[3:]
    if name == "latin1":
        data = data.decode("latin1").encode()
    if name.startswith("CRLF") and data.count(b"\r\n") == data.count(b"\n"):
        data = data.replace(b"\r\n", b"\n")
    return data.removesuffix(b"\n")


@pytest.mark.parametrize("name", [name for name in BYTES if name != "invalid UTF-8"])
@pytest.mark.requirement("TEXT-01")
def test_text_is_read_byte_for_byte(link: RawEditor, tmp_path: Path, name: str) -> None:
    path = tmp_path / "project" / "data"
    path.write_bytes(BYTES[name])
    link.request("show", file=str(path))
    wanted = in_buffer(name, BYTES[name])
    got = file_text(link, tmp_path / "run" / "text")
    if name == "CRLF without the last":
        assert got in (wanted, wanted.replace(b"\n", b"\r\n"))
    else:
        assert got == wanted
    lines = [line.replace(b"\0", b"\n").decode() for line in got.split(b"\n")]
    answer = link.request("get_text")
    assert answer["lines"] == lines
    assert answer["line_count"] == len(lines)
    assert answer["end_of_line"] is (BYTES[name].endswith(b"\n") or name == "empty")


@pytest.mark.requirement("TEXT-01")
def test_bytes_that_are_no_text_are_read_through_a_file(link: RawEditor, tmp_path: Path) -> None:
    path = tmp_path / "project" / "data"
    path.write_bytes(b"ok\xff\xfe caf\xe9 \xed\xa0\x80 \xc3\nplain\n")
    link.request("show", file=str(path))
    raw = file_text(link, tmp_path / "run" / "text")
    converted = b"ok\xff\xfe caf\xe9 \xed\xa0\x80 \xc3\nplain".decode("latin1").encode()
    assert raw == converted  # no UTF-8: Vim takes the file for latin1, as the person sees it


@pytest.mark.requirement("TEXT-01")
def test_bytes_that_are_no_text_stay_what_they_are(link: RawEditor, tmp_path: Path, kind: str) -> None:
    _, data = tmp_path, b"ok\xff\xfe caf\xe9 \xed\xa0\x80 \xc3\nplain\nlast"
    path = tmp_path / "run" / "lines"
    path.write_bytes(data)
    edit(link, lines_file=str(path))
    assert file_text(link, tmp_path / "run" / "text") == data
    lines = link.request("get_text")["lines"]
    assert lines[1:] == ["plain", "last"]
    assert lines[0].startswith("ok")


@pytest.mark.parametrize("name", BYTES)
@pytest.mark.requirement("KEEP-03", "TEXT-01")
def test_what_was_not_edited_is_saved_as_it_was(link: RawEditor, tmp_path: Path, name: str) -> None:
    path = tmp_path / "project" / "data"
    path.write_bytes(BYTES[name])
    newline = b"\r\n" if name == "CRLF" else b"\n"
    result = edit(link, "insert", file=str(path), line=1, lines=["new"], save=True)
    assert result["saved"] is True
    wanted = b"new" + newline + BYTES[name]
    if name == "BOM":
        wanted = BYTES[name][:3] + b"new" + newline + BYTES[name][3:]
    if name == "CRLF without the last":
        wanted = b"new" + (b"\r\n" if b"new\r\n" in path.read_bytes() else b"\n") + BYTES[name]
    assert path.read_bytes() == wanted


@pytest.mark.parametrize("name", ["unicode", "NUL", "controls", "no final line end", "long line"])
@pytest.mark.requirement("TEXT-01")
def test_text_goes_in_byte_for_byte(link: RawEditor, tmp_path: Path, name: str) -> None:
    lines = [line.replace(b"\0", b"\n").decode() for line in BYTES[name].removesuffix(b"\n").split(b"\n")]
    edit(link, lines=lines)
    assert text(link) == lines
    assert file_text(link, tmp_path / "run" / "text") == BYTES[name].removesuffix(b"\n")
    path = tmp_path / "project" / "copy"
    edit(link, file=str(path), lines=lines, save=True)
    assert path.read_bytes() == BYTES[name].removesuffix(b"\n") + b"\n"


def test_lines_may_come_in_a_file(link: RawEditor, tmp_path: Path) -> None:
    lines, old = tmp_path / "run" / "lines", tmp_path / "run" / "old"
    lines.write_bytes(f"{UNICODE}\na\0b\nlast".encode())
    edit(link, lines_file=str(lines))
    assert text(link) == [UNICODE, "a\nb", "last"]
    old.write_bytes(b"a\0b\nla")
    lines.write_bytes(b"A\0\nLA")
    edit(link, "substitute", old_lines_file=str(old), lines_file=str(lines))
    assert text(link) == [UNICODE, "A\n", "LAst"]
    lines.write_bytes(b"")
    edit(link, "replace", line=2, lines_file=str(lines))
    assert text(link) == [UNICODE, "", "LAst"]
    old.write_bytes(b"\nLA")
    edit(link, "substitute", old_lines_file=str(old), lines_file=str(lines))
    assert text(link) == [UNICODE, "st"]
    error = refused(link, "edit", buffer=0, kind="all", lines_file=str(tmp_path / "missing"))
    assert error["code"] == -32602


@pytest.mark.requirement("TEXT-02")
def test_ranges(link: RawEditor, tmp_path: Path) -> None:
    edit(link, lines=["one", "two", "three"])
    assert text(link, first=2, last=2) == ["two"]
    assert text(link, first=2) == ["two", "three"]
    answer = link.request("get_text", first=3, last=99)
    assert (answer["first"], answer["last"], answer["lines"]) == (3, 3, ["three"])
    assert answer["line_count"] == 3
    assert answer["changedtick"] == state(link, "current_buffer")["changedtick"]
    assert file_text(link, tmp_path / "run" / "text", first=1, last=2) == b"one\ntwo"
    for wrong in ({"first": 4}, {"first": 0}, {"first": 2, "last": 1}, {"last": "2"}, {"first": 1.5}):
        error = refused(link, "get_text", **wrong)
        assert error["code"] == -32602
        assert any(f"`{name}`" in error["message"] for name in wrong)


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.requirement("VIM-LIM-01")
def test_more_text_than_the_limit_is_an_error_that_says_how_much(link: RawEditor, tmp_path: Path, shown: bool) -> None:
    path = tmp_path / "project" / "big.txt"
    path.write_text("0123456789\n" * 100_000)
    if shown:
        link.request("show", file=str(path))
        buffer = state(link, "current_buffer")["id"]
    else:
        buffer = edit(link, "replace", file=str(path), line=1, lines=["0123456789"])["buffer"]["id"]
    error = refused(link, "get_text", buffer=buffer, max_bytes=1000)
    assert kind_of(error) == "limit"
    assert 1000 < error["data"]["bytes"] <= 1_100_000
    assert "`first`, `last`" in error["message"]
    assert len(text(link, buffer=buffer, first=1, last=90, max_bytes=1000)) == 90
    assert kind_of(refused(link, "get_text", buffer=buffer, first=1, last=91, max_bytes=1000)) == "limit"
    assert len(file_text(link, tmp_path / "run" / "text", buffer=buffer, max_bytes=1_100_000)) == 1_099_999


def test_a_buffer_that_is_not_loaded_is_loaded_for_reading(raw_hub: RawHub, launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "second.txt").write_text("of the second\n")
    link = open_editor(raw_hub, launch, tmp_path, "first.txt", "second.txt")
    second = next(buffer for buffer in state(link, "buffers") if buffer["name"].endswith("second.txt"))
    assert (second["loaded"], second["line_count"]) == (False, 0)
    answer = link.request("get_text", buffer=second["id"])
    assert answer["lines"] == ["of the second"]
    assert answer["buffer"]["loaded"] is True
    assert state(link, "current_buffer")["name"].endswith("first.txt")


def test_files_are_found_by_their_exact_name(link: RawEditor, tmp_path: Path) -> None:
    project = tmp_path / "project"
    for name in ("f", "f.txt", "[f]", "f*", "F"):
        edit(link, file=str(project / name), lines=[f"text of {name}"])
    for name in ("f", "f.txt", "[f]", "f*", "F"):
        assert text(link, file=str(project / name)) == [f"text of {name}"]
    for name in ("f.", "?", "f.tx", "*", "[F]"):
        assert kind_of(refused(link, "get_text", file=str(project / name))) == "not_found"
    assert kind_of(refused(link, "get_text", buffer=99)) == "not_found"
    (project / "real").write_text("behind a link\n")
    (project / "link").symlink_to(project / "real")
    link.request("show", file=str(project / "real"))
    assert text(link, file=str(project / "link")) == ["behind a link"]


@pytest.fixture
def latin1(raw_hub: RawHub, launch: Launch, home: EditorHome, kind: str, tmp_path: Path) -> RawEditor:
    """A Vim whose 'encoding' is latin1; Neovim's is always UTF-8."""
    if kind != "vim":
        pytest.skip("Neovim's 'encoding' is always utf-8")
    home.add("set encoding=latin1")
    return open_editor(raw_hub, launch, tmp_path, "one.txt")


@pytest.fixture
def as_file(tmp_path: Path) -> Callable[[str], str]:
    """Puts text into a file for a request and returns its path."""
    numbers = itertools.count()

    def write(content: str) -> str:
        path = tmp_path / "run" / f"lines{next(numbers)}"
        path.write_bytes(content.encode())
        return str(path)

    return write


@pytest.mark.requirement("TEXT-01")
def test_latin1(latin1: RawEditor, as_file: Callable[[str], str], tmp_path: Path) -> None:
    edit(latin1, lines_file=as_file("größer? ¿sí?\na\0b\nplain"))
    assert text(latin1) == ["größer? ¿sí?", "a\nb", "plain"]
    answer = latin1.request("get_text", text_file=str(tmp_path / "run" / "text"))
    assert answer["text_encoding"] == "latin1"
    assert (tmp_path / "run" / "text").read_bytes() == "größer? ¿sí?\na\0b\nplain".encode("latin1")
    edit(latin1, "substitute", old_lines_file=as_file("größer"), lines_file=as_file("Ärger"))
    edit(latin1, "replace", line=2, end_line=3, lines=[])
    assert text(latin1) == ["Ärger? ¿sí?"]


@pytest.mark.parametrize("bad", ["€", "漢", "👩", "e\u0301", "a\ufeff"])
def test_latin1_refuses_what_it_cannot_hold(latin1: RawEditor, as_file: Callable[[str], str], bad: str) -> None:
    edit(latin1, lines_file=as_file("before"))
    for request in ({"kind": "all"}, {"kind": "substitute", "old_lines_file": as_file("before")}):
        error = refused(latin1, "edit", buffer=0, lines_file=as_file(f"x {bad}"), **request)
        assert kind_of(error) == "refused"
        assert "latin1" in error["message"]
    for lines in ([f"x {bad}"], ["as it seems"]):
        error = refused(latin1, "edit", buffer=0, kind="all", lines=lines)
        assert error["code"] == -32602
        assert "`lines_file`" in error["message"]
    assert text(latin1) == ["before"]


def test_brackets_at_the_beginning_hinder_no_reading(editor: tuple[Terminal, RawEditor], tmp_path: Path) -> None:
    """Vim's matchparen fails at the second bracket in a window that nobody sees."""
    terminal, link = editor
    for name in ("one", "two", "three"):
        (tmp_path / name).write_text(f"[{name}]\n")
        command(terminal, f"badd {tmp_path / name}")
        assert text(link, file=str(tmp_path / name)) == [f"[{name}]"]
