"""The connection as the hub sees it: registering, requests, answers, framing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vim_mcp
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside, methods
from tests.support.rawhub import EditorError, RawEditor, RawHub
from tests.support.waiting import wait_until

Launch = Callable[..., Terminal]


@pytest.mark.requirement("VIM-CONN-04", "VIM-ID-01", "VIM-PLAT-02", "VIM-REG-01")
def test_registration_says_who_the_editor_is(
    editor: tuple[Terminal, RawEditor], kind: str, home: EditorHome, tmp_path: Path
) -> None:
    terminal, link = editor
    project = tmp_path / "project"
    info = link.hello["info"]
    assert link.hello["type"] == "register"
    assert link.hello["instance_id"] == f"one-project-{terminal.editor_pid}"
    assert info.pop("version").startswith({"vim": "9.", "nvim": "0.11.", "nvim07": "0.7.2"}[kind])
    assert info == {
        "pid": terminal.editor_pid,
        "cwd": str(project),
        "main_file": str(project / "one.txt"),
        "buffers": [str(project / "one.txt")],
        "editor": "vim" if kind == "vim" else "nvim",
        "plugin_version": vim_mcp.__version__,
        "project": "project",
        "short_lived": False,
        "access": "edit",
        "encoding": "utf-8",
        "state_interval": 1000,
        "folders": [str(project)],
        "execute_code": "ask",
        "ide_name": "",
        "claude_config_dir": f"{home.home}/.claude",
    }


def test_settings_of_a_wrong_type_do_not_spoil_the_registration(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside
) -> None:
    home.add("let g:vim_mcp_access = 1", "let g:vim_mcp_state_interval = 'often'", "let g:vim_mcp_socket_path = 3")
    home.add("let g:vim_mcp_state_push_events = 'BufEnter'", "let g:vim_mcp_reconnect_interval = {}")
    terminal = launch()
    link = raw_hub.editor()
    assert link.hello["info"]["access"] == "off"
    assert link.hello["info"]["state_interval"] == 1000
    link.event("BufEnter")
    wanted = "g:vim_mcp_state_push_events must be a list"  # in one line with the others, or one after the other
    wait_until(lambda: wanted in inside.value(terminal, "execute('messages')"), wanted)


@pytest.mark.requirement("VIM-STATE-01", "VIM-STATE-03")
def test_many_requests_at_once_are_all_answered(editor: tuple[Terminal, RawEditor]) -> None:
    _, link = editor
    started = [link.start("ping") if n % 2 else link.start("get_state") for n in range(20)]
    answers = [link.answer(request) for request in started]
    assert all(answer == {} for answer in answers[1::2])
    assert all(answer["current_buffer"]["content"] == [""] for answer in answers[::2])


@pytest.mark.requirement("VIM-ERR-09")
def test_an_unknown_method_is_method_not_found(editor: tuple[Terminal, RawEditor]) -> None:
    _, link = editor
    for method in ("system", "", ["get_state"], {"get_state": 1}, 7, None):
        request = link.expect()
        link.send({"id": request, "method": method, "params": {"command": "id"}})
        with pytest.raises(EditorError) as caught:
            link.answer(request)
        assert caught.value.error["code"] == -32601
    assert link.request("ping") == {}


def _prepared(link: RawEditor, method: str, **params: Any) -> tuple[int, bytes]:
    """A request's id and its line, not sent yet."""
    request = link.expect()
    return request, json.dumps({"id": request, "method": method, "params": params}).encode() + b"\n"


@pytest.mark.requirement("VIM-WIRE-03")
def test_messages_may_be_split_at_every_byte(editor: tuple[Terminal, RawEditor]) -> None:
    _, link = editor
    request, line = _prepared(link, "get_state", sections=["mode"], client="höher ✻ 𝄞")
    for byte in line:
        link.send_bytes(bytes([byte]))
    assert link.answer(request) == {"mode": "n"}


