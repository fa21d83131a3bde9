"""Reading text and state from an editor: a little text in the answer, much of it by file."""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from vim_mcp import text
from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import State
from vim_mcp.errors import CommandFailed, EditorBusy

MAX_TEXT = 10 * 1024 * 1024
"""Bytes of buffer text in one answer."""
_LITTLE = 32 * 1024
"""Bytes of text that are quicker in an answer's JSON than by a file."""


@dataclass(frozen=True)
class TextRead:
    """Lines `first` to `last` (1-based, inclusive) of a buffer that has `line_count`; `text` ends with a line end
    unless the buffer's last line has none; `lossy` if bytes that are no text were replaced by U+FFFD."""

    text: str
    buffer: dict[str, Any]
    first: int
    last: int
    line_count: int
    changedtick: int
    lossy: bool


async def read_text(
    editor: Editor, buffer: int = 0, first: int = 1, last: int = -1, max_bytes: int = MAX_TEXT
) -> TextRead:
    """Lines `first` to `last` (-1: the last) of the buffer with id `buffer` (0: the current one).

    Raises `CommandFailed` (kind `limit`) beyond `max_bytes`, (kind `ignored`) for a file whose text is private.
    """
    request = {"buffer": buffer, "first": first, "last": last}
    answer, body, lossy = await _little(editor, request) or await _much(editor, {**request, "max_bytes": max_bytes})
    if answer["last"] < answer["line_count"] or answer["end_of_line"]:
        body += "\n"
    return TextRead(
        text=body, buffer=answer["buffer"], first=answer["first"], last=answer["last"],
        line_count=answer["line_count"], changedtick=answer["changedtick"], lossy=lossy,
    )  # fmt: skip


_Answer = tuple[dict[str, Any], str, bool]
"""An answer to `get_text`, the text that came with it, and whether bytes in it had to be replaced."""


async def _little(editor: Editor, request: dict[str, Any]) -> _Answer | None:
    """Text in JSON; None where it is too long for it, or holds bytes that JSON may not have carried as they are."""
    try:
        answer = await editor.request("get_text", {**request, "max_bytes": _LITTLE})
    except CommandFailed as error:
        if error.data.get("kind") == "limit":
            return None
        raise
    body = text.from_lines(answer["lines"])
    return None if text.REPLACEMENT in body else (answer, body, False)


async def _much(editor: Editor, request: dict[str, Any]) -> _Answer:
    """Text by file, byte for byte."""
    with editor.text_file() as path:
        answer = await editor.request("get_text", {**request, "text_file": str(path)})
        return answer, *_read(answer)


def _read(answer: dict[str, Any]) -> tuple[str, bool]:
    encoding = answer.get("text_encoding", "utf-8")
    with open(answer["text_file"], "rb") as file:
        if not os.fstat(file.fileno()).st_size:  # which cannot be mapped
            return "", False
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:  # read, it would be 10 MB more at once
            return text.decode(data, encoding)


async def read_state(editor: Editor, sections: list[str] | None = None, **params: Any) -> State:
    """The editor's state, or the last one it pushed, marked `stale: true`, when it does not answer now."""
    request = {**params, **({"sections": sections} if sections else {})}
    if sections and "content" not in sections:
        return await _or_pushed(editor, lambda: _request(editor, request))
    return await _or_pushed(editor, lambda: _with_text(editor, request))


async def _request(editor: Editor, request: dict[str, Any]) -> State:
    state: State = await editor.request("get_state", request, timeout=2.0)
    return state


async def _with_text(editor: Editor, request: dict[str, Any]) -> State:
    state = await _request(editor, {**request, "max_bytes": _LITTLE})
    if "bytes" not in (state.get("current_buffer") or {}):
        return state
    with editor.text_file() as path:
        state = await _request(editor, {**request, "text_file": str(path)})
        current = state.get("current_buffer") or {}
        if "text_file" in current:
            body, lossy = _read(current)
            current["content"] = text.to_lines(body + "\n")
            if lossy:
                current["lossy"] = True
            del current["text_file"], current["text_encoding"]
    return state


async def _or_pushed(editor: Editor, read: Callable[[], Awaitable[State]]) -> State:
    try:
        return await read()
    except EditorBusy as busy:
        if not editor.state:
            raise
        return {**editor.state, "stale": True, "busy": busy.data.get("waiting_for") or "it does not answer"}


async def text_for_state_file(editor: Editor, max_bytes: int) -> list[str] | None:
    """The current buffer's lines, or None where they are private, too long or not to be had now."""
    with contextlib.suppress(CommandFailed):
        return text.to_lines((await read_text(editor, max_bytes=max_bytes)).text)
    return None
