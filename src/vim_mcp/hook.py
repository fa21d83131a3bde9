"""What Claude Code's hooks run: it passes on to the hub what has happened. Standard library only.

Claude Code waits for it, so it is quick; and whatever is wrong here is no fault of what Claude does, so it is silent.
Only `PermissionRequest` waits, until its question is answered, and may tell why the user rejects a change: Claude Code
does not wait for that one, and ends it when the user says no.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

from vim_mcp import starter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PATIENCE = 1.0
"""Seconds that a hub may take to accept the line."""
_GENERATIONS = 4
"""How far above this process Claude Code's own is looked for: there are shells in between."""


def run() -> int:
    """Read a hook's JSON object on stdin and tell the hub of it, if one runs; 0 whatever happens."""
    with contextlib.suppress(Exception):
        _tell(json.loads(sys.stdin.buffer.read()))
    return 0


def _tell(hook: dict[str, Any]) -> None:
    connection = starter.connect(patience=0)
    if connection is not None:
        with connection:
            connection.settimeout(_PATIENCE)
            connection.sendall(json.dumps(message(hook)).encode() + b"\n")
            if hook.get("hook_event_name") == "PermissionRequest":
                _deny(_answer(connection.fileno()))


def _answer(descriptor: int) -> bytes:
    """What the hub says before it hangs up; nothing once Claude Code, which reads our stdout, has gone."""
    import select  # the other hooks need not load it

    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    waiting.register(sys.stdout.fileno(), 0)
    answer, data = b"", b"?"
    while data and not answer.endswith(b"\n") and all(one == descriptor for one, _ in waiting.poll()):
        data = os.read(descriptor, 4096)
        answer += data
    return answer


def _deny(answer: bytes) -> None:
    """Tell Claude Code why its user rejects the change, if the hub says so."""
    if answer.endswith(b"\n"):
        decision = {"behavior": "deny", "message": json.loads(answer)["deny"]}
        output = {"hookEventName": "PermissionRequest", "decision": decision}
        print(json.dumps({"hookSpecificOutput": output}), flush=True)


def message(hook: dict[str, Any]) -> dict[str, Any]:
    """The hub's line for a hook's object (docs/protocol.md, 3): names, and never a prompt's or a file's text."""
    tool_input = hook.get("tool_input")
    arguments = tool_input if isinstance(tool_input, dict) else {}
    file = arguments.get("file_path") or arguments.get("notebook_path")
    return {
        "type": "hook",
        "event": hook.get("hook_event_name"),
        "session": hook.get("session_id"),
        "instance": os.environ.get("VIM_MCP_INSTANCE"),
        "pids": _ancestors(),
        "tool": hook.get("tool_name"),
        "file": os.path.join(str(hook.get("cwd") or os.getcwd()), file) if isinstance(file, str) else None,
        "lines": _lines(arguments, hook.get("tool_response")),
        "notification": hook.get("notification_type"),
    }


def _lines(arguments: dict[str, Any], response: Any) -> list[int] | None:
    """The first and the last line (from 1) that a tool has read, where it was not all, or that it has changed first."""
    with contextlib.suppress(LookupError, TypeError, ValueError, StopIteration):
        if arguments.get("offset") or arguments.get("limit"):
            first = int(response["file"]["startLine"])
            return [first, first + max(int(response["file"]["numLines"]), 1) - 1]
        patch = response["structuredPatch"][0]
        return _changed(int(patch["newStart"]), patch["lines"])
    return None


def _changed(first: int, lines: list[str]) -> list[int]:
    """Of a hunk of a unified diff whose new text begins at `first`, the lines without those around them."""
    before = next(index for index, line in enumerate(lines) if line[:1] in "+-")
    after = next(index for index, line in enumerate(reversed(lines)) if line[:1] in "+-")
    new = sum(line[:1] != "-" for line in lines[before : len(lines) - after])
    return [first + before, first + before + max(new, 1) - 1]


def _ancestors() -> list[int]:
    """The processes above this one, the nearest first, as far as the system shows them."""
    pids = [os.getppid()]
    with contextlib.suppress(OSError, ValueError, IndexError):
        while len(pids) < _GENERATIONS and pids[-1] > 1:
            with open(f"/proc/{pids[-1]}/stat", "rb") as file:
                pids.append(int(file.read().rpartition(b")")[2].split()[1]))
    return pids
