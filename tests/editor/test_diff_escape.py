"""Where the person's Escape writes (`inoremap <Esc> <Esc>:w<CR>`), to leave Insert mode accepts nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.autosaving import HINT, told
from tests.support.inside import Inside
from tests.support.reviewing import NEW, Desk

ACCEPTED = ("accepted", NEW.replace(b"one", b"onex"))

Start = Callable[..., Desk]

# (lines of the vimrc, what is typed in Insert mode)
ESCAPES = {
    "Escape": (["inoremap <Esc> <Esc>:w<CR>"], "\x1b"),
    "Escape that updates": (["imap <silent> <Esc> <Esc>:<C-U>silent! update<CR>"], "\x1b"),
    "Escape with <Cmd>": (["inoremap <Esc> <Esc><Cmd>w<CR>"], "\x1b"),
    "CTRL-C": (["inoremap <C-C> <Esc>:w!<CR>"], "\x03"),
    "what is typed for Escape": (["inoremap jj <Esc>", "inoremap jk <Esc>:w<CR>"], "jk"),
}
BOTH = ["inoremap <Esc> <Esc>:w<CR>", "nnoremap <Esc> :w<CR>"]
# What is commanded nonetheless, as it is typed.
COMMANDS = {
    "typed": (BOTH, [":", "w\r"]),
    "a mapping that closes": ([*BOTH, "nnoremap \\q :wq<CR>"], ["\\q"]),
    "another mapping": (["inoremap <Esc> <Esc>:w<CR>", "nnoremap \\w :w<CR>"], ["\\w"]),
}


def edit(desk: Desk) -> None:
    """Change the first line and stay in Insert mode."""
    desk.terminal.type("ggAx")
    desk.terminal.wait_screen("onex")


@pytest.mark.parametrize("way", ESCAPES)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_accepts_nothing(start: Start, inside: Inside, way: str) -> None:
    lines, keys = ESCAPES[way]
    desk = start(*lines)
    edit(desk)
    desk.terminal.type(keys)
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "[v:errmsg, &modified, mode(), getline(1)]") == ["", 0, "n", "onex"]
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ACCEPTED


@pytest.mark.requirement("IDE-REVIEW-02")
def test_nor_in_normal_mode(start: Start, inside: Inside, kind: str) -> None:
    if kind == "nvim07":
        pytest.skip("Neovim 0.7 does not tell a mapping's command line from a typed one")
    desk = start("nnoremap <Esc> :noh<CR>:w<CR>")
    edit(desk)
    # Later than what comes of leaving Insert mode.
    desk.terminal.type("\x1b:call timer_start(1, {timer -> Tell(execute('messages'))})\r")
    assert HINT not in inside.told()
    desk.terminal.type("\x1b")
    desk.terminal.wait_screen(HINT)
    desk.pends()


@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_told_once(start: Start, inside: Inside) -> None:
    desk = start("inoremap <Esc> <Esc>:w<CR>")
    edit(desk)
    desk.terminal.type("\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "execute('messages clear')") == ""
    desk.terminal.type("Ay\x1b:call timer_start(800, {timer -> Tell(execute('messages'))})\r")
    assert HINT not in inside.told()
    desk.pends()


@pytest.mark.parametrize("way", COMMANDS)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_what_is_commanded_accepts(start: Start, inside: Inside, way: str) -> None:
    lines, keys = COMMANDS[way]
    desk = start(*lines)
    edit(desk)
    desk.terminal.type("\x1b")
    desk.terminal.wait_screen(HINT)
    for key in keys:
        desk.terminal.type(key)
        if key == ":":  # read before the rest is there, as of a person's fingers
            desk.terminal.wait_screen(lambda screen: screen.rpartition("\n")[2] == ":")
    assert desk.verdict() == ACCEPTED
