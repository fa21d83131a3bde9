"""What a client and the hub have open, and what becomes of it when the hub is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vim_mcp.conversation import CONNECTION_LOST, MAX_ATTEMPTS, Conversation, Message

INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n'
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'


def request(request_id: Any, method: str, **params: Any) -> bytes:
    """A request's line, in another member order than the hub's."""
    return json.dumps({"method": method, "params": params, "id": request_id, "jsonrpc": "2.0"}).encode() + b"\n"


def answer(request_id: Any, **result: Any) -> bytes:
    """An answer's line as the hub writes it."""
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}, separators=(",", ":")).encode() + b"\n"


def send(conversation: Conversation, *lines: bytes) -> list[Message]:
    """Send lines to the hub."""
    messages = [Message(line) for line in lines]
    for message in messages:
        conversation.sending(message)
    return messages


def receive(conversation: Conversation, line: bytes) -> bool:
    """Take a line of the hub's to its end; whether the client gets it."""
    for_client, answered = conversation.arrived(line)
    if answered is not None:
        conversation.answered(answered)
    return for_client


def shaken() -> Conversation:
    """A conversation whose handshake is complete."""
    conversation = Conversation()
    send(conversation, INITIALIZE)
    assert receive(conversation, answer(0))
    send(conversation, INITIALIZED)
    return conversation


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"not json\n",
        b"[]\n",
        b"3\n",
        b'"text"\n',
        b"\xff\xfe\n",
        b"[" * 200_000 + b"\n",
        b'{"id":{"a":1},"method":2}\n',
    ],
)
def test_what_is_no_message_is_left_alone(line: bytes) -> None:
    message = Message(line)
    assert (message.id, message.method, message.is_request) == (None, None, False)
    assert message.line == (line or b"\n")
    conversation = Conversation()
    assert conversation.accepts(message)
    conversation.sending(message)
    assert not conversation.is_open


def test_a_last_line_without_end_gets_one() -> None:
    assert Message(b"{}").line == b"{}\n"


