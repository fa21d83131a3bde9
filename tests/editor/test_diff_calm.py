"""What is typed in the moment in which diffs come or go without the person's doing is meant for none of these."""

from __future__ import annotations

import pytest

from tests.support.editing import command
from tests.support.inside import Inside
from tests.support.reviewing import NEW, TITLE, Desk
from tests.support.waiting import wait_until

ONLY_JUST = "only just come up"
NOT_SEEN = ":ClaudeCodeDiffs shows calc.py, which you may not have seen"


def calm(desk: Desk, milliseconds: int) -> None:
    """How long such a moment is."""
    command(desk.terminal, f"let g:vim_mcp_ask_calm = {milliseconds}")


def led_at_once(desk: Desk) -> str:
    """The person is led to a diff, and that moment lasts."""
    calm(desk, 100_000)
    review = desk.propose()
    desk.terminal.wait_screen(TITLE)
    return review


@pytest.mark.parametrize("keys", [":w\r", ":x\r", "ZZ", ":wq\r", ":update\r", ":ClaudeCodeDiffAccept\r"])
@pytest.mark.requirement("IDE-REVIEW-07")
def test_a_write_is_not_meant_for_what_has_only_just_come_up(desk: Desk, keys: str) -> None:
    review = led_at_once(desk)
    desk.terminal.type(keys)
    desk.terminal.wait_screen(ONLY_JUST)
    desk.pends()
    calm(desk, 0)
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type(keys)
    assert desk.verdict(review) == ("accepted", NEW)
    desk.wait_closed()


@pytest.mark.parametrize("keys", [":q\r", ":close\r", ":tabclose\r", ":ClaudeCodeDiffDeny\r"])
@pytest.mark.requirement("IDE-REVIEW-07")
def test_leaving_is_not_meant_for_what_has_only_just_come_up(desk: Desk, keys: str) -> None:
    review = led_at_once(desk)
    desk.terminal.type(keys)
    desk.terminal.wait_screen(lambda screen: ONLY_JUST in screen or ":ClaudeCodeDiffs shows" in screen)
    desk.pends()
    calm(desk, 0)
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type(keys)
    assert desk.verdict(review) == ("rejected", "")
    desk.wait_closed()


@pytest.mark.parametrize("keys", [":q\r", ":close\r", ":tabclose\r"])
@pytest.mark.requirement("IDE-REVIEW-07")
def test_where_its_window_is_closed_the_other_one_goes_too(desk: Desk, keys: str) -> None:
    review = led_at_once(desk)
    before = ["one.txt"]
    desk.terminal.type(keys)
    wait_until(lambda: desk.windows() == before, "the windows as they were before")
    desk.terminal.wait_screen(ONLY_JUST)
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    desk.terminal.wait_screen(NOT_SEEN)
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type(":w\r")
    assert desk.verdict(review) == ("accepted", NEW)
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-07")
def test_the_moment_in_which_it_is_left_counts(desk: Desk) -> None:
    """A timer that looks later, after the next key perhaps, does not make a verdict of it."""
    led_at_once(desk)
    desk.terminal.type(":quit | let g:vim_mcp_ask_calm = 0\r")
    desk.terminal.wait_screen(ONLY_JUST)
    desk.pends()


@pytest.mark.requirement("IDE-REVIEW-07")
def test_what_closes_other_tab_pages_is_not_meant_for_a_diff_that_has_just_come(desk: Desk) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_focus = 'never'")
    calm(desk, 100_000)
    review = desk.propose()
    desk.terminal.wait_screen("waits for review")
    desk.terminal.type(":tabonly\r")
    desk.terminal.wait_screen(ONLY_JUST)
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffs\r:w\r")
    assert desk.verdict(review) == ("accepted", NEW)


@pytest.mark.parametrize("keys", [":wq\r:wq\r", "ZZZZ", ":quit\r:write\r", ":quit\r:quit\r"])
@pytest.mark.requirement("IDE-REVIEW-07")
def test_who_closes_their_own_window_has_not_gone_to_the_diff_behind_it(desk: Desk, keys: str) -> None:
    desk.propose()
    desk.terminal.type(":ClaudeCodeDiffs\r:tabfirst\r")
    calm(desk, 100_000)
    desk.terminal.type(keys)
    desk.terminal.wait_screen(lambda screen: ONLY_JUST in screen or ":ClaudeCodeDiffs shows" in screen)
    desk.pends()


@pytest.mark.requirement("IDE-REVIEW-07")
def test_who_answers_one_diff_has_not_gone_to_the_next(desk: Desk) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_layout = 'unified'")
    first, second = desk.propose(), desk.propose(b"second\n", tab_name="another")
    desk.terminal.type(":ClaudeCodeDiffs 2\r:ClaudeCodeDiffs 1\r")
    calm(desk, 100_000)
    desk.terminal.type(":wq\r:wq\r")
    assert desk.verdict(first) == ("accepted", NEW)
    desk.terminal.wait_screen(lambda screen: ONLY_JUST in screen or ":ClaudeCodeDiffs shows" in screen)
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffs\r:w\r")
    assert desk.verdict(second) == ("accepted", b"second\n")


