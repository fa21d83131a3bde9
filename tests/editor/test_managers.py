"""Plugin managers that load the plugin late: by a command, a key, an event, or a moment after the start.

What they do is done here as their sources do it; they themselves are in no registry of programs.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.editing import mentioned
from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub

Launch = Callable[..., Terminal]
LOAD = f"""
function! Load(command)
  if a:command !=# ''
    execute 'delcommand' a:command
  endif
  set runtimepath^={ROOT}
  for file in split(globpath('{ROOT}', 'plugin/**/*.vim'), "\\n")
    execute 'source' file
  endfor
endfunction
"""
PLUG = """
function! Command(name, bang, l1, l2, args, mods)
  call Load(a:name)
  execute printf('%s %s%s%s %s', a:mods, (a:l1 == a:l2 ? '' : (a:l1.','.a:l2)), a:name, a:bang, a:args)
endfunction
function! Map(map)
  execute 'unmap' a:map
  call Load('')
  call feedkeys(substitute(a:map, '^<Plug>', "\\<Plug>", ''))
endfunction
for name in ['ClaudeAtMention', 'ClaudeCodeAsk', 'VimMCPStatus', 'VimMCPDoctor']
  execute printf('command! -nargs=* -range -bang -complete=file %s'
    \\ . ' call Command("%s", "<bang>", <line1>, <line2>, <q-args>, <q-mods>)', name, name)
endfor
noremap <silent> <Plug>(claude-send-line) :<C-U>call Map('<Plug>(claude-send-line)')<CR>
nmap gs <Plug>(claude-send-line)
"""
"""vim-plug's `on`."""
LAZY = """
lua << END
for _, name in ipairs({'ClaudeAtMention', 'ClaudeCodeAsk', 'VimMCPStatus', 'VimMCPDoctor'}) do
  vim.api.nvim_create_user_command(name, function(event)
    local command = {cmd = name, bang = event.bang or nil, mods = event.smods, args = event.fargs}
    command.count = event.count >= 0 and event.range == 0 and event.count or nil
    command.range = event.range == 1 and {event.line1} or event.range == 2 and {event.line1, event.line2} or nil
    vim.fn.Load(name)
    command.nargs = vim.api.nvim_get_commands({})[name].nargs
    vim.cmd(command)
  end, {bang = true, range = true, nargs = '*'})
end
END
"""
"""lazy.nvim's `cmd`."""
LATER = {
    "after VimEnter": "autocmd VimEnter * call timer_start(50, {-> Load('')})",
    "within VimEnter": "autocmd VimEnter * call Load('')",
    "at a file of its type": "autocmd FileType python call Load('')",
    "when insertion begins": "autocmd InsertEnter * call Load('')",
}
STUBS = {"vim-plug": PLUG, "lazy.nvim": LAZY}
MANAGERS = pytest.mark.parametrize(
    ("kind", "manager"),
    [("vim", "vim-plug"), ("nvim", "vim-plug"), ("nvim07", "vim-plug"), ("nvim", "lazy.nvim")],
    indirect=["kind"],
)
"""lazy.nvim needs a Neovim with nvim_cmd()."""


@pytest.fixture
def bare(home: EditorHome) -> EditorHome:
    """A home whose editors know how to load the plugin, and have not."""
    home.vimrc.write_text(home.vimrc.read_text().replace(f"runtimepath^={ROOT} ", ""))
    home.add(LOAD)
    (home.home / "a.py").write_text("1\n2\n3\n4\n")
    return home


def opened(launch: Launch, manager: str, home: EditorHome) -> Terminal:
    """An editor with that manager's stubs."""
    home.add(STUBS[manager])
    terminal = launch("a.py")
    terminal.wait_screen("4")
    return terminal


@pytest.mark.requirement("INSTALL-12")
@MANAGERS
@pytest.mark.parametrize(
    ("keys", "lines"),
    [(":ClaudeAtMention\r", ()), (":2,3ClaudeAtMention\r", (2, 3)), ("jVj:ClaudeAtMention\r", (2, 3))],
)
def test_the_command_that_loads_it_does_its_work(
    raw_hub: RawHub, launch: Launch, bare: EditorHome, manager: str, keys: str, lines: tuple[int, ...]
) -> None:
    """Although the editor has no connection yet."""
    terminal = opened(launch, manager, bare)
    terminal.type(keys)
    assert mentioned(raw_hub.editor(), bare.home) == ("a.py", *lines)
    terminal.wait_screen("waits for a Claude")


@pytest.mark.requirement("INSTALL-12")
@MANAGERS
def test_the_status_that_loads_it_comes_with_the_connection(
    raw_hub: RawHub, launch: Launch, bare: EditorHome, manager: str
) -> None:
    terminal = opened(launch, manager, bare)
    terminal.type(":VimMCPStatus\r")
    assert raw_hub.editor().request("ping") == {}
    terminal.wait_screen("vim-mcp: connected as a-home-")


@pytest.mark.requirement("INSTALL-12")
@MANAGERS
def test_the_doctor_that_loads_it_waits_for_the_connection(
    raw_hub: RawHub, launch: Launch, bare: EditorHome, manager: str
) -> None:
    terminal = opened(launch, manager, bare)
    terminal.type(":VimMCPDoctor\r")
    raw_hub.editor()
    terminal.wait_screen("connection: connected as a-home-")


@pytest.mark.requirement("INSTALL-12")
def test_the_key_that_loads_it_does_its_work(raw_hub: RawHub, launch: Launch, bare: EditorHome) -> None:
    opened(launch, "vim-plug", bare).type("jgs")
    assert mentioned(raw_hub.editor(), bare.home) == ("a.py", 2, 2)


@pytest.mark.requirement("INSTALL-12")
@pytest.mark.parametrize("moment", LATER)
def test_an_editor_registers_whenever_it_is_loaded(
    raw_hub: RawHub, launch: Launch, bare: EditorHome, moment: str, inside: Inside
) -> None:
    bare.add("filetype plugin on", LATER[moment])
    terminal = launch("a.py")
    terminal.wait_screen("4")
    terminal.type("ix\x1b")
    terminal.wait_screen("x1")
    editor = raw_hub.editor()
    editor.event("BufEnter")
    assert editor.request("get_state")["current_buffer"]["content"][0] == "x1"
    assert inside.value(terminal, "v:errmsg") == ""


@pytest.mark.requirement("INSTALL-12")
def test_a_switched_off_editor_stays_so(raw_hub: RawHub, launch: Launch, bare: EditorHome) -> None:
    bare.add("let g:vim_mcp_enabled = 0")
    terminal = opened(launch, "vim-plug", bare)
    terminal.type(":ClaudeAtMention\r")
    terminal.wait_screen("not mentioned: stopped (:VimMCPStart)")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen("stopped (:VimMCPStart starts it)")
