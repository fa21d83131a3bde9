"""What a client wants to be told of: by `resources/subscribe`, or by a stream of the 2026 protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated

from vim_mcp import wire
from vim_mcp.editor.directory import JOINED, LEFT, LISTED
from vim_mcp.editor.link import Editor
from vim_mcp.session import resources

INSTANCES = "vim://instances"


class Subscriptions:
    """One client's. `write` sends bytes to it, `selected` tells whose changes it is to hear of."""

    def __init__(self, earlier: Iterable[str], write: Callable[[bytes], None], selected: Callable[[], str | None]):
        self._uris = set(earlier)
        self._write = write
        self._selected = selected
        self._bus = InMemorySubscriptionBus()
        self._publishing: set[asyncio.Task[None]] = set()
        self.streams = ListenHandler(self._bus)

    def uris(self) -> list[str]:
        """The addresses subscribed to."""
        return sorted(self._uris)

    def add(self, uri: str) -> None:
        """Subscribe. Raises `resources.UnknownResource` for an address that nothing has."""
        if uri != INSTANCES:
            resources.reader(uri)
        self._uris.add(uri)

    def remove(self, uri: str) -> None:
        """Unsubscribe."""
        self._uris.discard(uri)

    def on_change(self, events: frozenset[str], editor: Editor) -> None:
        """An editor has come, gone or changed: tell the client, where it has asked for that."""
        if events & {JOINED, LEFT}:
            self._publish(ResourcesListChanged())
        if LISTED in events:
            self._updated(INSTANCES)
        if editor.instance_id == self._selected():
            for uri in self._uris - {INSTANCES}:
                self._updated(uri)
            self._publish(ResourceUpdated(uri="vim://state"))

    def _updated(self, uri: str) -> None:
        if uri in self._uris:
            notice = {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}
            self._write(wire.encode(notice))
        self._publish(ResourceUpdated(uri=uri))

    def _publish(self, event: Any) -> None:
        task = asyncio.create_task(self._bus.publish(event))
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)
