"""Who finds the errors that Claude is told of: language servers and linters, as each editor tells of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vim_mcp import control
from vim_mcp.doctor.finding import OK, WARNING, Finding
from vim_mcp.doctor.hub import State
from vim_mcp.starter import HubUnreachable

_SUBJECT = "language servers"
_IN_EDITOR = ":VimMCPDoctor in that editor"


def findings(state: State) -> Iterator[Finding]:
    """What each editor says, through the hub."""
    if not state.editors():
        yield Finding(OK, _SUBJECT, "an editor's own, which tells of them once it is connected, or by :VimMCPDoctor")
        return
    try:
        told = (control.ask({"type": "checkers"}) or {}).get("checkers", ())
    except HubUnreachable as error:  # also one of an older version, which knows no such question
        yield Finding(WARNING, _SUBJECT, f"the hub does not tell: {error}", ":VimMCPDoctor in the editor")
        return
    yield from map(_finding, told)


def _finding(told: dict[str, Any]) -> Finding:
    """Of the editor's own finding, or the `fault` for which it has none."""
    if fault := told.get("fault"):
        return Finding(WARNING, _SUBJECT, f"not told by {told['instance_id']}: {fault}", _IN_EDITOR)
    level = OK if told["level"] == OK else WARNING
    fix = "" if level == OK else f"{told['fix']} in that editor"
    return Finding(level, _SUBJECT, f"{told['text']} (in {told['instance_id']})", fix)
