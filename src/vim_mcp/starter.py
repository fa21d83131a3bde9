"""Reach the hub's socket, and start a hub where there is none. Standard library only: clients start through here."""

from __future__ import annotations

import os
import socket
import sys
import time

from vim_mcp import paths

TIMEOUT = 5.0
"""Seconds that a caller waits for a hub before it gives up."""
_PAUSE = 0.02


class HubUnreachable(Exception):
    """No hub answers, or none could be started; the message says why and where to look."""


def connect() -> socket.socket | None:
    """A connection to the hub that runs, None where none does.

    Raises `HubUnreachable` when the socket is somebody else's, `paths.ConfigError` for a bad setting.
    """
    for path in paths.candidates():
        connection = _connect(path)
        if connection is not None:
            return connection
    return None


def dial(timeout: float = TIMEOUT, patience: float = 0.0) -> socket.socket:
    """A connection to the hub, one started if there is none (only after `patience` seconds without one).

    Raises `HubUnreachable` after about `timeout` seconds, `paths.ConfigError` for a bad setting.
    """
    deadline = time.monotonic() + timeout
    patient_until = time.monotonic() + patience
    while True:
        connection = connect()
        if connection is not None:
            return connection
        now = time.monotonic()
        if now >= deadline:
            raise HubUnreachable(f"The hub that was started does not answer on {paths.socket_path()}. {_see_log()}")
        if now >= patient_until:
            start_hub(deadline - now)
        time.sleep(_PAUSE)


def start_hub(timeout: float = TIMEOUT) -> None:
    """Run `vim-mcp hub --background`, which ends once a hub listens. Raises `HubUnreachable` with its reason."""
    import subprocess  # costs milliseconds that a client with a hub need not spend

    try:
        done = subprocess.run(
            [*command(), "hub", "--background"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=max(timeout, 1.0),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise HubUnreachable(f"The hub took longer than {timeout:.0f} seconds to start. {_see_log()}") from None
    except OSError as error:
        raise HubUnreachable(f"The hub's command {error.filename} cannot be run: {error.strerror}") from None
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2] or f"exit status {done.returncode}"
        raise HubUnreachable(f"No hub could be started: {reason.removeprefix('vim-mcp: ')}. {_see_log()}")


def command() -> list[str]:
    """How to run this program again with the same interpreter, by the script where there is one.

    A process list then shows `vim-mcp hub`, not a module's name.
    """
    beside = os.path.join(os.path.dirname(sys.executable), "vim-mcp")
    for script in (os.path.abspath(sys.argv[0]), beside):
        if os.path.basename(script) == "vim-mcp" and os.path.isfile(script):
            return [sys.executable, script]
    return [sys.executable, "-P", "-m", "vim_mcp"]


def _connect(path: str) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError:
        connection.close()
        return None
    if _owner(connection, path) != os.getuid():
        connection.close()
        raise HubUnreachable(f"{path} is served by another user: set VIM_MCP_SOCKET to a path of your own")
    return connection


def _owner(connection: socket.socket, path: str) -> int:
    """The user id of who serves the socket; that of its file where the system does not tell."""
    credentials_option = getattr(socket, "SO_PEERCRED", None)  # Linux
    if credentials_option is not None:
        credentials = connection.getsockopt(socket.SOL_SOCKET, credentials_option, 12)  # pid, uid, gid
        return int.from_bytes(credentials[4:8], sys.byteorder)
    return os.lstat(path).st_uid


def _see_log() -> str:
    return f"The hub's log: {paths.log_path()}"
