"""What the Claude Codes of one editor do, as their hooks tell it. Pure."""

from __future__ import annotations

from typing import Any

WORKING = "working"
WAITING = "waiting"
IDLE = "idle"

_AFTER = {"UserPromptSubmit": WORKING, "PostToolUse": WORKING, "Stop": IDLE}
"""What a session does from an event on."""
_NOTIFICATIONS = {"permission_prompt": WAITING, "elicitation_dialog": WAITING, "idle_prompt": IDLE}
"""The same by the type of a notification; others tell nothing of it."""


class Activity:
    """Sessions by their ids, each `working`, `waiting` (for its user) or `idle`."""

    def __init__(self) -> None:
        self._sessions: dict[str, str] = {}
        self._pids: dict[str, frozenset[int]] = {}

    def hear(self, hook: dict[str, Any]) -> None:
        """Take in what a hook tells (docs/protocol.md, 3)."""
        session, event = str(hook.get("session", "")), str(hook.get("event", ""))
        if event == "SessionEnd":
            self._sessions.pop(session, None)
            self._pids.pop(session, None)
            return
        self._pids[session] = frozenset(pid for pid in hook.get("pids", []) if isinstance(pid, int))
        does = _NOTIFICATIONS.get(str(hook.get("notification"))) if event == "Notification" else _AFTER.get(event)
        if does:
            self._sessions[session] = does

    def forget(self, pid: int | None) -> None:
        """The client with that process has gone, whether it said so or not."""
        for session in [session for session, pids in self._pids.items() if pid in pids]:
            self._sessions.pop(session, None)
            del self._pids[session]

    def has_hooks(self, pid: int | None) -> bool:
        """Whether the client with that process has been heard by its hooks."""
        return any(pid in pids for pids in self._pids.values())

    def others_work(self, session: str) -> bool:
        """Whether a session other than this one is in the midst of a turn."""
        return any(does != IDLE for other, does in self._sessions.items() if other != session)

    @property
    def overall(self) -> str:
        """What an editor shows: `waiting` if one waits, else `working` if one works, else `idle`; "": none is known."""
        there = self._sessions.values()
        return next((does for does in (WAITING, WORKING, IDLE) if does in there), "")
