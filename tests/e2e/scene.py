"""One project, the editors and the Claude CLIs that a test starts in it."""

from __future__ import annotations

from pathlib import Path

from tests.support import claude
from tests.support.claude import Claude
from tests.support.editors import Terminal
from tests.support.scriptedapi import ScriptedApi
from tests.support.stage import Stage

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

    def editor(self, *args: str, **env: str) -> Terminal:
        """Start an editor in the project, on calc.py unless `args` say otherwise, and wait until it has registered."""
        terminal = self.stage.editor(self.kind, *(args or ("calc.py",)), cwd=self.project, **env)
        self.stage.instance(terminal)
        return terminal

    def api(self) -> ScriptedApi:
        """A scripted API of its own for one more CLI."""
        self._apis.append(ScriptedApi())
        return self._apis[-1]

    def claude(self, *args: str, **env: str) -> Claude:
        """Start a CLI in the project, with an API of its own."""
        started = Claude.start(self.stage.environment(**env), self.project, self.api(), args)
        self._claudes.append(started)
        return started

    def close(self) -> None:
        """End the CLIs, then the editors and the hub, then the APIs."""
        for started in self._claudes:
            started.terminal.close()
        self.stage.close()
        for api in self._apis:
            api.close()
