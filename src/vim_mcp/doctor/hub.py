"""The hub: its directory, its socket, its version, and the editors that it knows."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from vim_mcp import __version__, control, paths
from vim_mcp.doctor.finding import ERROR, OK, WARNING, Finding
from vim_mcp.install.plugin import invocation
from vim_mcp.paths import ConfigError
from vim_mcp.releases import release
from vim_mcp.starter import HubUnreachable

_ELSEWHERE = "export VIM_MCP_RUNTIME_DIR=~/.vim-mcp"


class State:
    """What the hub says of itself, asked once."""

    @cached_property
    def answer(self) -> dict[str, Any] | None:
        """Its status; None where none runs. Raises `HubUnreachable` or `ConfigError`."""
        return control.ask({"type": "status"})

    def editors(self) -> list[dict[str, Any]]:
        """The editors that it knows; none where it cannot be asked."""
        try:
            return list((self.answer or {}).get("instances", ()))
        except (HubUnreachable, ConfigError):
            return []


def findings(state: State) -> Iterator[Finding]:
    """Everything about the hub."""
    try:
        yield _directory()
        sockets = [path for path in paths.candidates() if os.path.lexists(path)]
        yield from map(_socket, sockets)
        yield from _hub(state, sockets)
    except ConfigError as error:
        yield Finding(ERROR, "settings", str(error), "set the variable anew, or unset it")
    except HubUnreachable as error:
        yield Finding(ERROR, "hub", str(error), error.mend or f"{invocation()} logs")


def _directory() -> Finding:
    path = paths.runtime_path()
    if not os.path.lexists(path):
        parent = _existing(path)
        if not os.path.isdir(parent) or not os.access(parent, os.W_OK):
            return Finding(ERROR, "runtime directory", f"{path} cannot be made in {parent}", _ELSEWHERE)
        return Finding(OK, "runtime directory", f"{path} is made when a hub starts")
    fault, command = paths.privacy_fault(path)
    if fault:
        return Finding(ERROR, "runtime directory", f"{path} {fault}", command or _ELSEWHERE)
    return Finding(OK, "runtime directory", f"{path} is yours alone")


def _existing(path: str) -> str:
    """The nearest ancestor of `path` that is there."""
    while not os.path.lexists(path):
        path = os.path.dirname(path)
    return path


def _socket(path: str) -> Finding:
    status = os.lstat(path)
    if not stat.S_ISSOCK(status.st_mode):
        return Finding(ERROR, "socket", f"{path} is no socket", f"mv '{path}' '{path}.old'")
    if status.st_uid != os.getuid():
        return Finding(
            ERROR, "socket", f"{path} belongs to user {status.st_uid}", "export VIM_MCP_SOCKET=~/vim-mcp.sock"
        )
    if status.st_mode & 0o077:
        text = f"{path} is open to other users (mode {status.st_mode & 0o777:04o})"
        return Finding(ERROR, "socket", text, f"chmod 600 '{path}'")
    return Finding(OK, "socket", f"{path} is yours alone")


def _hub(state: State, sockets: list[str]) -> Iterator[Finding]:
    answer = state.answer
    if answer is None and not _can_start(sockets):
        fix = f"what stands above, then {invocation()} hub --background"
        yield Finding(WARNING, "hub", "none runs, and none can start", fix)
    elif answer is None and sockets:
        fix = f"{invocation()} hub --background"
        yield Finding(WARNING, "hub", f"nobody listens on {sockets[0]}: the hub was killed", fix)
    elif answer is None:
        yield Finding(OK, "hub", "none runs: the first editor or client starts it")
    else:
        yield _version(answer)
        yield from [Finding(ERROR, "hub", answer["fault"], f"{invocation()} logs")] if answer.get("fault") else []
        yield from _editors(state.editors())


def _can_start(sockets: list[str]) -> bool:
    """Whether a hub finds its directory, and at its socket's place nothing else, as it needs them."""
    return _directory().level == OK and all(stat.S_ISSOCK(os.lstat(path).st_mode) for path in sockets)


def _version(answer: dict[str, Any]) -> Finding:
    version = str(answer.get("version", "?"))
    if release(version) != release(__version__):
        text = f"version {version}, while this is {__version__}"
        return Finding(WARNING, "hub", text, f"{invocation()} stop, upon which editors and clients start the new one")
    return Finding(OK, "hub", f"version {version}, process {answer.get('pid')}")


def _editors(instances: list[dict[str, Any]]) -> Iterator[Finding]:
    if not instances:
        yield Finding(WARNING, "editors", "none is connected", ":VimMCPReconnect in the editor")
    for instance in instances:
        name, version = instance["instance_id"], str(instance.get("plugin_version", ""))
        text = f"{name}, {instance['editor']} {instance['version']} in {instance['cwd']}"
        if version and release(version) != release(__version__):
            text += f", has version {version} of the plugin, not {__version__}"
            yield Finding(WARNING, "editor", text, f"{invocation()} install, then start that editor anew")
        elif "\ufffd" in instance["cwd"] and not os.path.isdir(instance["cwd"]):
            text += ", a name that is not UTF-8: clients cannot name its files, and Claude Code does not start there"
            yield Finding(WARNING, "editor", text, "mv that directory to a name in UTF-8, then start the editor there")
        else:
            yield Finding(OK, "editor", text)
