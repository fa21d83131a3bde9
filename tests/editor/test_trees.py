"""`:ClaudeCodeTreeAdd`: what lists of files list is mentioned.

netrw and the quickfix window are the real ones; the others are stand-ins that answer as the plugins document."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command, mentioned
from tests.support.editors import EditorHome, Terminal
from tests.support.rawhub import RawEditor, RawHub

Launch = Callable[..., Terminal]
Open = Callable[..., tuple[Terminal, RawEditor]]
FILES = ("a.py", "b c.py", "d.py", "sub/e.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with files, and one below it."""
    project = tmp_path / "project"
    (project / "sub").mkdir(parents=True)
    for name in FILES:
        (project / name).write_text("1\n2\n3\n")
    return project


@pytest.fixture
def open_editor(raw_hub: RawHub, launch: Launch, home: EditorHome, project: Path) -> Open:
    """Start a registered editor in the project with these lines in its vimrc."""

    def open_one(argument: str, *lines: str) -> tuple[Terminal, RawEditor]:
        home.add("filetype plugin on", "runtime plugin/netrwPlugin.vim", *lines)
        terminal = launch(argument, cwd=project, size=(24, 100))
        link = raw_hub.editor()
        link.event("BufEnter")
        return terminal, link

    return open_one


def go_to(terminal: Terminal, text: str) -> None:
    """Put the cursor on a line that holds this."""
    command(terminal, f"call search('\\V{text}', 'w')")


@pytest.mark.requirement("ATM-07")
@pytest.mark.parametrize("style", [0, 1, 3])
def test_netrw(open_editor: Open, project: Path, style: int) -> None:
    """In its thin, long and tree listings: below the cursor, in a range, and marked."""
    terminal, link = open_editor(".", f"let [g:netrw_liststyle, g:netrw_keepdir] = [{style}, 1]")
    terminal.wait_screen("b c.py")
    for name, wanted in (("b c.py", "b c.py"), ("sub/", "sub")):
        go_to(terminal, name)
        terminal.type(":ClaudeCodeTreeAdd\r")
        assert mentioned(link, project) == (wanted,)
    go_to(terminal, "a.py")
    terminal.type("Vj:ClaudeCodeTreeAdd\r")
    assert [mentioned(link, project) for _ in range(2)] == [("a.py",), ("b c.py",)]
    command(terminal, "1")
    terminal.type(":ClaudeCodeTreeAdd\r")
    terminal.wait_screen("vim-mcp: not mentioned: there is no file here")
    go_to(terminal, "d.py")
    terminal.type("mf")
    go_to(terminal, "a.py")
    terminal.type("mf:ClaudeCodeSend\r")
    assert [mentioned(link, project) for _ in range(2)] == [("d.py",), ("a.py",)]


@pytest.mark.requirement("ATM-07")
def test_what_is_marked_in_another_window_is_not_meant(open_editor: Open, project: Path) -> None:
    """netrw has one list of marks for all its windows; it may hold the directory above, too."""
    terminal, link = open_editor(".", "let [g:netrw_liststyle, g:netrw_keepdir, g:netrw_banner] = [0, 1, 0]")
    terminal.wait_screen("b c.py")
    command(terminal, "Vexplore sub")
    terminal.wait_screen("e.py")
    go_to(terminal, "../")
    terminal.type("mf")
    go_to(terminal, "e.py")
    terminal.type("mf:ClaudeCodeTreeAdd\r")
    assert mentioned(link, project) == ("sub/e.py",)
    command(terminal, "wincmd p")
    go_to(terminal, "d.py")
    terminal.type(":ClaudeCodeTreeAdd\r")
    assert mentioned(link, project) == ("d.py",)


@pytest.mark.requirement("ATM-07")
def test_netrw_below_an_opened_directory(open_editor: Open, project: Path) -> None:
    terminal, link = open_editor(".", "let g:netrw_liststyle = 3")
    terminal.wait_screen("sub/")
    go_to(terminal, "sub/")
    terminal.type("\r")
    terminal.wait_screen("e.py")
    go_to(terminal, "e.py")
    terminal.type(":ClaudeCodeTreeAdd\r")
    assert mentioned(link, project) == ("sub/e.py",)


