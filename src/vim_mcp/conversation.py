"""What one MCP client and the hub have open between them, so that another hub can take a lost one's place unnoticed.

Pure and standard library only: lines in, lines out. The client's lines are read as JSON; of the hub's, which may be
megabytes, only the head is, since the hub begins an answer with `{"jsonrpc":"2.0","id":<id>,`.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INTERNAL_ERROR = -32603
CONNECTION_LOST = 1003
MAX_ATTEMPTS = 3
"""How often a message is offered to a hub; one that ends every hub it meets is given up."""

_HEAD = b'{"jsonrpc":"2.0","id":'
_LONGEST_ID = 256
_decode = json.JSONDecoder().raw_decode
_NOTIFICATION = b'{"jsonrpc":"2.0","method":"notifications/'
_INITIALIZED = ("notifications/initialized", "initialized")
_RESENT = ("initialize", "subscriptions/listen")
"""Requests that a new hub can be asked again, since nothing happens twice by it."""
_MODERN = "io.modelcontextprotocol/protocolVersion"
"""In a request's `_meta` where the client uses the protocol without handshake (2026-07-28)."""


class Message:
    """One line of the client's. `id` and `method` are None where it has none, both where it is no JSON-RPC message."""

    __slots__ = ("attempts", "cancels", "id", "is_modern", "line", "method")

    def __init__(self, line: bytes):
        self.line = line if line.endswith(b"\n") else line + b"\n"
        self.attempts = 0
        content = _parse(line)
        self.id = _valid_id(content.get("id"))
        method, params = content.get("method"), _object(content.get("params"))
        self.method = method if isinstance(method, str) else None
        self.cancels = _valid_id(params.get("requestId")) if method == "notifications/cancelled" else None
        self.is_modern = _MODERN in _object(params.get("_meta"))

    @property
    def is_request(self) -> bool:
        """Whether somebody has to answer it."""
        return self.method is not None and self.id is not None

    def failure(self, code: int, text: str, cause: str) -> bytes:
        """The answer that tells its sender of a failure: a result for a tool call that was lost, else an error."""
        error = {"code": code, "message": text, "data": {"original_error": cause}}
        if self.method != "tools/call" or code != CONNECTION_LOST:
            return _encode({"jsonrpc": "2.0", "id": self.id, "error": error})
        result = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": error}
        if self.is_modern:
            result["resultType"] = "complete"
        return _encode({"jsonrpc": "2.0", "id": self.id, "result": result})


