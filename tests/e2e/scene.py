"""One project, the editors and the Claude CLIs that a test starts in it."""

from __future__ import annotations

from pathlib import Path

from tests.support import claude
from tests.support.claude import Claude
from tests.support.editors import ROOT, Terminal
from tests.support.ideclient import LockFile, wait_lock, wait_lock_in
from tests.support.scriptedapi import ScriptedApi
from tests.support.stage import Stage
from tests.support.waiting import wait_until

HOOKS = ("--plugin-dir", str(ROOT / "src" / "vim_mcp" / "claude_plugin"))
"""Arguments for a CLI with the plugin's hooks."""
TOLD = "\u29c9"
"""What the CLI puts before the file and the lines that its editor has told."""
CALC = "def add(a, b):\n    return a + b\n\n\nprint(add(1, 2))\n"


class Scene:
    """`project` holds calc.py, whose text is `CALC`; everything that is started here ends with `close`."""

    def __init__(self, directory: Path, kind: str):
        self.kind = kind
        self.stage = Stage(directory)
        self.project = self.stage.project("project", calc_py=CALC)
        self.calc = self.project / "calc.py"
        claude.seed(self.stage.home.home, self.project)
        self._apis: list[ScriptedApi] = []
        self._claudes: list[Claude] = []

    def editor(self, *args: str, size: tuple[int, int] = (24, 80), **env: str) -> Terminal:
        """Start an editor in the project, on calc.py unless `args` say otherwise, and wait until it has registered."""
        terminal = self.stage.editor(self.kind, *(args or ("calc.py",)), cwd=self.project, size=size, **env)
        self.stage.instance(terminal)
        return terminal

    @property
    def name(self) -> str:
        """What an editor of this kind is called."""
        return "Vim" if self.kind == "vim" else "Neovim"

    def lock(self, editor: Terminal) -> LockFile:
        """Wait for an editor's lock file."""
        return wait_lock(self.stage.home, editor.editor_pid)

    def api(self) -> ScriptedApi:
        """A scripted API of its own for one more CLI."""
        self._apis.append(ScriptedApi())
        return self._apis[-1]

    def claude(self, *args: str, cwd: Path | None = None, **env: str) -> Claude:
        """Start a CLI, in the project or in `cwd`, with an API of its own."""
        started = Claude.start(self.stage.environment(**env), cwd or self.project, self.api(), args)
        self._claudes.append(started)
        return started

    def claude_of(self, editor: Terminal, *args: str) -> Claude:
        """Start a CLI that is told the port of an editor that shows a file, and wait until it knows of that.

        In its first moments after connecting it shows changes in its own terminal alone.
        """
        started = self.claude(*args, CLAUDE_CODE_SSE_PORT=str(self.lock(editor).port)).ready()
        self.connected(editor, started.terminal.pid)
        started.terminal.wait_screen(TOLD)
        return started

    def connected(self, editor: Terminal, *pids: int) -> None:
        """Wait until the CLIs with these process ids, and no others, are connected to an editor."""
        wait_until(lambda: self.clients(editor) == set(pids), f"the clients {pids}")

    def clients(self, editor: Terminal) -> set[int]:
        """The process ids of the CLIs that are connected to an editor."""
        instance = self.stage.instance(editor)
        listed = {entry["instance_id"]: entry["ide_clients"] for entry in self.stage.status()["instances"]}
        return {client["pid"] for client in listed[instance]}

    def inside(self, *args: str, by: str = ":ClaudeCode\r", config: Path | None = None, **env: str) -> Claude:
        """Start an editor in the project and a CLI in it by typing `by`; `terminal` is the editor's.

        Both have their configuration of Claude in `config`, if that is named.
        """
        commands = self.stage.directory / "bin"
        commands.mkdir()
        (commands / "claude").symlink_to(claude.install())
        path = f"{commands}:{self.stage.environment()['PATH']}"
        api = self.api()
        env = {**claude.offline(api), **({"CLAUDE_CONFIG_DIR": str(config)} if config else {}), **env}
        editor = self.editor(*args, size=(claude.ROWS, 3 * claude.COLUMNS), PATH=path, **env)
        wait_lock_in(config or self.stage.home.home / ".claude", editor.editor_pid)
        editor.type(by)
        return Claude(editor, api).ready()

    def line(self, editor: Terminal, number: int) -> str:
        """A line (from 1) of what an editor shows, asked by another client: the screen of windows side by side is not
        drawn well by the tests' terminal, which knows no margins at its sides."""
        asked = {"command": f"echo getline({number})", "instance_id": self.stage.instance(editor)}
        return str(self.stage.client().tool("vim_execute", **asked)["output"])

    def close(self) -> None:
        """End the CLIs, then the editors and the hub, then the APIs."""
        for started in self._claudes:
            started.terminal.close()
        self.stage.close()
        for api in self._apis:
            api.close()
