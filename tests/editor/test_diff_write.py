"""Which writes accept: those that the person has commanded, and no other one (docs/diff-review.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.inside import Inside
from tests.support.reviewing import NEW, Desk
from tests.support.waiting import wait_until

HINT = ":ClaudeCodeDiffAccept accepts calc.py, that did not"

FREE = NEW.replace(b"one", b"FREE")
EDIT = "ggcwFREE\x1b"

SAVE = """
function! Save() abort
  write
endfunction
function! Soon(command) abort
  call timer_start(1, {timer -> execute(a:command . ' | let g:soon = 1', '')})
endfunction
"""

Start = Callable[..., Desk]


@pytest.fixture
def start(start: Start) -> Start:
    """Start an editor with these lines in its vimrc and show a diff in it."""
    return lambda *lines: start(*SAVE.splitlines(), *lines)


# (name, lines of the vimrc, keys; each after an edit): the person's own commands
COMMANDED: list[tuple[str, list[str], str]] = [
    ("typed", [], ":w\r"),
    ("with a count of lines that is all", [], ":1,$write\r"),
    ("a mapping that types", ["nnoremap \\w :w<CR>"], "\\w"),
    ("a mapping that types :update", ["nnoremap \\w :update<CR>"], "\\w"),
    ("a silent mapping", ["nnoremap <silent> \\w :silent w<CR>"], "\\w"),
    ("a mapping in Insert mode", ["inoremap <C-G>w <Esc>:w<CR>"], "A\x07w"),
    ("a mapping of ZZ", ["nnoremap ZZ :wq<CR>"], "ZZ"),
    ("an abbreviation", ["cnoreabbrev ww w"], ":ww\r"),
    ("a macro", ["let @q = ':w' . nr2char(13)"], "@q"),
    ("the last command again", [], ":w other-name\r@:\x15:w\r"),
    ("the command-line window", [], "q:iw\r"),
    ("among other commands", [], ":let x = 1 | w | let y = 2\r"),
    ("a command beside an auto-save that fails", ["autocmd InsertLeave * silent! write"], ":w\r"),
    ("a command beside an auto-save that is nested", ["autocmd InsertLeave * ++nested silent! wall"], ":w\r"),
]

# Not told in Neovim 0.7, which does not say who calls.
COMMANDED_NEW: list[tuple[str, list[str], str]] = [
    ("a mapping with <Cmd>", ["nnoremap \\w <Cmd>w<CR>"], "\\w"),
    ("a mapping with <Cmd> in Insert mode", ["inoremap <C-G>w <Cmd>w<CR>"], "A\x07w"),
]

# What writes without the person having said so. Some write nothing, since nothing counts as changed: no hint then.
TOLD: list[tuple[str, list[str], str]] = [
    ("a nested autocommand", ["autocmd InsertLeave * ++nested write"], "A\x1b"),
    ("a nested silent autocommand", ["autocmd InsertLeave * ++nested silent! write"], "A\x1b"),
    ("a function in a nested autocommand", ["autocmd InsertLeave * ++nested call Save()"], "A\x1b"),
    ("a timer", [], ":call Soon('write')\r"),
    ("a silent timer", [], ":call Soon('silent! write')\r"),
    ("a timer calls a function", [], ":call Soon('call Save()')\r"),
    ("a timer after a typed write elsewhere", [], ":call Soon('write')\r"),
    ("a mapping calls a function", ["nnoremap \\w :call Save()<CR>"], "\\w"),
    ("a mapping with <Cmd> calls a function", ["nnoremap \\w <Cmd>call Save()<CR>"], "\\w"),
    ("execute", [], ":execute 'w'\r"),
    ("a script", ["call writefile(['write'], $HOME . '/w.vim')"], ":source $HOME/w.vim\r"),
    ("a user command of another name", ["command! Keep write"], ":Keep\r"),
    ("in every window", [], ":windo if &l:bt ==# 'acwrite' | w | endif\r"),
    ("all", [], ":wa\r"),
    ("all, in full", [], ":wall!\r"),
    ("under another name", [], ":w other-name\r"),
    ("under another name, by force", [], ":w! other-name\r"),
    ("at the end of another file", [], ":w >>other-name\r"),
    ("a part, by force", [], ":1,2w!\r"),
    ("under another name from then on", [], ":saveas other-name\r:w\r"),
    ("after it was given another name", [], ":file other-name\r:w\r"),
]

SILENT: list[tuple[str, list[str], str]] = [
    ("an autocommand writes all", ["autocmd InsertLeave * wall"], "A\x1b"),
    ("an autocommand updates", ["autocmd InsertLeave * update"], "Ax\x1b"),
    ("an autocommand updates after changes as they are typed", ["autocmd TextChangedI * silent! update"], "Ax\x1b"),
    ("an autocommand that is silent", ["autocmd InsertLeave,TextChanged * silent! write"], "Ax\x1bx"),
    ("an autocommand that is silent, for all", ["autocmd InsertLeave,TextChanged * silent! wall"], "Ax\x1bx"),
    ("a nested autocommand updates", ["autocmd InsertLeave,TextChanged * ++nested silent! update"], "Ax\x1b"),
    ("the focus goes", ["autocmd FocusLost * wall"], "\x1b[O"),
    ("the window is left", ["autocmd WinLeave,BufLeave * update"], "\x17h\x17l"),
    ("the window is left, nested", ["autocmd WinLeave,BufLeave * ++nested update"], "\x17h\x17l"),
    ("a timer writes all", [], ":call Soon('wall')\r"),
    ("a timer updates", [], ":call Soon('update')\r"),
    ("'autowrite'", ["set autowriteall"], ":silent make! -h\r"),
    ("to a command", [], ":silent w !cat >/dev/null\r"),
    ("an update that is not reached", [], ":try | s/nowhere/x/ | update | catch | endtry\r"),
    ("an update that is only spoken of", [], ":nnoremap \\w :ls \\| update\r"),
    ("an update of a part", [], ":silent! 1,2update\r"),
    ("an exit with a part", [], ":silent! 1,2x\r"),
]

LUA: list[tuple[str, list[str], str]] = [
    ("a timer of Lua's", ["lua function Go() vim.defer_fn(function() vim.cmd('write') end, 1) end"], ":lua Go()\r"),
    ("a key calls Lua", ["lua vim.keymap.set('n', '\\\\w', function() vim.cmd('write') end)"], "\\w"),
    ("Lua in a nested autocommand", [
        "lua vim.api.nvim_create_autocmd('InsertLeave', {nested = true, callback = function() vim.cmd('write') end})",
    ], "A\x1b"),
    ("nvim_command of a loop", [
        "lua function Go() vim.schedule(function() vim.api.nvim_command('write') end) end",
    ], ":lua Go()\r"),
]  # fmt: skip

LUA_NEW: list[tuple[str, list[str], str]] = [
    ("vim.cmd.write() in a timer", ["lua function Go() vim.defer_fn(function() vim.cmd.write() end, 1) end"],
     ":lua Go()\r"),
    ("vim.cmd.write() in an autocommand", [
        "lua vim.api.nvim_create_autocmd('InsertLeave', {nested = true, callback = function() vim.cmd.write() end})",
    ], "A\x1b"),
    ("keys that a timer types", ["lua function Go() vim.defer_fn(function() vim.fn.feedkeys(':w\\r') end, 700) end"],
     ":lua Go()\r"),
]  # fmt: skip


def named(cases: list[tuple[str, list[str], str]]) -> pytest.MarkDecorator:
    """Each case as a test that is called by its name."""
    return pytest.mark.parametrize(("lines", "keys"), [pytest.param(*case[1:], id=case[0]) for case in cases])


def check_accepted(desk: Desk, keys: str) -> None:
    desk.terminal.type(EDIT + keys)
    assert desk.verdict() == ("accepted", FREE)
    desk.terminal.type("\x1b")
    desk.wait_closed()


def check_pending(desk: Desk, inside: Inside, keys: str, *, told: bool) -> None:
    """The keys give no verdict and no error; then a command of the person's does."""
    desk.terminal.type(EDIT + keys)
    if told:
        desk.terminal.wait_screen(HINT)
    if "Soon(" in keys:
        wait_until(lambda: inside.value(desk.terminal, "get(g:, 'soon')") == 1, "the timer")
    desk.link.request("ping")
    assert not re.search(r"^E\d+:|^Error", desk.terminal.text(), re.M)
    assert inside.value(desk.terminal, "[&modified, mode()]") == [0, "n"]
    text = inside.value(desk.terminal, "getline(1, '$')")
    desk.pends()
    assert sorted(path.name for path in desk.file.parent.iterdir()) == ["calc.py"]
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", "".join(f"{line}\n" for line in text).encode())
    desk.wait_closed()


