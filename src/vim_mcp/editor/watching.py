"""Watching files on disk: whoever has an interest in some hears when one of them has been written.

Directories are watched, since most programs replace a file rather than write into it; and a file counts as written when
its writer has closed it, so that nobody reads half of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Iterable
from typing import Any

logger = logging.getLogger(__name__)

MAX_DIRECTORIES = 512
"""Directories that are watched at most, of all editors."""

Told = Callable[[list[str]], None]
"""Called with the names of files that may have changed; an empty list: any may have."""


class Watching:
    """All that is watched. Nothing is imported, and no system resource taken, before there is something to watch.

    Where watching cannot be had, that is logged once, and nobody hears anything.
    """

    def __init__(self) -> None:
        self._interests: dict[Told, dict[str, list[str]]] = {}
        self._watches: dict[str, Any] = {}
        self._missing: set[str] = set()
        self._library: Any = None
        self._inotify: Any = None
        self._loading: asyncio.Task[None] | None = None
        self._complained: set[str] = set()

    def follow(self, told: Told, files: Iterable[str]) -> None:
        """From now on `told` hears of these files (full names, as they are given), and of no others.

        It is told of each new one at once, since that may have changed before.
        """
        names = [file for file in files if os.path.isabs(file)]
        before = {name for known in self._interests.pop(told, {}).values() for name in known}
        if names:
            interest = self._interests[told] = {}
            for name in names:
                interest.setdefault(os.path.realpath(name), []).append(name)
        if self._is_ready():
            self._update()
            self._tell_new(told, [name for name in names if name not in before])

    def close(self) -> None:
        """Watch nothing any more."""
        self._interests = {}
        if self._loading:
            self._loading.cancel()
        if self._inotify:
            asyncio.get_running_loop().remove_reader(self._inotify.fd)
            self._inotify.close()
            self._inotify, self._watches = None, {}

    @property
    def directories(self) -> set[str]:
        """The directories that are watched."""
        return set(self._watches)

    # Getting ready

    def _is_ready(self) -> bool:
        if self._interests and self._loading is None:
            self._loading = asyncio.create_task(self._load())
        return self._inotify is not None

    async def _load(self) -> None:
        """Import the library in a thread, then watch what is wanted by now."""
        try:
            self._library = await asyncio.to_thread(_import)
            self._inotify = self._library.Inotify(sync_timeout=0)
            os.set_blocking(self._inotify.fd, False)  # whatever the library expects there, the hub never waits
        except (ImportError, AttributeError, RuntimeError, OSError) as error:
            self._complain("files are not watched, and are looked at when a tool has run", str(error))
            return
        asyncio.get_running_loop().add_reader(self._inotify.fd, self._read)
        self._update()
        for told, files in list(self._interests.items()):
            self._tell_new(told, [name for names in files.values() for name in names])

    def _complain(self, what: str, why: str) -> None:
        if what not in self._complained:
            self._complained.add(what)
            logger.warning("%s: %s", what, why)

    @staticmethod
    def _tell_new(told: Told, names: list[str]) -> None:
        if names:
            told(names)

    # Directories

    def _update(self) -> None:
        """Watch the directories that are wanted, and no others; in place of one that is missing the one above it."""
        homes = {os.path.dirname(real) for files in self._interests.values() for real in files}
        wanted = {_nearest(home) for home in homes}
        self._missing = homes - wanted
        for directory in self._watches.keys() - wanted:
            with contextlib.suppress(OSError):  # it is gone already
                self._inotify.rm_watch(self._watches.pop(directory))
        for directory in sorted(wanted - self._watches.keys()):
            if len(self._watches) >= MAX_DIRECTORIES:
                self._complain("not all files are watched", f"they lie in more than {MAX_DIRECTORIES} directories")
                return
            self._watch(directory)

    def _watch(self, directory: str) -> None:
        mask = self._library.Mask
        try:
            self._watches[directory] = self._inotify.add_watch(
                directory, mask.CLOSE_WRITE | mask.MOVED_TO | mask.CREATE | mask.ONLYDIR
            )
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            pass  # nothing can be written there, for now
        except OSError as error:
            self._complain("not all files are watched", f"{error} (the limit is fs.inotify.max_user_watches)")

    # What has happened

    def _read(self) -> None:
        mask, changed, lost = self._library.Mask, set[str](), False
        with contextlib.suppress(BlockingIOError):
            for event in self._inotify:  # as far as there are any now
                lost = lost or mask.Q_OVERFLOW in event.mask
                if mask.IGNORED in event.mask:
                    self._forget(event.watch)
                elif mask.CREATE not in event.mask and event.path is not None:
                    changed.add(str(event.path))
        self._tell(changed | self._returned(), lost)

    def _forget(self, watch: Any) -> None:
        """The directory has gone."""
        for directory, known in list(self._watches.items()):
            if known is watch:
                del self._watches[directory]
                self._missing.add(directory)

    def _returned(self) -> set[str]:
        """The files of directories that were missing and are there again."""
        if not self._missing:
            return set()
        missing = self._missing
        self._update()
        back = missing - self._missing
        return {real for files in self._interests.values() for real in files if os.path.dirname(real) in back}

    def _tell(self, changed: set[str], lost: bool) -> None:
        for told, files in list(self._interests.items()):
            names = [name for real in changed & files.keys() for name in files[real]]
            if names or lost:
                told([] if lost else names)


def _nearest(directory: str) -> str:
    """The directory, or the nearest one above it that is there."""
    while not os.path.isdir(directory) and directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
    return directory


def _import() -> Any:
    import asyncinotify  # it takes a moment, and most hubs' first clients change nothing

    return asyncinotify
