"""A review whose hub is lost waits for its client to ask again, and goes when it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.editing import command
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.reviewing import NEW, TITLE, Desk
from tests.support.waiting import wait_until

GONE = "Claude has not come back, so the diff of calc.py is closed"
STAYS = "Claude is not connected now"


def lose(desk: Desk, hub: RawHub) -> None:
    """The hub hangs up and the editor dials again."""
    desk.link.close()
    desk.link = hub.editor()
    desk.link.event("BufEnter")


@pytest.fixture
def brief(home: EditorHome) -> None:
    """Half a second is long enough for clients to come back."""
    home.add("let g:vim_mcp_diff_keep = 500")


@pytest.mark.requirement("IDE-REVIEW-05")
def test_what_is_asked_for_again_is_there_with_what_the_person_has_done(desk: Desk, raw_hub: RawHub) -> None:
    desk.propose()
    desk.terminal.type("ggcwFREE\x1b")
    desk.terminal.wait_screen("FREE")
    lose(desk, raw_hub)
    desk.terminal.wait_screen("not connected: calc.py")
    again = desk.propose(old=None, review="again")
    desk.terminal.wait_screen(lambda screen: "not connected" not in screen)
    assert len(desk.windows()) == 3
    desk.terminal.type(":w\r")
    assert desk.verdict(again) == ("accepted", NEW.replace(b"one", b"FREE"))
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-05")
def test_another_proposal_takes_its_place(desk: Desk, raw_hub: RawHub) -> None:
    desk.propose()
    lose(desk, raw_hub)
    again = desk.propose(b"other\n", old=None)
    wait_until(lambda: len(desk.windows()) == 3, "one diff")
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict(again) == ("accepted", b"other\n")
    desk.wait_closed()


def test_other_reviews_are_others(desk: Desk, raw_hub: RawHub, tmp_path: Path) -> None:
    desk.propose()
    lose(desk, raw_hub)
    other = desk.propose(tab_name="another")
    wait_until(lambda: len(desk.windows()) == 5, "two diffs")
    desk.terminal.type(":tablast\r\x17l:q\r")
    assert desk.verdict(other) == ("rejected", "")
    wait_until(lambda: len(desk.windows()) == 3, "the lost one")


@pytest.mark.parametrize("keys", [":w\r", ":wq\r", "ZZ", ":x\r", ":ClaudeCodeDiffAccept\r", ":ClaudeCodeDiffDeny\r"])
@pytest.mark.requirement("IDE-REVIEW-05")
def test_a_verdict_that_nobody_hears_is_none(desk: Desk, raw_hub: RawHub, keys: str) -> None:
    desk.propose()
    lose(desk, raw_hub)
    desk.terminal.type(keys)
    desk.terminal.wait_screen(STAYS)
    desk.pends()
    again = desk.propose(old=None)
    desk.terminal.wait_screen(TITLE)
    assert len(desk.windows()) == 3
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict(again) == ("accepted", NEW)
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-05")
def test_one_whose_window_was_closed_meanwhile_is_shown_again(desk: Desk, raw_hub: RawHub) -> None:
    desk.propose()
    lose(desk, raw_hub)
    desk.terminal.type("ggcwFREE\x1b:q\r")
    desk.terminal.wait_screen(STAYS)
    desk.pends()
    again = desk.propose(old=None)
    desk.terminal.wait_screen("FREE")
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict(again) == ("accepted", NEW.replace(b"one", b"FREE"))
    desk.wait_closed()


def test_one_whose_buffer_was_wiped_meanwhile_is_made_anew(desk: Desk, raw_hub: RawHub) -> None:
    desk.propose()
    lose(desk, raw_hub)
    desk.terminal.type(":bwipe!\r")
    wait_until(lambda: "proposed" not in desk.windows() and len(desk.windows()) < 3, "a window less")
    again = desk.propose(old=None)
    wait_until(lambda: len(desk.windows()) == 3, "the diff")
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict(again) == ("accepted", NEW)
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-05")
def test_one_that_nobody_asks_for_again_is_closed(brief: None, desk: Desk, raw_hub: RawHub, inside: Inside) -> None:
    desk.propose()
    desk.propose(tab_name="another")
    lose(desk, raw_hub)
    wait_until(lambda: GONE in inside.value(desk.terminal, "execute('messages')"), "the message, perhaps among others")
    desk.wait_closed()
    assert inside.value(desk.terminal, "[len(getbufinfo()), exists('#vim_mcp_diff'), v:errmsg]") == [1, 0, ""]


@pytest.mark.requirement("IDE-REVIEW-05")
def test_also_where_no_hub_comes_back(brief: None, desk: Desk, raw_hub: RawHub, inside: Inside) -> None:
    desk.propose()
    raw_hub.close()
    wait_until(lambda: GONE in inside.value(desk.terminal, "execute('messages')"), "the message, perhaps among others")
    assert inside.value(desk.terminal, "[tabpagenr('$'), len(getbufinfo()), v:errmsg]") == [1, 1, ""]


def test_leaving_the_editor_meanwhile(desk: Desk, raw_hub: RawHub) -> None:
    desk.propose()
    raw_hub.close()
    desk.terminal.wait_screen("not connected: calc.py")
    desk.terminal.type(":qa\r")
    assert desk.terminal.wait() == 0


def test_an_adopted_one_outlives_the_time(desk: Desk, raw_hub: RawHub, inside: Inside) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_keep = 1500")
    desk.propose()
    lose(desk, raw_hub)
    again = desk.propose(old=None)
    command(desk.terminal, "call timer_start(2500, {timer -> Tell('later')})")
    assert inside.told() == "later"
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict(again) == ("accepted", NEW)
