"""`vim-mcp call` against a hub that misbehaves on command: it ends, and says what is known."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.backstage import Backstage
from tests.support.editors import TIMEOUT
from tests.support.fakehub import FakeConnection
from vim_mcp import __version__


@pytest.fixture
def backstage(tmp_path: Path) -> Iterator[Backstage]:
    """A runtime directory of the test's own."""
    own = Backstage(tmp_path)
    yield own
    own.close()


class Caller:
    """A `vim-mcp call TOOL` under way."""

    def __init__(self, backstage: Backstage, *words: str, version: str = __version__):
        self.process = subprocess.Popen(
            [*backstage.argv(version), "call", "tool", *words], env=backstage.environment(), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def ended(self) -> tuple[int, str, str]:
        """Its exit status, stdout and stderr, once it has ended."""
        out, errors = self.process.communicate(timeout=TIMEOUT)
        return self.process.returncode, out, errors


def answered(connection: FakeConnection, text: str) -> None:
    """Serve the one call that is made on a connection."""
    connection.handshake()
    connection.answer(connection.read(), content=[{"type": "text", "text": text}])


def test_it_says_who_calls_and_for_which_editor(backstage: Backstage) -> None:
    hub = backstage.hub()
    caller = Caller(backstage, "-i", "a-b-1", '{"x": 1}')
    connection, hello = hub.relay()
    assert (hello["type"], hello["instance"], hello["pid"]) == ("client", "a-b-1", caller.process.pid)
    initialize, _ = connection.handshake()
    assert initialize["params"]["clientInfo"] == {"name": "vim-mcp call", "version": __version__}
    request = connection.read()
    assert request["params"] == {"name": "tool", "arguments": {"x": 1}}
    connection.to_relay(state={})
    connection.send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    connection.send({"jsonrpc": "2.0", "id": 7, "method": "roots/list"})
    assert connection.read()["error"]["code"] == -32601
    connection.answer(request, content=[{"type": "text", "text": "done"}])
    assert caller.ended() == (0, "done\n", "")


def test_a_hub_that_leaves_in_the_midst_is_told(backstage: Backstage) -> None:
    hub = backstage.hub()
    caller = Caller(backstage)
    connection, _ = hub.relay()
    connection.handshake()
    connection.read()
    hub.close()
    status, out, errors = caller.ended()
    assert (status, out) == (1, "")
    assert errors.startswith("vim-mcp: The hub left before it answered, so how far it came is unknown. The hub's log: ")


def test_an_older_hub_makes_way(backstage: Backstage) -> None:
    hub = backstage.hub()
    caller = Caller(backstage, version="12.0.1")
    older, _ = hub.relay("11.9.30")
    asking = hub.caller()
    assert asking.read() == {"type": "step_down", "version": "12.0.1"}
    asking.send({"stepping_down": True})
    older.to_relay(bye="upgrade")
    hub.close()
    assert backstage.has_start()
    connection, _ = backstage.hub().relay("12.0.1")
    answered(connection, "new")
    assert caller.ended() == (0, "new\n", "")
