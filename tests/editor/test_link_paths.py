"""Where an editor looks for the hub."""

from __future__ import annotations

import os
import shlex
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal, find
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


# The repository may itself lie in /tmp: it is seen under another name first.
ELSEWHERE = "/mnt"
ISOLATED = f"mount --bind {shlex.quote(str(ROOT))} {ELSEWHERE} && mount -t tmpfs none /tmp"
LOOK = (
    "let g:found = 'none yet'", "call vim_mcp#paths#directories({found -> extend(g:, {'found': string(found)})})",
    "sleep 300m", "call writefile([g:found], '/dev/stdout')", "qa!",
)  # fmt: skip


@pytest.mark.parametrize(
    ("make", "found"),
    [
        ("mkdir -m 700 $D", True),
        ("mkdir -m 755 $D", False),
        ("mkdir -m 700 $D && chown 65534 $D", False),
        ("mkdir -m 700 /tmp/other && ln -s /tmp/other $D", False),
    ],
    ids=["own", "open", "foreign", "link"],
)
def test_a_directory_that_others_may_have_made_is_not_trusted(
    kind: str, home: EditorHome, make: str, found: bool
) -> None:
    if subprocess.run(["unshare", "-m", "sh", "-c", ISOLATED], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives the test no /tmp of its own (unshare -m)")
    directory = f"/tmp/vim-mcp-{os.getuid()}"
    argv = [str(find(kind)), "-es", "-u", "NONE", "--cmd", f"set nocompatible runtimepath^={ROOT}"]
    for command in LOOK:
        argv += ["-c", command]
    script = f"D={directory}; {ISOLATED} && {make} && exec {shlex.join(argv).replace(str(ROOT), ELSEWHERE)}"
    environment = {**home.environment(), "VIM_MCP_RUNTIME_DIR": "", "HOME": "/"}
    told = subprocess.run(
        ["unshare", "-m", "sh", "-c", script], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=TIMEOUT, check=False, cwd="/",
    )  # fmt: skip
    assert told.stdout.startswith("["), told
    assert (directory in told.stdout) is found
