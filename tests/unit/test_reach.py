"""What the tools' code can touch: the editor that they are given, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "src" / "vim_mcp" / "tools"
FORBIDDEN = {
    "io",
    "pathlib",
    "shutil",
    "subprocess",
    "socket",
    "tempfile",
    "fileinput",
    "glob",
    "asyncio",
    "mcp",
    "mcp_types",
}
CALLS = {"open", "exec", "eval", "compile", "__import__"}
OF_OS = {"os.path"}  # names are computed, no file is touched


def reached(source: str) -> set[str]:
    """Return the forbidden modules and calls in a module's source."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module or "")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
            found.add(node.func.id)
    return {name for name in found if name.partition(".")[0] in FORBIDDEN | CALLS or name.startswith("os")} - OF_OS


@pytest.mark.requirement("VIM-SCOPE-01")
@pytest.mark.parametrize("module", sorted(path.name for path in TOOLS.glob("*.py")))
def test_a_tool_reaches_no_file_and_no_transport(module: str) -> None:
    assert reached((TOOLS / module).read_text()) == set()


@pytest.mark.parametrize(
    "source", ["import os", "from pathlib import Path", "def f():\n    open('x')", "from mcp.server import Server"]
)
def test_what_reaches_further_is_found(source: str) -> None:
    assert len(reached(source)) == 1
