"""The relay against a hub that misbehaves on command: what its client sees, and when it ends."""

from __future__ import annotations

import json
import os
import pty
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.backstage import Backstage, Meeting, serve
from tests.support.editors import TIMEOUT
from tests.support.mcpclient import RpcError, ToolError
from vim_mcp import __version__

QUIET = 0.3
"""Seconds in which something that must not happen would have happened."""


@pytest.fixture
def backstage(tmp_path: Path) -> Iterator[Backstage]:
    """A runtime directory of the test's own."""
    own = Backstage(tmp_path)
    yield own
    own.close()


@pytest.fixture
def meeting(backstage: Backstage) -> Meeting:
    """A client with its handshake behind it."""
    return Meeting.arrange(backstage)


def test_the_relay_says_who_calls(backstage: Backstage) -> None:
    hub = backstage.hub()
    client = backstage.client(VIM_MCP_INSTANCE="a-b-1")
    _, hello = hub.relay()
    assert hello == {
        "type": "client",
        "version": __version__,
        "pid": client.process.pid,
        "cwd": str(backstage.directory),
        "instance": "a-b-1",
        "state": None,
    }


def test_lines_pass_untouched(meeting: Meeting) -> None:
    lines = [
        b'{"jsonrpc": "2.0", "id": 9007199254740993, "method": "\\u0070ing"}\n',
        '{"method":"x","params":{"t":"ä\\ud800😀","n":1.0e400},"jsonrpc":"2.0"}\n'.encode(),
        b"this is no JSON \xff\n",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n',
    ]
    for line in lines:
        meeting.client.send_bytes(line)
    assert [meeting.connection.read_line() for _ in lines] == lines
    answers = [b'{"id":1,"result": {"a":1.50}}\n', '{"jsonrpc":"2.0","method":"m","params":"ü"}\r\n'.encode()]
    for line in answers:
        meeting.connection.send_bytes(line)
    meeting.client.notification("m")
    assert meeting.client.raw[-2:] == answers


def test_ten_megabytes_pass_both_ways_at_once(backstage: Backstage) -> None:
    """Each side writes all before it reads anything, so a relay that waits for one direction would stand still."""
    hub = backstage.hub()
    process = backstage.process()
    connection, _ = hub.relay()
    assert process.stdin is not None
    assert process.stdout is not None
    big = {"text": "ü" * 2_000_000}
    to_hub = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "m", "params": big}).encode() + b"\n"
    to_client = json.dumps({"jsonrpc": "2.0", "id": 1, "result": big}, separators=(",", ":")).encode() + b"\n"
    assert len(to_hub) > 10_000_000 < len(to_client)
    answering = threading.Thread(target=connection.send_bytes, args=(to_client,))
    asking = threading.Thread(target=process.stdin.write, args=(to_hub,))
    answering.start()
    asking.start()
    asking.join(QUIET)
    assert process.stdout.readline() == to_client
    answering.join(TIMEOUT)
    read = connection.read_line()
    asking.join(TIMEOUT)
    process.stdin.flush()
    assert read == to_hub
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == 0


def test_it_is_small_again_after_large_lines(meeting: Meeting) -> None:
    client, connection = meeting.client, meeting.connection
    large = {"text": "x" * 10_000_000}
    for _ in range(3):
        request = client.start("m", large)
        connection.answer(connection.read(), **large)
        client.answer(request)
    meeting.request()
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    resident = int(status.partition("VmRSS:")[2].split()[0])
    assert resident < 25_000, f"{resident} kB"


