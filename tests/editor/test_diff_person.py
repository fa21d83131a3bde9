"""A person walks at random among windows and tab pages while diffs come and go: no error, and nothing is left."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.reviewing import Desk
from tests.support.waiting import wait_until

STEPS = 60
FILES = ("one.txt", "two.txt", "new/three.txt")
LAYOUTS = ("vertical", "horizontal", "tab", "unified")

# What closes windows: where it would be the last one of the person's own, the editor would be left.
CLOSE = ["\x17c", "\x17q", ":q\r", ":close\r", ":hide\r", ":x\r", ":wq\r", "ZZ", "ZQ", ":tabclose\r", ":bd\r", ":bd!\r"]
WINDOWS = [
    *(f"\x17{key}" for key in "svnoxrRHJKLT=_|wWptbhjkl+-"), "gt", "gT", ":tabnew\r", ":tabonly\r", ":tab split\r",
    ":tabmove 0\r", ":copen\r", ":cclose\r", ":help\r", ":bnext\r", ":bprev\r", ":b one.txt\r", ":e two.txt\r",
    ":enew\r",    ":sview one.txt\r", ":botright vnew\r", ":topleft new\r", "\x1e", "\x0f", "\t", ":windo normal! gg\r",
    ":tabdo normal! gg\r", ":sball\r", ":wa\r", ":w\r",
]  # fmt: skip
TEXT = [
    "do", "dp", "]c", "[c", "u", "\x12", "ggyyp", "ggdd", "GAxx\x1b", "zR", "zM", ":diffupdate\r", "ggVGd", ":e\r",
    ":e!\r", ":%s/e/E/ge\r", "G", "gg",
]  # fmt: skip
ANSWERS = [
    ":w\r", ":ClaudeCodeDiffAccept\r", ":ClaudeCodeDiffDeny\r", ":ClaudeCodeDiffDeny not so\r", ":bw!\r",
    ":bw! | ClaudeCodeDiffs 1\r", ":ClaudeCodeCloseAllDiffs\r",
]  # fmt: skip
GO = [":ClaudeCodeDiffs 1\r", ":ClaudeCodeDiffs 2\r", ":ClaudeCodeDiffs\r\r"]
SETTINGS = [
    *(f":let g:vim_mcp_diff_layout = '{layout}'\r" for layout in LAYOUTS),
    *(f":let g:vim_mcp_diff_focus = '{focus}'\r" for focus in ("auto", "always", "never")),
    ":set equalalways!\r", ":set splitbelow!\r", ":set splitright!\r", ":set winminheight=0\r", ":set winfixheight\r",
    ":set autowrite!\r", ":set laststatus=0\r", ":set laststatus=2\r", ":set switchbuf=useopen,usetab\r",
    ":set cmdheight=2\r", ":set cmdheight=1\r", ":set winheight=15\r", ":set showtabline=2\r", ":set scrollbind\r",
]  # fmt: skip

OWN = "getbufvar(v:val.bufnr, 'vim_mcp_diff', '') ==# '' && getbufvar(v:val.bufnr, '&buftype') ==# ''"
MAY_CLOSE = f"get(b:, 'vim_mcp_diff', '') !=# '' || len(filter(getwininfo(), \"{OWN}\")) > 1"
LEFT = (
    "[filter(map(getbufinfo(), 'v:val.name'), 'v:val =~# \"vim-mcp\" && v:val !~# \"/kept/\"'),"
    " filter(range(1, winnr('$')), 'getwinvar(v:val, \"&diff\")'), &eventignore,"
    " map(['vim_mcp_diff', 'vim_mcp_diff_write', 'vim_mcp_diff_private'], 'exists(\"#\" . v:val)')]"
)


class Walk:
    """An editor, the hub's part in reviews, and what was done so far."""

    def __init__(self, desk: Desk, inside: Inside, seed: int):
        self.desk, self.inside = desk, inside
        self.random = random.Random(seed)
        self.done: list[str] = []
        self.asked: list[str] = []

    def value(self, expression: str) -> Any:
        """The value of an expression, from whatever mode the last keys have led to."""
        self.desk.terminal.type("\x1c\x0e")
        return self.inside.value(self.desk.terminal, expression)

    def propose(self) -> None:
        """Claude proposes a text."""
        words = [self.random.choice(("one", "two", "new")) for _ in range(self.random.randint(0, 45))]
        text = "".join(f"{word} {number}\n" for number, word in enumerate(words))
        file = self.desk.file.parent / self.random.choice(FILES)
        self.asked.append(
            self.desk.propose(text.encode(), None, file=file, tab_name=f"tab {self.random.randint(1, 4)}")
        )
        self.done.append(f"propose {file.name}")

    def take_back(self) -> None:
        """Claude takes one back, if it is still there."""
        if self.asked:
            review = self.random.choice(self.asked)
            self.desk.link.request("close_diffs", reviews=[review])
            self.done.append(f"take back {review}")

    def press(self) -> None:
        """The person does something."""
        kind = self.random.choices([WINDOWS, CLOSE, TEXT, ANSWERS, GO, SETTINGS], [40, 10, 22, 6, 14, 8])[0]
        keys = self.random.choice(kind)
        if kind is not CLOSE or self.value(MAY_CLOSE):
            self.desk.terminal.type("\x1c\x0e" + keys + "\x1c\x0e")
            self.done.append(keys)

    def look(self) -> None:
        """No script of this plugin has failed."""
        messages = self.value("execute('messages')")
        assert not re.search("vim_mcp#|vim-mcp-[a-z]+:", messages), (self.done, messages)


@pytest.fixture
def walk(
    home: EditorHome, inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path, seed: int
) -> Walk:
    """One begins; every third person has an auto-save that is not nested, every other one is given time to look."""
    home.add(
        "set noswapfile hidden", f"let g:vim_mcp_ask_calm = {700 * (seed % 2)}", "let g:vim_mcp_diff_focus = 'always'"
    )
    if seed % 3 == 0:
        home.add("autocmd InsertLeave * write")
    project = tmp_path / "project"
    project.mkdir()
    for name in ("one", "two"):
        (project / f"{name}.txt").write_text("".join(f"{name} {number}\n" for number in range(40)))
    terminal = launch("one.txt", cwd=project, size=(40, 140))
    link = raw_hub.editor()
    link.event("BufEnter")
    return Walk(Desk(terminal, link, project, home.runtime), inside, seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.requirement("IDE-SHOW-03")
def test_nothing_is_left(walk: Walk, home: EditorHome) -> None:
    for _ in range(STEPS):
        walk.random.choices([walk.propose, walk.take_back, walk.press], [15, 5, 80])[0]()
        walk.look()
    walk.desk.link.request("close_diffs", reviews=walk.asked)
    wait_until(lambda: walk.value(LEFT) == [[], [], "", [0, 0, 0]], f"nothing to be left behind {walk.done}")
    walk.look()
    assert list(home.runtime.glob("vim-mcp-review-*")) == [], walk.done
    events = [event["review"] for event in list(walk.desk.link.events.queue) if event.get("type") == "review"]
    assert [review for review, count in Counter(events).items() if count > 1] == [], walk.done
