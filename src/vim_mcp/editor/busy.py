"""What an editor that does not answer is doing, as far as the system shows it (Linux: /proc); and interrupting Vim."""

from __future__ import annotations

import contextlib
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_SHOWN = 200
"""The most of a command that is told, in characters."""

# The editors put what `:r !cmd`, filters and system() run into parentheses and send it to files of their own.
_WRAPPED = re.compile(r"\((?P<command>.*)\)\s*(<\s*\S+\s*)?(>\S+(\s+2>&1)?)?\s*", re.DOTALL)
_TEED = re.compile(r"\s+(2>&1)?\|&?\s*tee\s+\S+$")


# Vim's names, also as Debian has them (vim.basic); not Neovim's.
_VIM = re.compile(r"-?(ex|e?vim|r?g?vim|vi|r?g?view|r?g?vimdiff|vimx)(\.\w+)?")


@dataclass(frozen=True)
class _Process:
    """A process that has not ended; `group` is the process group, `started` counts clock ticks since the boot."""

    pid: int
    group: int
    terminal: int
    started: int
    argv: tuple[str, ...]


def what_it_does(pid: int) -> str | None:
    """What the editor `pid` waits for: "the shell command `make`"; None if it runs no command, or none can be seen.

    Both editors are deaf while they run one (`:!`, filters, `:make`, system()), unlike while their jobs run. The answer
    is certain for Vim. For Neovim a job that was started in just the same way is taken for one too.
    """
    with contextlib.suppress(OSError, ValueError):
        editor = _read(pid)
        commands = [child for child in _children(pid) if child.group == editor.group or _is_neovims_command(child)]
        if commands:
            return f"the shell command `{_command(max(commands, key=lambda child: child.started).argv)}`"
    return None


def interrupt(pid: int) -> None:
    """Send Vim and the commands that it waits for what CTRL-C in its terminal would: SIGINT.

    It would end Neovim. A process that is no Vim is left alone: `pid` may be a number from a container.
    """
    with contextlib.suppress(OSError, ValueError):
        vim = _read(pid)
        if _VIM.fullmatch(Path(vim.argv[0]).name):
            for target in [vim, *(child for child in _descendants(pid) if child.group == vim.group)]:
                _signal(target.pid)


def _signal(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGINT)


def _is_neovims_command(child: _Process) -> bool:
    """Neovim gives commands groups of their own, as it does jobs; but nothing to read, and it reads both their ends."""
    if child.terminal or len(child.argv) < 3 or not re.fullmatch(r"-\w*c", child.argv[-2]):
        return False
    ends = [os.readlink(_PROC / str(child.pid) / "fd" / str(number)) for number in range(3)]
    return ends[0] == os.devnull and all(end.startswith(("socket:", "pipe:")) for end in ends[1:])


def _command(argv: tuple[str, ...]) -> str:
    """The command as its user gave it to the editor, cut where it is long."""
    text = argv[-1] if len(argv) > 2 and argv[-2].startswith("-") else " ".join(argv)
    text = _TEED.sub("", text)
    wrapped = _WRAPPED.fullmatch(text)
    text = (wrapped["command"] if wrapped else text).strip()
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _read(pid: int) -> _Process:
    """Raises `OSError` or `ValueError` when there is no such process, or it has ended."""
    directory = _PROC / str(pid)
    # The name, in parentheses, may hold anything. Behind it: state, ppid, pgrp, session, tty, …, starttime.
    fields = (directory / "stat").read_bytes().rpartition(b")")[2].split()
    if fields[0] in (b"Z", b"X"):
        raise ValueError(f"process {pid} has ended")
    argv = (directory / "cmdline").read_bytes().decode(errors="replace").rstrip("\0").split("\0")
    return _Process(pid, int(fields[2]), int(fields[4]), int(fields[19]), tuple(argv))


def _children(pid: int) -> Iterator[_Process]:
    """A process is the child of the thread that has started it."""
    for listing in (_PROC / str(pid) / "task").glob("*/children"):
        for child in listing.read_text().split():
            with contextlib.suppress(OSError, ValueError):
                yield _read(int(child))


def _descendants(pid: int) -> Iterator[_Process]:
    with contextlib.suppress(OSError, ValueError):
        for child in _children(pid):
            yield child
            yield from _descendants(child.pid)
