"""Framing on the hub's socket: one JSON object a line. Pure: bytes in, lines out.

JSON is read and written by pydantic's core, in a third of the time that the standard library takes; what it does not
take, the standard library does.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import from_json, to_json

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
        return [line for part in complete.split(b"\n") if (line := part.rstrip(b"\r"))]


def encode(message: Any) -> bytes:
    """One message as a line, non-ASCII characters as UTF-8 (lone surrogates escaped)."""
    try:
        return to_json(message) + b"\n"
    except ValueError:
        return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Any:
    """The message in a line; bytes that are not UTF-8 become U+FFFD. Raises ValueError where it is not JSON."""
    try:
        return from_json(line, cache_strings="keys")
    except ValueError:  # also for lone surrogates, and for what is nested deeper than Python's own reader minds
        return json.loads(line.decode("utf-8", "replace"))
