"""An editor on a terminal that another process empties, so that its screen costs the bench nothing.

As a program, python -m bench.terminal PROGRAM [ARGUMENT...]: runs it on a terminal, types what arrives on the input,
and hangs up when the input ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.editors import ROOT, find
from tests.support.stage import Stage

_PATIENCE = 3.0
"""Seconds that an editor has for leaving after its terminal has gone."""


class Editor:
    """A running editor; `instance` is its id at the hub and `pid` its own process, once it has registered."""

    def __init__(self, process: subprocess.Popen[bytes]):
        self._process = process
        self.instance = ""
        self.pid = 0

    def type(self, keys: str) -> None:
        """Send `keys` as if typed."""
        assert self._process.stdin is not None
        self._process.stdin.write(keys.encode())
        self._process.stdin.flush()


@contextmanager
def unregistered(stage: Stage, kind: str, file: Path, vimrc: Path) -> Iterator[Editor]:
    """The editor `kind` on `file` for the length of the block, in the stage's environment."""
    binary = find(kind)
    assert binary is not None, "only editors that are here are asked for"
    argv = [sys.executable, "-m", "bench.terminal", binary, "-u", str(vimrc), "-i", "NONE", str(file)]
    settings = {**stage.environment(), "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, env=settings, cwd=stage.directory) as process:
        yield Editor(process)


@contextmanager
def editor(stage: Stage, kind: str, file: Path) -> Iterator[Editor]:
    """The same, once it has registered at the stage's hub; `file` is open in no other."""
    with unregistered(stage, kind, file, stage.home.vimrc) as started:
        listed = stage.instances(lambda entries: any(entry["main_file"] == str(file) for entry in entries))
        entry = next(entry for entry in listed if entry["main_file"] == str(file))
        started.instance, started.pid = entry["instance_id"], entry["pid"]
        yield started


def _shuttle(master: int) -> None:
    while True:
        ready, _, _ = select.select([0, master], [], [])
        if master in ready:
            os.read(master, 65536)
        if 0 in ready:
            keys = os.read(0, 4096)
            if not keys:
                return
            os.write(master, keys)


def _end(pid: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.02)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def main(argv: list[str]) -> None:
    """Run `argv` until the input ends."""
    pid, master = pty.fork()
    if not pid:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execvp(argv[0], argv)
    with contextlib.suppress(OSError):  # it has left by itself
        _shuttle(master)
    os.close(master)
    _end(pid)


if __name__ == "__main__":
    main(sys.argv[1:])