@named(COMMANDED)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_the_person_has_commanded_it(start: Start, lines: list[str], keys: str) -> None:
    check_accepted(start(*lines), keys)


@named(COMMANDED_NEW)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_the_person_has_commanded_it_by_a_key_alone(
    start: Start, kind: str, inside: Inside, lines: list[str], keys: str
) -> None:
    if kind == "nvim07":
        check_pending(start(*lines), inside, keys + "\x1b", told=True)
    else:
        check_accepted(start(*lines), keys)


@named(TOLD)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_nobody_has_commanded_it(start: Start, inside: Inside, lines: list[str], keys: str) -> None:
    check_pending(start(*lines), inside, keys, told=True)


@named(SILENT)
@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-02")
def test_nobody_has_commanded_it_and_nothing_is_written(
    start: Start, inside: Inside, lines: list[str], keys: str
) -> None:
    check_pending(start(*lines), inside, keys, told=False)


def test_neovim_spares_its_user_an_error_of_vims(start: Start, inside: Inside, kind: str) -> None:
    if kind == "vim":
        pytest.skip("Vim tells of no change before its autocommands hear of it")
    desk = start("autocmd TextChanged * update | wall")
    for keys in ("x", "u", "ddp", ":%s/o/0/\r"):
        desk.terminal.type(keys)
    check_pending(desk, inside, "", told=False)


