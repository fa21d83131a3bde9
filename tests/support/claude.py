"""The real Claude CLI: installed from npm, pinned, and driven in a pseudo-terminal against a scripted API.

It runs offline: a private HOME, an environment with nothing of the caller's, a dummy key, and an API on loopback.
`python -m tests.support.claude` installs it, or says why it cannot.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.outside.npm import MACHINE, Unavailable, install_packages
from tests.support.editors import TIMEOUT, Terminal
from tests.support.scriptedapi import Message, ScriptedApi, ToolUse, results, said

PACKAGE = f"@anthropic-ai/claude-code-{sys.platform}-{MACHINE}"
VERSION = "2.1.332"
KEY = "dummy-key-for-the-scripted-api-only"
SERVERS = ["mcp__ide", "mcp__vim-mcp", "mcp__plugin_vim-mcp_vim-mcp"]
"""The MCP servers whose tools run unasked."""
ROWS, COLUMNS = 40, 120
MENU = "Connect to an IDE"
"""The title of what `/ide` asks."""
READY = "manual mode"
"""What stands below the CLI's prompt once it takes input."""


def install() -> Path:
    """The CLI's binary, installed unless it is there; raises `Unavailable` where npm cannot bring it."""
    return install_packages("claude", {PACKAGE: VERSION}) / PACKAGE / "claude"


def offline(api: ScriptedApi) -> dict[str, str]:
    """The variables that keep the CLI to `api`, for its environment or that of an editor that starts it."""
    return {
        "ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": api.url, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # every tool is offered by name, so that a script can call it at once
    }  # fmt: skip


def seed(home: Path, *projects: Path, config: Path | None = None) -> None:
    """Make a configuration with which the CLI asks nothing: not when it starts in `projects`, nor before a tool runs.

    It lies in `home`, or in the directory `config` for a CLI with CLAUDE_CONFIG_DIR.
    """
    settings = config or home / ".claude"
    settings.mkdir(mode=0o700, exist_ok=True)
    permissions = {"defaultMode": "default", "disableAutoMode": "disable", "allow": SERVERS}
    (settings / "settings.json").write_text(json.dumps({"permissions": permissions}))
    trusted = {str(path.resolve()): {"hasTrustDialogAccepted": True} for path in projects}
    state = {
        "hasCompletedOnboarding": True, "hasIdeAutoConnectDialogBeenShown": True, "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]]}, "projects": trusted,
    }  # fmt: skip
    ((config or home) / ".claude.json").write_text(json.dumps(state))


class Claude:
    """A running CLI: `terminal` is what it is drawn on, `api` what it asks."""

    def __init__(self, terminal: Terminal, api: ScriptedApi):
        self.terminal = terminal
        self.api = api

    @classmethod
    def start(cls, env: Mapping[str, str], cwd: Path, api: ScriptedApi, args: Sequence[str] = ()) -> Claude:
        """Start the CLI with `args` in `cwd`; `ready` waits for its prompt."""
        return cls(Terminal([str(install()), *args], {**env, **offline(api)}, cwd, ROWS, COLUMNS), api)

    def ready(self) -> Claude:
        """Wait until it takes input."""
        self.terminal.wait_screen(READY, timeout=TIMEOUT * 2)
        return self

    def submit(self, prompt: str) -> None:
        """Type a prompt, wait until it stands there, and send it by Enter."""
        self.terminal.type(prompt)
        self.terminal.wait_screen(prompt)
        self.terminal.type("\r")

    def ask(self, prompt: str) -> str:
        """Submit a prompt; what the model was told with it, once the model's turn has come."""
        self.submit(prompt)
        return said(self.api.wait_turn(lambda request: prompt in said(request), f"the prompt {prompt!r}"))

    def call(self, tool: str, arguments: Message | None = None) -> str:
        """Let the model call a tool in one turn and speak in the next; the tool's result, which must be no error."""
        seen = len(self.api.turns)
        self.api.script(ToolUse(tool, arguments or {}), f"Called {seen}.")
        self.submit(f"Call {seen}.")
        request = self.api.wait_turn(lambda request: bool(results(request)), f"what {tool} returned", seen + 1)
        self.shows(f"Called {seen}.")
        result, failed = results(request)[-1]
        assert not failed, result
        return result

    def ide(self, name: str | None = None) -> str:
        """Ask `/ide` for the editors and leave it again, or connect to the one called `name`; what it showed first."""
        self.submit("/ide")
        listed = self.terminal.wait_screen(MENU)
        if name is None:
            self.terminal.type("\x1b")
        else:
            self._choose(name)
        self.terminal.wait_screen(lambda screen: MENU not in screen)
        return listed

    def _choose(self, name: str) -> None:
        """Go down the menu to the entry that is called `name`, and take it."""
        entry = _entry(self.terminal.text())
        while entry != name:
            self.terminal.type("\x1b[B")
            entry = _entry(self.terminal.wait_screen(_another(entry)))
        self.terminal.type("\r")

    def shows(self, text: str) -> str:
        """Wait until the screen holds `text`, wherever its lines are broken, and return the screen."""
        return self.terminal.wait_screen(lambda screen: text in _joined(screen))

    def hides(self, text: str) -> str:
        """Wait until the screen no longer holds `text`, and return the screen."""
        return self.terminal.wait_screen(lambda screen: text not in _joined(screen))


def _entry(screen: str) -> str:
    """The menu's current entry, without the mark of the editor that is connected."""
    _, _, menu = screen.partition(MENU)
    return next((line.strip("❯✔ ") for line in menu.splitlines() if line.startswith("  ❯")), "")


def _another(entry: str) -> Callable[[str], bool]:
    """Whether a screen's current entry is another one."""
    return lambda screen: _entry(screen) not in (entry, "")


def _joined(screen: str) -> str:
    """A screen's text in one line, with single blanks."""
    return re.sub(r"\s+", " ", screen)


if __name__ == "__main__":
    try:
        install()
    except Unavailable as reason:
        print(reason, file=sys.stderr)
