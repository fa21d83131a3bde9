"""The connection through time: losing the hub, finding it again, starting it, its goodbyes, the user's commands."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside, methods
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_ended, wait_until

Launch = Callable[..., Terminal]


@pytest.fixture
def starts(home: EditorHome, tmp_path: Path) -> Path:
    """A file that gets a line (the time and the arguments) whenever an editor runs its hub command."""
    log, script = tmp_path / "starts", tmp_path / "a hub"
    script.write_text(f'#!/bin/sh\necho "$(date +%s.%N) $*" >> {log}\nexit ${{STATUS:-0}}\n')
    script.chmod(0o755)
    log.touch()
    home.add(f"let g:vim_mcp_command = ['{script}']", "let g:vim_mcp_reconnect_interval = 100")
    return log


def _again(raw_hub: RawHub, home: EditorHome) -> RawHub:
    raw_hub.close()
    return RawHub(home.runtime)


def _wait_info(inside: Inside, terminal: Terminal, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline:
        info: dict[str, Any] = inside.value(terminal, "vim_mcp#link#info()")
        if wanted(info):
            return info
    raise AssertionError(f"the link never was as wanted: {info}")


def _sockets(pid: int) -> int:
    """How many sockets a process holds."""
    links = (os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir() if entry.is_symlink())
    return sum(link.startswith("socket:") for link in links)


@pytest.mark.requirement("VIM-ERR-04")
def test_the_id_is_kept_for_life(raw_hub: RawHub, launch: Launch, home: EditorHome) -> None:
    launch("one.txt")
    link = raw_hub.editor()
    link.send({"type": "registered", "instance_id": "given-by-hub-1"})
    assert link.request("ping") == {}
    for _ in range(3):
        raw_hub = _again(raw_hub, home)
        link = raw_hub.editor()
        assert link.hello["instance_id"] == "given-by-hub-1"
        assert link.request("ping") == {}
    raw_hub.close()


def test_an_answer_does_not_reach_the_next_hub(
    raw_hub: RawHub, launch: Launch, home: EditorHome, tmp_path: Path
) -> None:
    home.add(methods(tmp_path, "  if a:method ==# 'hold'", "    let g:Held = a:reply", "    return", "  endif",
                     "  if a:method ==# 'release'", "    call g:Held({'result': 'old'})", "  endif"))  # fmt: skip
    launch()
    link = raw_hub.editor()
    link.start("hold")
    assert link.request("ping") == {}
    raw_hub = _again(raw_hub, home)
    link = raw_hub.editor()
    assert link.request("release") == {}
    assert link.request("ping") == {}
    assert link.unexpected() == []
    raw_hub.close()


@contextmanager
def _refusing_listener(path: Path) -> Iterator[list[float]]:
    """A socket whose server hangs up at once; the list gets the times of the calls."""
    calls: list[float] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()

        def serve() -> None:
            try:
                while True:
                    connection, _ = listener.accept()
                    calls.append(time.monotonic())
                    connection.close()
            except OSError:
                return

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield calls
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(TIMEOUT)
    path.unlink(missing_ok=True)


@pytest.mark.requirement("LINK-03", "VIM-CFG-06", "VIM-CONN-07", "VIM-ERR-03")
def test_redials_come_at_growing_intervals(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    home.add("let g:vim_mcp_reconnect_interval = 1500")
    terminal = launch()
    raw_hub.editor()
    raw_hub.close()
    with _refusing_listener(raw_hub.path) as calls:
        _wait_info(inside, terminal, lambda info: info["tries"] >= 5)
        wait_until(lambda: len(calls) >= 6, "calls")
        # The first two: at once, and when the command that starts a hub has ended.
        gaps = [later - earlier for earlier, later in pairwise(calls[1:])]
    assert all(gap > least - 0.02 for gap, least in zip(gaps, (0.1, 0.3, 1.0, 1.5), strict=False)), gaps


@pytest.mark.requirement("LINK-01", "VIM-ERR-03")
def test_a_hub_is_started_where_there_is_none(launch: Launch, starts: Path, inside: Inside, home: EditorHome) -> None:
    terminal = launch()
    _wait_info(inside, terminal, lambda info: info["tries"] >= 4)
    assert [line.split()[1:] for line in starts.read_text().splitlines()] == [["hub", "--background"]]
    hub = RawHub(home.runtime)
    assert hub.editor().request("ping") == {}
    hub.close()


@pytest.mark.parametrize("form", ["list", "string", "string with arguments", "tilde"])
@pytest.mark.requirement("LINK-01")
def test_the_hub_command_may_be_a_string_or_a_list(
    launch: Launch, starts: Path, inside: Inside, home: EditorHome, form: str
) -> None:
    script = starts.parent / "a hub"
    plain = home.home / "hub"
    plain.write_bytes(script.read_bytes())
    plain.chmod(0o755)
    setting = {
        "list": f"['{script}', '--mark']", "string": f"'{script}'", "string with arguments": f"'{plain} --mark'",
        "tilde": "'~/hub --mark'",
    }[form]  # fmt: skip
    home.add(f"let g:vim_mcp_command = {setting}")
    terminal = launch()
    _wait_info(inside, terminal, lambda info: info["tries"] >= 1)
    arguments = starts.read_text().split()[1:]
    assert arguments == ([] if form == "string" else ["--mark"]) + ["hub", "--background"]


@pytest.mark.requirement("VIM-CFG-05", "VIM-WIRE-02")
def test_the_hub_is_told_the_socket_that_the_user_has_named(
    launch: Launch, home: EditorHome, inside: Inside, tmp_path: Path
) -> None:
    script = tmp_path / "hub"
    script.write_text(f'#!/bin/sh\necho "$VIM_MCP_SOCKET" >> {tmp_path}/told-socket\n')
    script.chmod(0o755)
    home.add(f"let g:vim_mcp_command = '{script}'", f"let g:vim_mcp_socket_path = '{tmp_path}/my socket'")
    terminal = launch()
    info = _wait_info(inside, terminal, lambda info: info["tries"] >= 1)
    assert info["socket"] == f"{tmp_path}/my socket"
    assert (tmp_path / "told-socket").read_text() == f"{tmp_path}/my socket\n"
    assert inside.value(terminal, "exists('$VIM_MCP_SOCKET')") == 0


def _wait_told(inside: Inside, terminal: Terminal, times: int) -> None:
    """Wait until that many messages have been shown; no more."""
    history = wait_until(lambda: inside.value(terminal, f"execute('messages')->split('vim-mcp:', 1)[{times}:]"), "it")
    assert len(history) == 1, history


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "complaint"),
    [("'/does/not/exist'", "cannot run"), ("['sh', '-c', 'echo vim-mcp: no disk >&2; exit 1']", "no disk")],
)
@pytest.mark.requirement("LINK-02")
def test_an_absent_hub_is_told_once_an_outage(
    launch: Launch, home: EditorHome, inside: Inside, command: str, complaint: str
) -> None:
    home.add(f"let g:vim_mcp_command = {command}", "let g:vim_mcp_reconnect_interval = 100")
    terminal = launch()
    screen = terminal.wait_screen("vim-mcp:", complaint)
    assert "Press ENTER" not in screen
    for outage in (1, 2):
        _wait_told(inside, terminal, outage)
        _wait_info(inside, terminal, lambda info: info["tries"] >= 8)
        _wait_told(inside, terminal, outage)
        assert complaint in inside.value(terminal, "vim_mcp#link#info().reason")
        assert inside.value(terminal, "mode(1)") == "n"
        hub = RawHub(home.runtime)
        assert hub.editor().request("ping") == {}
        hub.close()


def test_nothing_is_told_while_the_person_types_a_command(launch: Launch, home: EditorHome, inside: Inside) -> None:
    home.add("let g:vim_mcp_command = ['sh', '-c', 'sleep 0.5; exit 3']")
    home.add("call timer_start(1500, {-> Tell('by now it would have been told')})")
    terminal = launch()
    terminal.type(":abc")
    terminal.wait_screen(":abc")
    inside.told()
    assert terminal.lines()[-1] == ":abc"
    terminal.type("\x1b")
    assert "Press ENTER" not in terminal.wait_screen("vim-mcp: the hub does not start")


@pytest.mark.requirement("HUB-06")
def test_after_a_goodbye_for_good_no_hub_is_started(
    launch: Launch, starts: Path, inside: Inside, home: EditorHome
) -> None:
    for reason in ("stop", "idle"):
        hub = RawHub(home.runtime)
        terminal = launch()
        link = hub.editor()
        link.send({"type": "bye", "reason": reason})
        hub.close()
        _wait_info(inside, terminal, lambda info: info["tries"] >= 8)
        assert inside.value(terminal, "vim_mcp#link#info().reason") == "the hub was stopped"
        assert starts.read_text() == ""
        hub = RawHub(home.runtime)
        link = hub.editor()
        assert link.request("ping") == {}
        hub.close()
        _wait_info(inside, terminal, lambda info: info["tries"] >= 1 and info["state"] == "waiting")
        assert starts.read_text() != "", "a loss without a goodbye is no goodbye"
        terminal.type(":qa!\r")
        terminal.wait()
        starts.write_text("")


@pytest.mark.requirement("HUB-06")
def test_reconnecting_by_hand_starts_a_hub_after_its_goodbye(
    launch: Launch, starts: Path, inside: Inside, home: EditorHome
) -> None:
    hub = RawHub(home.runtime)
    terminal = launch()
    hub.editor().send({"type": "bye", "reason": "stop"})
    hub.close()
    _wait_info(inside, terminal, lambda info: info["state"] == "waiting")
    terminal.type(":VimMCPReconnect\r")
    _wait_info(inside, terminal, lambda info: info["state"] == "waiting" and starts.read_text() != "")


def test_an_upgrade_is_left_alone_for_a_second(launch: Launch, starts: Path, inside: Inside, home: EditorHome) -> None:
    hub = RawHub(home.runtime)
    terminal = launch()
    link = hub.editor()
    said = time.time()
    link.send({"type": "bye", "reason": "upgrade"})
    hub.close()
    _wait_info(inside, terminal, lambda info: starts.read_text() != "")
    assert float(starts.read_text().split()[0]) - said >= 1.0


@pytest.mark.requirement("VIM-LIM-02")
def test_a_refusal_is_shown_and_taken(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    home.add("let g:vim_mcp_reconnect_interval = 100")
    terminal = launch()
    link = raw_hub.editor()
    link.send({"type": "refused", "code": 1004, "message": "vim-mcp already has 100 editors: close some first"})
    link.close()
    assert "Press ENTER" not in terminal.wait_screen("vim-mcp: vim-mcp already has 100 editors")
    assert _wait_info(inside, terminal, lambda info: True)["state"] == "refused"
    with pytest.raises(AssertionError, match="no editor dialled"):
        raw_hub.editor(timeout=1.5)
    terminal.type(":VimMCPReconnect\r")
    assert raw_hub.editor().request("ping") == {}


@pytest.mark.slow
@pytest.mark.requirement("VIM-LIM-03")
def test_a_hub_that_never_answers_is_given_up(launch: Launch, home: EditorHome) -> None:
    home.add("let g:vim_mcp_command = ['true']")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.runtime / "vim-mcp-server.sock"))
        listener.listen()
        listener.settimeout(TIMEOUT)
        launch()
        first, _ = listener.accept()
        begun = time.monotonic()
        second, _ = listener.accept()
        assert time.monotonic() - begun > 4.5
        assert first.makefile("rb").read().count(b"\n") == 1
        first.close()
        second.close()


def test_a_hub_that_does_not_read_freezes_nobody(
    launch: Launch, home: EditorHome, inside: Inside, tmp_path: Path
) -> None:
    home.add(
        methods(tmp_path, "  return a:reply({'result': repeat('x', 20000000)})"), "let g:vim_mcp_command = ['true']"
    )
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(home.runtime / "vim-mcp-server.sock"))
        listener.listen()
        listener.settimeout(TIMEOUT)
        terminal = launch()
        connection, _ = listener.accept()
        connection.sendall(b'{"type":"registered","instance_id":"a-b-1"}\n{"id":1,"method":"fill","params":{}}\n')
        terminal.type("istill alive\x1b")
        terminal.wait_screen("still alive")
        assert inside.value(terminal, "getline(1)") == "still alive"
        connection.settimeout(TIMEOUT)
        received = 0
        while received < 20_000_000:
            received += connection.recv(1 << 20).count(b"x")
        connection.close()


@pytest.mark.requirement("LINK-04", "VIM-CFG-04")
def test_stopping_removes_what_starting_made(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    home.add("let g:vim_mcp_enabled = 0")
    terminal = launch()
    made = "[execute('autocmd'), len(timer_info()), execute('menu'), execute('map'), execute('augroup')]"
    # What the editor itself sets up as it starts is there once the timers of its start have run.
    wait_until(lambda: inside.value(terminal, "len(timer_info())") == 0, "the end of its start")
    before = inside.value(terminal, made), _sockets(terminal.editor_pid)
    for _ in range(3):
        terminal.type(":VimMCPStart\r")
        link = raw_hub.editor()
        link.event("BufEnter")
        during = inside.value(terminal, made)
        assert during != before[0]
        terminal.type(":VimMCPStop\r")
        link.event("bye")
        assert link.closed.wait(TIMEOUT)
        assert (inside.value(terminal, made), _sockets(terminal.editor_pid)) == before
        assert inside.value(terminal, "vim_mcp#link#info().state") == "stopped"


def test_stopping_ends_the_search_for_a_hub(launch: Launch, starts: Path, inside: Inside, home: EditorHome) -> None:
    terminal = launch()
    _wait_info(inside, terminal, lambda info: info["state"] == "waiting")
    terminal.type(":VimMCPStop\r")
    assert inside.value(terminal, "[vim_mcp#link#info().state, len(timer_info())]") == ["stopped", 0]


@pytest.mark.parametrize("how", [":qa!\r", ":cquit\r", "SIGTERM", "SIGKILL"])
@pytest.mark.requirement("LEAVE-01", "VIM-CONN-06")
def test_an_editor_that_leaves_says_so_and_leaves_no_process(editor: tuple[Terminal, RawEditor], how: str) -> None:
    terminal, link = editor
    pid = terminal.editor_pid
    if how.startswith("SIG"):
        os.kill(pid, 15 if how == "SIGTERM" else 9)
    else:
        terminal.type(how)
    if how != "SIGKILL":
        link.event("bye")
    assert link.closed.wait(TIMEOUT)
    terminal.wait()
    wait_ended(pid)  # Neovim may end after the process that draws its screen


def test_status_says_it_in_one_line(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    terminal = launch("one.txt")
    link = raw_hub.editor()
    link.event("BufEnter")
    terminal.type(":VimMCPStatus\r")
    screen = terminal.wait_screen(f"vim-mcp: connected, no Claude, as one-home-{terminal.editor_pid}")
    assert "Press ENTER" not in screen
    terminal.type(":VimMCPPause\r")
    terminal.wait_screen("vim-mcp: paused")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen(f"vim-mcp: paused, connected, no Claude, as one-home-{terminal.editor_pid}")
    terminal.type(":VimMCPPause off\r")
    terminal.wait_screen("vim-mcp: clients may use")
    terminal.type(":VimMCPPause on\r")
    terminal.wait_screen("vim-mcp: paused")
    terminal.type(":VimMCPPause!\r")
    terminal.wait_screen("vim-mcp: clients may use")
    terminal.type(":let g:vim_mcp_access = 'read' | VimMCPStatus\r")
    terminal.wait_screen("vim-mcp: connected, no Claude, access: read, as")
    terminal.type(":VimMCPPause maybe\r")
    terminal.wait_screen('vim-mcp: :VimMCPPause takes "on" or "off"')
    terminal.type(":VimMCPStop\r:VimMCPStatus\r")
    screen = terminal.wait_screen("vim-mcp: stopped (:VimMCPStart starts it)")
    assert "Press ENTER" not in screen


def test_what_helps_stands_before_why_it_is_not_connected(
    launch: Launch, home: EditorHome, inside: Inside, kind: str
) -> None:
    """The reason is the real hub's, and long."""
    home.runtime.chmod(0o755)
    terminal = launch("one.txt")
    terminal.wait_screen("vim-mcp: the hub does not start")
    terminal.type(":VimMCPStatus\r")
    terminal.wait_screen("vim-mcp: not connected (see :VimMCPDoctor): the ")
    mend = f"chmod 700 '{home.runtime}'"
    assert mend in inside.value(terminal, "execute('messages')").rpartition("see :VimMCPDoctor")[2]