@pytest.mark.requirement("VIM-WIRE-03")
def test_messages_may_come_joined_and_end_in_the_middle_of_one(editor: tuple[Terminal, RawEditor]) -> None:
    _, link = editor
    prepared = [_prepared(link, "ping", text="é" * 5000) for _ in range(20)]
    joined = b"".join(line for _, line in prepared)
    cut = len(joined) - 7
    link.send_bytes(joined[:cut])
    assert [link.answer(request) for request, _ in prepared[:-1]] == [{}] * 19
    link.send_bytes(joined[cut:])
    assert link.answer(prepared[-1][0]) == {}


def test_empty_lines_and_lines_that_are_no_messages_are_passed_over(editor: tuple[Terminal, RawEditor]) -> None:
    terminal, link = editor
    link.send_bytes(b'\n\r\n{\n[1]\n3\nnull\n"text"\n{}\n' + b'{"type":"news"}\n{"type":3}\n{"type":[]}\n\xff\xfe\n')
    assert link.request("ping") == {}
    assert "E" not in terminal.lines()[-1], terminal.text()


@pytest.mark.requirement("SCALE-02")
def test_a_line_of_10_mb_arrives_whole(raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path) -> None:
    home.add(methods(tmp_path, "  return a:reply({'result': {'length': len(a:params.text)}})"))
    launch()
    link = raw_hub.editor()
    assert link.request("measure", text="x" * 10_000_000) == {"length": 10_000_000}


@pytest.mark.requirement("SCALE-02")
def test_an_answer_of_10_mb_arrives_whole(raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path) -> None:
    home.add(methods(tmp_path, "  return a:reply({'result': {'text': repeat('x', a:params.count)}})"))
    launch()
    link = raw_hub.editor()
    assert len(link.request("fill", count=10_000_000)["text"]) == 10_000_000
    assert len(link.request("fill", count=3)["text"]) == 3


