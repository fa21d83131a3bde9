"""Taking in editors: their registration, the registry, the state files, and noticing that they are gone."""

from __future__ import annotations

import logging
import re
import shutil
from typing import Any

from vim_mcp import wire
from vim_mcp.config import Config
from vim_mcp.connection import LineConnection
from vim_mcp.editor.directory import JOINED, LEFT, Directory
from vim_mcp.editor.instances import safe_id, unique_id
from vim_mcp.editor.link import TEXT_FILE, Editor
from vim_mcp.editor.messages import EditorInfo, parse_register
from vim_mcp.editor.process import alive, watch_exit
from vim_mcp.editor.registry import Registry
from vim_mcp.editor.statefiles import StateFiles
from vim_mcp.editor.summary import summary
from vim_mcp.editor.vocabulary import Refused
from vim_mcp.errors import COMMAND_FAILED, INVALID_PARAMS, InvalidParameters

logger = logging.getLogger(__name__)

_REVIEW = re.compile(r"vim-mcp-review-(\d+)-\d+")
"""The names of directories that editors make in the runtime directory (docs/diff-review.md)."""

_CHANGES_THE_REGISTRY = frozenset({JOINED, LEFT, "BufAdd", "BufEnter", "BufDelete", "BufFilePost", "DirChanged"})


class Registrar:
    """Registers editors in `directory` and keeps the files that tell of them."""

    def __init__(self, config: Config, directory: Directory):
        self._config = config
        self._directory = directory
        self._registry = Registry(config.registry, config.socket)
        self._state_files = StateFiles(config.state)
        directory.listen(self._on_change)

    def take_over(self) -> None:
        """Clean up after a hub that crashed, and expect its editors that still run: they dial again within moments."""
        for pattern in (f"{TEXT_FILE}*", self._config.state("*").name):
            for left_behind in self._config.runtime.glob(pattern):
                left_behind.unlink(missing_ok=True)
        self._sweep_reviews()
        earlier = self._registry.load()
        self._directory.expect({name for name, entry in earlier.items() if alive(entry.get("pid"))})
        self._registry.write(self._directory)

    def _sweep_reviews(self) -> None:
        """Remove what editors that were killed have left of reviews."""
        for path in self._config.runtime.iterdir():
            its = _REVIEW.fullmatch(path.name)
            if its and not alive(int(its[1])):
                shutil.rmtree(path, ignore_errors=True)

    def register(self, connection: LineConnection, message: dict[str, Any]) -> None:
        """Take in the editor that has sent `message`, or refuse it with a sentence. Requirement VIM-REG-01."""
        try:
            wanted, info = parse_register(message)
        except InvalidParameters as error:
            self._refuse(connection, INVALID_PARAMS, error.message)
            return
        self._replace_earlier(wanted, info)
        limit = self._config.max_instances
        if len(self._directory) >= limit:
            message_text = f"vim-mcp has {limit} editors, and that is its limit: close one, then :VimMCPReconnect"
            self._refuse(connection, COMMAND_FAILED, message_text)
            return
        self._take_in(connection, wanted, info)

    def _take_in(self, connection: LineConnection, wanted: str, info: EditorInfo) -> None:
        instance_id = unique_id(safe_id(wanted, info.pid), self._directory.ids())
        editor = Editor(instance_id, info, connection, self._config.runtime)
        editor.send({"type": "registered", "instance_id": instance_id})
        self._directory.add(editor)
        editor.on_gone.append(watch_exit(info.pid, editor.close))
        logger.info("%s registered: %s %s, pid %d", instance_id, info.editor, info.version, info.pid)

    def _replace_earlier(self, wanted: str, info: EditorInfo) -> None:
        """An editor that dials again before its earlier connection has ended takes that one's place."""
        for editor in self._directory:
            if editor.instance_id == wanted and editor.info.pid == info.pid:
                editor.close()

    def _refuse(self, connection: LineConnection, code: int, message: str) -> None:
        logger.warning("refused an editor: %s", message)
        refused: Refused = {"type": "refused", "code": code, "message": message}
        connection.write(wire.encode(refused))
        connection.close()

    def _on_change(self, events: frozenset[str], editor: Editor) -> None:
        if LEFT in events:
            logger.info("%s left", editor.instance_id)
            self._state_files.left(editor)
        else:
            self._state_files.changed(editor)
        if JOINED in events:
            self._sweep_reviews()
        if events & _CHANGES_THE_REGISTRY:
            self._registry.write(self._directory)

    def say_goodbye(self, reason: str) -> None:
        """Tell every editor why the hub leaves, hang up, and take the files away.

        The registry stays for a hub that comes next (`upgrade`): it tells which editors to expect.
        """
        editors = list(self._directory)
        for editor in editors:
            editor.close(reason)
        if reason == "upgrade":
            self._registry.write(editors)
        else:
            self._registry.remove()

    def status(self) -> list[dict[str, Any]]:
        """What `vim-mcp status` shows of each editor."""
        return [{**summary(editor), "plugin_version": editor.info.plugin_version} for editor in self._directory]
