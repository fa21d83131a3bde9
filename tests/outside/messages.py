"""Recorded messages, judged by the models that `mcp_types` generates from the protocol's own schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

Message = dict[str, Any]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"


@dataclass(frozen=True)
class Line:
    """One message, and whether the server sent it."""

    server: bool
    message: Message


def read_exchange(path: Path) -> list[Line]:
    """Return the messages of a record file in order; fails on a line that is not a JSON object."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [Line(line["from"] == "server", json.loads(line["line"])) for line in lines]


def validate(exchange: list[Line]) -> None:
    """Raise if a message of the server's does not fit the schema of the version that is spoken."""
    asked = {line.message["id"]: line.message for line in exchange if {"id", "method"} <= line.message.keys()}
    agreed = _agreed_version(exchange)
    for line in exchange:
        if line.server:
            mcp_types.jsonrpc_message_adapter.validate_python(line.message)
            _validate_body(line.message, asked, agreed)


def _agreed_version(exchange: list[Line]) -> str:
    """The version of the handshake; without one the messages themselves name theirs."""
    answers = (line.message.get("result", {}) for line in exchange if line.server)
    versions = [str(answer["protocolVersion"]) for answer in answers if "protocolVersion" in answer]
    return versions[0] if versions else HANDSHAKE_PROTOCOL_VERSIONS[-1]


def _validate_body(message: Message, asked: dict[Any, Message], agreed: str) -> None:
    if "method" in message and "id" in message:
        methods.parse_server_request(message["method"], agreed, message.get("params"))
    elif "method" in message:
        methods.parse_server_notification(message["method"], agreed, message.get("params"))
    elif "result" in message:
        request = asked[message["id"]]
        version = request.get("params", {}).get("_meta", {}).get(VERSION_KEY, agreed)
        methods.validate_server_result(request["method"], version, message["result"])
    else:
        assert message["error"].keys() <= {"code", "message", "data"}


def offered_tools(exchange: list[Line]) -> list[Message]:
    """Return the tools of every tools/list in the exchange, as they came."""
    results = [line.message.get("result", {}) for line in exchange if line.server]
    return [tool for result in results for tool in result.get("tools", [])]
