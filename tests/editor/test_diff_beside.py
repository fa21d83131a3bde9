"""A name beside a proposal's (`:edit %:h/other.py`) is that of the file beside the one under review."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import NEW, Desk

Start = Callable[..., Desk]

MODES = {"no file": [], "private files": ["autocmd InsertLeave * write"]}
WAYS = [":edit %:h/other.py\r", ":split %:h/other.py\r", ":tabedit %:h/other.py\r"]


@pytest.mark.parametrize("exists", [False, True], ids=["new", "there"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_file_beside_is_meant(
    start: Start, home: EditorHome, inside: Inside, mode: str, way: str, exists: bool
) -> None:
    desk = start(*MODES[mode], "set hidden")
    other = desk.file.with_name("other.py")
    if exists:
        other.write_text("there\n")
    desk.terminal.type(way)
    told = inside.value(desk.terminal, "[expand('%:p'), getline(1), &buftype, v:errmsg]")
    assert told == [str(other), "there" if exists else "", "", ""]
    desk.terminal.type("ggOmine\x1b:write\r")
    assert inside.value(desk.terminal, f"readfile('{other}')[0]") == "mine"
    desk.terminal.type(":ClaudeCodeDiffs 1\r:write\r")
    assert desk.verdict() == ("accepted", NEW)
    names = "map(filter(getbufinfo(), 'v:val.name =~# \"other\"'), 'v:val.name')"
    assert inside.value(desk.terminal, names) == [str(other)]