@given(st.one_of(st.integers(), st.text()), st.booleans())
def test_an_answer_closes_its_request_whatever_the_id(request_id: int | str, ascii_only: bool) -> None:
    conversation = Conversation()
    send(conversation, request(request_id, "ping"), request("another", "ping"))
    content = {"jsonrpc": "2.0", "id": request_id, "result": {"id": 7}}
    line = json.dumps(content, ensure_ascii=ascii_only, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
    assert receive(conversation, line)
    failures, again = conversation.lose("The hub was lost")
    left = [] if request_id == "another" else ["another"]
    assert ([json.loads(failure)["id"] for failure in failures], again) == (left, [])


@pytest.mark.parametrize(
    "line",
    [
        b'{"id":5,"jsonrpc":"2.0","result":{}}\n',
        b'{"jsonrpc": "2.0", "id": 5, "error": {"code": 1, "message": "m"}}\n',
        b'{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"m"}}\n',
    ],
)
def test_an_answer_in_another_form_counts(line: bytes) -> None:
    conversation = Conversation()
    send(conversation, request(5, "ping"))
    assert receive(conversation, line)
    assert not conversation.is_open


def test_ids_of_different_types_are_different() -> None:
    conversation = Conversation()
    send(conversation, request(1, "ping"), request("1", "ping"))
    receive(conversation, answer("1"))
    failures, _ = conversation.lose("The hub was lost")
    assert [json.loads(line)["id"] for line in failures] == [1]


@pytest.mark.requirement("RELAY-02")
def test_a_lost_tool_call_is_a_result_that_the_model_reads() -> None:
    conversation = shaken()
    send(conversation, request("call", "tools/call", name="vim_edit"))
    [failure], again = conversation.lose("The hub was lost")
    assert again == []
    content = json.loads(failure)
    text = content["result"]["content"][0]["text"]
    assert content == {
        "jsonrpc": "2.0",
        "id": "call",
        "result": {
            "content": [{"type": "text", "text": text}],
            "isError": True,
            "_meta": {"code": CONNECTION_LOST, "message": text, "data": {"original_error": "The hub was lost"}},
        },
    }
    assert text.startswith("The hub was lost while this request was under way")


def test_a_lost_tool_call_of_the_era_without_handshake_says_that_it_is_complete() -> None:
    conversation = Conversation()
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    send(conversation, request(1, "tools/call", name="vim_edit", _meta=meta))
    [failure], _ = conversation.lose("The hub was lost")
    assert json.loads(failure)["result"]["resultType"] == "complete"


@pytest.mark.requirement("VIM-ERR-07")
def test_another_lost_request_is_an_error() -> None:
    conversation = shaken()
    send(conversation, request(4, "resources/read", uri="vim://state"))
    [failure], _ = conversation.lose("The hub was lost")
    content = json.loads(failure)
    assert (content["id"], content["error"]["code"]) == (4, 1003)
    assert content["error"]["data"] == {"original_error": "The hub was lost"}
    assert not conversation.is_open


def test_a_cancelled_request_gets_no_answer() -> None:
    conversation = shaken()
    send(conversation, request(4, "tools/call"), b'{"method":"notifications/cancelled","params":{"requestId":4}}\n')
    assert conversation.lose("The hub was lost") == ([], [])


def test_the_handshake_is_repeated_and_its_answer_held_back() -> None:
    conversation = shaken()
    for _ in range(2):
        conversation.lose("The hub was lost")
        initialize = conversation.replay()
        assert initialize is not None
        assert initialize.line == INITIALIZE
        replaying = [conversation.is_replaying]
        assert receive(conversation, b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n')
        assert not receive(conversation, answer(0))
        replaying.append(conversation.is_replaying)
        assert replaying == [True, False]
        assert conversation.initialized is not None
        assert conversation.initialized.line == INITIALIZED


def test_a_hub_lost_while_the_handshake_was_repeated_changes_nothing() -> None:
    conversation = shaken()
    conversation.lose("The hub was lost")
    assert conversation.replay()
    conversation.lose("The hub was lost")
    assert conversation.replay()
    assert not receive(conversation, answer(0))
    assert receive(conversation, answer(0))


def test_an_unanswered_initialize_is_asked_again_with_what_came_after_it() -> None:
    conversation = Conversation()
    sent = send(conversation, INITIALIZE, INITIALIZED, request(1, "tools/list"))
    failures, again = conversation.lose("The hub was lost")
    assert again == sent[:2]
    assert [json.loads(line)["id"] for line in failures] == [1]
    assert conversation.replay() is None
    for message in again:
        conversation.sending(message)
    assert receive(conversation, answer(0))
    assert conversation.replay() is sent[0]


def test_without_handshake_there_is_nothing_to_repeat() -> None:
    conversation = Conversation()
    send(conversation, request(1, "tools/list"))
    receive(conversation, answer(1))
    assert conversation.replay() is None


def test_a_subscription_stream_is_asked_for_again() -> None:
    conversation = Conversation()
    [listen, _] = send(conversation, request("listen-1", "subscriptions/listen"), request(2, "ping"))
    failures, again = conversation.lose("The hub was lost")
    assert again == [listen]
    assert len(failures) == 1


def test_what_ends_every_hub_is_given_up() -> None:
    conversation = Conversation()
    message = Message(request("listen-1", "subscriptions/listen"))
    for attempt in range(1, MAX_ATTEMPTS + 1):
        conversation.sending(message)
        failures, again = conversation.lose("The hub was lost")
        assert (len(failures), len(again)) == ((1, 0) if attempt == MAX_ATTEMPTS else (0, 1))


def test_a_request_of_a_lost_hub_is_withdrawn_and_its_late_answer_dropped() -> None:
    conversation = shaken()
    assert receive(conversation, request(1, "roots/list"))
    assert receive(conversation, request(2, "elicitation/create"))
    send(conversation, answer(1, roots=[]))
    [withdrawn], _ = conversation.lose("The hub was lost")
    content = json.loads(withdrawn)
    assert (content["method"], content["params"]["requestId"]) == ("notifications/cancelled", 2)
    late = Message(answer(2, action="accept"))
    assert not conversation.accepts(late)
    assert conversation.accepts(late)


def test_the_next_hubs_request_of_the_same_id_is_answered() -> None:
    conversation = shaken()
    receive(conversation, request(1, "roots/list"))
    conversation.lose("The hub was lost")
    receive(conversation, request(1, "roots/list"))
    assert conversation.accepts(Message(answer(1, roots=[])))


def test_a_line_that_was_not_sent_is_not_open() -> None:
    conversation = shaken()
    [message] = send(conversation, request(9, "ping"))
    conversation.not_sent(message)
    assert conversation.lose("The hub was lost") == ([], [])


@pytest.mark.parametrize("method", ["notifications/initialized", "initialized"])
def test_an_initialized_that_was_not_sent_is_not_repeated(method: str) -> None:
    conversation = Conversation()
    send(conversation, INITIALIZE)
    receive(conversation, answer(0))
    [message] = send(conversation, json.dumps({"jsonrpc": "2.0", "method": method}).encode())
    assert conversation.initialized is message
    conversation.not_sent(message)
    assert conversation.initialized is None


def test_a_long_answer_is_not_read_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = Conversation()
    send(conversation, request(3, "resources/read"))
    line = answer(3, text="x" * 100_000)
    real, read = json.loads, []

    def loads(text: bytes) -> Any:
        read.append(len(text))
        return real(text)

    monkeypatch.setattr(json, "loads", loads)
    assert receive(conversation, line)
    assert not conversation.is_open
    assert sum(read) < 10


@pytest.mark.parametrize("request_id", ["x" * 300, "x" * 252 + "é", '"' * 200, "a\\"])
def test_an_answer_to_a_long_or_odd_id_counts(request_id: str) -> None:
    conversation = Conversation()
    send(conversation, request(request_id, "ping"))
    assert receive(conversation, answer(request_id))
    assert not conversation.is_open
