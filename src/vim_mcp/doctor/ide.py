"""How Claude Code finds the editors: lock files, ports, and whether a proxy stands in between."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vim_mcp import paths
from vim_mcp.doctor.finding import ERROR, OK, WARNING, Finding
from vim_mcp.doctor.hub import State
from vim_mcp.install.plugin import invocation

_PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
_LOOPBACK = "127.0.0.1,localhost"
_TIMEOUT = 2.0


def findings(state: State) -> Iterator[Finding]:
    """Everything about the ports and how they are found."""
    yield from _locks(Path(paths.lock_directory()))
    yield _proxy()
    for editor in state.editors():
        yield from _port(editor)


def _locks(directory: Path) -> Iterator[Finding]:
    if not os.path.lexists(directory):
        yield Finding(OK, "lock files", f"none: {directory} is made when an editor connects")
        return
    fault, command = paths.directory_fault(str(directory), directory.lstat())  # one that is open, the hub closes
    if fault:
        yield Finding(ERROR, "lock files", f"{directory} {fault}", command or "export CLAUDE_CONFIG_DIR=~/.claude-own")
        return
    locks = sorted(directory.glob("*.lock"))
    stale = [lock for lock in locks if not _lives(lock)]
    for lock in stale:
        yield Finding(WARNING, "lock file", f"{lock} is stale: it names no editor that runs", f"rm '{lock}'")
    yield Finding(OK, "lock files", f"{len(locks) - len(stale)} of running editors in {directory}")


def _lives(lock: Path) -> bool:
    """Whether the process that a lock names is there."""
    try:
        pid = json.loads(lock.read_bytes())["pid"]
        os.kill(pid if pid > 0 else 1 << 30, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError, ValueError, LookupError, TypeError):
        return False
    return True


def _proxy() -> Finding:
    proxies = [name for name in _PROXIES if os.environ.get(name)]
    if not proxies:
        return Finding(OK, "proxy", "none is set here")
    excepted = os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    if {"127.0.0.1", "*"} & set(excepted.replace(" ", ",").split(",")):
        return Finding(OK, "proxy", f"{proxies[0]} is set, and 127.0.0.1 excepted from it")
    text = f"{proxies[0]} is set, and 127.0.0.1 not excepted: a `claude` of this shell cannot reach an editor"
    value = f"{excepted},{_LOOPBACK}" if excepted else _LOOPBACK
    return Finding(WARNING, "proxy", text, f"export no_proxy={value} NO_PROXY={value}")


def _port(editor: dict[str, Any]) -> Iterator[Finding]:
    port, name = editor.get("port"), editor["instance_id"]
    if editor.get("ide_fault"):
        fix = "what this says; the hub tries again by itself, and with :VimMCPReconnect in the editor at once"
        yield Finding(ERROR, "port", f"{name} has none: {editor['ide_fault']}", fix)
    if not isinstance(port, int):
        return
    try:
        socket.create_connection(("127.0.0.1", port), _TIMEOUT).close()
    except OSError as error:
        text = f"{port} of {name} cannot be reached: {error.strerror or error}"
        yield Finding(ERROR, "port", text, f"{invocation()} stop, then :VimMCPReconnect in the editor")
    else:
        yield Finding(OK, "port", f"{port} of {name} answers")
