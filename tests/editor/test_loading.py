"""What loading the plugin does to an editor: next to nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub

Launch = Callable[..., Terminal]


@pytest.mark.requirement("LINK-06")
def test_loading_sources_one_small_file(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    home.add("autocmd VimEnter * let g:names = execute('scriptnames')")
    if_lua = "has('nvim') ? luaeval('package.loaded[\"vim_mcp.link\"] ~= nil') : v:false"
    home.add(f"autocmd VimEnter * let g:lua = {if_lua}")
    terminal = launch()
    names, lua = inside.value(terminal, "[g:names, g:lua]")
    assert "plugin/vim_mcp.vim" in names
    assert "autoload/vim_mcp" not in names
    assert lua is False
    assert len((ROOT / "plugin" / "vim_mcp.vim").read_text().splitlines()) < 100


@pytest.mark.requirement("LINK-06")
def test_nothing_of_the_users_is_changed(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    """Loading, and registration, map no key, change no option, say nothing, and open no window; what autocommands there
    are stand in groups of ours."""
    loaded = launch("one.txt")
    raw_hub.editor().event("BufEnter")
    with_plugin = inside.value(loaded, SETTINGS)
    loaded.type(":qa!\r")
    loaded.wait()
    home.add("let g:loaded_vim_mcp = 1")
    without = inside.value(launch("one.txt"), SETTINGS)
    autocommands = [each.pop("autocommands") for each in (with_plugin, without)]
    assert with_plugin == without
    assert "vim_mcp_events" in autocommands[0]
    assert without_ours(autocommands[0]) == without_ours(autocommands[1]) == autocommands[1].splitlines()


OURS = 'v:val =~# "<Plug>(claude-" || v:val =~# "<Plug>(vim-mcp-"'
SETTINGS = (
    "{'options': execute('set all'), 'insert': execute('map!'), "
    f"'terminal': filter(split(execute('tmap'), '\\n'), '!({OURS}) && v:val !=# \"No mapping found\"'), "
    f"'maps': filter(split(execute('map'), '\\n'), '!({OURS})'), 'abbreviations': execute('abbreviate'), "
    "'messages': execute('messages'), 'windows': winlayout(), 'tabs': tabpagenr('$'), 'highlights': "
    "filter(split(execute('highlight'), '\\n'), 'v:val !~# \"^VimMCP\"'), 'autocommands': execute('autocmd')}"
)


def without_ours(autocommands: str) -> list[str]:
    """The lines of `:autocmd` but for those of our groups: a line that is not indented begins a group's event."""
    kept, ours = [], False
    for line in autocommands.splitlines():
        ours = line.startswith("vim_mcp_") or (ours and line.startswith(" "))
        kept += [] if ours else [line]
    return kept


def test_the_commands_are_there(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    terminal = launch()
    plugin = (ROOT / "plugin" / "vim_mcp.vim").read_text()
    commands = set(re.findall(r"^command! .*?\b((?:VimMCP|Claude)\w+)", plugin, re.MULTILINE))
    there = "getcompletion('VimMCP', 'command') + getcompletion('Claude', 'command')"
    assert set(inside.value(terminal, there)) == commands
    assert commands > {"ClaudeCode", "VimMCPStatus"}
    for name in ("Pause", "Selection"):
        assert inside.value(terminal, f"getcompletion('VimMCP{name} ', 'cmdline')") == ["on", "off"]


def test_a_second_loading_changes_nothing(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    terminal = launch()
    link = raw_hub.editor()
    link.event("BufEnter")
    before = inside.value(terminal, "execute('autocmd')")
    terminal.type(":runtime! plugin/vim_mcp.vim\r")
    assert inside.value(terminal, "execute('autocmd')") == before
    assert link.request("ping") == {}
    assert raw_hub.waiting() == 0


def test_an_editor_that_loads_the_plugin_late_registers(raw_hub: RawHub, launch: Launch, home: EditorHome) -> None:
    with_plugin = home.vimrc.read_text()
    home.vimrc.write_text(with_plugin.replace(f"runtimepath^={ROOT} ", ""))
    assert home.vimrc.read_text() != with_plugin
    terminal = launch("one.txt")
    terminal.wait_screen("one.txt")
    terminal.type(f":set runtimepath^={ROOT}\r:runtime plugin/vim_mcp.vim\r")
    assert raw_hub.editor().request("ping") == {}


@pytest.mark.parametrize("kind", ["vim"], indirect=True)  # Neovim has no 'compatible'
@pytest.mark.requirement("VIM-PLAT-02")
def test_a_compatible_vim_works_too(raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path) -> None:
    home.vimrc.write_text(home.vimrc.read_text().replace("set nocompatible\n", ""))
    home.add("set compatible")
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    assert link.request("get_state")["current_buffer"]["content"] == [""]
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen("connected, no Claude, as one-")


def test_settings_of_the_users_that_often_break_plugins_do_no_harm(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add("set ignorecase nomagic gdefault lazyredraw autochdir splitbelow nohidden virtualedit=all report=0")
    home.add("set fileignorecase wildignore=*.sock,*.txt,* isfname=@ iskeyword=@ selection=exclusive nostartofline")
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    assert link.hello["info"]["main_file"] == str(tmp_path / "one.txt")
    assert link.request("get_state")["current_buffer"]["content"] == [""]
    terminal.type("ix\x1b")
    link.event("InsertLeave")
    assert "E" not in terminal.lines()[-1], terminal.text()


def test_what_scripts_look_at_stays_as_it_was(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside, tmp_path: Path
) -> None:
    home.add("let g:vim_mcp_reconnect_interval = 100", "let g:looks = '[v:errmsg, v:statusmsg, v:warningmsg, @/, @\"]'")
    terminal = launch("one.txt", cwd=tmp_path)
    link = raw_hub.editor()
    terminal.type(":let [v:errmsg, v:statusmsg, v:warningmsg, @/] = ['e', 's', 'w', 'p']\r")
    before = inside.value(terminal, "eval(g:looks)")
    for _ in range(3):
        link.event("BufEnter")
        for request in [link.start("get_state") for _ in range(5)]:
            link.answer(request)
        raw_hub.close()
        raw_hub = RawHub(home.runtime)
        link = raw_hub.editor()
    assert before[0] == "e"
    assert inside.value(terminal, "eval(g:looks)") == before
    terminal.type(":qa!\r")
    link.event("bye")
    raw_hub.close()
