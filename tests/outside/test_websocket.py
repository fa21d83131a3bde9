"""An independent WebSocket client, which hangs up at bytes that are no UTF-8, takes every frame of an editor's port."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path

import pytest

from tests.outside.npm import Npm
from tests.support.editors import TIMEOUT
from tests.support.ideclient import wait_lock
from tests.support.stage import Stage

FRAMES = Path(__file__).with_name("frames.mjs")
LINES = ["plain", "é ü", "日本語", "👩‍👩‍👧 😀", "e\u0301", "\U0010ffff", "tab\tand nul \0"]
INVALID = [
    b"cut \xf0\x9f\x98",
    b"surrogate \xed\xa0\x80",
    b"\xff\xfe",
    b"overlong \xc0\xaf",
    b"too high \xf5\x80\x80\x80",
]


@pytest.mark.slow
@pytest.mark.requirement("WS-07")
def test_every_frame_is_valid(stage: Stage, kind: str, npm: Npm) -> None:
    project = stage.project("demo")
    file = project / "all.txt"
    file.write_bytes("\n".join(LINES).encode() + b"\n" + b"\n".join(INVALID) + b"\n")
    options = ("--cmd", "set encoding=utf-8 fileencodings=utf-8 shortmess+=s")
    terminal = stage.editor(kind, *options, "all.txt", cwd=project)
    stage.instance(terminal)
    lock = wait_lock(stage.home, terminal.editor_pid)
    command = [npm.node, str(FRAMES), str(npm.modules), str(lock.port), lock.token, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        watchdog = threading.Timer(TIMEOUT, client.kill)
        watchdog.start()
        told = [json.loads(client.stdout.readline())]  # the cursor's place: it is connected
        for number in range(1, len(LINES) + len(INVALID) + 1):
            terminal.type(f"{'V' if number > 1 else ''}{number}GV")  # no Escape: with what follows it is another key
            told.append(json.loads(client.stdout.readline()))
        client.stdin.close()
        seen = json.loads(client.stdout.read().splitlines()[-1])
        assert client.wait(TIMEOUT) == 0
        watchdog.cancel()
    assert told[1 : len(LINES)] == LINES[:-1]
    assert all("\ufffd" in text or "?" in text for text in told[-len(INVALID) :])
    assert (seen["fault"], seen["hungUp"], seen["protocol"]) == (None, None, "mcp")
    assert "日本語" in seen["seen"]["buffer"]
