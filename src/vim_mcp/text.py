"""Text between MCP and Vim: strings here, lists of lines there. Pure."""

from __future__ import annotations

import os
from mmap import mmap
from urllib.parse import quote, unquote

REPLACEMENT = "\ufffd"
"""Stands for bytes that are no text."""
NUL_IN_VIM = "\n"
"""Vim keeps a NUL byte in a line as a newline."""


def to_lines(text: str) -> list[str]:
    """Vim's lines for `text`: a final line end closes the last line and opens none; NUL becomes Vim's form of it."""
    body = text[:-1] if text.endswith("\n") else text
    return [line.replace("\0", NUL_IN_VIM) for line in body.split("\n")]


def exact_lines(text: str) -> list[str]:
    """`text` cut at its line ends, a final one opening a last empty piece: for text that may end within a line."""
    return to_lines(text + "\n")


def from_lines(lines: list[str]) -> str:
    """The text of Vim's `lines`, without a line end after the last one."""
    return "\n".join(line.replace(NUL_IN_VIM, "\0") for line in lines)


def file_uri(path: str) -> str:
    """The `file://` URI of an absolute path, percent-encoded as UTF-8; "" of "", which is no file."""
    return f"file://{quote(path.encode('utf-8', 'surrogatepass'))}" if path else ""


def decode(data: bytes | mmap, encoding: str) -> tuple[str, bool]:
    """The text in `data`, written in the editor's 'encoding', and whether bytes had to be replaced by U+FFFD."""
    codec = _python_codec(encoding)
    try:
        return str(data, codec), False
    except UnicodeDecodeError:
        return str(data, codec, "replace"), True


def _python_codec(encoding: str) -> str:
    try:
        "".encode(encoding)
    except LookupError:
        return "utf-8"
    return encoding


def clip(text: str, max_lines: int, max_bytes: int) -> tuple[str, int]:
    """The longest run of whole lines at the start of `text` within both bounds, at least one line, and their number.

    Bytes are UTF-8, line ends counted. A final line without a line end counts as a line.
    """
    lines = text.count("\n") + (text[-1:] not in ("", "\n"))
    if lines <= max_lines and len(text) <= max_bytes and len(text.encode("utf-8", "surrogatepass")) <= max_bytes:
        return text, lines
    size = end = count = 0
    while end < len(text) and count < max_lines:
        stop = text.find("\n", end)
        stop = len(text) if stop < 0 else stop + 1
        size += len(text[end:stop].encode("utf-8", "surrogatepass"))
        if size > max_bytes and count:
            break
        end, count = stop, count + 1
    return text[:end], count


def is_path(text: str) -> bool:
    """Whether a text can name a file from the root on: the system takes no NUL and no half of a surrogate pair."""
    try:
        return text.startswith("/") and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def paths_of_uri(uri: str) -> list[str]:
    """The paths that a `file` URI can mean, the likelier first; none where it is of another scheme or host.

    Claude Code writes `file://` and the path as it is; others percent-encode it. What has no scheme is a path.
    """
    rest = uri
    if uri[:7].lower() == "file://":
        rest = uri[7:].removeprefix("localhost")
        if not rest.startswith("/"):
            return []
    elif "://" in uri or uri.startswith("untitled:"):
        return []
    decoded = unquote(rest, errors="replace")
    return [rest] if decoded == rest or rest is uri else [decoded, rest]
