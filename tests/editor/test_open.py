"""`open_file` and `load_file`: a file before the person's eyes, a passage of it marked, or in the list alone."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, type_into_terminal, wait_mode
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

TEXT = "def one():\n    return 'a.b*'\n\ndef two():\n    return '漢字 𝒳'\n"


@pytest.fixture
def shower(home: EditorHome, inside: Inside, editor: tuple[Terminal, RawEditor]) -> tuple[Terminal, RawEditor]:
    """An editor that `inside` can look into."""
    command(editor[0], "set noswapfile")
    return editor


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file that is not open."""
    path = tmp_path / "project" / "code file.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(TEXT)
    return path


def names(link: RawEditor) -> list[str]:
    """The last parts of the names in the windows, from top to bottom."""
    return [Path(window["name"]).name for window in sorted(state(link, "windows"), key=lambda window: window["row"])]


def listed(link: RawEditor) -> list[str]:
    """The last parts of the listed buffers' names."""
    return [Path(buffer["name"]).name for buffer in state(link, "buffers") if buffer["listed"]]


def selection(link: RawEditor) -> Any:
    """What is marked: its mode and its text."""
    found = state(link, "context")["selection"]
    return found and (found["mode"], found["text"])


def opened(link: RawEditor, path: Path, **params: Any) -> dict[str, Any]:
    """Open a file; the result without the buffer's number."""
    result: dict[str, Any] = link.request("open_file", file=str(path), **params)
    assert state(link, "current_buffer")["id"] == result.pop("buffer")
    return result


