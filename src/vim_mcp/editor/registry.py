"""The registry file: the connected instances, for programs that look without asking; and the last preference."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from vim_mcp import atomic
from vim_mcp.editor.link import Editor
from vim_mcp.editor.summary import summary

logger = logging.getLogger(__name__)

MAX_AGE = 24 * 3600
"""Seconds after which an entry of an editor that is not connected is dropped."""


_FIELDS = ("pid", "cwd", "main_file", "started", "buffers", "last_seen")


def entry(editor: Editor, socket: Path) -> dict[str, Any]:
    """An editor's entry, in the registry's format. Requirement VIM-REGISTRY-01."""
    about = summary(editor)
    return {"socket": str(socket), **{field: about[field] for field in _FIELDS}}


class Registry:
    """The file at `path`; `socket` is the hub's, named in every entry."""

    def __init__(self, path: Path, socket: Path):
        self._path = path
        self._socket = socket
        self._lines: dict[str, tuple[float, str]] = {}

    def load(self) -> dict[str, dict[str, Any]]:
        """The entries left by an earlier hub, those older than a day dropped; a corrupt file is reset."""
        try:
            entries = json.loads(self._path.read_bytes())
            return {key: value for key, value in entries.items() if _age(value) <= MAX_AGE}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError, TypeError, KeyError) as error:
            logger.warning("the registry %s was corrupt (%s) and has been reset", self._path, error)
            self.write([])
            return {}

    def write(self, editors: Iterable[Editor]) -> None:
        """Write the connected editors; a failure is logged: the next hub then expects nobody, and all that is
        lost is that a call does not wait for those who are about to come back."""
        self._lines = {editor.instance_id: self._line(editor) for editor in editors}
        lines = ",\n".join(line for _, line in self._lines.values())
        try:
            atomic.write(self._path, f"{{\n{lines}\n}}\n".encode())
        except OSError as error:
            logger.error("cannot write the registry %s: %s", self._path, error)

    def _line(self, editor: Editor) -> tuple[float, str]:
        """When the editor was last heard of, and its line: the one written before, if that was before it, too."""
        known = self._lines.get(editor.instance_id)
        if known and known[0] == editor.last_seen:
            return known
        return editor.last_seen, f"{json.dumps(editor.instance_id)}: {json.dumps(entry(editor, self._socket))}"

    def remove(self) -> None:
        """Take the file away."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            logger.error("cannot remove the registry %s: %s", self._path, error)


def _age(value: dict[str, Any]) -> float:
    return time.time() - datetime.fromisoformat(value["last_seen"]).timestamp()


class Preference:
    """The instance that was selected last, kept in a one-line file."""

    def __init__(self, path: Path):
        self._path = path

    def read(self) -> str | None:
        """The instance id, or None."""
        try:
            return self._path.read_text(errors="replace").strip() or None
        except OSError:
            return None

    def write(self, instance_id: str) -> None:
        """Remember `instance_id`."""
        try:
            atomic.write(self._path, f"{instance_id}\n".encode())
        except OSError as error:
            logger.error("cannot write the preference %s: %s", self._path, error)