class Conversation:
    """The requests that are open in both directions, and the handshake."""

    def __init__(self) -> None:
        self._open: dict[Any, Message] = {}
        self._hub_requests: dict[Any, None] = {}
        self._orphans: set[Any] = set()
        self._replayed: set[Any] = set()
        self._initialize: Message | None = None
        self._initialized: Message | None = None
        self._shaken = False

    @property
    def is_open(self) -> bool:
        """Whether a request of the client's waits for the hub's answer (a subscription's stream is not waited for)."""
        return any(message.method != "subscriptions/listen" for message in list(self._open.values()))

    @property
    def is_shaken(self) -> bool:
        """Whether the client has a hub's answer to its `initialize`."""
        return self._shaken

    def accepts(self, message: Message) -> bool:
        """Whether a line of the client's is for the hub: an answer to one that is gone is not."""
        if message.method is None and message.id in self._orphans:
            self._orphans.discard(message.id)
            return False
        return True

    def sending(self, message: Message) -> None:
        """Note a message that is about to be sent to the hub."""
        message.attempts += 1
        if message.is_request:
            self._open[message.id] = message
            if message.method == "initialize":
                self._initialize, self._initialized, self._shaken = message, None, False
        elif message.method in _INITIALIZED:
            self._initialized = message
        elif message.cancels is not None:
            self._open.pop(message.cancels, None)
        elif message.method is None:
            self._hub_requests.pop(message.id, None)

    def sent(self, message: Message) -> None:
        """The hub has got the whole line: what is never sent again need not be kept, and may be megabytes."""
        if message.method not in (*_RESENT, *_INITIALIZED):
            message.line = b""

    def not_sent(self, message: Message) -> None:
        """Take back `sending`: the hub has not got the whole line."""
        self._open.pop(message.id, None)
        if message is self._initialized:
            self._initialized = None

    def arrived(self, line: bytes | bytearray) -> tuple[bool, Any]:
        """Look at a line of the hub's: whether the client is to get it, and which of its requests it answers (or None).

        The caller reports the answer by `answered` once the client has it.
        """
        if line.startswith(_NOTIFICATION) or not line.startswith(b"{"):
            return True, None
        answered = _answered_by_head(line)
        if answered is None:
            answered = self._look_inside(_parse(line))
        if answered in self._replayed:
            self._replayed.discard(answered)
            return False, None
        return True, answered

    def _look_inside(self, content: dict[str, Any]) -> Any:
        """The id that the hub's message answers; a request of the hub's is noted."""
        request_id = _valid_id(content.get("id"))
        if "method" not in content:
            return request_id
        if request_id is not None:
            self._hub_requests[request_id] = None
            self._orphans.discard(request_id)
        return None

    def answered(self, request_id: Any) -> None:
        """The client has got the answer to a request of its own."""
        message = self._open.pop(request_id, None)
        if message is not None and message is self._initialize:
            self._shaken = True

    def lose(self, cause: str) -> tuple[list[bytes], list[Message]]:
        """The hub is gone: return the lines that the client gets now, and its messages that the next hub is to get.

        A call that was under way fails, since nobody knows how far it came; so do the hub's own requests.
        """
        lost, self._open = list(self._open.values()), {}
        again = [message for message in lost if message.method in _RESENT and message.attempts < MAX_ATTEMPTS]
        failures = [_lost(message, cause) for message in lost if message not in again]
        if self._initialized and self._initialize in again:
            again.insert(again.index(self._initialize) + 1, self._initialized)
        withdrawn = [_cancelled(request_id) for request_id in self._hub_requests]
        self._orphans.update(self._hub_requests)
        self._hub_requests.clear()
        self._replayed.clear()
        return failures + withdrawn, again

    def replay(self) -> Message | None:
        """The client's `initialize` for a new hub, whose answer `arrived` then holds back; None without a handshake."""
        if not self._shaken or self._initialize is None:
            return None
        self._replayed.add(self._initialize.id)
        return self._initialize

    @property
    def is_replaying(self) -> bool:
        """Whether the new hub has yet to answer the replayed `initialize`."""
        return bool(self._replayed)

    @property
    def initialized(self) -> Message | None:
        """The client's `notifications/initialized`, once a hub has got it; a new hub gets it after the handshake."""
        return self._initialized


def _answered_by_head(line: bytes | bytearray) -> Any:
    """The id that an answer begins with, None where this does not tell."""
    if not line.startswith(_HEAD):
        return None
    text = line[len(_HEAD) : len(_HEAD) + _LONGEST_ID].decode("utf-8", "replace")
    try:
        answered, end = _decode(text)
    except ValueError:
        return None
    return _valid_id(answered) if text.startswith((',"result":', ',"error":'), end) else None


def _lost(message: Message, cause: str) -> bytes:
    text = (
        f"{cause} while this request was under way, so how far it came is unknown. "
        "The next request reaches the next hub: look at the editor's state, then repeat what did not happen."
    )
    return message.failure(CONNECTION_LOST, text, cause)


def _cancelled(request_id: Any) -> bytes:
    params = {"requestId": request_id, "reason": "The hub that asked is gone"}
    return _encode({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})


def _parse(line: bytes | bytearray) -> dict[str, Any]:
    try:
        return _object(json.loads(line))
    except (ValueError, RecursionError):
        return {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _valid_id(value: Any) -> int | str | None:
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
