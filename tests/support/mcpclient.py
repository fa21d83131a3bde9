"""Small MCP clients: they send what they are told and check nothing, so that tests can."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.editors import ROOT, TIMEOUT

Message = dict[str, Any]
VIM_MCP = ROOT / ".venv" / "bin" / "vim-mcp"


class RpcError(Exception):
    """The server answered with a JSON-RPC error."""

    def __init__(self, error: Message):
        super().__init__(f"{error.get('code')}: {error.get('message')}")
        self.code = error.get("code")
        self.error = error


class ToolError(Exception):
    """A tool's result with `isError`; `code`, `kind` and `data` come from its `_meta`."""

    def __init__(self, result: Message):
        super().__init__(result["content"][0]["text"])
        meta = result.get("_meta") or {}
        self.result = result
        self.code = meta.get("code")
        self.data = meta.get("data") or {}
        self.kind = self.data.get("kind")


class McpClient(ABC):
    """A client over any transport. Answers are matched by id; notifications go to `notifications`.

    Its transport has `send_bytes`, and gives `_take` each message that arrives.
    """

    def __init__(self) -> None:
        self.notifications: queue.Queue[Message] = queue.Queue()
        self.requests: queue.Queue[Message] = queue.Queue()
        self._ids = itertools.count(1)
        self._answers: dict[Any, queue.Queue[Message]] = {}

    def _take(self, message: Message) -> None:
        if "method" in message:
            (self.requests if "id" in message else self.notifications).put(message)
        else:
            self._answers.setdefault(message.get("id"), queue.Queue()).put(message)

    @abstractmethod
    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""

    def send(self, message: Any) -> None:
        """Send one message."""
        self.send_bytes(json.dumps(message).encode() + b"\n")

    def notify(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self, method: str, params: Message | None = None) -> int:
        """Send a request and return its id."""
        request_id = next(self._ids)
        self._answers[request_id] = queue.Queue()
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}})
        return request_id

    def answer(self, request_id: Any, timeout: float = TIMEOUT) -> Any:
        """The result of a started request; raises `RpcError`."""
        try:
            message = self._answers.setdefault(request_id, queue.Queue()).get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"no answer to request {request_id!r} within {timeout} s") from None
        if "error" in message:
            raise RpcError(message["error"])
        return message["result"]

    def request(self, method: str, params: Message | None = None) -> Any:
        """Send a request and return its result."""
        return self.answer(self.start(method, params))

    def initialize(self, capabilities: Message | None = None, name: str = "test-client") -> Any:
        """Shake hands and return the server's answer."""
        result = self.request(
            "initialize",
            {
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities or {},
                "clientInfo": {"name": name, "version": "1.0"},
            },
        )
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def start_tool(self, name: str, **arguments: Any) -> int:
        """Call a tool without waiting."""
        return self.start("tools/call", {"name": name, "arguments": arguments})

    def tool_answer(self, request_id: int) -> Message:
        """The result of a started tool call; raises `ToolError`."""
        result: Message = self.answer(request_id)
        if result.get("isError"):
            raise ToolError(result)
        return result

    def tool(self, name: str, **arguments: Any) -> Any:
        """Call a tool and return its structured content; raises `ToolError`."""
        return self.tool_answer(self.start_tool(name, **arguments))["structuredContent"]

    def tool_text(self, name: str, **arguments: Any) -> str:
        """Call a tool and return its first text block; raises `ToolError`."""
        return str(self.tool_answer(self.start_tool(name, **arguments))["content"][0]["text"])

    def contents(self, uri: str) -> list[Message]:
        """Read a resource."""
        contents: list[Message] = self.request("resources/read", {"uri": uri})["contents"]
        return contents

    def read_json(self, uri: str) -> Any:
        """Read a JSON resource."""
        return json.loads(self.contents(uri)[0]["text"])

    def read_text(self, uri: str) -> str:
        """Read a text resource."""
        return str(self.contents(uri)[0]["text"])

    def notification(self, method: str, timeout: float = TIMEOUT) -> Message:
        """Wait for the next notification called `method`, skipping others."""
        while True:
            try:
                message = self.notifications.get(timeout=timeout)
            except queue.Empty:
                raise AssertionError(f"no notification {method!r} within {timeout} s") from None
            if message["method"] == method:
                return message


class StdioClient(McpClient):
    """`vim-mcp` as an MCP client starts it."""

    def __init__(self, env: Mapping[str, str], cwd: Path | None = None, argv: Sequence[str] | None = None):
        super().__init__()
        self.process = subprocess.Popen(
            list(argv or [str(VIM_MCP)]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(env), cwd=cwd
        )
        self.raw: list[bytes] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.raw.append(line[:2000])
            self._take(json.loads(line))

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def close(self) -> int:
        """Close its stdin, wait for its end and return its exit status."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            status = self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait(TIMEOUT)
        self._reader.join(TIMEOUT)
        self.process.stdout.close()
        return status
