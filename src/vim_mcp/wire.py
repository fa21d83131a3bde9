"""Framing on the hub's socket: one JSON object a line. Pure: bytes in, lines out."""

from __future__ import annotations

import json
from typing import Any

MAX_LINE = 64 * 1024 * 1024
"""Bytes; a longer line is a fault of the peer and ends its connection."""


class LineTooLong(ValueError):
    """A peer sent more than `MAX_LINE` bytes without a line end."""


class LineDecoder:
    """Cuts a byte stream into lines, however it was split or joined on its way."""

    def __init__(self, limit: int = MAX_LINE):
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take the next bytes and return the lines that are now complete, without line ends, empty ones left out.

        Raises `LineTooLong` when an unfinished line exceeds the limit.
        """
        end = data.rfind(b"\n")
        if end < 0:
            self._buffer += data
            if len(self._buffer) > self._limit:
                raise LineTooLong(f"a line is longer than {self._limit} bytes")
            return []
        complete = bytes(self._buffer) + data[:end] if self._buffer else data[:end]
        self._buffer = bytearray(data[end + 1 :])
        return [line for line in (part.rstrip(b"\r") for part in complete.split(b"\n")) if line]


_UTF_8 = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_ASCII = json.JSONEncoder(separators=(",", ":"))


def encode(message: Any) -> bytes:
    """One message as a line, non-ASCII characters as UTF-8 (lone surrogates escaped)."""
    try:
        return _UTF_8.encode(message).encode() + b"\n"
    except UnicodeEncodeError:
        return _ASCII.encode(message).encode() + b"\n"


def decode(line: bytes) -> Any:
    """The message in a line; bytes that are not UTF-8 become U+FFFD. Raises ValueError where it is not JSON."""
    return json.loads(line.decode("utf-8", "replace"))
