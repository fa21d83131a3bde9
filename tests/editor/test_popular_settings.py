"""A day's round with settings that people have and that break plugins: reading, editing, opening, judging a diff."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command, edit, text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.reviewing import NEW, TITLE, Desk
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

Begin = Callable[..., Desk]

SETTINGS = {
    "nohidden": ["set nohidden"],
    "autowrite": ["set autowrite autowriteall"],
    "confirm": ["set confirm nohidden"],
    "nomodifiable": ["autocmd BufEnter one.txt setlocal nomodifiable"],
    "no shellslash": ["if exists('+shellslash') | set noshellslash | endif", "set fileformats=dos,unix"],
    "latin1": ["if !has('nvim') | set encoding=latin1 termencoding=utf-8 | endif"],
    "diffopt without iwhite": ["set diffopt=internal,filler,closeoff"],
    "diffopt with iwhite": ["set diffopt=internal,filler,iwhiteall,context:0"],
    "diffopt of old": ["set diffopt=filler"],
    "lazyredraw": ["set lazyredraw"],
    "no command line": ["if has('nvim-0.8') | set cmdheight=0 | endif"],
    "autochdir": ["set autochdir"],
    "cautious": ["set exrc secure nomodeline noswapfile nobackup nowritebackup undofile undodir=."],
    "mapped": ["nnoremap : ;", "nnoremap ; :", "nnoremap <CR> :", "nnoremap <Space> <Nop>", "inoremap jk <Esc>"],
    "mapped modes": ["nnoremap w :echo 'no'<CR>", "nnoremap <C-W> :echo 'no'<CR>", "cnoremap w W", "nnoremap i <Nop>"],
}
TYPED = {"mapped": ";w\r", "mapped modes": ":\x17\x16w\r"}
"""How one types `:w` then."""


@pytest.fixture
def begin(launch: Callable[..., Terminal], raw_hub: RawHub, home: EditorHome, tmp_path: Path) -> Begin:
    """An editor with settings, on the first line of `one.txt`, which has two."""

    def start(settings: list[str], *args: str) -> Desk:
        home.add(*settings, "let g:vim_mcp_diff_focus = 'always'")
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        (project / "one.txt").write_text("first\nsecond\n")
        terminal = launch(*(args or ("one.txt",)), cwd=project)
        link = raw_hub.editor()
        link.event("BufEnter")
        return Desk(terminal, link, project, home.runtime)

    return start


def no_complaint(terminal: Terminal) -> None:
    """The screen asks for no key and tells of no error."""
    screen = terminal.text()
    assert "Press ENTER" not in screen
    assert " E" not in f" {screen.splitlines()[-1]}", screen


@pytest.mark.parametrize("name", SETTINGS)
def test_a_days_round(begin: Begin, home: EditorHome, name: str) -> None:
    desk = begin(SETTINGS[name])
    terminal, link, other = desk.terminal, desk.link, desk.file.with_name("other.txt")
    assert text(link) == ["first", "second"]
    other.write_text("else\n")
    lines = home.runtime / "lines"  # by a file, as every 'encoding' takes it
    lines.write_text("new")
    edit(link, kind="insert", file=str(other), line=1, lines_file=str(lines), save=True)
    assert other.read_text().splitlines() == ["new", "else"]
    no_complaint(terminal)
    desk.propose()
    terminal.wait_screen(TITLE)
    terminal.type(TYPED.get(name, ":w\r"))
    assert desk.verdict() == ("accepted", NEW)
    desk.wait_closed()
    no_complaint(terminal)


@pytest.mark.parametrize("how", ["the setting", "-M"])
def test_where_no_buffer_can_be_changed(begin: Begin, inside: Inside, how: str) -> None:
    """As `vim -M` has it: what is ours is filled, shown and judged all the same."""
    desk = begin(*([["set nomodifiable"]] if how == "the setting" else [[], "-M", "one.txt"]))
    terminal = desk.terminal
    desk.propose()
    terminal.wait_screen(TITLE)
    terminal.type("cc" + "own\x1b:ClaudeCodeDiffAccept\r")
    verdict, answer = desk.verdict()
    assert (verdict, b"own" in answer) == ("accepted", True)
    desk.wait_closed()
    desk.link.request("ask", question="q1", client="codex", kind="execute", lines=["!ls"])
    terminal.wait_screen("codex asks", "!ls")
    terminal.type("\x1cn")
    assert desk.link.event("answer")["answer"] == "no"
    terminal.type(":VimMCPDoctor\r")
    terminal.wait_screen("connection: connected as")
    no_complaint(terminal)
    assert inside.value(terminal, "&g:modifiable") == 0


def test_events_ignored(begin: Begin) -> None:
    """The commands work; what autocommands would tell rests."""
    desk = begin([])
    command(desk.terminal, "set eventignore=all")
    edit(desk.link, kind="insert", line=1, lines=["new"], save=True)
    assert text(desk.link) == ["new", "first", "second"]
    desk.propose()
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", NEW)
    desk.wait_closed()
    no_complaint(desk.terminal)


def test_a_session_made_during_a_review(begin: Begin, inside: Inside, tmp_path: Path) -> None:
    """It brings back the user's windows, and no half of a diff that nobody waits for is taken for one."""
    desk = begin(["set sessionoptions=blank,buffers,curdir,folds,help,options,tabpages,winsize,globals,localoptions"])
    desk.propose()
    desk.terminal.wait_screen(TITLE)
    session = tmp_path / "Session.vim"
    command(desk.terminal, f"mksession {session}")
    desk.terminal.type(":qa!\r")
    assert desk.verdict() == ("rejected", "")
    desk.terminal.wait()
    again = begin([], "-c", f"silent source {session}")
    shapes = "[map(range(1, tabpagenr('$')), 'tabpagewinnr(v:val, \"$\")'), bufname('%'), v:errmsg]"
    wait_until(lambda: inside.value(again.terminal, shapes) == [[1], "one.txt", ""], "the user's windows alone")
    again.propose()
    again.terminal.wait_screen(TITLE)
    again.terminal.type(":w\r")
    assert again.verdict() == ("accepted", NEW)
    again.wait_closed()
    again.terminal.type(f":silent source {session}\r")
    wait_until(lambda: inside.value(again.terminal, shapes) == [[1], "one.txt", ""], "the user's windows alone")