def test_before_it_is_connected_the_status_waits_for_that(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside
) -> None:
    home.add("autocmd VimEnter * VimMCPStatus")
    terminal = launch()
    raw_hub.editor()
    terminal.wait_screen("vim-mcp: connected as ")
    assert "stopped" not in inside.value(terminal, "execute('messages')")


def test_the_log_opens_read_only(raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside) -> None:
    terminal = launch("one.txt")
    link = raw_hub.editor()
    link.event("selection")
    terminal.type(":VimMCPLog\r")
    terminal.wait_screen("vim-mcp: the hub has written no log yet")
    (home.runtime / "hub.log").write_text("first line\nlast line\n")
    terminal.type(":VimMCPLog\r")
    terminal.wait_screen("last line")
    told = inside.value(
        terminal, "[expand('%:p'), &readonly, &modifiable, &swapfile, &buflisted, line('.'), winnr('$')]"
    )
    assert told == [str(home.runtime / "hub.log"), 1, 0, 0, 0, 2, 2]
    assert link.request("get_selection")["selection"]["file"] == str(home.home / "one.txt"), "it is no file of theirs"
    with (home.runtime / "hub.log").open("a") as log:
        log.write("a later line\n")
    terminal.type("\x17p:VimMCPLog\r")
    terminal.wait_screen("a later line")
    assert inside.value(terminal, "[line('.'), winnr('$')]") == [3, 2], "in the window that there is"
    terminal.type("q")
    wait_until(lambda: inside.value(terminal, "winnr('$')") == 1, "q closes it")


