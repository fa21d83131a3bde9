"""The person's commands and keys for reviews, and the autocommands for their own automation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.editing import command
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import NEW, OLD, TITLE, Desk
from tests.support.waiting import wait_until


def go_out(desk: Desk) -> None:
    """Go to the window in which no diff is."""
    desk.terminal.type(":1tabnext\r")


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_only_diff_is_meant_from_anywhere(desk: Desk) -> None:
    for keys, verdict in ((":ClaudeCodeDiffAccept\r", ("accepted", NEW)), (":ClaudeCodeDiffDeny\r", ("rejected", ""))):
        review = desk.propose()
        go_out(desk)
        desk.terminal.type(keys)
        assert desk.verdict(review) == verdict
        desk.wait_closed()


def test_the_left_side_will_do(desk: Desk) -> None:
    desk.propose()
    desk.terminal.type("\x17h:ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", NEW)


@pytest.mark.requirement("IDE-REVIEW-04")
def test_of_several_the_one_where_the_person_is_is_meant(desk: Desk) -> None:
    first, second = desk.propose(), desk.propose(b"second\n", tab_name="another")
    desk.terminal.wait_screen("waits for review in tab page 3")
    go_out(desk)
    for name in ("Accept", "Deny"):
        desk.terminal.type(f":ClaudeCodeDiff{name}\r")
        desk.terminal.wait_screen("2 diffs wait: :ClaudeCodeDiffs goes to one")
        desk.terminal.type(":redraw!\r")
        desk.pends()
    desk.terminal.type(":tablast\r:ClaudeCodeDiffAccept\r")
    assert desk.verdict(second) == ("accepted", b"second\n")
    wait_until(lambda: len(desk.windows()) == 3, "the first one's windows and that outside")
    desk.terminal.type(":ClaudeCodeDiffDeny first is wrong | it is\r")
    assert desk.verdict(first) == ("rejected", "first is wrong | it is")
    desk.wait_closed()


@pytest.mark.parametrize("then", ["ClaudeCodeDiffs 1", "ClaudeCodeDiffAccept"])
@pytest.mark.parametrize("delete", ["bwipeout!", "bunload!"])
def test_one_that_is_being_deleted_has_its_verdict(desk: Desk, inside: Inside, delete: str, then: str) -> None:
    desk.propose()
    desk.terminal.type(f":execute '{delete}' | execute '{then}'\r")
    assert desk.verdict() == ("rejected", "")
    desk.wait_closed()
    assert re.findall(r"E\d+:", inside.value(desk.terminal, "execute('messages')")) == []


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_reason_goes_along(desk: Desk) -> None:
    desk.propose()
    desk.terminal.type(':ClaudeCodeDiffDeny  use a "set", é 漢 \\n \r')
    assert desk.verdict() == ("rejected", 'use a "set", é 漢 \\n')


def test_where_nothing_waits_it_is_said(desk: Desk) -> None:
    for name in ("DiffAccept", "DiffDeny why", "Diffs", "CloseAllDiffs"):
        desk.terminal.type(f":ClaudeCode{name}\r")
        desk.terminal.wait_screen("no diff waits for a verdict")
        command(desk.terminal, "redraw!")


@pytest.mark.requirement("IDE-REVIEW-04")
def test_all_are_rejected_at_once(desk: Desk) -> None:
    reviews = [desk.propose(tab_name=name) for name in ("a", "b", "c")]
    go_out(desk)
    desk.terminal.type(":ClaudeCodeCloseAllDiffs\r")
    assert [desk.verdict(review) for review in reviews] == [("rejected", "")] * 3
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_pending_ones_are_listed_and_gone_to(desk: Desk, inside: Inside, tmp_path: Path) -> None:
    for name in ("first.py", "second.py"):
        desk.propose(file=tmp_path / name, tab_name=name)
    go_out(desk)
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(" 1. claude-code: first.py, 2 changes")
    desk.terminal.wait_screen(" 2. claude-code: second.py, 2 changes")
    desk.terminal.type("2\r")
    assert inside.value(desk.terminal, "bufname('%')").endswith("second.py")
    desk.terminal.type(":ClaudeCodeDiffs 1\r")
    assert inside.value(desk.terminal, "bufname('%')").endswith("first.py")
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(" 2. claude-code")
    desk.terminal.type("\r:ClaudeCodeDiffs 3\r")
    desk.terminal.wait_screen(":ClaudeCodeDiffs lists them")
    assert inside.value(desk.terminal, "bufname('%')").endswith("first.py")


@pytest.mark.requirement("IDE-REVIEW-04")
def test_who_goes_to_a_diff_is_told_how_to_answer(desk: Desk) -> None:
    """Where its title has no room for that."""
    desk.propose()
    go_out(desk)
    desk.terminal.wait_screen(":1tabnext")
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(":w accepts, :q rejects (claude-code: calc.py, 2 changes)")


@pytest.mark.requirement("IDE-REVIEW-04")
@pytest.mark.parametrize("wide", [True, False])
def test_who_types_into_a_terminal_is_told_how_to_go_there(desk: Desk, kind: str, wide: bool) -> None:
    """As far as there is room for it."""
    desk.terminal.resize(24, 160 if wide else 64 if kind == "vim" else 80)
    desk.terminal.type(":terminal cat\r" if kind == "vim" else ":new | terminal cat\ri")
    desk.terminal.type("typed")
    desk.terminal.wait_screen("typed")
    desk.propose()
    way = "CTRL-W" if kind == "vim" else "CTRL-\\ CTRL-N"
    told = "a diff of calc.py waits for review"
    desk.terminal.wait_screen(f"{told}: {way} :ClaudeCodeDiffs" if wide else f"{told} in tab page 2")
    desk.terminal.type(("\x17" if kind == "vim" else "\x1c\x0e") + ":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen("[:w accepts" if wide else ":w accepts")
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)


def test_the_only_one_is_gone_to_without_a_question(desk: Desk, inside: Inside) -> None:
    desk.propose()
    go_out(desk)
    desk.terminal.type(":ClaudeCodeDiffs\r")
    assert inside.value(desk.terminal, "&buftype") == "acwrite"


@pytest.mark.requirement("IDE-REVIEW-04")
def test_no_key_is_mapped_but_zz_in_the_proposal(desk: Desk, inside: Inside) -> None:
    ours = "v:val =~? 'claude' && v:val !~ '<Plug>(claude'"
    maps = f"len(filter(split(execute('map') . execute('imap'), '\\n'), \"{ours}\"))"
    assert inside.value(desk.terminal, maps) == 0
    desk.propose()
    assert inside.value(desk.terminal, maps) == 1
    assert inside.value(desk.terminal, "maparg('ZZ', 'n')") == ":<C-U>ClaudeCodeDiffAccept<CR>"


@pytest.mark.requirement("IDE-REVIEW-04")
def test_keys_for_changes(home: EditorHome, desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "nmap ) <Plug>(claude-diff-next)")
    command(desk.terminal, "nmap ( <Plug>(claude-diff-previous)")
    lines = [f"{number}\n" for number in range(1, 41)]
    new = "".join("changed\n" if number in (10, 20, 30) else f"{number}\n" for number in range(1, 41))
    desk.propose(new.encode(), "".join(lines).encode())
    places = []
    desk.terminal.type("gg")
    for keys in (")", ")", ")", "(", "2("):
        desk.terminal.type(keys)
        places.append(inside.value(desk.terminal, "line('.')"))
    assert places == [10, 20, 30, 20, 10]
    go_out(desk)
    desk.terminal.type(")")
    assert inside.value(desk.terminal, "&buftype") == "acwrite"


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_persons_own_autocommands(desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "let g:seen = []")
    for event in ("Opened", "Closed"):
        command(desk.terminal, f"autocmd User VimMCPDiff{event} call add(g:seen, ['{event}', copy(g:vim_mcp_diff)])")
    seen = []
    for keys, verdict in ((":w\r", "accepted"), (":q\r", "rejected"), ("", "withdrawn")):
        review = desk.propose(tab_name="the tab")
        if keys:
            desk.terminal.type(keys)
            desk.verdict(review)
        else:
            desk.link.request("close_diffs", reviews=[review])
        desk.wait_closed()
        about = {"review": review, "file": str(desk.file), "tab_name": "the tab", "client": "claude-code 2.1.197"}
        seen += [["Opened", about | {"verdict": ""}], ["Closed", about | {"verdict": verdict}]]
    assert inside.value(desk.terminal, "g:seen") == seen
    assert inside.value(desk.terminal, "exists('g:vim_mcp_diff')") == 0


@pytest.mark.requirement("IDE-REVIEW-04")
def test_stopping_closes_the_diffs(desk: Desk, inside: Inside) -> None:
    desk.propose()
    desk.propose(tab_name="another")
    desk.terminal.type(":VimMCPStop\r")
    left = "[tabpagenr('$'), len(getbufinfo()), exists('#vim_mcp_diff'), exists('#vim_mcp_diff_write'), v:errmsg]"
    wait_until(lambda: inside.value(desk.terminal, left) == [1, 1, 0, 0, ""], "no diff")
    assert desk.file.read_bytes() == OLD
    assert not [event for event in list(desk.link.events.queue) if event.get("type") == "review"]


def test_it_is_recorded(desk: Desk) -> None:
    desk.propose()
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type(":q\r")
    desk.verdict()
    desk.wait_closed()
    desk.terminal.type(":VimMCPHistory\r")
    desk.terminal.wait_screen("open_diff")


@pytest.mark.parametrize("answer", [":w\r", ":ClaudeCodeDiffAccept\r", ":wq\r"])
def test_an_answer_that_cannot_be_written_is_none(desk: Desk, answer: str) -> None:
    desk.propose(answer_file=str(file := desk.file.parent / "no-such" / "answer"))
    desk.terminal.type(answer)
    desk.terminal.wait_screen("nothing was accepted: m")  # what `:wq` brings on may come on the same line
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(TITLE)
    file.parent.mkdir()
    desk.terminal.type(":w\r")
    assert desk.link.event("review")["verdict"] == "accepted"
    assert file.read_bytes() == NEW