@named(LUA)
@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-02")
def test_lua_writes(start: Start, inside: Inside, kind: str, lines: list[str], keys: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
    check_pending(start(*lines), inside, keys, told=True)


@named(LUA_NEW)
@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-02")
def test_lua_writes_in_a_newer_way(start: Start, inside: Inside, kind: str, lines: list[str], keys: str) -> None:
    if kind != "nvim":
        pytest.skip("Neovim 0.11 and later")
    check_pending(start(*lines), inside, keys, told=True)


def test_a_program_that_drives_neovim_has_not_commanded_it(start: Start, inside: Inside, kind: str) -> None:
    if kind != "nvim":
        pytest.skip("Neovim 0.11 and later")
    desk = start("let g:there = sockconnect('pipe', v:servername, {'rpc': 1})")
    command = "call timer_start(700, {timer -> rpcnotify(g:there, 'nvim_command', 'write')})"
    check_pending(desk, inside, f":{command}\r", told=True)


@pytest.mark.requirement("IDE-REVIEW-02")
def test_no_autocommand_is_needed_for_our_commands(start: Start) -> None:
    desk = start("nmap \\a <Plug>(claude-diff-accept)")
    desk.terminal.type(":set eventignore=all\r" + EDIT + "\\a")
    assert desk.verdict() == ("accepted", FREE)
    desk.wait_closed()
    review = desk.propose()
    desk.terminal.type(":tablast\r\x17l:ClaudeCodeDiffDeny no\r")
    assert desk.verdict(review) == ("rejected", "no")
    desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-02")
def test_an_auto_save_is_hinted_at_once(start: Start, inside: Inside) -> None:
    desk = start("autocmd InsertLeave * ++nested silent! write")
    desk.terminal.type("A\x1b")
    desk.terminal.wait_screen(HINT)
    desk.terminal.type(":echo 'gone'\r")
    desk.terminal.wait_screen(lambda screen: HINT not in screen)
    desk.terminal.type("A\x1bA\x1b:call timer_start(800, {timer -> Tell(execute('messages'))})\r")
    assert inside.told().count(HINT) == 1


@pytest.mark.requirement("IDE-REVIEW-02")
def test_the_other_name_is_not_written(start: Start, inside: Inside) -> None:
    desk = start()
    (desk.file.parent / "other-name").write_text("precious")
    desk.terminal.type(":w! other-name\r")
    desk.terminal.wait_screen(HINT)
    assert (desk.file.parent / "other-name").read_text() == "precious"
    assert json.dumps(inside.value(desk.terminal, "bufname('%')")).count("calc.py") == 1


@pytest.mark.requirement("IDE-REVIEW-02")
@pytest.mark.parametrize("lines", [[], ["autocmd InsertLeave * write"]], ids=["no file", "private files"])
@pytest.mark.parametrize("command", ["saveas", "file"])
def test_nothing_is_left_of_one_that_was_given_another_name(
    start: Start, inside: Inside, lines: list[str], command: str
) -> None:
    desk = start(*lines)
    desk.terminal.type(f":{command} other-name\r:ClaudeCodeDiffAccept\r")
    assert desk.link.event("review")["verdict"] == "accepted"
    wait_until(lambda: names_of_diffs(desk, inside) == [], "no buffer of it")


def names_of_diffs(desk: Desk, inside: Inside) -> list[str]:
    """The names of the buffers that are a diff's, or have been."""
    names: Any = inside.value(desk.terminal, "map(getbufinfo(), 'v:val.name')")
    return [name for name in names if re.search("vim-mcp:|vim-mcp-review|other-name", name)]
