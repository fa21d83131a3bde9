"""What each command says where it has nothing to work on, or gets nonsense: one line, for which no key is asked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.diffscene import Launch, Scene, start_scene
from tests.support.editors import ROOT, EditorHome
from tests.support.rawhub import RawHub

COLUMNS = 80
ELSEWHERE = {"VimMCPStart", "VimMCPStop", "VimMCPReconnect"}
"""Those that end the connection by which the editor is asked here."""
NO_BANG = "E477: No ! allowed"
"""What editors themselves say."""


@pytest.fixture
def scene(raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str) -> Scene:
    """An editor of an ordinary size, whose hub knows no client and in which nothing is under way."""
    home.add("set shortmess-=T")
    return start_scene(raw_hub, home, launch, tmp_path, kind, size=(24, COLUMNS))


def commands(attributes: str = ".*?") -> list[str]:
    """The names of all commands that are defined with attributes of that pattern."""
    plugin = (ROOT / "plugin" / "vim_mcp.vim").read_text()
    return re.findall(rf"^command! .*?{attributes}\b((?:VimMCP|Claude)\w+)", plugin, re.MULTILINE)


def said(scene: Scene, line: str) -> list[str]:
    """The messages of an Ex command that is typed; afterwards the user is where they were."""
    scene.do("messages clear")
    scene.type(f":{line}\r")
    scene.wait("histget(':', -1)", line)
    assert not scene.value("mode(1)").startswith("r"), f":{line} waits for a key:\n{scene.terminal.text()}"
    messages: str = scene.value("execute('messages')")
    scene.do("silent! tabonly!", "silent! only!", "if bufname('%') !~# 'one.txt' | silent! buffer one.txt | endif")
    return [message for message in messages.splitlines() if message and not message.startswith(NO_BANG)]


@pytest.mark.slow
@pytest.mark.parametrize("argument", ["", " nonsense", "! -1", " 'a b' \u00e9"])
def test_whatever_it_says_is_one_line(scene: Scene, argument: str) -> None:
    check_each(scene, argument)


@pytest.mark.slow
def test_where_there_is_no_command_line_no_key_is_asked_for_either(scene: Scene) -> None:
    scene.do("if has('nvim-0.8') | set cmdheight=0 | endif")
    check_each(scene, "")


NARROW = {
    "60 columns": (60, "set showcmd ruler laststatus=0"),
    "60 columns, nothing beside": (60, "set noshowcmd noruler laststatus=0 shortmess="),
    "60 columns, short": (60, "set showcmd ruler laststatus=2 shortmess=aoOTIcF"),
    "80 columns": (80, "set showcmd ruler laststatus=0 shortmess=filnxtToO"),
    "80 columns, long": (80, "set showcmd ruler laststatus=0 shortmess= report=0 showmode"),
    "80 columns, a wide ruler": (80, "set showcmd laststatus=0 rulerformat=%40(%f\\ %l%) ruler"),
}


@pytest.mark.slow
@pytest.mark.parametrize("options", NARROW)
@pytest.mark.parametrize("argument", ["", " nonsense"])
def test_it_has_room_in_a_narrow_window(
    raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str, options: str, argument: str
) -> None:
    columns, line = NARROW[options]
    home.add(line)
    check_each(start_scene(raw_hub, home, launch, tmp_path, kind, size=(24, columns)), argument)


def check_each(scene: Scene, argument: str) -> None:
    """Every command, with that argument, has said one line at most, and waits for no key."""
    for name in sorted(set(commands()) - ELSEWHERE):
        if name == "VimMCPInstall" and "nonsense" not in argument:
            continue  # it would begin to install
        messages = said(scene, name + argument)
        ours = [message for message in messages if message.startswith("vim-mcp")]
        assert len(ours) <= 1, (name, messages)
        assert not [message for message in messages if re.match(r"E\d+|Error|line +\d", message)], (name, messages)
