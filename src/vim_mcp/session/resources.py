"""The `vim://` resources: addresses, descriptions, and how each is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from pydantic_core import to_json

from vim_mcp import text
from vim_mcp.editor.link import Editor
from vim_mcp.editor.reading import TextRead, read_state, read_text
from vim_mcp.errors import InvalidParameters

JSON = "application/json"
PLAIN = "text/plain"
MAX_LINES = 2000
MAX_BYTES = 50_000
"""How much text a read gives when its address names no range."""


@dataclass(frozen=True)
class Resource:
    """A resource as it is listed. Requirement VIM-RES-01."""

    uri: str
    name: str
    description: str
    mime_type: str


RESOURCES = (
    Resource("vim://instances", "instances", "List of all connected Vim instances", JSON),
    Resource("vim://state", "state", "Complete state of the selected instance: current buffer with its text, windows, "
             "buffers, cursor, mode, working directory", JSON),
    Resource("vim://buffer/current", "current buffer", "Live text of the current buffer, unsaved changes included (the "
             "first 2,000 lines or 50 kB; for more add ?first=N&last=M, last=-1 for the end)", PLAIN),
    Resource("vim://buffers", "buffers", "All buffers: id, name, modified, filetype, …", JSON),
    Resource("vim://windows", "windows", "Window layout: which buffer where, sizes, cursors", JSON),
    Resource("vim://diagnostics", "diagnostics", "Errors, warnings and hints that the editor shows", JSON),
    Resource("vim://cursor", "cursor", "Cursor position with the lines around it, mode and visual selection", JSON),
)  # fmt: skip

TEMPLATES = (
    Resource("vim://buffer/{id}", "buffer", "Live text of the buffer with this id (see vim://buffers)", PLAIN),
    Resource("vim://buffer/{id}{?first,last}", "buffer lines", "Lines first to last (1-based, inclusive; last=-1: to "
             "the end) of a buffer; the id may be `current`", PLAIN),
)  # fmt: skip


@dataclass(frozen=True)
class Content:
    """One piece of a resource's content; `meta` goes with it as `_meta`."""

    uri: str
    mime_type: str
    text: str
    meta: dict[str, Any] | None = None


Reader = Callable[[Editor], Awaitable[list[Content]]]


class UnknownResource(InvalidParameters):
    """No resource has that address."""


def reader(uri: str) -> Reader:
    """How the resource at `uri` is read from an editor; raises `UnknownResource` or `InvalidParameters`."""
    parts = urlsplit(uri)
    address = f"{parts.netloc}{parts.path}".strip("/")
    if parts.scheme == "vim" and address in _SECTIONS:
        return lambda editor: _json(uri, editor, address)
    if parts.scheme == "vim" and address == "diagnostics":
        return lambda editor: _diagnostics(uri, editor)
    kind, _, buffer = address.partition("/")
    if parts.scheme == "vim" and kind == "buffer" and (buffer == "current" or buffer.isdecimal()):
        first, last = _range(parts.query)
        number = 0 if buffer == "current" else int(buffer)
        return lambda editor: _text(uri, editor, number, first, last)
    known = ", ".join(resource.uri for resource in (*RESOURCES, *TEMPLATES))
    raise UnknownResource(f"No resource {uri!r}. There are: {known}", uri=uri)


_SECTIONS: dict[str, list[str] | None] = {
    "state": None,
    "buffers": ["buffers"],
    "windows": ["windows"],
    "cursor": ["cursor", "mode", "cwd", "current_buffer", "context"],
}


def _range(query: str) -> tuple[int, int | None]:
    values = parse_qs(query, keep_blank_values=True)
    if unknown := sorted(values.keys() - {"first", "last"}):
        raise InvalidParameters(f"Unknown part {unknown[0]!r} of the address; known: first, last")
    try:
        first = int(values.get("first", ["1"])[0])
        last = int(values["last"][0]) if "last" in values else None
    except ValueError:
        raise InvalidParameters("first and last must be whole numbers (last may be -1: to the end)") from None
    if first < 1 or (last is not None and last != -1 and last < first):
        raise InvalidParameters("first must be at least 1, and last at least first (or -1: to the end)")
    return first, last


async def _json(uri: str, editor: Editor, address: str) -> list[Content]:
    params = {"content_last": MAX_LINES} if address == "state" else {}
    state = await read_state(editor, _SECTIONS[address], **params)
    if address == "state":
        _bound_content(state)
    body = {"instance_id": editor.instance_id, **state}
    return [Content(uri, JSON, to_json(body).decode())]


def _bound_content(state: dict[str, Any]) -> None:
    """Cut the text to what a read gives, and say how to get the rest."""
    current = state.get("current_buffer") or {}
    lines = current.get("content")
    if lines is None:
        return
    _, count = text.clip("\n".join(lines) + "\n", MAX_LINES, MAX_BYTES)
    if count < current.get("line_count", count):
        current["content"] = lines[:count]
        rest = f"vim://buffer/{current['id']}?first={count + 1}"
        current["content_range"] = {"first": 1, "last": count, "line_count": current["line_count"], "next": rest}


async def _diagnostics(uri: str, editor: Editor) -> list[Content]:
    answer = await editor.request("get_diagnostics")
    return [Content(uri, JSON, to_json({"instance_id": editor.instance_id, **answer}).decode())]


async def _text(uri: str, editor: Editor, buffer: int, first: int, last: int | None) -> list[Content]:
    whole = last is not None
    read = await read_text(editor, buffer, first, last if last is not None else first + MAX_LINES - 1)
    body, count = (read.text, read.last - read.first + 1) if whole else text.clip(read.text, MAX_LINES, MAX_BYTES)
    last_given = read.first + count - 1
    meta = _describe(read, last_given, editor)
    contents = [Content(uri, PLAIN, body, meta)]
    if last_given < read.line_count:
        contents.append(Content(f"{uri}#rest", PLAIN, _how_to_get_the_rest(read, last_given), None))
    return contents


def _describe(read: TextRead, last: int, editor: Editor) -> dict[str, Any]:
    about = {
        "instance_id": editor.instance_id, "buffer": read.buffer["id"], "name": read.buffer["name"],
        "first": read.first, "last": last, "line_count": read.line_count, "changedtick": read.changedtick,
        "modified": bool(read.buffer["modified"]),
    }  # fmt: skip
    return {**about, "lossy": True} if read.lossy else about


def _how_to_get_the_rest(read: TextRead, last: int) -> str:
    following = f"vim://buffer/{read.buffer['id']}?first={last + 1}"
    return f"(Lines {read.first}-{last} of {read.line_count}. The next ones: {following}; all of them: &last=-1)"
