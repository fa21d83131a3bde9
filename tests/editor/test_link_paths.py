"""Where an editor looks for the hub."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub
from vim_mcp import paths

Launch = Callable[..., Terminal]


@pytest.mark.parametrize("setting", ["g:vim_mcp_socket_path", "tilde", "VIM_MCP_SOCKET", "VIM_MCP_RUNTIME_DIR"])
def test_the_socket_may_be_named_in_each_way(launch: Launch, home: EditorHome, tmp_path: Path, setting: str) -> None:
    place = home.home / "my place"
    place.mkdir(mode=0o700)
    hub = RawHub(place)
    home.add("let g:vim_mcp_command = ['true']")
    if setting == "g:vim_mcp_socket_path":
        home.add(f"let g:vim_mcp_socket_path = '{hub.path}'")
    elif setting == "tilde":
        home.add(f"let g:vim_mcp_socket_path = '~/my place/{hub.path.name}'")
    values = {"VIM_MCP_SOCKET": str(hub.path), "VIM_MCP_RUNTIME_DIR": f"{place}/"}
    launch(**{name: value for name, value in values.items() if name == setting})
    assert hub.editor().request("ping") == {}
    hub.close()


def _private(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return status.st_uid == os.getuid() and stat.S_ISDIR(status.st_mode) and status.st_mode & 0o777 == 0o700


def test_by_default_it_looks_where_the_hub_does(
    launch: Launch, home: EditorHome, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.add("let g:vim_mcp_enabled = 0")
    terminal = launch(VIM_MCP_RUNTIME_DIR="")
    terminal.type(":call vim_mcp#paths#sockets({found -> Tell(found)})\r")
    found = inside.told()
    for name in ("VIM_MCP_SOCKET", "VIM_MCP_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    assert found == [path for path in paths.candidates() if _private(os.path.dirname(path))]