@pytest.mark.requirement("ATM-07")
@pytest.mark.parametrize(("get", "window"), [("cgetexpr", "copen"), ("lgetexpr", "lopen")])
def test_the_quickfix_and_location_list(open_editor: Open, project: Path, get: str, window: str) -> None:
    lines = ["a.py:2:word", "nowhere", "d.py:3:word", "a.py:2:again"]
    terminal, link = open_editor("a.py", "set errorformat=%f:%l:%m,%m")
    command(terminal, f"{get} {lines} | {window}")
    terminal.type(":3ClaudeCodeTreeAdd\r")
    assert mentioned(link, project) == ("d.py", 3, 3)
    terminal.type(":%ClaudeCodeTreeAdd\r")
    terminal.wait_screen("2 places")
    assert [mentioned(link, project) for _ in range(2)] == [("a.py", 2, 2), ("d.py", 3, 3)]


@pytest.mark.requirement("ATM-07")
def test_what_lists_no_files_is_one_clear_message(open_editor: Open) -> None:
    terminal, _ = open_editor("a.py")
    terminal.type(":ClaudeCodeTreeAdd\r")
    terminal.wait_screen("vim-mcp: this lists no files that are known: :ClaudeCodeAdd {file}")


@pytest.mark.requirement("ATM-07")
def test_an_explorer_that_is_not_what_it_was_is_one_clear_message(open_editor: Open) -> None:
    terminal, _ = open_editor("a.py")
    command(terminal, "setlocal filetype=nerdtree")
    terminal.type(":ClaudeCodeTreeAdd\r")
    terminal.wait_screen("vim-mcp: not mentioned: Vim", "E121: Undefined variable: g:NERDTreeFileNode")


NERDTREE = """
function! At() abort
  return {'str': {-> getcwd() . '/' . getline('.')}}
endfunction
let g:NERDTreeFileNode = {'GetSelected': {-> getline('.') =~# '\\.py$' ? {'path': At()} : {}}}
"""
FERN = """
function! fern#helper#new() abort
  let At = {line -> {'_path': getcwd() . '/' . getline(line)}}
  let Marked = {-> map(copy(get(g:, 'marked', [])), {key, line -> At(line)})}
  return {'sync': {'get_cursor_node': {-> At('.')}, 'get_selected_nodes': Marked}}
endfunction
"""
LUA = """lua << trailer
local function line(number) return vim.fn.getline(number or ".") end
local function path(number) return vim.fn.getcwd() .. "/" .. line(number) end
local marked = function()
  return vim.tbl_map(function(number) return { absolute_path = path(number) } end, vim.g.marked or {})
end
package.loaded["nvim-tree.api"] = {
  tree = { get_node_under_cursor = function() return { absolute_path = path() } end }, marks = { list = marked },
}
local tree = { get_node = function(_, number) return { path = path(number) } end }
package.loaded["neo-tree.sources.manager"] = { get_state_for_window = function() return { tree = tree } end }
package.loaded.oil = {
  get_entry_on_line = function(_, number) return { name = line(number) } end,
  get_current_dir = function() return vim.fn.getcwd() .. "/" end,
}
package.loaded["mini.files"] = { get_fs_entry = function(_, number) return { path = path(number) } end }
trailer
"""
EXPLORERS = {
    "nerdtree": (NERDTREE, False), "fern": (FERN, True), "NvimTree": (LUA, True), "neo-tree": (LUA, False),
    "oil": (LUA, False), "minifiles": (LUA, False),
}  # fmt: skip


@pytest.mark.requirement("ATM-07")
@pytest.mark.parametrize("explorer", EXPLORERS)
def test_a_stand_in_for(open_editor: Open, project: Path, kind: str, tmp_path: Path, explorer: str) -> None:
    source, marks = EXPLORERS[explorer]
    if source is LUA and kind == "vim":
        pytest.skip("Neovim's alone")
    autoload = tmp_path / "other" / "autoload" / "fern" / "helper.vim"
    autoload.parent.mkdir(parents=True)
    autoload.write_text(FERN)
    lines = [] if source is FERN else source.splitlines()
    terminal, link = open_editor("list", f"set runtimepath^={tmp_path / 'other'} noswapfile", *lines)
    command(terminal, f"call setline(1, {list(FILES)}) | setlocal filetype={explorer} buftype=nofile")
    terminal.type(":2\r:ClaudeCodeTreeAdd\r")
    assert mentioned(link, project) == ("b c.py",)
    terminal.type(":3,4ClaudeCodeTreeAdd\r")
    assert [mentioned(link, project) for _ in range(2)] == [("d.py",), ("sub/e.py",)]
    if marks:
        command(terminal, "let g:marked = [4, 1]")
        terminal.type(":ClaudeCodeTreeAdd\r")
        assert [mentioned(link, project) for _ in range(2)] == [("sub/e.py",), ("a.py",)]
