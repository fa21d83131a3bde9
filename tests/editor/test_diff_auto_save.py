"""Auto-saves that are not nested: no BufWriteCmd is asked, and yet they meet no error (docs/diff-review.md)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.checkers import ALE
from tests.support.editing import state
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import NEW, Desk
from tests.support.waiting import wait_until

HINT = ":ClaudeCodeDiffAccept accepts calc.py, that did not"

Start = Callable[..., Desk]

# What brings an event about, twice.
EVENTS = {
    "InsertLeave": "Ax\x1bAx\x1b",
    "TextChanged": "xx",
    "CursorHold": "l",
    "FocusLost": "\x1b[O\x1b[I\x1b[O",
    "BufLeave": "\x17h\x17l\x17h\x17l",
}
COMMANDS = ["write", "silent write", "update", "wall"]

# Other ways to say it.
WAYS = {
    "among others": ["autocmd InsertLeave * if &modified || 1 | w! | endif"],
    "in a group, for some files": ["augroup saves", "autocmd InsertLeave *.c,*.py silent w", "augroup END"],
    "executed": ["autocmd InsertLeave * execute 'write'"],
    "at a change of mode": ["autocmd ModeChanged *:n write"],
    "without autocommands": ["autocmd InsertLeave * noautocmd write"],
    "in a function": ["function! Save()", "  if 1 | write | endif", "endfunction", "autocmd InsertLeave * call Save()"],
    "in functions of a script": [
        "function! s:Write() abort", "  silent write", "endfunction", "function! s:Save() abort", "  call s:Write()",
        "endfunction", "autocmd InsertLeave * call s:Save()",
    ],
    "in what a function's function calls": [
        "function! Write()", "  write", "endfunction", "function! s:Try()", "  call g:Write()", "endfunction",
        "function! Save()", "  call s:Try()", "endfunction", "autocmd InsertLeave * call Save()",
    ],
}  # fmt: skip

LUA = {
    "a string": "vim.cmd('silent write')",
    "a function": "vim.cmd.write()",
    "the API": 'if vim.bo.modified or true then vim.api.nvim_command("w") end',
    "a function beside it": "save()",
    "a function of a table": "M.save()",
    "a module's function": "require('saves').save()",
    "a global function": "Save()",
}

# What the function that hears may call: each calls the next one.
LUA_BEFORE = """
local function save()
  vim.cmd('silent write')
end
local M = {}
function M.save()
  save()
end
package.loaded.saves = { save = function()
  M.save()
end }
function Save()
  M.save()
end
local function ask()
  if vim.bo.buftype == '' then save() end
