"""What a hook costs Claude Code, which waits for it: the plugin's own command, with a hub and without."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from bench import budgets
from bench.floors import python_starts
from bench.measure import interleave, timed
from bench.report import Row, row
from bench.stages import stage_in
from tests.support.editors import ROOT, TIMEOUT
from tests.support.mcpclient import VIM_MCP
from tests.support.stage import Stage

_HOOKS = ROOT / "src" / "vim_mcp" / "claude_plugin" / "hooks" / "hooks.json"
_TOLD = json.dumps({
    "hook_event_name": "PostToolUse", "session_id": "one", "cwd": "/", "tool_name": "Edit",
    "tool_input": {"file_path": "/file", "old_string": "text" * 100, "new_string": "text" * 100},
    "tool_response": {"originalFile": "a line of text\n" * 3000, "structuredPatch": [{"newStart": 1, "lines": ["+"]}]},
}).encode()  # fmt: skip


def run(directory: Path, rounds: int) -> Iterator[Row]:
    """One that tells of an edit in a file of 45 kB."""
    for what, started in (("with a hub", True), ("without a hub", False)):
        with stage_in(directory / what.replace(" ", "-")) as stage:
            if started:
                stage.spawn("hub", "--background").wait(TIMEOUT)
            floor, sample = interleave(3 * rounds, python_starts, partial(_hooks, stage))
            yield row(f"a hook of Claude Code's, {what}", sample, floor, budgets.HOOK)


def _hooks(stage: Stage, times: int = 3) -> Sequence[float]:
    line = json.loads(_HOOKS.read_text())["hooks"]["PostToolUse"][0]["hooks"][0]["command"]
    env = stage.environment(VIM_MCP_COMMAND=f"'{VIM_MCP}'")

    def hook() -> None:
        subprocess.run(["sh", "-c", line], input=_TOLD, env=env, check=True, capture_output=True)

    return [timed(hook)[0] for _ in range(times)]
