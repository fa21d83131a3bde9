"""Where Claude Code finds one editor: its port, token and lock file. What cannot be had at once is tried again."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import EditorInfo
from vim_mcp.ide.lockfile import Lock, LockRefused, Locks
from vim_mcp.ide.ports import listen, listen_anywhere
from vim_mcp.text import is_path

logger = logging.getLogger(__name__)

_PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds from one try to the next; the last for all that follow."""
_EVENTS = 1.0
"""Seconds after a try in which what the editor does leads to no other."""


class Address:
    """One editor's. It is sought by `open`, and from then on until `close`. Requirement LOCK-10."""

    def __init__(self, editor: Editor, locks: Locks):
        self.lock: Lock | None = None
        self.listener: socket.socket | None = None
        self.fault: str | None = None
        """Why Claude Code cannot find the editor, or only with folders that it has left."""
        self._editor = editor
        self._locks = locks
        self._earlier: Lock | None = None
        self._others: Callable[[], Iterable[Lock]] = list
        self._opened: Callable[[], None] | None = None
        self._told: list[str] = []
        self._tries = 0
        self._tried = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def open(self, earlier: Lock | None, others: Callable[[], Iterable[Lock]], opened: Callable[[], None]) -> None:
        """Listen, at the port and with the token of `earlier` if that can be, write the lock and tell the editor.

        `others` are the locks of the other editors, `opened` is called when the port is open.
        """
        self._earlier, self._others, self._opened = earlier, others, opened
        self._seek()

    def _seek(self) -> None:
        """Have what is missing, or try again later."""
        if self._timer is not None:
            self._timer.cancel()
        self._tried = asyncio.get_running_loop().time()
        try:
            self._have()
        except (OSError, LockRefused) as error:
            self._fail(getattr(error, "strerror", None) or str(error))
        else:
            self.fault, self._tries = None, 0

    def _have(self) -> None:
        """Write the lock of the open port anew, or open one. Raises OSError and `LockRefused`."""
        if self.lock is not None:
            self._write_anew(self.lock)
            return
        self.listener, token = self._listen()
        try:
            self._locks.write(lock := self._lock(self.listener.getsockname()[1], token))
        except LockRefused:
            self.listener.close()
            raise
        self.lock = lock
        logger.info("%s has port %d for Claude Code", self._editor.instance_id, lock.port)
        self._tell(lock)
        if self._opened:
            self._opened()

    def _write_anew(self, lock: Lock) -> None:
        self._told = self._folders_told()
        self.lock = replace(lock, workspace_folders=tuple(self.folders()))
        self._locks.write(self.lock)
        if self.fault:
            self._tell(self.lock)

    def _fail(self, reason: str) -> None:
        """Tell it once, in the log and in the editor, and try again later."""
        if self.fault is None:
            self._complain(reason)
        self.fault = reason
        pause = _PAUSES[min(self._tries, len(_PAUSES) - 1)]
        self._tries += 1
        self._timer = asyncio.get_running_loop().call_later(pause, self._seek)

    def give_up(self, reason: str) -> None:
        """There is no port, and none is sought until the next `open`."""
        self.close()
        if self.fault != reason:
            self._complain(reason)
        self.fault, self.lock = reason, None

    def _complain(self, reason: str) -> None:
        logger.error("%s cannot be found by Claude Code: %s", self._editor.instance_id, reason)
        self._editor.send({"type": "unreachable", "reason": reason})

    def _listen(self) -> tuple[socket.socket, str]:
        """An open port and its token: a new one wherever the earlier port is not to be had."""
        earlier = self._earlier
        if earlier is not None and not self._locks.has_foreign(earlier):
            with suppress(OSError):
                return listen(earlier.port), earlier.auth_token
        return listen_anywhere(lambda port: self._locks.has(port, self._directory())), str(uuid.uuid4())

    def _directory(self) -> Path | None:
        """Where a Claude Code looks that is started in the editor; None: where the hub itself would. LOCK-09."""
        configuration = self._editor.info.claude_config_dir
        return Path(configuration) / "ide" if is_path(configuration) else None

    def _lock(self, port: int, token: str) -> Lock:
        self._told, folders = self._folders_told(), self.folders()
        name = _name(self._editor.info, set(folders), self._others())
        return Lock(port, self._editor.info.pid, tuple(folders), name, token, self._directory())

    def _tell(self, lock: Lock) -> None:
        """What leads a Claude Code to this editor that is started in it. Requirement ENV-01."""
        variables = {
            "CLAUDE_CODE_SSE_PORT": str(lock.port),
            "ENABLE_IDE_INTEGRATION": "true",
            "VIM_MCP_INSTANCE": self._editor.instance_id,
        }
        self._editor.send({"type": "environment", "variables": variables})

    def _folders_told(self) -> list[str]:
        state, info = self._editor.state, self._editor.info
        return state.get("folders") or list(info.folders) or [state.get("cwd") or info.cwd]

    def folders(self) -> list[str]:
        """The workspace folders as real paths, each once; what can be no path is left out."""
        return list(dict.fromkeys(map(os.path.realpath, filter(is_path, self._folders_told()))))

    def follow(self) -> None:
        """The editor has done something: write the lock anew if the folders have changed or it has gone, and do again
        what has failed. Requirements LOCK-04 and LOCK-08."""
        if self._opened is None or (self.fault and asyncio.get_running_loop().time() < self._tried + _EVENTS):
            return
        if self.fault or self._has_changed():
            self._seek()

    def _has_changed(self) -> bool:
        """Whether the lock is no longer as it should be; it is then as it is to be written."""
        assert self.lock is not None, "without a port there is a fault"
        told, there = self._folders_told(), self._locks.has(self.lock.port, self._directory())
        if there and told == self._told:
            return False
        self._told = told
        return not there or tuple(self.folders()) != self.lock.workspace_folders

    def close(self, keep_lock: bool = False) -> None:
        """Seek no more, and remove the lock; the next hub takes over one that is kept."""
        self._opened = None
        if self._timer is not None:
            self._timer.cancel()
        if self.listener is not None:
            self.listener.close()
        self.listener = None
        if self.lock is not None and not keep_lock:
            self._locks.remove(self.lock)


def _name(info: EditorInfo, folders: set[str], others: Iterable[Lock]) -> str:
    """The editor's name for its user: with its file where another editor of that name has a folder of its own too."""
    base = _printable(info.ide_name) or info.display_name
    taken = {lock.ide_name for lock in others if folders & set(lock.workspace_folders)}
    file = _printable(os.path.basename(info.main_file.rstrip("/")))
    wanted = [base, *([f"{base} ({file})"] if file else [])]
    return next((name for name in wanted if name not in taken), f"{base} ({info.pid})")


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
