"""Auto-saves in Lua that are not nested are found before they meet an error (docs/diff-review.md)."""

from __future__ import annotations

import pytest

from tests.support.autosaving import SAVE, Start, is_met, is_private, told
from tests.support.editors import EditorHome
from tests.support.inside import Inside

LUA = {
    "a string": "vim.cmd('silent write')",
    "a string of several lines": "vim.cmd([[\n  silent write\n  let g:saved = 1\n]])",
    "a string on a line of its own": "vim.cmd(\n    'silent write'\n  )",
    "a string beside it": "vim.cmd(how)",
    "a setting's string": "vim.cmd(M.settings.how)",
    "a setting's function": "M.settings.save()",
    "but in terminals": "if vim.bo.buftype ~= 'terminal' then vim.cmd('write') end",
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
local how = 'silent write'
local M = { settings = { how = 'write', save = save } }
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

# Lua in Vim's commands.
LUA_IN_VIM = {
    "a command": ["autocmd InsertLeave * lua vim.cmd('write')"],
    "executed": ["""autocmd InsertLeave * execute "lua require'saves'.save()\""""],
    "a global function": ["autocmd InsertLeave * lua Save()"],
    "a table's function": ["lua Saves = { save = Save }", "autocmd InsertLeave * lua Saves.save()"],
    "a module that is a function": ["lua package.loaded.save = Save", "autocmd InsertLeave * lua require('save')()"],
    "in a function": ["function! s:Save()", "  lua Save()", "endfunction", "autocmd InsertLeave * call s:Save()"],
    "by its name": ["autocmd InsertLeave * call v:lua.Save()"],
}

TYPED = {
    "a string": "vim.cmd('silent write')",
    "a long string": "vim.cmd('silent keepjumps keepalt write | let g:saved_by_itself = get(g:, \"saved\") + 1')",
    "a function": "vim.cmd.write()",
    "the API": "vim.api.nvim_command('w')",
    "a global function": "Save()",
}


def lua(home: EditorHome, body: str) -> str:
    """A line of the vimrc by which a Lua function hears of InsertLeave."""
    file = home.home / "saves.lua"
    hears = f"vim.api.nvim_create_autocmd('InsertLeave', {{ callback = function()\n  {body}\nend }})\n"
    file.write_text(LUA_BEFORE + hears)
    return f"luafile {file}"


@pytest.mark.parametrize("way", LUA)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found_in_lua(start: Start, inside: Inside, home: EditorHome, kind: str, way: str) -> None:
    if kind == "vim" or (kind == "nvim07" and way == "a function"):
        pytest.skip("what Neovim has")
    desk = start(lua(home, LUA[way]))
    is_met(desk, inside)


@pytest.mark.parametrize("way", LUA_IN_VIM)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found_in_lua_of_a_command(start: Start, inside: Inside, home: EditorHome, kind: str, way: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
    desk = start(lua(home, ""), *LUA_IN_VIM[way])
    is_met(desk, inside)


@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_user_command_of_lua_is_found(start: Start, inside: Inside, home: EditorHome, kind: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
    command = "lua vim.api.nvim_create_user_command('Keep', function() Save() end, {})"
    desk = start(lua(home, ""), command, "autocmd InsertLeave * Keep")
    assert is_private(desk, inside)


@pytest.mark.requirement("IDE-REVIEW-02")
def test_a_vim_function_that_lua_gives_is_found(start: Start, inside: Inside, kind: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
    desk = start(*SAVE, "lua vim.api.nvim_create_autocmd('InsertLeave', {callback = 'Save'})")
    is_met(desk, inside)


@pytest.mark.parametrize("way", TYPED)
@pytest.mark.requirement("IDE-REVIEW-02")
def test_it_is_found_in_lua_that_is_typed(start: Start, inside: Inside, kind: str, way: str) -> None:
    if kind == "vim" or (kind == "nvim07" and way == "a function"):
        pytest.skip("what Neovim has")
    save = "lua function Save() vim.cmd('silent write') end"
    desk = start(save, f"lua vim.api.nvim_create_autocmd('InsertLeave', {{callback = function() {TYPED[way]} end}})")
    is_met(desk, inside)


def test_lua_that_is_typed_and_writes_nothing(start: Start, inside: Inside, kind: str) -> None:
    if kind == "vim":
        pytest.skip("Neovim's Lua")
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
