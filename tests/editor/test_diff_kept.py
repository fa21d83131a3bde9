"""What the person has made of a proposal is not lost with it when it is taken back."""

from __future__ import annotations

import re

import pytest

from tests.support.editing import command
from tests.support.inside import Inside
from tests.support.reviewing import Desk
from tests.support.waiting import wait_until

KEPT = re.compile(r":sbuffer (\d+) has your version of calc\.py")


def kept(desk: Desk, inside: Inside) -> int:
    """The buffer of which the person is told, on the screen or among messages that come with it."""
    found = wait_until(lambda: KEPT.findall(inside.value(desk.terminal, "execute('messages')")), "a kept text")
    return int(found[0])


@pytest.mark.parametrize("how", ["closed", "stopped", "replaced"])
@pytest.mark.requirement("IDE-REVIEW-08")
def test_the_persons_version_is_kept(desk: Desk, inside: Inside, how: str) -> None:
    review = desk.propose()
    desk.terminal.type("ggOmine\x1b")
    desk.terminal.wait_screen("mine")
    if how == "closed":
        assert desk.link.request("close_diffs", reviews=[review]) == {"closed": 1}
    elif how == "stopped":
        desk.terminal.type(":VimMCPStop\r")
    else:
        desk.propose(b"another\n", review=review)
    number = kept(desk, inside)
    desk.terminal.type(f":sbuffer {number}\r")
    assert inside.value(desk.terminal, "[getline(1, '$'), &modified, &buftype]") == [
        ["mine", "one", "2", "three", "four"], 0, "nofile"
    ]  # fmt: skip
    desk.terminal.type(":quitall\r")
    assert desk.terminal.wait() == 0


@pytest.mark.requirement("IDE-REVIEW-08")
def test_it_is_kept_when_the_hub_does_not_come_back(desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_keep = 100")
    desk.propose()
    desk.terminal.type("ggOmine\x1b")
    desk.terminal.wait_screen("mine")
    desk.link.close()
    assert inside.value(desk.terminal, f"getbufline({kept(desk, inside)}, 1)") == ["mine"]


@pytest.mark.requirement("IDE-REVIEW-08")
def test_nothing_is_kept_of_what_nobody_has_changed_or_of_what_was_answered(desk: Desk, inside: Inside) -> None:
    review = desk.propose()
    assert desk.link.request("close_diffs", reviews=[review]) == {"closed": 1}
    desk.wait_closed()
    for keys in (":w\r", ":q\r"):
        review = desk.propose()
        desk.terminal.type("ggOmine\x1b" + keys)
        desk.verdict(review)
        desk.wait_closed()
    wait_until(lambda: inside.value(desk.terminal, "len(getbufinfo())") == 1, "the one buffer from before")
