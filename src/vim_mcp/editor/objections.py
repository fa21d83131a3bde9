"""Why a change was rejected, on its way to the model: `openDiff` cannot say it, a hook of Claude Code's can."""

from __future__ import annotations

import asyncio
import os.path
from collections.abc import Callable

Objection = Callable[[str], None]
"""Takes the reason, once; "" where there is none to be waited for any more."""

LATE = 1.0
"""Seconds that a hook may take to come after the user has judged."""

_TOGETHER = 5.0
"""Seconds within which a hook and the review of the same file both begin, where there are both."""


class Objections:
    """One editor's: the hooks that wait for a reason, by the file that their Claude Code asks about.

    `is_reviewed` tells whether the user is shown a change to a file.
    """

    def __init__(self, is_reviewed: Callable[[str], bool]):
        self._is_reviewed = is_reviewed
        self._waiting: dict[str, list[Objection]] = {}
        self._untaken: dict[str, str] = {}
        self._forgetting: dict[str, asyncio.TimerHandle] = {}
        self._has_hooks = False

    def expect(self) -> None:
        """A client of the editor's has hooks: from now on one may be late."""
        self._has_hooks = True

    def wait(self, file: str, objection: Objection) -> Callable[[], None]:
        """A hook waits for a reason why `file` (absolute) is not to be changed; returns what ends that."""
        path = os.path.realpath(file)
        if path in self._untaken:  # the user was quicker than the hook
            objection(self._take(path))
            return lambda: None
        self._waiting.setdefault(path, []).append(objection)
        timer = asyncio.get_running_loop().call_later(_TOGETHER, self._look, path, objection)

        def forget() -> None:
            timer.cancel()
            self._leave(path, objection)

        return forget

    def _leave(self, path: str, objection: Objection) -> bool:
        """It does not wait any more; whether it did."""
        waiting = self._waiting.get(path, [])
        found = objection in waiting
        if found:
            waiting.remove(objection)
        return found

    def tell(self, file: str, reason: str) -> bool:
        """The change to `file` is judged; `reason` may be "". Whether a hook takes it, or may: a late one finds it
        within `LATE` seconds."""
        path = os.path.realpath(file)
        waiting = self._waiting.pop(path, [])
        for objection in waiting:
            objection(reason)
        if reason and self._has_hooks and not waiting:
            self._keep(path, reason)
        return bool(waiting) or self._has_hooks

    def _keep(self, path: str, reason: str) -> None:
        if path in self._untaken:
            self._take(path)
        self._untaken[path] = reason
        self._forgetting[path] = asyncio.get_running_loop().call_later(LATE, self._take, path)

    def _take(self, path: str) -> str:
        self._forgetting.pop(path).cancel()
        return self._untaken.pop(path)

    def _look(self, path: str, objection: Objection) -> None:
        """A change that the user is not shown gets no reason from them."""
        if not self._is_reviewed(path) and self._leave(path, objection):
            objection("")
