"""The table of methods: what is called, with what, when, and how errors come back."""

from __future__ import annotations

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, wait_mode, wait_text
from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import EditorError, RawEditor


@pytest.fixture
def link(home: EditorHome, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor's connection."""
    return editor[1]


@pytest.mark.parametrize("method", ["", "get_states", "vim_mcp#buffers#get_state", "s:run", "execute | quit"])
@pytest.mark.requirement("VIM-ERR-09")
def test_there_are_no_other_methods(link: RawEditor, method: str) -> None:
    error = refused(link, method)
    assert error["code"] == -32601
    assert method in error["message"]


@pytest.mark.parametrize("method", ["ping", "get_state", "get_text", "edit", "show"])
def test_parameters_are_an_object(link: RawEditor, method: str) -> None:
    request = link.expect()
    link.send({"id": request, "method": method, "params": ["x"]})
    with pytest.raises(EditorError) as caught:
        link.answer(request)
    assert caught.value.error["code"] == -32602
    assert "`params`" in caught.value.error["message"]


def test_null_is_as_good_as_missing(link: RawEditor) -> None:
    assert "current_buffer" in link.request("get_state", sections=None, text_file=None)
    edit(link, "all", lines=["x"], line=None, end_line=None, changedtick=None, file=None)
    assert text(link, file=None, first=None, last=None) == ["x"]


def test_waiting_requests_do_not_keep_others_waiting(
    link: RawEditor, editor: tuple[Terminal, RawEditor], home: EditorHome
) -> None:
    terminal, _ = editor
    terminal.type("itext")
    wait_mode(link, "i")
    shows = [link.start("show", file=str(home.home / f"f{number}")) for number in range(3)]
    for number in range(20):
        assert link.request("ping") == {}
        edit(link, "insert", line=1, lines=[str(number)])
    assert not set(shows) & set(link.answered)
    terminal.type("\x1bl")
    for number, request in enumerate(shows):
        assert link.answer(request)["name"] == str(home.home / f"f{number}")
    assert link.unexpected() == []


def test_a_failure_of_a_persons_autocommand_is_an_error_of_vims(
    link: RawEditor, editor: tuple[Terminal, RawEditor], home: EditorHome
) -> None:
    command(editor[0], "autocmd BufReadPost *.bad unlet g:nothing")
    path = home.home / "f.bad"
    path.write_text("x\n")
    error = refused(link, "edit", file=str(path), kind="all", lines=[])
    assert kind_of(error) == "vim"
    assert error["data"]["vim_error"] == "E108"
    assert error["message"].startswith("E108: ")
    assert link.request("ping") == {}


def test_an_error_may_speak_of_bytes_that_are_no_text(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    command(editor[0], r'execute "edit caf\xe9.txt" | set nomodifiable')
    error = refused(link, "edit", buffer=0, kind="all", lines=["x"])
    assert kind_of(error) == "refused"
    assert "'modifiable'" in error["message"]
    assert "/caf" in error["message"]
    assert state(link, "current_buffer")["name"].endswith(".txt")


@pytest.mark.requirement("SCALE-01")
def test_twenty_edits_at_once_are_all_done_in_order(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    requests = [link.start("edit", buffer=0, kind="insert", line=1, lines=[str(number)]) for number in range(20)]
    results = [link.answer(request) for request in requests]
    assert text(link) == [str(number) for number in reversed(range(20))]
    ticks = [result["changedtick"] for result in results]
    assert ticks == sorted(ticks)
    editor[0].type("u")
    wait_text(link, [str(number) for number in reversed(range(19))])


def test_a_request_that_comes_while_another_runs_waits_for_it(
    link: RawEditor, editor: tuple[Terminal, RawEditor], home: EditorHome
) -> None:
    command(editor[0], "autocmd BufReadPost *.slow sleep 300m | let b:slept = 1")
    path = home.home / "f.slow"
    path.write_text("x\n")
    slow = link.start("edit", file=str(path), kind="insert", line=1, lines=["new"])
    pings = [link.start("get_text", buffer=1) for _ in range(5)]
    assert link.answer(slow)["lines_added"] == 1
    assert [link.answer(ping)["lines"] for ping in pings] == [[""]] * 5
    assert state(link, "mode") == "n"
