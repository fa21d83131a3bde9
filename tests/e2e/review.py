"""One change that the real CLI proposes: who proposes it, what the editor shows, what becomes of it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from tests.e2e.scene import Scene
from tests.support.claude import Claude
from tests.support.editors import Terminal
from tests.support.scriptedapi import Message, ToolUse, results
from tests.support.waiting import wait_until

SHOWN = "claude-code: "
"""How the title of a diff begins."""
WAITS = "waits for review"
"""What is told of one that was opened in the background."""
MODIFIED = "The user modified your proposed changes"
REFUSED = "The user doesn't want to proceed with this tool use"
ASKS = "Do you want to"
"""What the CLI asks in its terminal."""


def propose(cli: Claude, *changes: ToolUse, prompt: str = "Change it.") -> int:
    """Let the model make changes, one after the other; how many turns it had before."""
    seen = len(cli.api.turns)
    cli.api.script(*changes, f"Done with {len(changes)}.")
    cli.submit(prompt)
    return seen


def edit(file: Path, old: str, new: str) -> list[ToolUse]:
    """Read a file and change it."""
    path = str(file)
    return [
        ToolUse("Read", {"file_path": path}),
        ToolUse("Edit", {"file_path": path, "old_string": old, "new_string": new}),
    ]


def write(file: Path, text: str) -> ToolUse:
    """Write a new file."""
    return ToolUse("Write", {"file_path": str(file), "content": text})


def told(cli: Claude, count: int, seen: int = 0) -> str:
    """What the model was told of its change, when the turn has come in which it has so many results."""

    def wanted(request: Message) -> bool:
        return len(results(request)) == count

    request = cli.api.wait_turn(wanted, f"the result of tool {count}", seen)
    result, failed = results(request)[-1]
    assert not failed, result
    return result


def answer(cli: Claude, key: str) -> None:
    """Answer what the CLI asks in its terminal: its question takes no key in its first moment."""
    cli.shows(ASKS)

    def taken() -> bool:
        cli.terminal.type(key)
        with contextlib.suppress(AssertionError):
            cli.terminal.wait_screen(lambda screen: ASKS not in screen, timeout=2.0)
            return True
        return False

    wait_until(taken, "an answer to the CLI's question")


def shows(editor: Terminal, *texts: str) -> str:
    """Wait until the editor shows a diff, and texts, and return the screen. The user is led there if they rest; else
    they are told of it, and go."""

    def is_shown(screen: str) -> bool:
        return all(text in screen for text in (SHOWN, *texts))

    screen = editor.wait_screen(lambda screen: is_shown(screen) or WAITS in screen)
    if is_shown(screen):
        return screen
    editor.type(":ClaudeCodeDiffs\r")
    return editor.wait_screen(is_shown)


def hides(editor: Terminal) -> str:
    """Wait until it shows none."""
    return editor.wait_screen(lambda screen: SHOWN not in screen)


def left(scene: Scene) -> list[Any]:
    """What is left of reviews anywhere in the hub: their number by editor, and files in the runtime directory."""
    files = [path.name for path in scene.stage.runtime.glob("text-*")]
    return [entry["diffs"] for entry in scene.stage.status()["instances"] if entry["diffs"]] + files


def settled(scene: Scene) -> None:
    """Wait until nothing is left."""
    wait_until(lambda: not left(scene), "no review is left")


def windows(scene: Scene, editor: Terminal) -> list[str]:
    """What an editor's windows show, and how high and wide they are."""
    listed = scene.stage.client(VIM_MCP_INSTANCE=scene.stage.instance(editor)).read_json("vim://windows")["windows"]
    return [f"{window['name']} {window['type']} {window['width']}x{window['height']}" for window in listed]


def connected_again(scene: Scene, cli: Claude) -> None:
    """Wait until a CLI is connected to the hub that has come after a lost one."""

    def there() -> bool:
        with contextlib.suppress(OSError, ValueError):
            clients = [client for entry in scene.stage.status()["instances"] for client in entry["ide_clients"]]
            return [client["pid"] for client in clients] == [cli.terminal.pid]
        return False

    wait_until(there, "the CLI, connected again")
