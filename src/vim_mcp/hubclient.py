"""An MCP client of our own on the hub's socket, for commands of a shell. Standard library only."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from typing import Any

from vim_mcp import __version__, starter
from vim_mcp.hublink import TO_RELAY, Link, greet, is_older, step_down
from vim_mcp.starter import HubUnreachable

_PROTOCOL = "2025-06-18"
_LOADING = 30.0
"""Seconds that a hub which has greeted us has for the handshake; a new one is loading what it needs for that."""
_METHOD_NOT_FOUND = -32601


class RequestFailed(Exception):
    """The hub answered with a JSON-RPC error."""

    def __init__(self, error: dict[str, Any]):
        super().__init__(str(error.get("message", "")))
        self.error = error


class HubClient:
    """One client's session, its handshake behind it; a hub is started if there is none.

    `instance` ties it to an editor. Every method raises `starter.HubUnreachable` where the hub is, or gets, lost.
    """

    def __init__(self, name: str, instance: str | None = None):
        self._ids = itertools.count(1)
        self._link = _greeted(instance)
        about = {"name": name, "version": __version__}
        self._link.be_patient(_LOADING)
        self.request("initialize", {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": about})
        self._send({"method": "notifications/initialized"})
        self._link.be_patient(None)  # a user may be asked, and takes what time they need

    def request(
        self, method: str, params: dict[str, Any] | None = None, told: Callable[[str], None] | None = None
    ) -> dict[str, Any]:
        """The result of a request; `told` hears how far it is. Raises `RequestFailed`."""
        number = next(self._ids)
        meta = {"_meta": {"progressToken": number}} if told else {}
        self._send({"id": number, "method": method, "params": {**(params or {}), **meta}})
        while True:
            message = self._read()
            if message.get("method") == "notifications/progress" and told:
                told(str(message["params"].get("message", "")))
            elif "method" in message and "id" in message:
                self._decline(message)
            elif message.get("id") == number and "error" in message:
                raise RequestFailed(message["error"])
            elif message.get("id") == number and "result" in message:
                result: dict[str, Any] = message["result"]
                return result

    def close(self) -> None:
        """Hang up; the hub ends what is still under way."""
        self._link.close()

    def _decline(self, message: dict[str, Any]) -> None:
        error = {"code": _METHOD_NOT_FOUND, "message": f"This client has no {message['method']}"}
        self._send({"id": message["id"], "error": error})

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._link.send_object({"jsonrpc": "2.0", **message})
        except OSError:
            raise _lost() from None

    def _read(self) -> dict[str, Any]:
        line = self._link.read()
        while line.startswith(TO_RELAY):
            line = self._link.read()
        if not line:
            raise _lost()
        message: dict[str, Any] = json.loads(line)
        return message


def _lost() -> HubUnreachable:
    return HubUnreachable(f"The hub left before it answered, so how far it came is unknown. {starter.see_log()}")


def _greeted(instance: str | None) -> Link:
    """A hub that has greeted us; an older one than this program is asked to make way first, as by any client."""
    connection = starter.dial()
    link = Link(connection)
    version = greet(link, None, instance)
    if is_older(version) and step_down(link):
        connection = starter.dial()
        link = Link(connection)
        version = greet(link, None, instance)
    if not version:
        error = starter.unanswering("The hub takes calls but does not answer", starter.peer(connection)[0])
        link.close()
        raise error
    return link
