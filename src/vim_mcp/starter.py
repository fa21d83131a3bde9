"""Reach the hub's socket, and start a hub where there is none. Standard library only: clients start through here."""

from __future__ import annotations

import os
import select
import socket
import sys
import time

from vim_mcp import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

TIMEOUT = 5.0
"""Seconds that a hub has for an answer."""
START_TIMEOUT = 10.0
"""Seconds in which a hub has to be there, started if need be; a busy machine takes its time over a new process."""
_PAUSE = 0.02
_FULL: Literal[False] = False


class HubUnreachable(Exception):
    """No hub answers, or none could be started; the message says why and where to look.

    `mend` is the command that mends it, "" where there is none.
    """

    def __init__(self, message: str, mend: str = ""):
        super().__init__(message)
        self.mend = mend


def connect(patience: float = TIMEOUT) -> socket.socket | None:
    """A connection to the hub that runs, None where none does; operations on it take at most `TIMEOUT` seconds.

    Raises `HubUnreachable` when the socket is somebody else's, or its hub has taken no call for `patience` seconds;
    `paths.ConfigError` for a bad setting.
    """
    for path in paths.candidates():
        connection = _connect(path, patience)
        if connection is not None:
            return connection
    return None


def dial(timeout: float = START_TIMEOUT, patience: float = 0.0) -> socket.socket:
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
            raise HubUnreachable(f"The hub that was started does not answer on {paths.socket_path()}. {see_log()}")
        if now >= patient_until:
            connection = _start_in_turn(deadline - now)
        if connection is not None:
            return connection
        time.sleep(_PAUSE)


def _start_in_turn(timeout: float) -> socket.socket | None:
    """Start a hub unless another client is doing so: ten that are launched together need not start ten.

    Return a connection to it, None where that other's hub is to be waited for.
    """
    import fcntl  # a client with a hub need not load it

    directory = os.open(paths.runtime_dir(), os.O_RDONLY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
        connection = connect()  # it may have come while we waited for our turn
        if connection is None:
            start_hub(timeout)
            connection = connect()
        return connection
    except BlockingIOError:  # it is another's turn
        return None
    finally:
        os.close(directory)


def start_hub(timeout: float = START_TIMEOUT) -> None:
    """Run `vim-mcp hub --background`, which ends once a hub listens. Raises `HubUnreachable` with its reason."""
    child, errors = _spawn([*command(), "hub", "--background"])
    reason = _read_to_end(errors, timeout)
    if reason is None:
        os.kill(child, 9)
    _, status = os.waitpid(child, 0)
    if reason is None:
        raise HubUnreachable(f"The hub that was started does not listen yet. {see_log()}")
    if status:
        last = reason.strip().rpartition("\n")[2].removeprefix("vim-mcp: ") or f"wait status {status}"
        raise HubUnreachable(f"No hub could be started: {last.removesuffix('.')}. {see_log()}")


def _spawn(argv: list[str]) -> tuple[int, int]:
    """Start a child that inherits nothing but a pipe as its stderr; its process id, and the pipe's reading end.

    By hand, since the subprocess module would make each client a tenth larger.
    """
    reader, writer = os.pipe()
    standard = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, writer, 2),
    ]
    try:
        return os.posix_spawn(argv[0], argv, os.environ, file_actions=standard), reader
    except OSError as error:
        os.close(reader)
        raise HubUnreachable(f"The hub's command {argv[0]} cannot be run: {error.strerror}") from None
    finally:
        os.close(writer)


def _read_to_end(descriptor: int, timeout: float) -> str | None:
    """What comes through a pipe until its other end is closed, None when it stays open for too long."""
    text, deadline = b"", time.monotonic() + timeout
    try:
        while select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))[0]:
            data = os.read(descriptor, 4096)
            if not data:
                return text.decode("utf-8", "replace")
            text += data
    finally:
        os.close(descriptor)
    return None


def command() -> list[str]:
    """How to run this program again with the same interpreter, by the script where there is one.

    A process list then shows `vim-mcp hub`, not a module's name.
    """
    beside = os.path.join(os.path.dirname(sys.executable), "vim-mcp")
    for script in (os.path.abspath(sys.argv[0]), beside):
        if os.path.basename(script) == "vim-mcp" and os.path.isfile(script):
            return [sys.executable, script]
    return [sys.executable, "-P", "-m", "vim_mcp"]


def _connect(path: str, patience: float) -> socket.socket | None:
    deadline = time.monotonic() + patience
    while (connection := _call(path)) is _FULL:
        if time.monotonic() >= deadline:
            raise unanswering(f"The hub on {path} takes no calls, since too many wait for it already", _holder(path))
        time.sleep(_PAUSE)
    if connection and peer(connection)[1] != os.getuid():
        connection.close()
        raise HubUnreachable(f"{path} is served by another user: set VIM_MCP_SOCKET to a path of your own")
    return connection or None


def _call(path: str) -> socket.socket | Literal[False] | None:
    """A connection; None where nobody listens; `_FULL` where as many callers wait as the system lets wait."""
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(TIMEOUT)
    try:
        connection.connect(path)
    except OSError as error:
        connection.close()
        return _FULL if isinstance(error, BlockingIOError) else None
    return connection


def _holder(path: str) -> int | None:
    """The process id that the socket's lock names."""
    try:
        with open(f"{path}.lock", "rb") as lock:
            text = lock.read(20).strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def unanswering(fact: str, pid: int | None) -> HubUnreachable:
    """What to raise for a hub that runs and does not answer; `fact` is the sentence's beginning.

    A hub that is stopped, or whose loop hangs, does not hear a mere SIGTERM.
    """
    if pid is None:
        return HubUnreachable(f"{fact}. {see_log()}")
    stopped = _is_stopped(pid)
    mend = f"kill -CONT {pid}" if stopped else f"kill -9 {pid}"
    what = "it is stopped; let it go on with" if stopped else "end it with"
    return HubUnreachable(f"{fact}; {what}: {mend}. {see_log()}", mend)


def _is_stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as status:
            return status.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except (OSError, IndexError):  # gone, or a system without /proc
        return False


def peer(connection: socket.socket) -> tuple[int | None, int]:
    """The process id (None where the system does not tell) and the user id of who serves a socket."""
    option = getattr(socket, "SO_PEERCRED", None)  # Linux
    if option is None:
        return None, os.lstat(connection.getpeername()).st_uid
    credentials = connection.getsockopt(socket.SOL_SOCKET, option, 12)  # pid, uid, gid
    pid, uid = (int.from_bytes(credentials[start : start + 4], sys.byteorder) for start in (0, 4))
    return pid, uid


def see_log() -> str:
    """Where the hub's log lies, as a sentence."""
    return f"The hub's log: {paths.log_path()}"
