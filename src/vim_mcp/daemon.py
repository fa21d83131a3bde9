"""`vim-mcp hub`: become the one hub of a socket, in a detached process where wanted, and say when it listens."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from vim_mcp import logs, paths
from vim_mcp.config import Config, ConfigError
from vim_mcp.socketlock import HubRunning, SocketLock, answers, holder

TIMEOUT = 8.0
"""Seconds in which a hub listens, or counts as failed."""
_PAUSE = 0.02
_READY = b"ready"
_TUNABLES = "GLIBC_TUNABLES"
_LARGE_PAGES = "glibc.malloc.hugetlb=1"
_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
logger = logging.getLogger(__name__)


def run(config: Config) -> int:
    """Serve in the foreground until told to leave; the log goes to stderr too. Raises `HubRunning`."""
    logs.start(config.log, config.log_level, foreground=True)
    lock = _become_hub(config.socket)
    if lock is None:
        raise HubRunning(config.socket, holder(config.socket))
    return _serve(config, lock, lambda: None)


def run_detached(config: Config) -> int:
    """Have a detached process serve; 0 once a hub (that one or another) listens, else 1 and the reason on stderr."""
    if any(answers(Path(place)) for place in paths.candidates()):
        return 0
    _ask_for_large_pages()
    reader, writer = _pipe()
    child = os.fork()
    if not child:
        _fork_again(config, writer)
    os.close(writer)
    os.waitpid(child, 0)
    message = _read(reader)
    if message == _READY:
        return 0
    print("vim-mcp:", message.decode("utf-8", "replace") or "the hub ended before it listened", file=sys.stderr)
    return 1


def _ask_for_large_pages() -> None:
    """Begin anew with the C library asking for large pages, where the system gives them only to who asks.

    Of 10 MB of text the hub holds three copies, which come in small pages at a third of all that they cost it.
    """
    with contextlib.suppress(OSError):
        if _TUNABLES not in os.environ and "[madvise]" in _PAGES.read_text():
            environment = {**os.environ, _TUNABLES: _LARGE_PAGES}
            os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment)


def _become_hub(path: Path) -> SocketLock | None:
    """The lock of the socket at `path`, or None where another hub answers there.

    A hub that has the lock and does not listen is coming or going: it is waited for. Raises `HubRunning` when it does
    neither within `TIMEOUT`, `SocketUnusable` when the socket cannot be made there.
    """
    deadline = time.monotonic() + TIMEOUT
    while not answers(path):
        try:
            return SocketLock.acquire(path)
        except HubRunning:
            if time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE)
    return None


def _serve(config: Config, lock: SocketLock, on_ready: Callable[[], None]) -> int:
    with lock:
        from vim_mcp import hub  # only now: who lost the race need not load it

        return hub.main(config, lock, on_ready)


def _pipe() -> tuple[int, int]:
    """A pipe whose ends are clear of the places of a missing stdin, stdout and stderr, which the new process fills."""
    reader, writer = os.pipe()
    clear = fcntl.fcntl(reader, fcntl.F_DUPFD_CLOEXEC, 3), fcntl.fcntl(writer, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(reader)
    os.close(writer)
    return clear


def _read(reader: int) -> bytes:
    """What the detached process says, b"" when it ended without a word."""
    message, deadline = b"", time.monotonic() + TIMEOUT + 1.0
    while message != _READY:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return b"the hub does not listen after %d seconds" % TIMEOUT
        data = os.read(reader, 4096)
        if not data:
            return message
        message += data
    return message


def _fork_again(config: Config, writer: int) -> None:
    """In the first child: leave the session; the second, an orphan that can get no terminal, serves. Never returns."""
    status = 1
    try:
        os.setsid()
        if os.fork():
            status = 0
        else:
            _let_go(writer)
            status = _serve_detached(config, writer)
    finally:
        os._exit(status)


def _let_go(writer: int) -> None:
    """Keep nothing of the starter's but its environment and `writer`: descriptors, directory, signals, umask."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(null, descriptor)
    os.closerange(3, writer)
    os.closerange(writer + 1, os.sysconf("SC_OPEN_MAX"))
    sys.path[:] = [os.path.abspath(entry) for entry in sys.path]
    os.chdir("/")
    os.umask(0o077)
    if os.environ.get(_TUNABLES) == _LARGE_PAGES:
        del os.environ[_TUNABLES]  # not for the kernels that the hub starts
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _serve_detached(config: Config, writer: int) -> int:
    told = False

    def tell(message: bytes) -> None:
        nonlocal told
        if not told:
            told = True
            with contextlib.suppress(OSError):  # the starter may have left
                os.write(writer, message)
            os.close(writer)

    try:
        logs.start(config.log, config.log_level)
        lock = _become_hub(config.socket)
        if lock is not None:
            return _serve(config, lock, lambda: tell(_READY))
        tell(_READY)
        return 0
    except (ConfigError, HubRunning) as error:
        logger.error("%s", error)
        tell(str(error).encode())
    except BaseException as error:
        logger.exception("the hub ends")
        tell(f"{type(error).__name__}: {error}".encode())
    return 1
