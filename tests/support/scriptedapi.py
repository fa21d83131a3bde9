"""A Messages API on loopback that answers from a script, and keeps every request that it was sent."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.editors import TIMEOUT

Message = dict[str, Any]
UNSCRIPTED = "That is all."
"""What the model says when the script has come to its end."""


@dataclass(frozen=True)
class ToolUse:
    """A turn in which the model calls the tool `name` with `arguments`."""

    name: str
    arguments: Message


Turn = str | ToolUse
"""What the model answers: a text, or a call of a tool."""


class ScriptedApi:
    """Listens on a free port until `close`. `turns` are the requests for the model's turns, `requests` are all."""

    def __init__(self) -> None:
        self.requests: list[Message] = []
        self._script: list[Turn] = []
        self._changed = threading.Condition()
        self._ids = itertools.count(1)
        handler = type("Handler", (_Handler,), {"api": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def turns(self) -> list[Message]:
        """The requests for a turn of the model: those that offer it tools."""
        with self._changed:
            return self._turns()

    def _turns(self) -> list[Message]:
        return [request for request in self.requests if request.get("tools")]

    def script(self, *turns: Turn) -> None:
        """Add the model's next turns."""
        with self._changed:
            self._script.extend(turns)

    def skip(self) -> None:
        """Forget the turns that have not come, after a turn that the user has ended."""
        with self._changed:
            self._script.clear()

    def take(self, request: Message) -> tuple[str, Turn]:
        """Keep a request, and return a message id with the answer; side requests leave the script alone."""
        with self._changed:
            self.requests.append(request)
            self._changed.notify_all()
            scripted = bool(request.get("tools")) and bool(self._script)
            return f"msg_{next(self._ids):06}", self._script.pop(0) if scripted else UNSCRIPTED

    def wait_turn(self, wanted: Callable[[Message], bool], what: str, after: int = 0) -> Message:
        """Wait for a turn, after so many earlier ones, whose request is as `wanted`, and return that request."""
        deadline = time.monotonic() + TIMEOUT
        with self._changed:
            while True:
                found = next(filter(wanted, self._turns()[after:]), None)
                if found:
                    return found
                left = deadline - time.monotonic()
                assert left > 0, f"the CLI never sent {what}; its last message was {self._last()}"
                self._changed.wait(left)

    def _last(self) -> Any:
        return self.requests[-1]["messages"][-1:] if self.requests else None

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(TIMEOUT)


def said(request: Message) -> str:
    """What was said since the model's last turn, as text: the prompt, and what the CLI adds to it."""
    since: list[str] = []
    for message in request["messages"]:
        since = [] if message["role"] == "assistant" else since + [block.get("text", "") for block in _blocks(message)]
    return "\n".join(since)


def results(request: Message) -> list[tuple[str, bool]]:
    """The tools' results in a request, oldest first: the text, and whether it is an error."""
    found = []
    for block in (block for message in request["messages"] for block in _blocks(message)):
        if block.get("type") == "tool_result":
            content = block.get("content", "")
            text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
            found.append((text, bool(block.get("is_error"))))
    return found


def offered(request: Message) -> set[str]:
    """The names of the tools that a request offers to the model."""
    return {tool["name"] for tool in request["tools"]}


def _blocks(message: Message) -> list[Message]:
    content: str | list[Message] = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


class _Handler(BaseHTTPRequestHandler):
    """One request; the class's `api` keeps it and knows the answer."""

    api: ScriptedApi
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        path = self.path.partition("?")[0]
        if path == "/v1/messages/count_tokens":
            self._json(200, {"input_tokens": 10})
        elif path != "/v1/messages":
            self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": path}})
        elif request.get("stream"):
            self._stream(request)
        else:
            message_id, turn = self.api.take(request)
            self._json(200, _message(message_id, request, [_block(message_id, turn)], _stop_reason(turn)))

    def do_HEAD(self) -> None:
        self._json(200, {})

    def do_GET(self) -> None:
        self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": self.path}})

    def _json(self, status: int, answer: Message) -> None:
        self._answer(status, "application/json", json.dumps(answer).encode())

    def _stream(self, request: Message) -> None:
        message_id, turn = self.api.take(request)
        events = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in _events(
            message_id, request, turn))  # fmt: skip
        self._answer(200, "text/event-stream", events.encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Say nothing: the requests are kept."""


def _message(message_id: str, request: Message, content: list[Message], stop_reason: str | None) -> Message:
    return {
        "id": message_id, "type": "message", "role": "assistant", "model": request.get("model", "scripted"),
        "content": content, "stop_reason": stop_reason, "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }  # fmt: skip


def _stop_reason(turn: Turn) -> str:
    return "tool_use" if isinstance(turn, ToolUse) else "end_turn"


def _block(message_id: str, turn: Turn) -> Message:
    if isinstance(turn, ToolUse):
        return {"type": "tool_use", "id": f"toolu_{message_id}", "name": turn.name, "input": turn.arguments}
    return {"type": "text", "text": turn}


def _events(message_id: str, request: Message, turn: Turn) -> Iterator[Message]:
    """The stream of one turn: an empty block is started, filled by one delta, and stopped."""
    block = _block(message_id, turn)
    if isinstance(turn, ToolUse):
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.arguments)}
    else:
        empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": turn}
    yield {"type": "message_start", "message": _message(message_id, request, [], None)}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": _stop_reason(turn), "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 5}}
    yield {"type": "message_stop"}