@pytest.mark.requirement("IDE-TOOL-01")
def test_a_file_comes_before_the_persons_eyes(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    command(terminal, "filetype on")
    result = opened(link, path)
    assert result == {"name": str(path), "filetype": "python", "line_count": 5, "found": True, "selected": False}
    assert (names(link), state(link, "mode"), listed(link)) == (["code file.py"], "n", ["one.txt", "code file.py"])


# ---- the passage

PASSAGES: dict[str, tuple[list[str], list[str], bool, list[str]]] = {
    "the start text alone": (["return"], [], False, ["return"]),
    "the end text alone": ([], ["two"], False, ["two"]),
    "from one to the other": (["one"], ["two"], False, ["one():", "    return 'a.b*'", "", "def two"]),
    "the end text is looked for behind the start": (["def two"], ["'"], False, ["def two():", "    return '"]),
    "patterns are plain text": (["a.b*"], [], False, ["a.b*"]),
    "text over several lines": (["'", "", "def"], [], False, ["'", "", "def"]),
    "to the end of the line": (["return"], [], True, ["return 'a.b*'"]),
    "to the end of the last line": (["one"], ["def t"], True, ["one():", "    return 'a.b*'", "", "def two():"]),
    "wide characters": (["漢"], ["𝒳"], False, ["漢字 𝒳"]),
    "one wide character": (["字"], [], False, ["字"]),
    "a backslash is none": (["d", ""], [], False, []),
}


@pytest.mark.parametrize("selection_option", ["inclusive", "exclusive"])
@pytest.mark.parametrize("case", PASSAGES)
@pytest.mark.requirement("IDE-TOOL-02")
def test_a_passage_is_marked(shower: tuple[Terminal, RawEditor], path: Path, case: str, selection_option: str) -> None:
    terminal, link = shower
    start, end, to_end_of_line, wanted = PASSAGES[case]
    command(terminal, f"set selection={selection_option} selectmode=mouse,key,cmd")
    given = {"start_lines": start or None, "end_lines": end or None}
    result = opened(link, path, **given, to_end_of_line=to_end_of_line)
    assert (result["found"], result["selected"]) == (bool(wanted), bool(wanted))
    assert selection(link) == (("v", wanted) if wanted else None)
    if wanted:
        terminal.type("d")
        left = TEXT.replace("\n".join(wanted), "", 1).removesuffix("\n").split("\n")
        wait_until(lambda: text(link) == left, f"the text without the passage, {left}")


@pytest.mark.requirement("IDE-TOOL-02")
def test_a_line_break_can_be_part_of_the_passage(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    assert opened(link, path, start_lines=["    return 'a.b*'", ""])["selected"]
    terminal.type("d")
    wait_until(lambda: text(link) == ["def one():", "", "def two():", "    return '漢字 𝒳'"], "a line less")
    assert opened(link, path, start_lines=["𝒳'", ""])["selected"]
    assert selection(link) == ("v", ["𝒳'"])


@pytest.mark.requirement("IDE-TOOL-02")
def test_nul_bytes_can_be_part_of_the_passage(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    path.write_bytes(b"a\0b\nc\0\0d e\n")
    assert opened(link, path, start_lines=["\n\nd"])["selected"]
    assert selection(link) == ("v", ["\n\nd"])
    assert state(link, "cursor") == [2, 4]


@pytest.mark.requirement("IDE-TOOL-02")
@pytest.mark.parametrize("absent", [{"start_lines": ["nowhere"]}, {"start_lines": ["two"], "end_lines": ["one"]}])
def test_what_does_not_occur_is_not_marked(
    shower: tuple[Terminal, RawEditor], path: Path, absent: dict[str, Any]
) -> None:
    _, link = shower
    result = opened(link, path, **absent)
    assert (result["found"], result["selected"], state(link, "mode")) == (False, False, "n")
    assert names(link) == ["code file.py"]


@pytest.mark.requirement("IDE-TOOL-02")
def test_empty_text_is_none(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    result = opened(shower[1], path, start_lines=[""], end_lines=[""])
    assert (result["found"], result["selected"]) == (True, False)


@pytest.mark.parametrize("option", ["inclusive", "exclusive"])
@pytest.mark.requirement("IDE-TOOL-02")
def test_passages_are_those_of_the_text(shower: tuple[Terminal, RawEditor], path: Path, option: str) -> None:
    """Random text and random pieces of it, found as Python finds them."""
    terminal, link = shower
    command(terminal, f"set selection={option}")
    dice = random.Random(option)
    for _ in range(40):
        content = "".join(dice.choices("ab\n\0\u00e9\u6f22\U0001d4b3 ", k=30)) + "\n"
        edit(link, file=str(path), lines=as_lines(content[:-1]))
        start, end = (content[at : at + dice.randint(1, 3)] for at in (dice.randrange(30), dice.randrange(30)))
        begin = content.find(start)
        behind = content.find(end, begin + len(start))
        result = opened(link, path, start_lines=as_lines(start), end_lines=as_lines(end))
        assert result["found"] is result["selected"] is (behind >= 0)
        if behind < 0:
            assert state(link, "mode") == "n"
        elif option == "exclusive":
            behind += len(end) - (behind + len(end) == len(content))  # the last line break is no place for a cursor
            line = content[:behind].rpartition("\n")[2]
            place = [content[:behind].count("\n") + 1, len(line.encode()) + 1]
            assert state(link, "cursor") == place, (content, start, end)
        else:
            wanted = content[begin : behind + len(end)].removesuffix("\n")
            assert selection(link) == ("v", as_lines(wanted)), (content, start, end)


def as_lines(content: str) -> list[str]:
    """Text as it travels: lines, in which a newline is a NUL."""
    return [line.replace("\0", "\n") for line in content.split("\n")]


def test_a_fold_over_the_passage_opens(shower: tuple[Terminal, RawEditor], path: Path, inside: Inside) -> None:
    terminal, link = shower
    opened(link, path)
    command(terminal, "set foldmethod=manual | 1,2fold | 4,5fold")
    assert opened(link, path, start_lines=["return"], end_lines=["two():", "    return"])["selected"]
    terminal.type("\x1b")
    wait_mode(link, "n")
    assert inside.value(terminal, "[foldclosed(2), foldclosed(5)]") == [-1, -1]


@pytest.mark.requirement("IDE-IGNORE-01")
def test_an_ignored_files_text_is_not_told_by_marking_it(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    secret = path.parent / ".env"
    secret.write_text("SECRET=1\n")
    result = opened(link, secret, start_lines=["SECRET"])
    assert (result["name"], result["found"], result["selected"]) == (str(secret), False, False)


# ---- whose text it is


@pytest.mark.requirement("IDE-OPEN-01")
def test_unsaved_text_is_shown_as_it_is(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    opened(link, path)
    edit(link, lines=["unsaved"])
    command(terminal, "set hidden | edit one.txt")
    path.write_text("changed on disk\n")
    assert opened(link, path)["line_count"] == 1
    assert text(link) == ["unsaved"]
    assert link.request("load_file", file=str(path))["line_count"] == 1
    assert text(link) == ["unsaved"]


@pytest.mark.requirement("IDE-OPEN-01")
def test_a_file_that_has_changed_is_read_again(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    opened(link, path)
    path.write_text("changed\non disk\nby another program\n")
    assert opened(link, path, start_lines=["disk"])["selected"]
    assert text(link) == ["changed", "on disk", "by another program"]


@pytest.mark.requirement("IDE-OPEN-01")
def test_a_buffer_without_a_file_is_shown(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    edit(link, lines=["new"])
    command(terminal, "set hidden | enew")
    assert opened(link, path.parent / "one.txt")["line_count"] == 1
    assert text(link) == ["new"]


# ---- names

WRONG = {
    "missing": ("gone.txt", "not_found"),
    "in a missing directory": ("gone/gone.txt", "not_found"),
    "a dangling link": ("dangling", "not_found"),
    "a line break": ("a\nb", "refused"),
    "an address": ("scp://host/file", "refused"),
    "an address as a path": ("/tmp/http://host/file", "refused"),
    "a device": ("/dev/null", "refused"),
    "a FIFO": ("fifo", "refused"),
    "a directory": (".", "refused"),
    "a process's file": ("/proc/self/environ", "refused"),
}


@pytest.mark.parametrize("method", ["open_file", "load_file"])
@pytest.mark.parametrize("case", WRONG)
@pytest.mark.requirement("IDE-OPEN-02", "WS-04")
def test_what_cannot_be_opened_is_named(shower: tuple[Terminal, RawEditor], path: Path, case: str, method: str) -> None:
    _, link = shower
    os.mkfifo(path.parent / "fifo")
    (path.parent / "dangling").symlink_to("gone.txt")
    name, kind = WRONG[case]
    name = name if "/tmp" in name or "://" in name else str(path.parent / name)
    before = state(link, "buffers"), names(link)
    error = refused(link, method, file=name)
    assert kind_of(error) == kind
    assert name in error["message"]
    assert (state(link, "buffers"), names(link)) == before


NAMES = ["*", "[a]", "a b", "%", "#", "`id`", "$HOME", "~", "+1", "a|b", "ä漢", "a'b\"c", "-", "{a,b}", "a\\b"]


@pytest.mark.parametrize("method", ["open_file", "load_file"])
@pytest.mark.requirement("IDE-OPEN-02", "WS-04")
def test_names_are_taken_as_they_are(shower: tuple[Terminal, RawEditor], path: Path, method: str) -> None:
    _, link = shower
    for name in ["a", "ab", *NAMES]:
        (path.parent / name).write_text(f"{name}\n")
    for name in NAMES:
        result = link.request(method, file=str(path.parent / name))
        assert result["name"] == str(path.parent / name)
        assert text(link, file=str(path.parent / name)) == [name]
    assert sorted(listed(link)) == sorted(["one.txt", *NAMES])


@pytest.mark.requirement("IDE-OPEN-02")
def test_another_name_of_an_open_file_is_that_buffer(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    (path.parent / "link.py").symlink_to(path)
    opened(link, path)
    assert opened(link, path.parent / "link.py")["name"] == str(path)
    assert listed(link) == ["one.txt", "code file.py"]


@pytest.mark.requirement("IDE-OPEN-02")
def test_wrong_parameters_are_named(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    for wrong in ({"file": 1}, {"start_lines": "text"}, {"end_lines": [1]}, {"preview": 1}, {"to_end_of_line": "no"}):
        error = refused(link, "open_file", **{"file": str(path), **wrong})
        assert error["code"] == -32602
        assert next(iter(wrong)) in error["message"]
    assert names(link) == ["one.txt"]


# ---- which window, and whose keys

SPECIAL = {
    "help": ":help\r",
    "quickfix": ":copen\r",
    "a file tree": ":new | setlocal filetype=neo-tree buftype=nofile\r",
    "a preview": ":pedit other.txt\r:wincmd P\r",
    "a terminal": ":new | call termopen('cat')\r",
}


@pytest.mark.parametrize("special", SPECIAL)
@pytest.mark.requirement("IDE-OPEN-03")
def test_windows_for_other_things_are_left_alone(
    shower: tuple[Terminal, RawEditor], path: Path, special: str, kind: str
) -> None:
    terminal, link = shower
    terminal.type(SPECIAL[special] if kind != "vim" or "term" not in special else ":terminal cat\r\x17N")
    wait_until(lambda: len(state(link, "windows")) == 2, special)
    wait_until(lambda: not state(link, "current_buffer")["name"].endswith("one.txt"), special)
    there = state(link, "current_buffer")["id"]
    opened(link, path, preview=True)
    assert {window["buffer"] for window in state(link, "windows")} == {there, state(link, "current_buffer")["id"]}


@pytest.mark.requirement("IDE-OPEN-03")
def test_nothing_is_opened_while_the_person_types(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    terminal.type("ihello")
    wait_until(lambda: text(link) == ["hello"], "what was typed")
    assert kind_of(refused(link, "open_file", file=str(path))) == "busy"
    request = link.start("open_file", file=str(path), start_lines=["two"])
    terminal.type(" you\x1bl")
    assert link.answer(request)["selected"]
    assert selection(link) == ("v", ["two"])
    assert text(link, file=str(path.parent / "one.txt")) == ["hello you"]


@pytest.mark.requirement("IDE-OPEN-03")
def test_who_types_into_a_terminal_goes_on_typing(shower: tuple[Terminal, RawEditor], path: Path, kind: str) -> None:
    terminal, link = shower
    type_into_terminal(terminal, link, kind)
    result = link.request("open_file", file=str(path), start_lines=["two"])
    assert (result["found"], result["selected"]) == (True, False)
    terminal.type("fore | tr a-z A-Z\r")
    terminal.wait_screen("BEFORE")
    assert state(link, "mode") == "t"
    shown = next(window for window in state(link, "windows") if window["buffer"] == result["buffer"])
    assert shown["cursor"] == [4, 5]


@pytest.mark.requirement("IDE-OPEN-03")
def test_what_a_client_has_marked_holds_up_no_other(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    for passage in ("one", "two", "return"):
        assert opened(link, path, start_lines=[passage])["selected"]
        assert selection(link) == ("v", [passage])
    assert opened(link, path)["selected"] is False
    assert state(link, "mode") == "n"
    opened(link, path, start_lines=["one"])
    terminal.type("l")
    wait_until(lambda: selection(link) == ("v", ["one("]), "the person's own end")
    error = refused(link, "open_file", file=str(path), start_lines=["two"])
    assert (kind_of(error), error["data"]["waiting_for"]) == ("busy", "visual mode")
    assert selection(link) == ("v", ["one("])


# ---- previews


@pytest.mark.requirement("IDE-OPEN-04")
def test_a_preview_goes_when_the_next_file_comes(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = shower
    other = path.parent / "other.txt"
    other.write_text("other\n")
    opened(link, path, preview=True)
    assert listed(link) == ["one.txt", "code file.py"]
    opened(link, other, preview=True)
    assert (listed(link), names(link)) == (["one.txt", "other.txt"], ["other.txt"])
    opened(link, path)
    assert listed(link) == ["one.txt", "code file.py"]


STAYS = {
    "edited": "ihello\x1b",
    "changed": "dd",
    "written": ":write\r",
    "opened for good": "",
}


@pytest.mark.parametrize("why", STAYS)
@pytest.mark.requirement("IDE-OPEN-04")
def test_a_preview_that_was_used_stays(
    shower: tuple[Terminal, RawEditor], path: Path, why: str, inside: Inside
) -> None:
    terminal, link = shower
    opened(link, path, preview=True)
    if STAYS[why]:
        terminal.type(STAYS[why])
    else:
        opened(link, path)
    assert inside.value(terminal, "[&bufhidden, mode()]") == ["", "n"]
    command(terminal, "set hidden | edit one.txt")
    assert listed(link) == ["one.txt", "code file.py"]


@pytest.mark.requirement("IDE-OPEN-04")
def test_what_was_open_is_no_preview(shower: tuple[Terminal, RawEditor], path: Path, inside: Inside) -> None:
    terminal, link = shower
    opened(link, path)
    command(terminal, "set hidden | edit one.txt")
    opened(link, path, preview=True)
    assert inside.value(terminal, "&bufhidden") == ""


@pytest.mark.requirement("KEEP-01", "IDE-OPEN-04")
def test_a_preview_changed_by_a_client_loses_nothing(
    shower: tuple[Terminal, RawEditor], path: Path, inside: Inside
) -> None:
    terminal, link = shower
    result = link.request("open_file", file=str(path), preview=True)
    command(terminal, "new")
    edit(link, buffer=result["buffer"], lines=["unsaved"])
    command(terminal, "silent! only")
    assert text(link, buffer=result["buffer"]) == ["unsaved"]


# ---- without a window


@pytest.mark.requirement("IDE-OPEN-05")
@pytest.mark.parametrize("keys", ["", "v", "ihello", "d"])
def test_a_file_is_loaded_and_nothing_moves(shower: tuple[Terminal, RawEditor], path: Path, keys: str) -> None:
    terminal, link = shower
    if keys:
        terminal.type(keys)
        wait_mode(link, {"v": "v", "ihello": "i", "d": "no"}[keys])
    wait_until(lambda: text(link) == [keys[1:]], "what was typed")
    before = state(link, "windows"), state(link, "cursor"), state(link, "mode"), state(link, "current_buffer")
    result = link.request("load_file", file=str(path))
    loaded = next(buffer for buffer in state(link, "buffers") if buffer["name"] == str(path))
    assert result["line_count"] == loaded["line_count"] == 5
    assert (loaded["listed"], loaded["loaded"], loaded["visible"]) == (True, True, False)
    assert (state(link, "windows"), state(link, "cursor"), state(link, "mode"), state(link, "current_buffer")) == before


@pytest.mark.requirement("IDE-OPEN-05")
def test_the_file_type_is_known_without_a_window(shower: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = shower
    command(terminal, "filetype on")
    assert link.request("load_file", file=str(path))["filetype"] == "python"
