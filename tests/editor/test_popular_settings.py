"""A day's round with settings that people have and that break plugins: reading, editing, opening, judging a diff."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command, edit, text, wait_mode
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from tests.support.reviewing import NEW, TITLE, Desk
from tests.support.standin import TAKES_PROMPTS, VARIABLES, put
from tests.support.waiting import wait_ended, wait_until

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
    edit(link, kind="insert", file=str(other), line=1, lines_file=str(_lines(home, "new")), save=True)
    assert other.read_text().splitlines() == ["new", "else"]
    no_complaint(terminal)
    desk.propose()
    terminal.wait_screen(TITLE)
    terminal.type(TYPED.get(name, ":w\r"))
    assert desk.verdict() == ("accepted", NEW)
    desk.wait_closed()
    no_complaint(terminal)


@pytest.mark.parametrize("name", [name for name in SETTINGS if name != "mapped modes"])  # no `w` can be typed there
def test_a_round_with_claude(begin: Begin, home: EditorHome, inside: Inside, name: str) -> None:
    """Its terminal, what is sent there, following it, a question, the doctor, and leaving with all of that."""
    program = put(TAKES_PROMPTS, home.home / "claude", inside)
    desk = begin([*SETTINGS[name], f"let g:vim_mcp_claude_command = ['{program}']"])
    terminal, link, other = desk.terminal, desk.link, desk.file.with_name("other.txt")
    other.write_text("else\n")

    def run(*lines: str) -> None:
        terminal.type("".join(TYPED.get(name, ":")[0] + f"{line}\r" for line in lines))

    link.send({"type": "environment", "variables": VARIABLES})
    run("ClaudeCode")
    pid = int(inside.told())
    wait_mode(link, "t")
    link.send({"type": "listening", "pids": [pid]})
    terminal.type("\x1c\x0e")
    run("wincmd t", "1,2ClaudeCodeSend!", "ClaudeCodeAdd other.txt 1 1")
    assert [(Path(told["file"]).name, told["first"]) for told in map(link.event, ["mention"] * 2)] == [
        ("one.txt", 1), ("other.txt", 1),
    ]  # fmt: skip
    terminal.type("\x1c\x0e")
    run("ClaudeCodeAsk why?", "wincmd t", "ClaudeCodeFocus")
    terminal.wait_screen("sent", "why?")
    terminal.type("\x1c\x0e")
    run("wincmd t", "ClaudeCodeFollow")
    link.send({"type": "place", "file": str(other), "lines": [1, 1]})
    wait_until(lambda: "other.txt" in desk.windows(), "the place of Claude's")
    link.request("ask", question="q1", client="codex", kind="execute", lines_file=str(_lines(home, "!ls")))
    terminal.wait_screen("codex asks", "!ls")
    terminal.type("\x1cn")
    assert link.event("answer")["answer"] == "no"
    run("VimMCPDoctor")
    terminal.wait_screen("connection: connected as")
    no_complaint(terminal)
    run("wqa")
    assert terminal.wait() == 0
    wait_ended(pid)


def _lines(home: EditorHome, text: str) -> Path:
    """A file by which lines travel to an editor of whatever 'encoding'."""
    path = home.runtime / "lines"
    path.write_text(text)
    return path


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
