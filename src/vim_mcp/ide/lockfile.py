"""The lock files by which Claude Code finds an editor: one `<port>.lock` for each, in a directory of its own.

That is `ide` in Claude Code's configuration, of which a person may have several (CLAUDE_CONFIG_DIR): each editor's lock
lies where a Claude Code that is started in it looks.

A lock holds the fields that Claude Code knows, and one that it ignores (`origin`). Which locks are ours is kept
beside the hub's socket (the ledger): ports and tokens that a hub has given, so that the next one removes those of dead
editors, and no others, and gives those that live the same port and token again.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vim_mcp import atomic
from vim_mcp.editor.process import alive
from vim_mcp.ide import origin
from vim_mcp.paths import directory_fault

logger = logging.getLogger(__name__)

_MAX_BYTES = 1024 * 1024
"""The most that is read of a lock: what is longer is none of ours."""


_LOCK = re.compile(r"[0-9]+\.lock")


class LockRefused(Exception):
    """A lock cannot be written safely; the message says where, why and what to do."""


@dataclass(frozen=True)
class Lock:
    """A lock file's content; `port` (1-65535) is its name. Folders are absolute paths. Requirement LOCK-02.

    `directory` is where it lies; None: where the hub itself would look.
    """

    port: int
    pid: int
    workspace_folders: tuple[str, ...]
    ide_name: str
    auth_token: str = field(repr=False)
    directory: Path | None = None

    @property
    def name(self) -> Path:
        """The file's name."""
        return Path(f"{self.port}.lock")

    def encode(self) -> bytes:
        """The file's bytes."""
        content = {
            "pid": self.pid,
            "workspaceFolders": list(self.workspace_folders),
            "ideName": self.ide_name,
            "transport": "ws",
            "runningInWindows": False,
            "authToken": self.auth_token,
            origin.FIELD: origin.here(),
        }
        return json.dumps(content).encode()


class Locks:
    """Those of a hub. They lie in `directory` unless they say otherwise; `ledger` is where it notes them as its own."""

    def __init__(self, directory: Path, ledger: Path):
        self._directory = directory
        self._ledger = _Ledger(ledger)
        self._swept: set[Path] = set()

    def _place(self, lock: Lock) -> Path:
        return lock.directory or self._directory

    def write(self, lock: Lock) -> None:
        """Write a lock, or write it anew. Raises `LockRefused`, also where somebody else's lock has that port."""
        place = self._place(lock)
        self._sweep_earlier_starts(place)
        try:
            with _opened(place) as directory:
                token = _token(directory, lock.name)
                if token is not None and not _same(token, lock.auth_token):
                    raise LockRefused(f"{place / lock.name} is another program's lock: it is left as it is")
                self._ledger.add(lock)  # first: a lock that nobody knew to be ours would stay for ever
                atomic.write(lock.name, lock.encode(), directory)
        except OSError as error:
            if not self.has(lock.port, lock.directory):  # each try would leave a port of its own
                self._ledger.drop(lock)
            raise LockRefused(f"No lock file can be written in {place}: {error.strerror}") from error

    def remove(self, lock: Lock) -> None:
        """Remove a lock, if the file is (still) ours; never raises, since whoever calls is about to leave."""
        try:
            with _opened(self._place(lock), make=False) as directory:
                _remove(directory, lock)
        except FileNotFoundError:
            pass
        except (LockRefused, OSError) as error:
            logger.error("cannot remove the lock of port %d: %s", lock.port, error)
        self._ledger.drop(lock)

    def has(self, port: int, directory: Path | None = None) -> bool:
        """Whether a lock, of whomever, lies there (see `Lock`) for that port."""
        return os.path.lexists((directory or self._directory) / f"{port}.lock")

    def sweep(self) -> list[Lock]:
        """Remove our locks whose editors are dead, and return those of the living, without their folders and names.

        The living include editors whose lock has gone: they too get port and token back. Requirement LOCK-07.
        """
        living = []
        self._sweep_earlier_starts(self._directory)
        for lock in self._ledger.load():
            if alive(lock.pid) and not self.has_foreign(lock):
                living.append(lock)
            else:
                self.remove(lock)
        return living

    def _sweep_earlier_starts(self, place: Path) -> None:
        """Remove those of ours that lie there since before the machine was started, of which no ledger knows.

        Once in each directory, when the first editor comes whose Claude Code looks there. Requirement LOCK-11.
        """
        if place in self._swept:
            return
        self._swept.add(place)
        with contextlib.suppress(LockRefused, OSError), _opened(place, make=False) as directory:
            for name in filter(_LOCK.fullmatch, os.listdir(directory)):
                if origin.is_of_earlier_start(_content(directory, Path(name))):
                    os.unlink(name, dir_fd=directory)

    def has_foreign(self, lock: Lock) -> bool:
        """Whether another program's lock has taken the place of `lock`."""
        try:
            with _opened(self._place(lock), make=False) as directory:
                return _token(directory, lock.name) not in (None, lock.auth_token)
        except (LockRefused, OSError):
            return False