def test_values_keep_their_types_on_the_way_in(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add(
        methods(tmp_path, "  return a:reply({'result': map(copy(a:params), 'type(v:val) . \" \" . string(v:val)')})")
    )
    launch()
    link = raw_hub.editor()
    params = {"line": 3, "big": 2**40, "ratio": 1.5, "text": "é\n𝄞", "empty": "", "list": [], "dict": {}, "yes": True}
    assert link.request("types", **params) == {
        "line": "0 3", "big": f"0 {2**40}", "ratio": "5 1.5", "text": "1 'é\n𝄞'", "empty": "1 ''", "list": "3 []",
        "dict": "4 {}", "yes": "6 v:true",
    }  # fmt: skip
    assert link.request("types", nothing=None, several=[1, None, False, "b", [2], {"a": None}]) == {
        "nothing": "7 v:null",
        "several": "3 [1, v:null, v:false, 'b', [2], {'a': v:null}]",
    }


def test_values_keep_their_types_on_the_way_out(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    values = "{'line': 3, 'big': 1099511627776, 'ratio': 1.5, 'text': \"é\\n𝄞\\t\\\"\\\\\", 'list': [], 'dict': {},"
    values += " 'nested': [[], {}, [{}]], 'yes': v:true, 'no': v:false, 'nothing': v:null, '': 'empty key'}"
    home.add(methods(tmp_path, f"  return a:reply({{'result': {values}}})"))
    launch()
    answer = raw_hub.editor().request("values")
    assert answer == {
        "line": 3, "big": 2**40, "ratio": 1.5, "text": 'é\n𝄞\t"\\', "list": [], "dict": {}, "nested": [[], {}, [{}]],
        "yes": True, "no": False, "nothing": None, "": "empty key",
    }  # fmt: skip
    assert isinstance(answer["line"], int)


def test_bytes_that_are_no_characters_do_not_break_an_answer(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add(methods(tmp_path, "  return a:reply({'result': {'text': \"a\\xff\\xfe\\xc3\\xe2\\x82z\"}})"))
    launch()
    text = raw_hub.editor().request("bytes")["text"]
    assert text.strip("\ufffd")[0] == "a"
    assert text[-1] == "z"
    assert set(text[1:-1]) == {"\ufffd"}


@pytest.mark.parametrize(
    ("case", "error"),
    [
        ("throw 'vim-mcp:' . json_encode({'code': 1004, 'message': 'no ✻', 'data': {'kind': 'limit'}})",
         {"code": 1004, "message": "no ✻", "data": {"kind": "limit"}}),
        ("throw 'vim-mcp:no JSON'", {"code": -32603, "data": {"kind": "vim"}}),
        ("throw 'anything'", {"code": -32603, "data": {"kind": "vim"}}),
        ("call does_not#exist()", {"code": -32603, "data": {"kind": "vim", "vim_error": "E117"}}),
        ("let x = \"\\xff\" . undefined", {"code": -32603, "data": {"kind": "vim", "vim_error": "E121"}}),
        ("call a:reply({'result': [function('tr'), 0.0 / 0.0]})", {"code": -32603}),
    ],
)  # fmt: skip
def test_a_method_that_fails_is_an_error_answer_and_harms_no_later_one(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path, case: str, error: dict[str, Any]
) -> None:
    home.add(methods(tmp_path, "  if a:method ==# 'fail'", f"    {case}", "  endif"))
    terminal = launch()
    link = raw_hub.editor()
    with pytest.raises(EditorError) as caught:
        link.request("fail")
    got = caught.value.error
    data = got.get("data") or {}
    assert got["code"] == error["code"]
    assert {key: data.get(key) for key in error.get("data", {})} == error.get("data", {})
    assert got["message"] == error.get("message", got["message"])
    assert link.request("ping") == {}
    assert "E" not in terminal.lines()[-1], terminal.text()


def test_an_answer_goes_out_once_and_may_come_later(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add(methods(tmp_path,
        "  if a:method ==# 'later'",
        "    call timer_start(a:params.ms, {-> [a:reply({'result': 'late'}), a:reply({'result': 'again'})]})",
        "    return",
        "  elseif a:method ==# 'twice'",
        "    call a:reply({'result': 'once'})",
        "    throw 'after the answer'",
        "  endif",
    ))  # fmt: skip
    launch()
    link = raw_hub.editor()
    late = link.start("later", ms=50)
    assert link.request("twice") == "once"
    assert link.answer(late) == "late"
    assert link.request("ping") == {}
    assert link.unexpected() == []


@pytest.mark.requirement("VIM-STATE-03")
def test_requests_that_come_while_one_is_served_wait_in_line(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add(methods(tmp_path,
        "  let g:depth = get(g:, 'depth') + 1",
        "  execute get(a:params, 'ms') ? 'sleep ' . a:params.ms . 'm' : ''",
        "  let answer = {'depth': g:depth, 'number': get(a:params, 'number')}",
        "  let g:depth -= 1",
        "  return a:reply({'result': answer})",
    ))  # fmt: skip
    launch()
    link = raw_hub.editor()
    started = [link.start("doze", number=number, ms=100 if number < 2 else 0) for number in range(8)]
    answers = [link.answer(request) for request in started]
    assert answers == [{"depth": 1, "number": number} for number in range(8)]
    assert link.answered[-8:] == started


@pytest.mark.parametrize("kind", ["vim"], indirect=True)  # Neovim's 'encoding' is always utf-8
@pytest.mark.requirement("TEXT-01")
def test_latin1_vim_speaks_utf8_on_the_wire(raw_hub: RawHub, launch: Launch, home: EditorHome) -> None:
    home.add("set encoding=latin1")
    terminal = launch()
    link = raw_hub.editor()
    assert link.hello["info"]["encoding"] == "latin1"
    link.event("BufEnter")
    terminal.type("i" + "gr")
    terminal.type(b"\xfc\xdf\x1b\x1b")
    link.event("InsertLeave")
    assert link.request("get_state")["current_buffer"]["content"] == ["grüß"]
