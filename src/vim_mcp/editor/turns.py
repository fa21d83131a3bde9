"""What an editor is told of its own Claude Codes: how many they are and what they do, and which files they change."""

from __future__ import annotations

import os.path
from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol

from vim_mcp.editor.activity import Activity, Question
from vim_mcp.editor.link import Editor
from vim_mcp.editor.watching import Watching
from vim_mcp.text import paths_of_uri

_WRITES = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit", "Bash"})
"""Claude Code's own tools after which files may be other than before."""


class Client(Protocol):
    """A Claude Code; its process, where it has told it."""

    client_pid: int | None


class Turns:
    """One editor's. While a client is there the files of the editor's buffers are watched."""

    def __init__(self, editor: Editor, watching: Watching):
        self._editor = editor
        self._watching = watching
        self._clients: list[Client] = []
        self._activity = Activity()
        self._told = (0, "")
        self._followed: list[str] = []
        self.kinds: dict[str, Callable[[dict[str, Any]], None]] = {"rested": self._rested}
        """What takes an editor's message, by its type."""

    def joined(self, client: Client) -> None:
        """A client has connected."""
        self._clients.append(client)
        self._tell()

    def left(self, client: Client) -> None:
        """It has gone."""
        self._clients.remove(client)
        self._activity.forget(client.client_pid)
        self._tell()

    def follow(self) -> None:
        """The editor's state has changed: other files may be loaded."""
        here = self._clients or self._activity.overall
        files = [buffer["name"] for buffer in self._editor.state.get("buffers", []) if _is_file(buffer)] if here else []
        if files != self._followed:
            self._followed = files
            self._watching.follow(self._changed, files)

    def stop(self) -> None:
        """The editor has gone."""
        self._activity.stop()
        self._watching.follow(self._changed, [])

    def said(self, client: Client, tool: str, arguments: dict[str, Any]) -> None:
        """A client calls a tool: with some it tells that a turn begins, or that it is about to write a file."""
        if tool == "closeAllDiffTabs" and not self._activity.has_hooks(client.client_pid):
            self._turn("begin")
        elif tool == "getDiagnostics" and isinstance(arguments.get("uri"), str):
            self.expect(paths_of_uri(arguments["uri"]))

    def expect(self, paths: list[str]) -> None:
        """A client is about to write a file, by the first of these names that is one, else the first."""
        full = [path for path in paths if os.path.isabs(path) and "\0" not in path]
        if full:
            self._editor.send({"type": "expect", "file": next(filter(os.path.lexists, full), full[0])})

    def hooked(self, hook: dict[str, Any]) -> None:
        """A client's hook tells what has happened (docs/protocol.md, 3)."""
        self._activity.hear(hook)
        event = hook.get("event")
        alone = not self._activity.others_work(str(hook.get("session", "")))
        if event in ("PostToolUse", "PostToolUseFailure"):
            self._ran(hook)
        elif event in ("UserPromptSubmit", "Stop", "StopFailure") and alone:
            self._turn("begin" if event == "UserPromptSubmit" else "end")
        self._tell()

    def _ran(self, hook: dict[str, Any]) -> None:
        """A tool of Claude Code's has run: the files that it may have changed, and the place that it was about."""
        file = hook.get("file") if isinstance(hook.get("file"), str) else None
        if hook.get("tool") in _WRITES:
            self._changed([file] if file else [])
        if file and hook.get("event") == "PostToolUse":
            self._editor.send({"type": "place", "file": file, "lines": hook.get("lines")})

    def asked(self, question: Question) -> None:
        """A hook waits until its client's question to the user is answered."""
        self._activity.asked(question)

    def answered(self, question: Question) -> None:
        """The user has answered it by a reason why not."""
        self._activity.answered(question)
        self._tell()

    def withdrawn(self, question: Question) -> None:
        """The client has ended that hook."""
        if self._activity.withdrawn(question) and not self._activity.others_work(question.session):
            self._turn("end")
        self._tell()

    def _rested(self, message: dict[str, Any]) -> None:
        """The editor has seen that a client works no more."""
        if self._activity.rested(int(message["pid"])) and not self._activity.others_work(""):
            self._turn("end")
        self._tell()

    def is_of(self, hook: dict[str, Any]) -> bool:
        """Whether a hook is that of a client of this editor, or of one that was started in it."""
        pids = hook.get("pids")
        of_client = isinstance(pids, list) and any(client.client_pid in pids for client in self._clients)
        return of_client or hook.get("instance") == self._editor.instance_id

    def _turn(self, what: Literal["begin", "end"]) -> None:
        self._editor.send({"type": "turn", "turn": what})

    def _changed(self, files: Iterable[str]) -> None:
        self._editor.send({"type": "disk", "files": list(files)})

    def _tell(self) -> None:
        clients, activity = len(self._clients), self._activity.overall
        if (clients, activity) != self._told:
            self._told = (clients, activity)
            self._editor.send({"type": "ide", "clients": clients, "activity": activity})
        self.follow()


def _is_file(buffer: dict[str, Any]) -> bool:
    return bool(buffer.get("loaded") and buffer.get("name")) and not buffer.get("buftype")