@pytest.mark.requirement("RELAY-02")
def test_a_client_outlives_its_hub(meeting: Meeting) -> None:
    client = meeting.client
    meeting.connection.to_relay(state={"selected": "a-b-1"})
    read = client.start("resources/read", {"uri": "vim://state"})
    call = client.start_tool("vim_execute", command="echo 1")
    done = client.start("ping")
    serve(meeting.connection, [meeting.connection.read() for _ in range(3)][2])
    client.answer(done)
    hello = meeting.next_hub()
    assert (hello["state"], hello["pid"]) == ({"selected": "a-b-1"}, client.process.pid)
    with pytest.raises(RpcError) as error:
        client.answer(read)
    assert error.value.code == 1003
    with pytest.raises(ToolError, match="The vim-mcp hub was lost") as failed:
        client.tool_answer(call)
    assert failed.value.code == 1003
    initialize, initialized = meeting.connection.handshake()
    assert initialize["params"]["clientInfo"]["name"] == "test-client"
    assert initialized["method"] == "notifications/initialized"
    meeting.request()
    assert [line for line in client.raw if b"serverInfo" in line] == client.raw[:1]


def test_lines_wait_for_the_next_hub_in_order(meeting: Meeting) -> None:
    meeting.hub.close()
    assert meeting.backstage.has_start()
    requests = [meeting.client.start("ping", {"n": number}) for number in range(20)]
    meeting.meet()
    meeting.connection.handshake()
    arrived = [meeting.connection.read() for _ in range(20)]
    assert [message["id"] for message in arrived] == requests
    serve(meeting.connection, *arrived)
    for number, request in enumerate(requests):
        assert meeting.client.answer(request) == {"echo": {"n": number}}


def test_too_much_for_a_missing_hub_is_refused(meeting: Meeting) -> None:
    meeting.hub.close()
    assert meeting.backstage.has_start()
    requests = [meeting.client.start("ping") for _ in range(1001)]
    with pytest.raises(RpcError, match="too much waits") as error:
        meeting.client.answer(requests[-1])
    assert error.value.code == -32603
    meeting.meet()
    meeting.connection.handshake()
    arrived = [meeting.connection.read() for _ in range(1000)]
    assert [message["id"] for message in arrived] == requests[:1000]
    serve(meeting.connection, *arrived)


def test_half_a_line_of_a_dying_hub_does_not_reach_the_client(meeting: Meeting) -> None:
    call = meeting.client.start("resources/read", {"uri": "vim://state"})
    request = meeting.connection.read()
    meeting.connection.send_bytes(b'{"jsonrpc":"2.0","id":%d,"result":{"conte' % request["id"])
    meeting.next_hub()
    with pytest.raises(RpcError) as error:
        meeting.client.answer(call)
    assert error.value.code == 1003


def test_a_hub_lost_before_it_answered_initialize_goes_unnoticed(backstage: Backstage) -> None:
    hub = backstage.hub()
    client = backstage.client()
    connection, _ = hub.relay()
    initialize = client.start("initialize", {"protocolVersion": "2025-06-18"})
    assert connection.read()["method"] == "initialize"
    hub.close()
    connection, _ = backstage.hub().relay()
    connection.answer(connection.read(), serverInfo={"name": "second"})
    assert client.answer(initialize)["serverInfo"]["name"] == "second"


def test_a_hub_lost_while_the_handshake_is_repeated_is_followed_by_another(meeting: Meeting) -> None:
    meeting.next_hub()
    assert meeting.connection.read()["method"] == "initialize"
    meeting.next_hub()
    meeting.connection.handshake()
    meeting.request()


def test_a_hub_that_hangs_up_instead_of_greeting_is_dialled_again(backstage: Backstage) -> None:
    """As one does that was just leaving when it was dialled."""
    hub = backstage.hub()
    client = backstage.client()
    request = client.start("ping")
    for _ in range(3):
        hub.caller().close()
    connection, _ = hub.relay()
    serve(connection, connection.read())
    client.answer(request)


def test_a_subscription_stream_goes_on_with_the_next_hub(backstage: Backstage) -> None:
    hub = backstage.hub()
    client = backstage.client()
    connection, _ = hub.relay()
    client.send({"jsonrpc": "2.0", "id": "listen-1", "method": "subscriptions/listen", "params": {}})
    client.send({"jsonrpc": "2.0", "id": "listen-2", "method": "subscriptions/listen", "params": {}})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "listen-2"}})
    assert [connection.read().get("id") for _ in range(3)] == ["listen-1", "listen-2", None]
    hub.close()
    connection, _ = backstage.hub().relay()
    assert connection.read()["id"] == "listen-1"
    request = client.start("ping")
    serve(connection, connection.read())
    client.answer(request)


