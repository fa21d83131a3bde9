"""Many editors in one process, for what real ones would only slow down: python -m bench.fakes SOCKET COUNT DIRECTORY.

Each speaks section 1 of docs/protocol.md. Prints a line when all have registered; leaves when its input ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from bench.texts import SOURCE


def buffer(name: str, tick: int = 2) -> dict[str, Any]:
    """A Buffer as docs/protocol.md has it."""
    return {
        "id": 1, "name": name, "listed": True, "loaded": True, "modified": False, "readonly": False,
        "filetype": "python", "buftype": "", "line_count": len(SOURCE), "changedtick": tick, "current": True,
        "visible": True, "ignored": False,
    }  # fmt: skip


def register(number: int, directory: Path) -> dict[str, Any]:
    """The first line of editor `number`."""
    cwd = directory / f"project{number}"
    main_file = str(cwd / "main.py")
    info = {
        "pid": os.getpid(), "cwd": str(cwd), "main_file": main_file, "buffers": [main_file], "version": "9.0.1378",
        "editor": "vim", "project": cwd.name,
    }  # fmt: skip
    return {"type": "register", "instance_id": f"main-{cwd.name}-{os.getpid()}", "info": info}


def state(number: int, directory: Path, tick: int = 2) -> dict[str, Any]:
    """The state of editor `number`, without text."""
    cwd = directory / f"project{number}"
    current = buffer(str(cwd / "main.py"), tick)
    return {
        "current_buffer": current, "windows": [], "buffers": [dict(current)], "cursor": [1, 1], "mode": "n",
        "cwd": str(cwd),
    }  # fmt: skip


def line(message: dict[str, Any]) -> bytes:
    """A message as it travels."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


class FakeEditor:
    """One of the editors."""

    def __init__(self, number: int, directory: Path):
        self._number = number
        self._directory = directory

    async def serve(self, path: str, registered: asyncio.Semaphore) -> None:
        """Register and answer until the hub hangs up."""
        reader, writer = await asyncio.open_unix_connection(path, limit=1 << 26)
        writer.write(line(register(self._number, self._directory)))
        while data := await reader.readline():
            message = json.loads(data)
            if message.get("type") == "registered":
                writer.write(line({"type": "event", "event": "BufEnter", "state": self._state()}))
                registered.release()
            elif "method" in message:
                writer.write(line({"id": message["id"], "result": self._result(message)}))

    def _state(self) -> dict[str, Any]:
        return state(self._number, self._directory)

    def _result(self, message: dict[str, Any]) -> dict[str, Any]:
        method, params = message["method"], message["params"]
        if method == "get_state":
            current = self._state()
            if "content" in params.get("sections", ["content"]):
                current["current_buffer"].update(_text(params))
            return current
        if method == "get_text":
            count = len(SOURCE)
            about = {"first": 1, "last": count, "line_count": count, "changedtick": 2, "end_of_line": True}
            return {"buffer": self._state()["current_buffer"], **about, **_text(params)}
        position = {"buffer": 1, "name": "", "line": 1, "column": 1, "text": ""}
        return {"output": "", "truncated": False, "position": position, "mode": "n"}


def _text(params: dict[str, Any]) -> dict[str, Any]:
    if "text_file" not in params:
        return {"content": SOURCE, "lines": SOURCE}
    Path(params["text_file"]).write_text("\n".join(SOURCE))
    return {"text_file": params["text_file"], "text_encoding": "utf-8"}


async def _main(path: str, count: int, directory: Path) -> None:
    registered = asyncio.Semaphore(0)
    editors = [FakeEditor(number, directory) for number in range(count)]
    tasks = [asyncio.create_task(editor.serve(path, registered)) for editor in editors]
    for _ in editors:
        await registered.acquire()
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])))
