"""What the Claude Codes of one editor do, as their hooks tell it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

WORKING = "working"
WAITING = "waiting"
IDLE = "idle"

_AFTER = {
    "UserPromptSubmit": WORKING, "PostToolUse": WORKING, "PostToolUseFailure": WORKING, "PermissionRequest": WAITING,
    "Stop": IDLE, "StopFailure": IDLE,
}  # fmt: skip
"""What a session does from an event on."""
_NOTIFICATIONS = {"permission_prompt": WAITING, "elicitation_dialog": WAITING, "idle_prompt": IDLE}
"""The same by the type of a notification; others tell nothing of it."""
_OF_ONE_TOOL = frozenset({"PostToolUse", "PostToolUseFailure"})
"""The events by which one question at most was answered; those of `_AFTER` that ask none end all."""


@dataclass(eq=False)
class Question:
    """What a Claude Code asks its user before `tool` may run. Its hook waits until `hang_up` is called, or is ended by
    Claude Code when the user has said no."""

    session: str
    tool: str
    hang_up: Callable[[], None]


class Activity:
    """Sessions by their ids, each `working`, `waiting` (for its user) or `idle`."""

    def __init__(self) -> None:
        self._sessions: dict[str, str] = {}
        self._pids: dict[str, frozenset[int]] = {}
        self._questions: list[Question] = []

    def hear(self, hook: dict[str, Any]) -> None:
        """Take in what a hook tells (docs/protocol.md, 3)."""
        session, event = str(hook.get("session", "")), str(hook.get("event", ""))
        if event == "SessionEnd":
            self._forget(session)
            return
        self._pids[session] = frozenset(pid for pid in hook.get("pids", []) if isinstance(pid, int))
        if event in _OF_ONE_TOOL:
            self._end([question for question in self._of(session) if question.tool == hook.get("tool")][:1])
        elif event in _AFTER and event != "PermissionRequest":
            self._end(self._of(session))
        does = _NOTIFICATIONS.get(str(hook.get("notification"))) if event == "Notification" else _AFTER.get(event)
        if does:
            self._sessions[session] = WAITING if self._of(session) else does

    def asked(self, question: Question) -> None:
        """A hook, which was heard, waits for what becomes of a question."""
        self._questions.append(question)

    def answered(self, question: Question) -> None:
        """The user has said why not, and Claude Code hears it: it goes on."""
        if question in self._questions:
            self._end([question])
            self._sessions[question.session] = WAITING if self._of(question.session) else WORKING

    def withdrawn(self, question: Question) -> bool:
        """Claude Code has ended the hook: its user has said no, which ends a turn. Whether it has."""
        if question not in self._questions:
            return False
        self._questions.remove(question)
        self._sessions[question.session] = WAITING if self._of(question.session) else IDLE
        return self._sessions[question.session] == IDLE

    def rested(self, pid: int) -> bool:
        """The client with that process works no more, which no hook tells where its user has ended the turn; whether a
        turn has ended by that."""
        ended = [one for one, pids in self._pids.items() if pid in pids and self._sessions.get(one) == WORKING]
        self._sessions.update(dict.fromkeys(ended, IDLE))
        return bool(ended)

    def forget(self, pid: int | None) -> None:
        """The client with that process has gone, whether it said so or not."""
        for session in [session for session, pids in self._pids.items() if pid in pids]:
            self._forget(session)

    def stop(self) -> None:
        """Nobody is told any more."""
        self._end(self._questions)

    def _forget(self, session: str) -> None:
        self._end(self._of(session))
        self._sessions.pop(session, None)
        self._pids.pop(session, None)

    def _of(self, session: str) -> list[Question]:
        return [question for question in self._questions if question.session == session]

    def _end(self, questions: list[Question]) -> None:
        """They are questions no more, and then their hooks are let go."""
        self._questions = [question for question in self._questions if question not in questions]
        for question in questions:
            question.hang_up()

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
