"""Programs that stand for the Claude CLI in a terminal, and what tests ask of a terminal with one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tests.support.editing import wait_mode
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

VARIABLES = {"CLAUDE_CODE_SSE_PORT": "12345", "ENABLE_IDE_INTEGRATION": "true", "VIM_MCP_INSTANCE": "one-demo-1"}
"""Those that a hub has an editor set for what runs in its terminals."""

SHOWS_KEYS = """#!{python}
import json, os, sys, termios, tty
tty.setraw(0)
with open({path!r}, "w") as pipe:
    print(json.dumps([os.getpid(), sys.argv[1:], dict(os.environ)]), file=pipe)
while True:
    keys = os.read(0, 100)
    if keys[:1] in b"qx":
        sys.exit(0 if keys[:1] == b"q" else "it failed")
    print("got " + ascii(keys), end="\\r\\n", flush=True)
"""
"""Tells what it was started with, then shows the keys that it gets; q ends it, and x with a failure."""

TAKES_PROMPTS = """#!{python}
import json, os, sys, termios, tty
tty.setraw(0)
with open({path!r}, "w") as pipe:
    print(json.dumps(os.getpid()), file=pipe)
mute, prompt = "mute" in sys.argv, b""
while True:
    keys = os.read(0, 1)
    if keys == b"\\r":
        print("sent", ascii(prompt), end="\\r\\n", flush=True)
        prompt = b""
    else:
        prompt += keys
        if not mute and prompt.endswith(b"\\x1b[201~"):
            print("pasted", ascii(prompt), end="\\r\\n", flush=True)
"""
"""Tells its process id, then shows what Enter sends, and what is pasted: but not as one that asks (`mute`)."""


def put(program: str, path: Path, inside: Inside) -> Path:
    """Make one of these programs, which tells `inside` of itself, an executable file at `path`; the path."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(program.format(python=sys.executable, path=str(inside.path)))
    path.chmod(0o755)
    return path


def started(inside: Inside, link: RawEditor | None = None) -> tuple[int, list[str], dict[str, str]]:
    """The process id, arguments and environment of the next one that shows keys; with an editor's connection, once keys
    there are for it."""
    pid, arguments, environment = inside.told()
    if link is not None:
        wait_mode(link, "t")
    return pid, arguments, environment


def wait_got(terminal: Terminal, keys: str) -> None:
    """Wait until the program has got these keys last."""
    terminal.wait_screen(lambda screen: screen.rsplit("got ")[-1].startswith(ascii(keys.encode())))


def run(terminal: Terminal, line: str) -> None:
    """Leave the terminal's window for Normal mode, and run an Ex command there."""
    terminal.type(f"\x1c\x0e:{line}\r")


def kinds(link: RawEditor) -> list[str]:
    """What the windows show: values of 'buftype'."""
    state = link.request("get_state")
    types = {buffer["id"]: buffer["buftype"] for buffer in state["buffers"]}
    return [types[window["buffer"]] for window in state["windows"]]


def shown(link: RawEditor, wanted: list[str]) -> list[Any]:
    """Wait until the windows show these kinds of buffers, and return them."""
    wait_until(lambda: kinds(link) == wanted, f"windows on {wanted}")
    windows: list[Any] = link.request("get_state")["windows"]
    return windows
