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
        self._has_hooks = False

    def expect(self) -> None:
        """A client of the editor's has hooks: from now on one may be late."""
        self._has_hooks = True

    def wait(self, file: str, objection: Objection) -> Callable[[], None]:
        """A hook waits for a reason why `file` (absolute) is not to be changed; returns what ends that."""
        path = os.path.realpath(file)
        if path in self._untaken:  # the user was quicker than the hook
            objection(self._untaken.pop(path))
            return lambda: None
        self._waiting.setdefault(path, []).append(objection)

        def forget() -> None:
            if objection in self._waiting.get(path, ()):
                self._waiting[path].remove(objection)

        asyncio.get_running_loop().call_later(_TOGETHER, self._look, path)
        return forget

    def tell(self, file: str, reason: str) -> bool:
        """The change to `file` is judged; `reason` may be "". Whether a hook takes it, or may: a late one finds it
        within `LATE` seconds."""
        path = os.path.realpath(file)
        waiting = self._waiting.pop(path, [])
        for objection in waiting:
            objection(reason)
        if reason and self._has_hooks and not waiting:
            self._untaken[path] = reason
            asyncio.get_running_loop().call_later(LATE, self._untaken.pop, path, None)
        return bool(waiting) or self._has_hooks

    def _look(self, path: str) -> None:
        """A change that the user is not shown gets no reason from them."""
        if not self._is_reviewed(path):
            self.tell(path, "")
