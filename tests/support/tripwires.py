"""An editor in which whatever a safe Ex command must not do leaves a trace."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.editors import find
from vim_mcp.excommand import Verdict, judge

_SCRIPT = Path(__file__).with_suffix(".vim")
HEADLESS = {"vim": ["-N", "-T", "dumb", "--not-a-term"], "nvim": ["--headless"], "nvim07": ["--headless"]}
_PROGRAMS = (
    "sh", "bash", "dash", "zsh", "csh", "man", "cat", "xclip", "xsel", "wl-copy", "wl-paste", "pbcopy", "python3",
    "perl", "ruby", "node", "diff", "ls", "touch", "grep",
)  # fmt: skip
_TIMEOUT = 300.0

LINES = (
    "foo bar baz", "\tword (one) [two] {three} <four>", "",
    "a/b#c;d,e@f 'quoted' \"double\" `tick`", "12 0x1f 007 -3",
    "    indented: foo.bar(baz, [1, 2]);", "http://example.org/path?x=1|y", "ünïcödé 🙂 text", "x" * 40, "last foo",
)  # fmt: skip


def _what_the_editor_checks(verdict: Verdict) -> dict[str, bool]:
    return {"text": verdict.text, "keys": verdict.keys, "ascii": verdict.ascii}


@dataclass(frozen=True)
class Trip:
    """Something that a command did and must not do."""

    command: str
    what: str


class Tripwires:
    """Runs editors of one kind in a directory of their own, in which nothing but three text files is known."""

    def __init__(self, kind: str, directory: Path):
        self._kind = kind
        self._directory = directory
        self._work = directory / "work"
        self._traps = directory / "bin"
        self._traps.mkdir()
        self._marker = directory / "marker"
        for name in _PROGRAMS:
            trap = self._traps / name
            trap.write_text(f'#!/bin/sh\necho "{name} $*" >> {self._marker}\n')
            trap.chmod(0o755)
        self._work.mkdir()
        for name in ("one.txt", "two.txt", "three.txt"):
            (self._work / name).write_text("treasure foo\ntreasure bar\n")
        (directory / "QQQ.QQQ").write_text("not an open buffer\n")

    def run(
        self, commands: Sequence[str], odd: bool = False, encoding: str = "utf-8", unmodifiable: bool = False
    ) -> list[Trip]:
        """What the commands do that a safe command must not; `odd`: where the user has set odd options.

        They are run as the hub's safe commands are, whatever the policy says of them.
        """
        items = [{"command": text, **_what_the_editor_checks(judge(text))} for text in commands]
        job = {"lines": LINES, "odd": odd, "unmodifiable": unmodifiable, "commands": items}
        (self._directory / "commands.json").write_text(json.dumps(job))
        (self._directory / "notes.json").unlink(missing_ok=True)
        before = self._files()
        output = self._edit(encoding)
        return self._judge(commands, before, output)

    def _edit(self, encoding: str) -> str:
        binary = find(self._kind)
        assert binary is not None
        argv = [binary, "-u", "NONE", "-i", "NONE", "-n", *HEADLESS[self._kind]]
        argv += ["--cmd", f"set encoding={encoding}", "-S", str(_SCRIPT)]
        environment = {
            "HOME": str(self._directory), "PATH": str(self._traps), "TRIPWIRES": str(self._directory), "DISPLAY": ":9",
            "TERM": "dumb", "LANG": "C.UTF-8", "TMPDIR": str(self._directory),
        }  # fmt: skip
        try:
            done = subprocess.run(
                argv, cwd=self._work, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT,
                check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "the editor hung"
        return f"exit status {done.returncode}: {done.stdout[-500:]!r} {done.stderr[-500:]!r}"

    def _judge(self, commands: Sequence[str], before: dict[str, bytes], output: str) -> list[Trip]:
        try:
            answer: dict[str, Any] = json.loads((self._directory / "notes.json").read_bytes())
        except FileNotFoundError:
            at = int((self._directory / "progress").read_text() or 0)
            return [Trip(commands[at], f"the editor did not get any further: {output}")]
        trips = [Trip(commands[at], what) for at, what in answer["notes"]]
        if not trips and answer["ran"] != len(commands):
            trips.append(Trip("", f"only {answer['ran']} of {len(commands)} commands were run"))
        return trips + [Trip("(one of them)", what) for what in self._traces(before)]

    def _traces(self, before: dict[str, bytes]) -> list[str]:
        after = self._files()
        traces = [f"the file {name} is new or changed" for name, text in after.items() if before.get(name) != text]
        if self._marker.exists():
            traces += [f"a program was run: {line}" for line in self._marker.read_text().splitlines()[:5]]
            self._marker.unlink()
        return traces

    def _files(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self._work.rglob("*") if path.is_file()}