# The directory


@contextlib.contextmanager
def _opened(path: Path, make: bool = True) -> Iterator[int]:
    """A descriptor of the directory: what is checked of it stays true of what is then done in it."""
    if make and not os.path.lexists(path):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
    _check(path, path.lstat())
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        _check(path, status)
        if status.st_mode & 0o077:
            os.fchmod(descriptor, 0o700)
        yield descriptor
    finally:
        os.close(descriptor)


def _check(path: Path, status: os.stat_result) -> None:
    fault, command = directory_fault(str(path), status)
    if fault:
        elsewhere = "Set CLAUDE_CONFIG_DIR to a directory of your own, then :VimMCPReconnect"
        why = f"The lock directory {path} {fault}, so Claude Code cannot find the editors."
        raise LockRefused(f"{why} {f'Mend it: {command}' if command else elsewhere}")


# The ledger


class _Ledger:
    """The ports and tokens that were given, by port, and where, in a file of the runtime directory (0600)."""

    def __init__(self, path: Path):
        self._path = path
        self._entries: dict[str, dict[str, Any]] = {}

    def load(self) -> list[Lock]:
        """What an earlier hub has given; a file that cannot be read is as none."""
        with contextlib.suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            entries = json.loads(self._path.read_bytes())
            locks = [_lock(int(port), **entry) for port, entry in entries.items()]
            self._entries = entries
            return locks
        return []

    def add(self, lock: Lock) -> None:
        if self._entries.get(str(lock.port)) != _entry(lock):
            self._entries[str(lock.port)] = _entry(lock)
            self._write()

    def drop(self, lock: Lock) -> None:
        if self._entries.get(str(lock.port)) == _entry(lock):
            del self._entries[str(lock.port)]
            self._write()

    def _write(self) -> None:
        try:
            if self._entries:
                atomic.write(self._path, json.dumps(self._entries).encode())
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            logger.error("cannot write %s: %s", self._path, error.strerror)


def _entry(lock: Lock) -> dict[str, Any]:
    place = {"directory": str(lock.directory)} if lock.directory else {}
    return {"pid": lock.pid, "token": lock.auth_token, **place}


def _lock(port: int, pid: int, token: str, directory: str | None = None) -> Lock:
    return Lock(port, int(pid), (), "", str(token), Path(directory) if directory else None)


def _remove(directory: int, lock: Lock) -> None:
    token = _token(directory, lock.name)
    if token is not None and _same(token, lock.auth_token):
        os.unlink(lock.name, dir_fd=directory)


def _token(directory: int, name: Path) -> str | None:
    """The token in the lock `name`, "" where it holds none, None where there is no such file."""
    try:
        return str(_content(directory, name)["authToken"])
    except FileNotFoundError:
        return None
    except (LookupError, TypeError):
        return ""


def _content(directory: int, name: Path) -> Any:
    """What stands in the lock `name`, None where that is no JSON in a file. Raises FileNotFoundError."""
    try:
        descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
        with os.fdopen(descriptor, "rb") as file:
            return json.loads(file.read(_MAX_BYTES))
    except FileNotFoundError:
        raise
    except (OSError, ValueError, RecursionError):
        return None


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))
