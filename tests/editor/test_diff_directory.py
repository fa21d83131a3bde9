"""Who has the editor go to the directory of each file is, in a diff, in that of the file under review."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.autosaving import errors, is_private, told
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import NEW, OLD, Desk
from tests.support.waiting import wait_until

SAVE = "autocmd InsertLeave * write"
WAYS = {
    "'autochdir'": [SAVE, "set autochdir"],
    "'autochdir', side by side": [SAVE, "set autochdir", "let g:vim_mcp_diff_layout = 'vertical'"],
    "lcd": [SAVE, "autocmd BufEnter,WinEnter * lcd %:p:h"],
    "a nested lcd": [SAVE, "autocmd BufEnter,WinEnter * nested silent! lcd %:p:h"],
}

Start = Callable[..., Desk]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["sub/calc.py", "new/calc.py"])
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_that_of_the_file(start: Start, home: EditorHome, inside: Inside, way: str, name: str) -> None:
    desk = start(*WAYS[way])
    project = desk.file.parent
    (project / "sub").mkdir()
    review = desk.propose(old=OLD if name == "sub/calc.py" else None, file=project / name, tab_name="other")
    desk.terminal.type(":ClaudeCodeDiffs 2\r\x17h\x17l")
    directory = project / "sub" if name == "sub/calc.py" else project
    wait_until(lambda: told(desk, inside, "getcwd()") == str(directory), "the directory of the file")
    assert is_private(desk, inside)
    desk.terminal.type("ggAx\x1b\x17hG\x17l")
    assert told(desk, inside, "getcwd()") == str(directory)
    assert errors(desk, inside) == 0
    desk.terminal.type(":w\r")
    assert desk.verdict(review) == ("accepted", NEW.replace(b"one", b"onex"))
    desk.terminal.type(":ClaudeCodeCloseAllDiffs\r")
    assert desk.verdict() == ("rejected", "")
    desk.wait_closed()
    assert told(desk, inside, "getcwd()") == str(project)
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_so_for_all_who_are_led_there(start: Start, inside: Inside, way: str) -> None:
    desk = start(*WAYS[way])
    wait_until(lambda: is_private(desk, inside), "the diff")
    assert told(desk, inside, "getcwd()") == str(desk.file.parent)
    desk.terminal.type(":tabnew\r:cd /\r:tabprevious\r:tabnext\r:tabclose\r:ClaudeCodeDiffDeny\r")
    assert desk.verdict() == ("rejected", "")
    desk.wait_closed()
    windows = "map(range(1, tabpagenr('$')), 'getcwd(-1, v:val)')"
    assert "vim-mcp-review" not in str(told(desk, inside, f"[getcwd(), {windows}]"))