def test_a_question_of_a_lost_hub_is_withdrawn(meeting: Meeting) -> None:
    meeting.connection.send({"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {}})
    assert meeting.client.requests.get(timeout=TIMEOUT)["id"] == 1
    meeting.next_hub()
    assert meeting.client.notification("notifications/cancelled")["params"]["requestId"] == 1
    meeting.client.send({"jsonrpc": "2.0", "id": 1, "result": {"action": "accept"}})
    meeting.connection.handshake()
    meeting.request()


@pytest.mark.parametrize("reason", ["stop", "idle"])
def test_after_a_hub_has_left_on_purpose_the_next_request_starts_one(meeting: Meeting, reason: str) -> None:
    client = meeting.client
    call = client.start_tool("vim_execute", command="echo 1")
    meeting.connection.read()
    meeting.connection.to_relay(bye=reason)
    meeting.hub.close()
    with pytest.raises(ToolError) as failed:
        client.tool_answer(call)
    assert failed.value.code == 1003
    client.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    assert not meeting.backstage.has_start(QUIET)
    request = client.start("ping", {"n": 2})
    assert meeting.backstage.has_start()
    meeting.meet()
    meeting.connection.handshake()
    assert meeting.connection.read()["method"] == "notifications/progress"
    serve(meeting.connection, meeting.connection.read())
    assert client.answer(request) == {"echo": {"n": 2}}


@pytest.mark.requirement("HUB-08")
def test_after_an_upgrade_who_did_not_ask_for_it_leaves_the_start_to_who_did(meeting: Meeting) -> None:
    meeting.connection.to_relay(bye="upgrade")
    meeting.hub.close()
    assert not meeting.backstage.has_start(QUIET)
    meeting.meet()
    meeting.connection.handshake()
    meeting.request()
    assert not meeting.backstage.has_start(0.0)


def test_after_an_upgrade_that_brought_no_hub_anybody_starts_one(meeting: Meeting) -> None:
    meeting.connection.to_relay(bye="upgrade")
    meeting.hub.close()
    assert meeting.backstage.has_start()
    meeting.meet()
    meeting.connection.handshake()
    meeting.request()


@pytest.mark.requirement("HUB-08")
def test_a_newer_client_asks_an_older_hub_to_make_way(backstage: Backstage) -> None:
    hub = backstage.hub()
    client = backstage.client("12.0.1")
    request = client.start("ping")
    connection, hello = hub.relay("11.9.30")
    assert hello["version"] == "12.0.1"
    asking = hub.caller()
    assert asking.read() == {"type": "step_down", "version": "12.0.1"}
    asking.send({"stepping_down": True})
    connection.to_relay(bye="upgrade")
    hub.close()
    assert backstage.has_start()
    connection, _ = backstage.hub().relay("12.0.1")
    serve(connection, connection.read())
    client.answer(request)


def test_a_hub_that_does_not_make_way_is_used(backstage: Backstage) -> None:
    hub = backstage.hub()
    client = backstage.client("12.0.1")
    request = client.start("ping")
    connection, _ = hub.relay("11.9.30")
    hub.caller().send({"stepping_down": False})
    serve(connection, connection.read())
    client.answer(request)


@pytest.mark.parametrize("hub_version", ["12.0.1", "12.0.1rc1", "12.1.0", "unknown"])
def test_a_hub_that_is_not_older_is_not_asked_to(backstage: Backstage, hub_version: str) -> None:
    hub = backstage.hub()
    client = backstage.client("12.0.1")
    request = client.start("ping")
    connection, _ = hub.relay(hub_version)
    serve(connection, connection.read())
    client.answer(request)


def test_without_a_hub_requests_are_refused_with_the_reason(backstage: Backstage) -> None:
    client = backstage.client(TEST_HUB="refuses")
    reason = (
        r"^-32603: vim-mcp cannot reach its hub\. No hub could be started: no hub today\. The hub's log: .*/hub.log$"
    )
    with pytest.raises(RpcError, match=reason):
        client.request("initialize")
    with pytest.raises(RpcError, match=reason):
        client.request("tools/call", {"name": "vim_edit"})
    hub = backstage.hub()
    request = client.start("ping")
    connection, _ = hub.relay()
    serve(connection, connection.read())
    client.answer(request)


def test_a_line_that_every_hub_dies_of_is_answered_in_the_end(backstage: Backstage) -> None:
    hub = backstage.hub()
    client = backstage.client()
    line = json.dumps({"jsonrpc": "2.0", "id": "big", "method": "ping", "params": {"x": "y" * 1_000_000}}).encode()
    client.send_bytes(line + b"\n")
    for _ in range(3):
        connection, _ = hub.relay()
        assert connection.receive(1)
        connection.close()
    with pytest.raises(RpcError, match="hung up each time") as error:
        client.answer("big")
    assert error.value.code == 1003


@pytest.mark.requirement("RELAY-03")
def test_the_end_of_stdin_ends_it(meeting: Meeting) -> None:
    assert meeting.client.close() == 0
    assert meeting.connection.read_line() == b""


@pytest.mark.requirement("RELAY-03")
def test_the_end_of_stdin_ends_it_while_it_looks_for_a_hub(meeting: Meeting) -> None:
    meeting.hub.close()
    meeting.client.start("ping")
    assert meeting.backstage.has_start()
    assert meeting.client.close() == 0


def test_what_was_asked_before_the_end_of_stdin_is_answered(backstage: Backstage) -> None:
    process = backstage.process()
    assert process.stdin is not None
    process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}')
    process.stdin.close()
    process.stdin = None
    connection, _ = backstage.hub().relay()
    serve(connection, connection.read(), connection.read())
    out, err = process.communicate(timeout=TIMEOUT)
    assert [json.loads(line)["id"] for line in out.splitlines()] == [1, 2]
    assert (process.returncode, err) == (0, b"")


def test_a_client_that_does_not_read_any_more_ends_it(backstage: Backstage) -> None:
    hub = backstage.hub()
    process = backstage.process()
    connection, _ = hub.relay()
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    connection.send({"jsonrpc": "2.0", "method": "notifications/message"})
    assert process.wait(TIMEOUT) == 0
    assert process.communicate()[1] == b""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("hub_is_there", [True, False])
def test_signals_end_it_without_a_word(backstage: Backstage, number: signal.Signals, hub_is_there: bool) -> None:
    hub = backstage.hub() if hub_is_there else None
    process = backstage.process()
    if hub:
        hub.relay()
    else:
        assert backstage.has_start()
    process.send_signal(number)
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.requirement("CFG-01")
@pytest.mark.parametrize(
    ("name", "value"), [("VIM_MCP_LOG_LEVEL", "loud"), ("VIM_MCP_SOCKET", "here"), ("VIM_MCP_IDLE_TIMEOUT", "soon")]
)
def test_a_bad_setting_is_named(backstage: Backstage, name: str, value: str) -> None:
    process = backstage.process({name: value})
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out) == (2, b"")
    assert err.decode().startswith(f"vim-mcp: {name}={value!r} ")
    assert err.count(b"\n") == 1
    assert not backstage.has_start(0.0)


def test_a_person_who_starts_it_in_a_terminal_is_told_what_it_is(backstage: Backstage) -> None:
    main, terminal = pty.openpty()
    hub = backstage.hub()
    process = backstage.process(stdin=terminal)
    hub.relay()
    os.close(terminal)
    os.close(main)  # the terminal goes away
    assert process.communicate(timeout=TIMEOUT) == (
        b"",
        b"vim-mcp: this is an MCP server, for MCP clients to start (CTRL-D ends it); see vim-mcp --help\n",
    )
    assert process.returncode == 0
