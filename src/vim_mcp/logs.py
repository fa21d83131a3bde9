"""The hub's log: a file that only its owner reads, rotated; callers keep tokens and text out of it."""

from __future__ import annotations

import io
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 1_000_000
FILES = 3
"""The log and its predecessors `hub.log.1`, `hub.log.2`."""
FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class PrivateRotatingFileHandler(RotatingFileHandler):
    """Rotates like its base; every file is made with mode 0600."""

    def _open(self) -> io.TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        return open(descriptor, "a", encoding=self.encoding, errors=self.errors)


def start(path: Path, level: str, foreground: bool = False) -> None:
    """Send what the process logs to the file at `path`, from `level` (of `config.LOG_LEVELS`) up.

    With `foreground` it goes to stderr too. The file is made when the first line is written. Log calls never raise.
    Of other packages only errors are kept: what they say below that may hold whole messages, and so the user's text.
    """
    logging.raiseExceptions = False
    rotating = PrivateRotatingFileHandler(path, maxBytes=MAX_BYTES, backupCount=FILES - 1, encoding="utf-8", delay=True)
    handlers: list[logging.Handler] = [rotating, logging.StreamHandler()] if foreground else [rotating]
    logging.basicConfig(level=logging.ERROR, format=FORMAT, handlers=handlers, force=True)
    logging.getLogger("vim_mcp").setLevel(level.upper())