end
"""

SAVE = ["function! Save()", "  silent write", "endfunction"]
# What cannot be found by looking.
UNFOUND = {
    "a name put together": [*SAVE, "autocmd InsertLeave * call call('Sa' . 've', [])"],
    "a command put together": ["autocmd InsertLeave * execute nr2char(119)"],
    "in a loop": ["autocmd InsertLeave * for word in ['w']| execute word |endfor"],
}
# What is typed, or read, while a diff is open.
LATER = {
    "typed": ":autocmd InsertLeave * write\r",
    "read": ":source $HOME/later.vim\r",
    "read in passing": ":if 1 | source $HOME/later.vim | endif\r",
}

# What meets no error as it is.
NEEDLESS = {
    "silent": ["autocmd InsertLeave * silent! write"],
    "files alone": ["autocmd InsertLeave * if &buftype ==# '' | write | endif"],
    "files alone, asked by who calls": [
        "function! s:Save()", "  write", "endfunction", "function! s:Ask()", "  if &bt == '' | call s:Save() | endif",
        "endfunction", "autocmd InsertLeave * call s:Ask()",
    ],
    "what has been changed": ["autocmd InsertLeave,FocusLost,BufLeave * wall", "autocmd CursorHold * update"],
    "another buffer": ["autocmd InsertLeave <buffer> write"],
    "'autochdir'": ["autocmd InsertLeave * write", "set autochdir"],
    "ALE": [f"set packpath^={ALE.parents[3]}", "packadd ale", "let g:ale = 1 / exists(':ALELint')"],
}  # fmt: skip

ACCEPTED = ("accepted", NEW.replace(b"one", b"onexy"))
# How it ends, with the verdict.
ANSWERS = {
    ":w\r": ACCEPTED, ":x\r": ACCEPTED, "ZZ": ACCEPTED,
    ":ClaudeCodeDiffDeny\r": ("rejected", ""), ":q\r": ("rejected", ""),
}  # fmt: skip


def written(home: EditorHome) -> list[Path]:
    """The files that auto-saves have left anywhere."""
    return [path for place in (home.runtime, home.home) for path in place.rglob("*calc.py*") if path.is_file()]


def told(desk: Desk, inside: Inside, expression: str) -> Any:
    """The value of an expression; the editor waits for no key."""
    assert "Press ENTER" not in desk.terminal.text()
    return inside.value(desk.terminal, expression)


def is_private(desk: Desk, inside: Inside) -> bool:
    """Whether the diff is one of ordinary buffers."""
    return bool(told(desk, inside, "[&buftype, bufname('%') =~# '/vim-mcp-review-']") == ["", 1])


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_meets_no_error_and_leaves_nothing(
    start: Start, inside: Inside, home: EditorHome, kind: str, event: str, command: str
) -> None:
    (home.home / "backups").mkdir()
    desk = start("set backup backupdir=$HOME/backups updatetime=20", f"autocmd {event} * {command}")
    desk.terminal.type(EVENTS[event])
    if "write" in command or (event, kind) == ("TextChanged", "vim"):
        desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "[v:errmsg, &modified, mode()]") == ["", 0, "n"]
    desk.pends()
    wait_until(lambda: written(home) == [], "what CursorHold has just written to go")
    text = told(desk, inside, "getline(1, '$')")
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", "".join(f"{line}\n" for line in text).encode())
    desk.wait_closed()
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_the_answers_are_what_they_were(start: Start, home: EditorHome, inside: Inside, answer: str) -> None:
    desk = start("autocmd InsertLeave * write")
    assert is_private(desk, inside)
    desk.terminal.type("ggAx\x1bAy\x1b")
    desk.terminal.wait_screen(HINT)
    desk.terminal.type(":checktime\r" + answer)
    assert desk.verdict() == ANSWERS[answer]
    desk.wait_closed()
    assert told(desk, inside, "execute('messages')").count(HINT) == 1
    assert told(desk, inside, "[v:errmsg, len(getbufinfo()), exists('#vim_mcp_diff_private')]") == ["", 1, 0]
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_verdict_comes_before_the_hint(start: Start, inside: Inside) -> None:
    desk = start("autocmd InsertLeave * write")
    desk.terminal.type("ggAx\x1b:w\r")
    assert desk.verdict() == ("accepted", NEW.replace(b"one", b"onex"))
    desk.terminal.type(":call timer_start(800, {timer -> Tell(execute('messages'))})\r")
    assert HINT not in inside.told()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found(start: Start, inside: Inside, way: str) -> None:
    desk = start(*WAYS[way])
    assert is_private(desk, inside)
    desk.terminal.type("Ax\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""


def lua(home: EditorHome, body: str) -> str:
    """A line of the vimrc by which a Lua function hears of InsertLeave."""
    file = home.home / "saves.lua"
    hears = f"vim.api.nvim_create_autocmd('InsertLeave', {{ callback = function()\n  {body}\nend }})\n"
    file.write_text(LUA_BEFORE + hears)
    return f"luafile {file}"


@pytest.mark.parametrize("way", LUA)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found_in_lua(start: Start, inside: Inside, home: EditorHome, kind: str, way: str) -> None:
    if kind != "nvim":
        pytest.skip("Neovim since 0.8")
    desk = start(lua(home, LUA[way]))
    assert is_private(desk, inside)
    desk.terminal.type("Ax\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""


@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_vim_function_that_lua_gives_is_found(start: Start, inside: Inside, kind: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
    desk = start(*SAVE, "lua vim.api.nvim_create_autocmd('InsertLeave', {callback = 'Save'})")
    assert is_private(desk, inside)
    desk.terminal.type("Ax\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""


TYPED = {
    "a string": "vim.cmd('silent write')",
    "a long string": "vim.cmd('silent keepjumps keepalt write | let g:saved_by_itself = get(g:, \"saved\") + 1')",
    "a function": "vim.cmd.write()",
    "the API": "vim.api.nvim_command('w')",
    "a global function": "Save()",
}


@pytest.mark.parametrize("way", TYPED)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found_in_lua_that_is_typed(start: Start, inside: Inside, kind: str, way: str) -> None:
    if kind != "nvim":
        pytest.skip("Neovim since 0.8")
    save = "lua function Save() vim.cmd('silent write') end"
    desk = start(save, f"lua vim.api.nvim_create_autocmd('InsertLeave', {{callback = function() {TYPED[way]} end}})")
    assert is_private(desk, inside)
    desk.terminal.type("Ax\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""


def test_lua_that_is_typed_and_writes_nothing(start: Start, inside: Inside, kind: str) -> None:
    if kind != "nvim":
        pytest.skip("Neovim since 0.8")
    body = "vim.cmd('let g:saved = 1'); print('written')"
    desk = start(f"lua vim.api.nvim_create_autocmd('InsertLeave', {{callback = function() {body} end}})")
    assert told(desk, inside, "&buftype") == "acwrite"


@pytest.mark.parametrize(
    "body", ["vim.cmd('silent! write')", "if vim.bo.buftype == '' then vim.cmd.write() end", "ask()"]
)
def test_lua_that_needs_none(start: Start, inside: Inside, home: EditorHome, kind: str, body: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
    desk = start(lua(home, body))
    assert told(desk, inside, "&buftype") == "acwrite"


def errors(desk: Desk, inside: Inside) -> int:
    """How many there were in the diff."""
    return int(told(desk, inside, "len(split(execute('messages'), 'E676', 1)) - 1"))


@pytest.mark.parametrize("way", UNFOUND)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_one_that_is_not_found_meets_an_error_once(start: Start, inside: Inside, home: EditorHome, way: str) -> None:
    desk = start(*UNFOUND[way])
    desk.terminal.type("ggAx\x1b")
    desk.terminal.wait_screen("Press ENTER")
    desk.terminal.type("\r")
    desk.terminal.wait_screen(HINT)
    wait_until(lambda: is_private(desk, inside), "private files")
    desk.terminal.type("Ay\x1b")
    assert errors(desk, inside) == 1
    assert told(desk, inside, "len(filter(getbufinfo(), 'v:val.name =~# \"calc.py\"'))") == 2
    other = desk.propose(tab_name="other")
    desk.terminal.type(":ClaudeCodeDiffs 2\rggAxy\x1b")
    assert errors(desk, inside) == 1
    desk.terminal.type(":w\r")
    assert desk.verdict(other) == ACCEPTED
    wait_until(lambda: len(list(home.runtime.glob("vim-mcp-review-*"))) == 1, "its directory to go")
    assert written(home) == []


@pytest.mark.parametrize("way", LATER)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_one_that_comes_later_is_found(start: Start, inside: Inside, home: EditorHome, way: str) -> None:
    (home.home / "later.vim").write_text("autocmd InsertLeave * write\n")
    desk = start()
    desk.terminal.type(LATER[way])
    wait_until(lambda: is_private(desk, inside), "private files")
    desk.terminal.type("ggAx\x1bAy\x1b")
    desk.terminal.wait_screen(HINT)
    assert errors(desk, inside) == 0
    desk.terminal.type(":w\r")
    assert desk.verdict() == ACCEPTED


@pytest.mark.parametrize("way", NEEDLESS)
def test_else_the_buffers_are_those_of_no_file(start: Start, inside: Inside, home: EditorHome, way: str) -> None:
    desk = start(*NEEDLESS[way])
    assert told(desk, inside, "&buftype") == "acwrite"
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


def test_several_at_once_and_one_shown_again(start: Start, inside: Inside, home: EditorHome) -> None:
    desk = start("autocmd InsertLeave * write")
    other = desk.propose(tab_name="other")
    desk.terminal.type("ggAx\x1b:tabnext\rggAy\x1b")
    wait_until(lambda: HINT in told(desk, inside, "execute('messages')"), "the hint, perhaps among other messages")
    assert told(desk, inside, "v:errmsg") == ""
    assert written(home) == []
    assert desk.link.request("close_diffs", reviews=[other]) == {"closed": 1}
    wait_until(lambda: len(list(home.runtime.glob("vim-mcp-review-*"))) == 1, "its directory to go")


def test_clients_take_it_for_no_file(start: Start, inside: Inside) -> None:
    desk = start("autocmd InsertLeave * write")
    assert is_private(desk, inside)
    assert sorted(buffer["buftype"] for buffer in state(desk.link, "buffers")) == ["", "acwrite", "acwrite"]
    desk.terminal.type(":ClaudeCodeAdd\r")
    desk.terminal.wait_screen("not mentioned: this buffer has no file")


def test_another_name_is_that_of_no_private_file(start: Start, inside: Inside, home: EditorHome) -> None:
    desk = start("autocmd InsertLeave * silent! write", "autocmd InsertLeave * if 0 | write | endif")
    assert is_private(desk, inside)
    mine = home.home / "mine"
    desk.terminal.type(f":file {mine}\rggAx\x1b")
    assert told(desk, inside, "&buftype") == "acwrite"
    assert not mine.exists()


def test_in_vim_a_hunk_that_the_other_side_puts_counts_as_no_change(start: Start, inside: Inside) -> None:
    desk = start("autocmd FocusLost * wall")
    assert told(desk, inside, "&buftype") == "acwrite"
    desk.terminal.type("\x17hgg]cdp")
    assert told(desk, inside, "filter(getbufinfo(), 'v:val.changed')") == []
    desk.terminal.type("dp\x1b[O")
    assert told(desk, inside, "v:errmsg") == ""


@pytest.mark.parametrize("lines", [[], ["autocmd InsertLeave * write"]], ids=["no file", "private files"])
def test_the_editor_remembers_nothing_of_it(start: Start, home: EditorHome, kind: str, lines: list[str]) -> None:
    option = "viminfofile" if kind == "vim" else "shadafile"
    desk = start(f"set {option}={home.home / 'info'}", *lines)
    desk.terminal.type("Ax\x1b\x17hgg\x17l:qa\r")
    assert desk.verdict() == ("rejected", "")
    desk.terminal.wait()
    assert b"one.txt" in (home.home / "info").read_bytes()
    assert b"calc.py" not in (home.home / "info").read_bytes()
    assert list(home.runtime.glob("vim-mcp-review-*")) == []


@pytest.mark.parametrize("command", ["bwipeout", "bdelete"])
def test_the_file_s_side_may_be_deleted(start: Start, inside: Inside, home: EditorHome, command: str) -> None:
    desk = start()
    desk.terminal.type(f"\x17h:{command}\r:autocmd InsertLeave * write\r")
    wait_until(lambda: is_private(desk, inside), "private files")
    desk.terminal.type("ggAx\x1bAy\x1b")
    desk.terminal.wait_screen(HINT)
    assert told(desk, inside, "v:errmsg") == ""
    desk.terminal.type(":edit one.txt\r:ClaudeCodeDiffs\r")
    desk.terminal.wait_screen("claude-code: calc.py")
    desk.terminal.type(":w\r")
    assert desk.verdict() == ACCEPTED
    wait_until(lambda: list(home.runtime.glob("vim-mcp-review-*")) == [], "its directory to go")
