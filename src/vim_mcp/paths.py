"""Where things lie: the runtime directory, the socket in it and the files beside it.

Imports `os` and `sys` alone, since every client's start pays for it: pathlib would cost milliseconds, so paths are
strings here (`config.Config` has them as `Path`).
"""

from __future__ import annotations

import os
import sys

SOCKET_NAME = "vim-mcp-server.sock"
MAX_SOCKET_PATH = 103 if sys.platform == "darwin" else 107
"""Bytes that the kernel takes for a socket's path, its final NUL left out."""


class ConfigError(Exception):
    """A setting, or the place it names, cannot be used; the message says which, why and what to do."""


def runtime_path() -> str:
    """The runtime directory's path; nothing is created. Raises `ConfigError` for a bad `VIM_MCP_RUNTIME_DIR`."""
    return _setting("VIM_MCP_RUNTIME_DIR") or _default_directories()[0]


def runtime_dir() -> str:
    """The runtime directory, created with mode 0700 where it is missing.

    Raises `ConfigError` when it is a symbolic link, belongs to somebody else or is open to others.
    """
    path = runtime_path()
    try:
        if not os.path.lexists(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.mkdir(path, 0o700)
    except OSError as error:
        if not os.path.lexists(path):  # nor has another process made it meanwhile
            raise ConfigError(f"The runtime directory {path} cannot be made: {error.strerror}. {_ELSEWHERE}") from None
    _check_private(path)
    return path


def socket_path() -> str:
    """The hub's socket. Raises `ConfigError` when the path is too long for the kernel."""
    path = _setting("VIM_MCP_SOCKET") or f"{runtime_path()}/{SOCKET_NAME}"
    length = len(os.fsencode(path))
    if length > MAX_SOCKET_PATH:
        raise ConfigError(
            f"The socket's path {path} has {length} bytes, and the system takes at most {MAX_SOCKET_PATH}: "
            "set VIM_MCP_SOCKET or VIM_MCP_RUNTIME_DIR to something shorter"
        )
    return path


def candidates() -> list[str]:
    """The sockets at which a client looks for a hub, the one where it would start one first.

    Without a setting these are both default places: which of them a hub chose depends on how its person logged in.
    """
    first = socket_path()
    if _setting("VIM_MCP_SOCKET") or _setting("VIM_MCP_RUNTIME_DIR"):
        return [first]
    return [f"{directory}/{SOCKET_NAME}" for directory in _default_directories()]


def registry_path() -> str:
    """The list of connected editors (requirement VIM-REGISTRY-01 holds its format)."""
    return _setting("VIM_MCP_REGISTRY") or f"{runtime_path()}/vim-mcp-registry.json"


def preference_path() -> str:
    """The file that holds the instance id selected last."""
    return f"{runtime_path()}/vim-mcp-preference.txt"


def state_path(instance_id: str) -> str:
    """The state file of the editor `instance_id`."""
    return f"{runtime_path()}/vim-mcp-{instance_id}-state.json"


def lock_directory() -> str:
    """Where Claude Code looks for editors, as it finds that by a setting of its own."""
    return os.path.abspath(os.path.expanduser(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude")) + "/ide"


def log_path() -> str:
    """The hub's log."""
    return f"{runtime_path()}/hub.log"


def tilde(path: str | os.PathLike[str]) -> str:
    """A path as its user writes it."""
    home, text = os.path.expanduser("~"), os.fspath(path)
    return f"~{text[len(home) :]}" if text == home or text.startswith(f"{home}/") else text


_ELSEWHERE = "Set VIM_MCP_RUNTIME_DIR to a directory of your own"


def _setting(name: str) -> str:
    value = os.environ.get(name, "")
    path = os.path.expanduser(value)
    if value and not os.path.isabs(path):
        raise ConfigError(f"{name}={value!r} is not an absolute path: write it from / (or from ~)")
    return os.path.normpath(path) if value else ""


def _default_directories() -> list[str]:
    """By the user's id, not by XDG_RUNTIME_DIR, which differs between ssh, tmux and graphical programs."""
    user = os.getuid()
    login, shared = f"/run/user/{user}", f"/tmp/vim-mcp-{user}"
    return [f"{login}/vim-mcp", shared] if _is_ours(login) else [shared]


def _is_ours(directory: str) -> bool:
    try:
        return os.lstat(directory).st_uid == os.getuid()
    except OSError:
        return False


def _check_private(path: str) -> None:
    fault, command = privacy_fault(path)
    if fault:
        raise ConfigError(f"The runtime directory {path} {fault}. {f'Mend it: {command}' if command else _ELSEWHERE}")


def privacy_fault(path: str) -> tuple[str, str]:
    """Why `path`, which exists, is no directory of the user's alone, and the command that mends that.

    Two times "" if it is one; the command alone is "" where only another directory helps.
    """
    status = os.lstat(path)
    fault = directory_fault(path, status)
    if not fault[0] and status.st_mode & 0o077:
        return f"is open to other users (mode {status.st_mode & 0o777:04o})", f"chmod 700 '{path}'"
    return fault


def directory_fault(path: str, status: os.stat_result) -> tuple[str, str]:
    """The same, of what has this `status`, whoever else may look into it."""
    kind = status.st_mode & 0o170000
    if kind == 0o120000:
        return "is a symbolic link", f"rm '{path}'"
    if kind != 0o040000:
        return "is not a directory", f"mv '{path}' '{path}.old'"
    if status.st_uid != os.getuid():
        return f"belongs to user {status.st_uid}, not to you", ""
    return "", ""