def test_who_asks_for_the_connection_is_told_of_it(raw_hub: RawHub, launch: Launch, inside: Inside) -> None:
    """And nobody else: an editor that connects by itself is silent."""
    terminal = launch("one.txt")
    raw_hub.editor().event("BufEnter")
    assert "connected as" not in inside.value(terminal, "execute('messages')")
    terminal.type(":VimMCPStop\r")
    terminal.wait_screen("vim-mcp: disconnected; :VimMCPStart connects again")
    for ask, anew in (("VimMCPStart", True), ("VimMCPReconnect", True), ("VimMCPStart", False)):
        terminal.type(f":echo 'now' | {ask}\r")
        if anew:
            raw_hub.editor()
        terminal.wait_screen("vim-mcp: connected as one-")
        terminal.type(":echo 'told'\r")
        terminal.wait_screen("told", lambda screen: "connected as" not in screen)


@pytest.mark.parametrize("place", [".venv/bin", "../../../../../bin"])
def test_the_plugins_own_environment_has_the_command_where_path_has_none(
    kind: str, launch: Launch, home: EditorHome, tmp_path: Path, place: str
) -> None:
    plugin = tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "vim_mcp" / "runtime"
    for name in ("plugin", "autoload", "lua"):
        shutil.copytree(ROOT / name, plugin / name)
    command = Path(os.path.normpath(plugin / place)) / "vim-mcp"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\necho "$0 $*" > {tmp_path}/ran\n')
    command.chmod(0o755)
    (tmp_path / "link").symlink_to(plugin)  # as plugin managers place it
    home.vimrc.write_text(home.vimrc.read_text().replace(str(ROOT), str(tmp_path / "link")))
    launch(PATH="/usr/bin:/bin")
    _wait_for_file(tmp_path / "ran")
    assert (tmp_path / "ran").read_text().split() == [str(command), "hub", "--background"]


def _wait_for_file(path: Path) -> None:
    deadline = time.monotonic() + TIMEOUT
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.02)


@pytest.mark.parametrize("kind", ["nvim"], indirect=True)  # the others always have a line for messages
def test_without_a_line_for_messages_it_is_told_all_the_same(launch: Launch, home: EditorHome, inside: Inside) -> None:
    home.add("let g:vim_mcp_command = '/does/not/exist'", "set cmdheight=0")
    terminal = launch()
    assert "Press ENTER" not in terminal.wait_screen('vim-mcp: cannot run "/does/not/exist"')
    assert inside.value(terminal, "mode(1)") == "n"
