"""The editors that are connected now."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from vim_mcp.editor.instances import Candidate
from vim_mcp.editor.link import Editor
from vim_mcp.editor.summary import current_file, summary

GRACE = 2.0
"""Seconds in which the editors of an earlier hub are expected back."""

Listener = Callable[[frozenset[str], Editor], None]
"""Called with the names of what has happened (`JOINED`, `LEFT`, `LISTED` or those of pushed events) and the editor."""

JOINED = "joined"
LEFT = "left"
LISTED = "listed"
"""What is listed of an editor has changed: also as it comes and goes, but not that it was just heard of."""


class Directory:
    """Editors by instance id; tells its listeners who comes, goes and changes."""

    def __init__(self) -> None:
        self._editors: dict[str, Editor] = {}
        self._listeners: list[Listener] = []
        self._listed: dict[str, dict[str, Any]] = {}
        self._joined = asyncio.Event()
        self._expected: set[str] = set()
        self._expected_until: float | None = None

    def __iter__(self) -> Iterator[Editor]:
        return iter(list(self._editors.values()))

    def __len__(self) -> int:
        return len(self._editors)

    def __contains__(self, instance_id: object) -> bool:
        return instance_id in self._editors

    def get(self, instance_id: str) -> Editor | None:
        """The editor with that id, or None."""
        return self._editors.get(instance_id)

    def ids(self) -> set[str]:
        """The ids in use."""
        return set(self._editors)

    def candidates(self) -> list[Candidate]:
        """What choosing among the editors needs, the oldest first."""
        return [
            Candidate(
                e.instance_id, e.state.get("cwd", e.info.cwd), current_file(e) or e.info.main_file, e.info.short_lived
            )
            for e in self
        ]  # fmt: skip

    def add(self, editor: Editor) -> None:
        """Take in an editor; it is removed by itself when its connection ends."""
        self._editors[editor.instance_id] = editor
        editor.on_gone.append(lambda: self._remove(editor))
        editor.on_event = lambda events: self._tell(events, editor)
        self._joined.set()
        self._tell(frozenset({JOINED}), editor)

    def _remove(self, editor: Editor) -> None:
        if self._editors.get(editor.instance_id) is editor:
            del self._editors[editor.instance_id]
            self._tell(frozenset({LEFT}), editor)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Hear of every change; returns a function that stops it."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _tell(self, events: frozenset[str], editor: Editor) -> None:
        if self._is_listed_anew(events, editor):
            events |= {LISTED}
        for listener in list(self._listeners):
            listener(events, editor)

    def _is_listed_anew(self, events: frozenset[str], editor: Editor) -> bool:
        before = self._listed.pop(editor.instance_id, None)
        if LEFT in events:
            return True
        entry = self._listed[editor.instance_id] = {**summary(editor), "last_seen": None}
        return entry != before

    def expect(self, instance_ids: set[str]) -> None:
        """Editors that an earlier hub had, and that are about to dial again."""
        self._expected = instance_ids

    async def settled(self) -> None:
        """Wait until the expected editors are back: before that, who is there says little.

        The grace period begins with the first call, since a hub may have been busy with its own start before.
        """
        if not self._expected:
            return
        loop = asyncio.get_running_loop()
        self._expected_until = self._expected_until or loop.time() + GRACE
        while missing := self._expected - self._editors.keys():
            left = self._expected_until - loop.time()
            if left <= 0:
                self._expected -= missing
                return
            self._joined.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._joined.wait(), left)
