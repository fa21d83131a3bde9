"""What is told of an editor wherever editors are listed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from vim_mcp.editor.link import Editor


def summary(editor: Editor) -> dict[str, Any]:
    """Its id, process, files and directory, with what its user allows. Times are ISO 8601, UTC."""
    info, state = editor.info, editor.state
    names = [b["name"] for b in state["buffers"] if b["listed"]] if state else info.buffers
    buffers = [name for name in names if name]
    return {
        "instance_id": editor.instance_id,
        "pid": info.pid,
        "cwd": state.get("cwd", info.cwd),
        "main_file": info.main_file or next(iter(buffers), ""),
        "current_file": current_file(editor),
        "editor": info.editor,
        "version": info.version,
        "buffers": buffers,
        "started": _iso(editor.started),
        "last_seen": _iso(editor.last_seen),
        "short_lived": info.short_lived,
        "access": state.get("access", info.access),
    }


def current_file(editor: Editor) -> str:
    """The file that its user looks at: the current window's, else (that may be a terminal's) that of the first window
    in its tab page that shows one; "" where none does."""
    names = {b["id"]: b["name"] for b in editor.state.get("buffers", ()) if b["buftype"] == "" and b["name"]}
    windows = editor.state.get("windows", ())
    tab = next((window["tab"] for window in windows if window["current"]), None)
    beside = sorted((w for w in windows if w["tab"] == tab), key=lambda window: not window["current"])
    return next((names[window["buffer"]] for window in beside if window["buffer"] in names), "")


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
