"""`vim-mcp status`: what the hub says of itself, as tables or as JSON, once or as it changes. Standard library only."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from vim_mcp import control, paths
from vim_mcp.starter import HubUnreachable

_PAUSE = 1.0
"""Seconds between two looks of `--watch`."""
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
"""The terminal's second screen without a cursor, and back."""

# The fields that a table shows, with their headings.
_EDITORS = {
    "instance_id": "instance", "editor": "editor", "pid": "pid", "up": "up", "port": "port", "diffs": "diffs",
    "cwd": "directory", "file": "file",
}  # fmt: skip
_CLIENTS = {"name": "client", "pid": "pid", "selected": "instance"}


def show(as_json: bool) -> int:
    """Print what the hub says of itself; 0 where one runs, 1 where none does or it does not answer."""
    answer = _answer()
    print(json.dumps(answer, indent=2) if as_json else "\n".join(described(answer, time.time())))
    return 1 if answer.get("state") in (None, "ERROR") else 0


def _answer() -> dict[str, Any]:
    try:
        answer = control.ask({"type": "status"})
    except HubUnreachable as error:
        return {"state": "ERROR", "message": str(error)}
    return answer or {"state": None, "message": "No hub runs; an editor or a client starts one"}


def watch(as_json: bool) -> int:
    """Show it until CTRL-C: drawn anew on a terminal, elsewhere printed whenever something but a time has changed.

    As JSON that is an object a line. Raises KeyboardInterrupt.
    """
    if as_json or not sys.stdout.isatty():
        _print_changes(as_json)
    print(end=_ENTER)
    try:
        while True:
            _draw(list(described(_answer(), time.time())))
            time.sleep(_PAUSE)
    finally:
        print(end=_LEAVE, flush=True)


def _draw(lines: list[str]) -> None:
    """Fill the screen with the lines, as far as it has room; nothing flickers, since nothing is erased first."""
    columns, rows = os.get_terminal_size()
    kept = lines if len(lines) <= rows else [*lines[: rows - 1], f"… {len(lines) - rows + 1} more lines"]
    print(end="\x1b[H" + "\n".join(f"{line[:columns]}\x1b[K" for line in kept) + "\x1b[J", flush=True)


def _print_changes(as_json: bool) -> None:
    last: object = None
    while True:
        answer = _answer()
        timeless = _without_times(answer)
        if timeless != last:
            print(json.dumps(answer) if as_json else "\n".join([*described(answer, time.time()), ""]), flush=True)
        last = timeless
        time.sleep(_PAUSE)


def _without_times(answer: dict[str, Any]) -> dict[str, Any]:
    instances = [{**instance, "last_seen": None} for instance in answer.get("instances", ())]
    return {**answer, "uptime": None, "instances": instances}


def described(answer: dict[str, Any], now: float) -> Iterator[str]:
    """The lines for a person; `now` is the time in seconds since 1970."""
    if "message" in answer:
        yield f"{answer['state'] or 'NOT RUNNING'}: {answer['message']} (socket {paths.socket_path()})"
        return
    yield f"{answer['state']}: hub {answer['version']}, process {answer['pid']}, up {_duration(answer['uptime'])}"
    yield from [f"fault: {answer['fault']}"] if answer.get("fault") else []
    yield f"socket: {answer['socket']}"
    instances = answer["instances"]
    yield from (f"fault: {fault}" for fault in dict.fromkeys(i.get("ide_fault") for i in instances) if fault)
    claude = [{**client, "selected": i["instance_id"]} for i in instances for client in i.get("ide_clients", ())]
    yield from _table("editors", [_row(instance, now) for instance in instances], _EDITORS)
    yield from _table("clients", answer["clients"] + claude, _CLIENTS)


def _row(instance: dict[str, Any], now: float) -> dict[str, Any]:
    """The cells for an editor, as short as they can be said."""
    directory, file = instance["cwd"], instance.get("current_file") or instance["main_file"]
    inside = file.startswith(f"{directory.rstrip('/')}/")
    name = "Neovim" if instance["editor"] == "nvim" else "Vim"
    allowed = instance.get("access", "edit")
    return {
        **instance,
        "editor": f"{name} {instance.get('version', '')}".rstrip() + ("" if allowed == "edit" else f" ({allowed})"),
        "up": _duration(now - datetime.fromisoformat(instance["started"]).timestamp()),
        "cwd": paths.tilde(directory),
        "file": file[len(directory.rstrip("/")) + 1 :] if inside else paths.tilde(file),
    }


def _duration(seconds: float) -> str:
    minutes, hours, days = int(seconds) // 60, int(seconds) // 3600, int(seconds) // 86400
    if days > 0:
        return f"{days} d {hours % 24} h"
    if hours > 0:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {int(seconds) % 60} s" if minutes > 0 else f"{max(int(seconds), 0)} s"


def _table(title: str, rows: list[dict[str, Any]], columns: dict[str, str]) -> Iterator[str]:
    """The rows' fields that `columns` names, below its headings; the number of rows alone where there are none."""
    yield f"{title}: {len(rows) or 'none'}"
    cells = [["-" if row.get(field) is None else str(row[field]) for field in columns] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns.values(), *cells, strict=True)]
    for row in [list(columns.values()), *cells] if rows else []:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
