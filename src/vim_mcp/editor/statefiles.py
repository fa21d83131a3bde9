"""One file per instance with its complete state, for programs that look without asking."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import Callable
from pathlib import Path

from vim_mcp import atomic
from vim_mcp.editor.link import Editor
from vim_mcp.editor.reading import text_for_state_file
from vim_mcp.errors import VimMcpError

logger = logging.getLogger(__name__)

MAX_TEXT = 256 * 1024
"""Bytes of text in a state file; longer text is left out (`content: null`)."""


class StateFiles:
    """Writes an editor's file when its state has changed, at most once in its interval. Requirement VIM-SF-01."""

    def __init__(self, path: Callable[[str], Path]):
        self._path = path
        self._dirty: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def changed(self, editor: Editor) -> None:
        """Write the file soon, unless the editor wants none (interval 0)."""
        if editor.info.state_interval <= 0:
            return
        self._dirty.add(editor.instance_id)
        if editor.instance_id not in self._tasks:
            task = asyncio.create_task(self._follow(editor))
            self._tasks[editor.instance_id] = task

    def left(self, editor: Editor) -> None:
        """Remove the file of an editor that has gone."""
        self._dirty.discard(editor.instance_id)
        if task := self._tasks.pop(editor.instance_id, None):
            task.cancel()
        self._path(editor.instance_id).unlink(missing_ok=True)

    async def _follow(self, editor: Editor) -> None:
        try:
            while editor.instance_id in self._dirty and editor.connected:
                self._dirty.discard(editor.instance_id)
                with contextlib.suppress(VimMcpError):
                    await self._write(editor)
                await asyncio.sleep(editor.info.state_interval / 1000)
        finally:
            if self._tasks.get(editor.instance_id) is asyncio.current_task():
                del self._tasks[editor.instance_id]

    async def _write(self, editor: Editor) -> None:
        content = await text_for_state_file(editor, MAX_TEXT)
        current = {**(editor.state.get("current_buffer") or {}), "content": content}
        if editor.connected:
            self._store(editor, json.dumps({**editor.state, "current_buffer": current}).encode())

    def _store(self, editor: Editor, data: bytes) -> None:
        try:
            atomic.write(self._path(editor.instance_id), data)
        except OSError as error:
            logger.error("cannot write the state file of %s: %s", editor.instance_id, error)
