"""The process between a kernel and its editor: it starts the kernel, and ends it when the editor ends.

It outlives the hub, so that the kernel does, and needs none: it holds a descriptor of the editor's process, and waits.
Run by its path, with the standard library alone. It reads one JSON object from stdin:

    directory    where the kernel's files lie; it must not exist, and is removed in the end
    watch        the process id whose end is the kernel's
    argv         the kernel's command, or null: there is a kernel already, and only the files are to be kept
    environment  the kernel's variables
    folder       the kernel's working directory
    connection   what goes into the connection file; null where there is a kernel already
    about        what the next hub has to know

and writes JSON lines to stdout: {"guard": its process id} or {"error": "…"} at the start, {"status": the kernel's exit
status (negative: a signal), "output": the last that it wrote to its own stdout and stderr} at the end.

SIGTERM ends the kernel, SIGUSR1 interrupts it. A kernel whose guard is killed is killed by the system (Linux), or
notices it (ipykernel).
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

CONNECTION = "connection.json"
STATE = "state.json"
LOCK = "lock"
"""Held by the guard as long as it lives."""

_PATIENCE = 1.0
"""Seconds that a kernel has for its own end."""
_KEPT = 4000
"""Bytes of what the kernel writes to its own stdout and stderr that are kept."""
_SUBREAPER, _PARENT_DEATH_SIGNAL = 36, 1
"""prctl(2): the orphans of the kernel become the guard's children; the kernel ends with the guard."""


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _watch(pid: int) -> Any:
    """Something that is readable once the process `pid` has ended. Raises OSError when there is no such process."""
    if hasattr(os, "pidfd_open"):
        return os.pidfd_open(pid)
    kernel: Any = select  # macOS and the BSDs
    queue = kernel.kqueue()
    queue.control([kernel.kevent(pid, kernel.KQ_FILTER_PROC, kernel.KQ_EV_ADD, kernel.KQ_NOTE_EXIT)], 0)
    return queue


def _tell(**message: Any) -> None:
    """Tell the hub, unless it has gone."""
    with contextlib.suppress(OSError):
        os.write(1, json.dumps(message).encode() + b"\n")


def _write(path: str, content: Any) -> None:
    temporary = f"{path}.new"
    with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(content, file)
    os.replace(temporary, path)


class _Guard:
    def __init__(self, order: dict[str, Any]):
        self._order = order
        self._directory = order["directory"]
        self._kernel: subprocess.Popen[bytes] | None = None
        self._output = b""
        self._ending = False
        self._wake, waker = os.pipe()
        for end in (self._wake, waker):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(waker)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._end_soon())
        signal.signal(signal.SIGUSR1, lambda *_: self._signal(signal.SIGINT))
        for number in (signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)

    def run(self) -> None:
        """Serve until the editor or the kernel has ended, or SIGTERM comes; nothing is left then."""
        watched = _watch(self._order["watch"])
        os.mkdir(self._directory, 0o700)
        try:
            lock = os.open(self._path(LOCK), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._start()
            _write(self._path(STATE), {"guard": os.getpid(), "about": self._order["about"]})
            _tell(guard=os.getpid())
            self._wait(watched)
        finally:
            self._end()
            shutil.rmtree(self._directory, ignore_errors=True)

    def _path(self, name: str) -> str:
        return os.path.join(self._directory, name)

    def _start(self) -> None:
        if self._order["argv"] is None:
            return
        _write(self._path(CONNECTION), self._order["connection"])
        _prctl(_SUBREAPER, 1)
        argv = [part.replace("{connection_file}", self._path(CONNECTION)) for part in self._order["argv"]]
        environment = {**self._order["environment"], "JPY_PARENT_PID": str(os.getpid())}
        self._kernel = subprocess.Popen(
            argv, env=environment, cwd=self._order["folder"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=_in_the_child,
        )  # fmt: skip

    def _wait(self, watched: Any) -> None:
        """Until the editor has ended, the kernel has, or SIGTERM has come."""
        sources = [watched, self._wake]
        if self._kernel and self._kernel.stdout:
            sources.append(self._kernel.stdout)
        while not self._ending:
            ready, _, _ = select.select(sources, [], [])
            if watched in ready:
                return
            if self._wake in ready:
                os.read(self._wake, 1000)
            if len(sources) > 2 and sources[2] in ready and not self._read():
                del sources[2]
            if self._kernel and self._kernel.poll() is not None:
                return

    def _read(self) -> bool:
        """Take what the kernel has written, and keep its end; whether more can come."""
        assert self._kernel is not None
        assert self._kernel.stdout is not None
        data = os.read(self._kernel.stdout.fileno(), 65536)
        self._output = (self._output + data)[-_KEPT:]
        return bool(data)

    def _end_soon(self) -> None:
        self._ending = True

    def _signal(self, number: int) -> None:
        """To the kernel's process group, while there is a kernel."""
        if self._kernel and self._kernel.returncode is None:
            with contextlib.suppress(OSError):
                os.killpg(self._kernel.pid, number)

    def _end(self) -> None:
        """End the kernel, and whatever it has started."""
        if self._kernel is None:
            return
        if self._kernel.poll() is None:
            self._signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._kernel.wait(_PATIENCE)
            self._signal(signal.SIGKILL)
            self._kernel.wait()
        else:
            self._signal_group_of_the_dead()
        self._drain()
        _tell(status=self._kernel.returncode, output=self._output.decode("utf-8", "replace"))
        _end_orphans()

    def _signal_group_of_the_dead(self) -> None:
        assert self._kernel is not None
        with contextlib.suppress(OSError):  # as a rule nobody is left in it
            os.killpg(self._kernel.pid, signal.SIGKILL)

    def _drain(self) -> None:
        """Its last words: they lie in the pipe, which its orphans may hold open."""
        assert self._kernel is not None
        assert self._kernel.stdout is not None
        os.set_blocking(self._kernel.stdout.fileno(), False)
        with contextlib.suppress(BlockingIOError):
            while self._read():
                pass


def _in_the_child() -> None:
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    for number in (signal.SIGINT, signal.SIGHUP):  # what is ignored would stay so
        signal.signal(number, signal.SIG_DFL)


def _end_orphans() -> None:
    """Kill what the kernel's processes have left: it has become the guard's (Linux)."""
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children") as children:
            for child in children.read().split():
                os.kill(int(child), signal.SIGKILL)
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.005)
        except ChildProcessError:
            return


def main() -> int:
    """Guard by the order on stdin; 0 when it has been carried out."""
    os.chdir("/")
    order = json.load(sys.stdin)
    os.close(0)
    os.open(os.devnull, os.O_RDONLY)
    try:
        _Guard(order).run()
    except OSError as error:
        _tell(error=f"{error.strerror or error}: {error.filename}" if error.filename else str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
