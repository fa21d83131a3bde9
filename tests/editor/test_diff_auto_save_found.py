"""Which auto-saves that are not nested are found before they meet an error (docs/diff-review.md)."""

from __future__ import annotations

import pytest

from tests.editor.test_airline import AIRLINE
from tests.support.autosaving import ACCEPTED, HINT, SAVE, Start, errors, is_met, is_private, told
from tests.support.checkers import ALE
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import TITLE
from tests.support.waiting import wait_until

# Ways to say it.
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
    "by the keys for it": [r'autocmd InsertLeave * execute "normal! :write\<CR>"'],
    "by a function for it": ["autocmd InsertLeave * call execute('write')"],
    "in brackets": ["autocmd InsertLeave * execute ('silent w')"],
    "in a loop": ["autocmd InsertLeave * for word in ['w']| execute word |endfor"],
    "in a variable": ["let g:save_by = 'silent write'", "autocmd InsertLeave * execute get(g:, 'save_by', 'update')"],
    "in a table": ["let g:save = {'by': 'write', 'most': 3}", "autocmd InsertLeave * execute g:save.by"],
    "given to a function": [
        "function! s:Save(how)", "  execute 'keepalt' a:how", "endfunction", "autocmd InsertLeave * call s:Save('w!')",
    ],
    "in a user command": ["command! -bar Keep silent write", "autocmd InsertLeave * if 1 | Keep | endif"],
    "in a user command's function": [
        "function! s:Save()", "  write", "endfunction", "command! -bang Keep call s:Save()",
        "autocmd InsertLeave * silent Keep!",
    ],
    "but in terminals": ["autocmd InsertLeave * if &buftype !=# 'terminal' | write | endif"],
    "but where functions return": [
        "function! s:Save()", "  if &bt ==# 'nofile' || &l:buftype is# 'quickfix'", "    return", "  endif", "  write",
        "endfunction", "autocmd InsertLeave * call s:Save()",
    ],
    "in what a function's function calls": [
        "function! Write()", "  write", "endfunction", "function! s:Try()", "  call g:Write()", "endfunction",
        "function! Save()", "  call s:Try()", "endfunction", "autocmd InsertLeave * call Save()",
    ],
}  # fmt: skip

# At other events: what brings each about, in the proposal.
SELDOM = {
    "InsertEnter": "i\x1b",
    "BufHidden": ":hide edit one.txt\r:ClaudeCodeDiffs\r",
    "BufWinLeave": ":hide edit one.txt\r:ClaudeCodeDiffs\r",
    "QuickFixCmdPre": ":silent! cexpr []\r",
}
VIM9 = [
    "def Write()", "  silent write", "enddef", "def Save()", "  if &modifiable", "    Write()", "  endif", "enddef",
    "autocmd InsertLeave * Save()",
]  # fmt: skip

# What cannot be found by looking.
UNFOUND = {
    "a name put together": [*SAVE, "autocmd InsertLeave * call call('Sa' . 've', [])"],
    "a command put together": ["autocmd InsertLeave * execute nr2char(119)"],
    "a script's variable": ["let s:by = 'write'", "autocmd InsertLeave * execute s:by"],
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
    "a function under silent!": [*SAVE, "autocmd InsertLeave * silent! call Save()", "command! -bar Keep call Save()",
        "autocmd InsertLeave * if 1 | silent! Keep | endif"],
    "a variable": ["autocmd InsertLeave * let w = 5", "autocmd InsertLeave * if 1 || w:saved | execute '' | endif"],
    "netrw": ["autocmd VimEnter * Lexplore | wincmd p"],
    "airline": [f"set runtimepath^={AIRLINE}", "runtime plugin/airline.vim", "let g:a = 1 / exists(':AirlineToggle')"],
    "editorconfig": ["silent! packadd editorconfig"],
    "ALE": [f"set packpath^={ALE.parents[3]}", "packadd ale", "let g:ale = 1 / exists(':ALELint')"],
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found(start: Start, inside: Inside, way: str) -> None:
    desk = start(*WAYS[way])
    is_met(desk, inside)


@pytest.mark.parametrize("event", SELDOM)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_meets_no_error_at_other_events(start: Start, inside: Inside, event: str) -> None:
    desk = start(f"autocmd {event} * silent write", "set hidden")
    assert is_private(desk, inside)
    desk.terminal.type(SELDOM[event])
    desk.terminal.wait_screen(TITLE)
    assert told(desk, inside, "v:errmsg") == ""
    desk.pends()


@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found_in_vim9_script(start: Start, inside: Inside, home: EditorHome, kind: str) -> None:
    if kind != "vim":
        pytest.skip("Vim9 script")
    file = home.home / "saves.vim"
    file.write_text("\n".join(["vim9script", *VIM9]) + "\n")
    desk = start(f"source {file}")
    is_met(desk, inside)


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
    assert list(home.home.rglob("*calc.py*")) == []


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
    if way == "airline" and not AIRLINE.exists():
        pytest.skip("vim-airline is not in .cache/airline")
    desk = start(*NEEDLESS[way])
    assert told(desk, inside, "&buftype") == "acwrite"
    assert list(home.runtime.glob("vim-mcp-review-*")) == []
