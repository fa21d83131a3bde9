"""Sending editors what they are to have: text by file where JSON would not do, and requests until they are taken."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

from vim_mcp.editor.link import Editor
from vim_mcp.errors import EditorBusy
from vim_mcp.text import from_lines

_LITTLE = 32 * 1024
"""Characters of text that are quicker in a request's JSON than by a file."""

_AGAIN = 0.5
"""Seconds after which an editor that was busy is asked again."""


async def insist(request: Callable[[], Awaitable[Any]], patience: float = math.inf, once: bool = False) -> Any:
    """The answer to `request`, which is made again, for `patience` seconds, while the editor is too busy for one.

    What must not be done twice (`once`) is repeated only while the editor waits for its user, and so has not begun.
    Raises what `request` does.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return await request()
        except EditorBusy as busy:
            if time.monotonic() > deadline or (once and not busy.data.get("waiting_for")):
                raise
        await asyncio.sleep(_AGAIN)


@contextlib.contextmanager
def with_text(editor: Editor, params: dict[str, Any], *texts: str) -> Iterator[dict[str, Any]]:
    """The parameters to send, where those named `texts` are lines of text or None: by file where JSON would not do,
    because they are long or JSON is not in the editor's encoding. The files are there until the block ends."""
    lines = {name: params[name] for name in texts if params.get(name) is not None}
    size = sum(len(line) for text in lines.values() for line in text)
    if size <= _LITTLE and editor.info.encoding == "utf-8":
        yield params
        return
    with contextlib.ExitStack() as files:
        sent = {name: value for name, value in params.items() if name not in lines}
        for name, text in lines.items():
            path = files.enter_context(editor.text_file())
            path.write_bytes(from_lines(text).encode("utf-8", "replace"))
            sent[f"{name}_file"] = str(path)
        yield sent