@pytest.mark.requirement("IDE-REVIEW-07")
def test_a_command_is_not_meant_for_a_diff_that_comes_while_it_is_typed(desk: Desk, inside: Inside) -> None:
    """However long it takes to type it."""
    for name in ("Accept", "Deny"):
        desk.terminal.type(f":messages clear | redraw!\r:ClaudeCodeDiff{name}")
        desk.terminal.wait_screen(f":ClaudeCodeDiff{name}")
        review = desk.propose(tab_name=name)
        desk.terminal.type("\r")
        # On the screen, what tells that the diff has come may take its place.
        wait_until(lambda: NOT_SEEN in str(inside.value(desk.terminal, "execute('messages')")), "what is to be done")
        desk.pends()
        desk.terminal.type(f":ClaudeCodeDiffs\r:ClaudeCodeDiff{name}\r")
        assert desk.verdict(review)[0] in ("accepted", "rejected")
        desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-07")
def test_who_writes_what_has_been_taken_back_is_told_that_nothing_was_accepted(desk: Desk, inside: Inside) -> None:
    review = desk.propose()
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type("ggOmine\x1b:write")
    desk.terminal.wait_screen(":write")
    assert desk.link.request("close_diffs", reviews=[review]) == {"closed": 1}
    desk.terminal.type("\r")
    desk.wait_closed()
    told = inside.value(desk.terminal, "execute('messages')")
    assert "nothing was accepted: Claude has taken this diff back" in told


@pytest.mark.requirement("IDE-REVIEW-07")
def test_the_text_that_is_thrown_away_cannot_wait(desk: Desk) -> None:
    review = led_at_once(desk)
    desk.terminal.type("ZQ")
    assert desk.verdict(review) == ("rejected", "")
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-07")
def test_who_goes_to_a_diff_means_it(desk: Desk) -> None:
    review = led_at_once(desk)
    desk.terminal.type(":ClaudeCodeDiffs\r:w\r")
    assert desk.verdict(review) == ("accepted", NEW)


@pytest.mark.requirement("IDE-REVIEW-07")
def test_who_calls_for_a_diff_from_its_other_side_is_led_to_it_at_once(desk: Desk) -> None:
    """They type there, but not something that is meant for that side."""
    review = desk.propose()
    desk.terminal.wait_screen(TITLE)
    calm(desk, 100_000)
    desk.terminal.type(":call vim_mcp#diff_focus#watch(1)\r:edit one.txt\r\x17h:ClaudeCodeDiffs\r:w\r")
    assert desk.verdict(review) == ("accepted", NEW)


@pytest.mark.requirement("IDE-REVIEW-07")
def test_the_only_diff_is_not_meant_when_it_has_only_just_come(desk: Desk) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_focus = 'never'")
    calm(desk, 100_000)
    review = desk.propose()
    for name in ("Accept", "Deny"):
        desk.terminal.type(f":redraw!\r:ClaudeCodeDiff{name}\r")
        desk.terminal.wait_screen(NOT_SEEN)
    desk.pends()
    calm(desk, 0)
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict(review) == ("accepted", NEW)


@pytest.mark.requirement("IDE-REVIEW-07")
def test_who_accepts_what_has_just_been_withdrawn_accepts_no_other(desk: Desk) -> None:
    first, second = desk.propose(), desk.propose(b"second\n", tab_name="another")
    desk.terminal.type(":ClaudeCodeDiffs 1\r:ClaudeCodeDiffAccept")
    desk.terminal.wait_screen(":ClaudeCodeDiffAccept")
    assert desk.link.request("close_diffs", reviews=[first]) == {"closed": 1}
    desk.terminal.type("\r")
    desk.terminal.wait_screen(NOT_SEEN)
    desk.pends()
    desk.terminal.wait_screen(lambda screen: TITLE not in screen)
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict(second) == ("accepted", b"second\n")


@pytest.mark.requirement("IDE-REVIEW-07")
def test_a_number_is_not_that_of_another_one_when_one_has_just_gone(desk: Desk) -> None:
    first, second = desk.propose(), desk.propose(b"second\n", tab_name="another")
    calm(desk, 100_000)
    desk.terminal.type(":1tabnext\r:ClaudeCodeDiffs 1")
    desk.terminal.wait_screen(":ClaudeCodeDiffs 1")
    assert desk.link.request("close_diffs", reviews=[first]) == {"closed": 1}
    desk.terminal.type("\r")
    desk.terminal.wait_screen("a diff has just gone", ":ClaudeCodeDiffs lists them")
    desk.terminal.type(":w\r:redraw!\r")
    desk.pends()
    calm(desk, 0)
    desk.terminal.type(":ClaudeCodeDiffs 1\r:w\r")
    assert desk.verdict(second) == ("accepted", b"second\n")
