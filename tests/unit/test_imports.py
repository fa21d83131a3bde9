"""Who imports whom: the package keeps the layers, and a tree that does not is reported."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from dev.imports import PURE, STANDALONE, check

SOURCE = Path(__file__).resolve().parents[2] / "src" / "vim_mcp"


def tree(root: Path, modules: Mapping[str, str]) -> Path:
    """Write a package below `root`: modules by path without suffix ("editor/link"), with their source."""
    for name, source in {"__init__": "__version__ = '1'\n", **modules}.items():
        path = root / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    return root


@pytest.mark.requirement("REPO-03")
def test_the_package_keeps_its_layers() -> None:
    assert check(SOURCE) == []


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        ("tools/edit", "from vim_mcp.session import server", "tools.edit:1: imports session"),
        ("tools/edit", "def f():\n    from ..hub import main", "tools.edit:2: imports hub"),
        ("session/server", "import vim_mcp.ide.lockfile", "session.server:1: imports ide"),
        ("tools/edit", "import_module('vim_mcp.hub')", "tools.edit:1: imports hub"),
        ("editor/link", "from .. import kernel", "editor.link:1: imports kernel"),
        ("hub", "from vim_mcp import relay", "hub:1: imports relay"),
        ("relay", "import vim_mcp.config", "relay:1: imports config"),
        ("paths", "from vim_mcp.config import Config", "paths:1: imports config"),
        ("errors", "from .wire import feed", "errors:1: imports wire"),
        ("__init__", "from .wire import feed", "vim_mcp:1: imports wire"),
        ("extra", "", "extra: has no place"),
    ],
)
def test_an_import_against_the_layers_is_reported(tmp_path: Path, module: str, source: str, complaint: str) -> None:
    others = dict.fromkeys(("hub", "relay", "config", "wire", "kernel", "session/__init__", "ide/__init__"), "")
    found = check(tree(tmp_path, {**others, module: source}))
    assert len(found) == 1
    assert found[0].startswith(complaint)


@pytest.mark.parametrize("source", ["import mcp", "def f():\n    import pydantic.fields", "from .errors import E"])
def test_a_standalone_module_lives_on_the_standard_library(tmp_path: Path, source: str) -> None:
    found = check(tree(tmp_path, {"paths": source, "errors": "import anyio"}))
    assert any(line.startswith("paths: lives on the standard library, but loads") for line in found)


@pytest.mark.parametrize("pure", PURE)
def test_a_pure_module_reaches_nothing_that_waits(tmp_path: Path, pure: str) -> None:
    name = pure.replace(".", "/")
    root = tree(tmp_path, {name: "from vim_mcp.errors import E", "errors": "import json\nimport asyncio.events"})
    assert check(root) == [f"{pure}: is pure, but it or what it imports imports asyncio"]


def test_a_package_counts_as_loaded_with_each_of_its_modules(tmp_path: Path) -> None:
    root = tree(tmp_path, {"editor/instances": "import json", "editor/__init__": "import socket"})
    assert check(root) == ["editor.instances: is pure, but it or what it imports imports socket"]


def test_a_pure_package_is_pure_in_every_module(tmp_path: Path) -> None:
    root = tree(tmp_path, {"excommand/__init__": "", "excommand/parse": "import subprocess"})
    assert check(root) == ["excommand.parse: is pure, but it or what it imports imports subprocess"]


def test_a_tree_that_keeps_the_rules_is_not_reported(tmp_path: Path) -> None:
    modules = {
        "cli": "from vim_mcp import __version__, hub, relay, paths",
        "hub": "import asyncio, mcp\nfrom vim_mcp import paths\nfrom vim_mcp.session.server import Server",
        "session/server": "from . import resources\nfrom ..tools.edit import edit",
        "session/resources": "",
        "tools/edit": "from vim_mcp.editor.link import Link",
        "editor/link": "import socket\nfrom vim_mcp.errors import E",
        "errors": "",
        "relay": "import json, socket\nfrom vim_mcp.paths import socket_path",
        "paths": "import os",
    }
    assert check(tree(tmp_path, modules)) == []


def test_the_command_reports_and_fails(tmp_path: Path) -> None:
    root = tree(tmp_path, {"wire": "import json"})
    command = [sys.executable, str(SOURCE.parents[1] / "dev" / "imports.py"), str(root)]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    tree(tmp_path, {"wire": "import socket"})
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "wire: is pure, but it or what it imports imports socket\n")


@pytest.mark.parametrize("module", [name for name in sorted(STANDALONE) if (SOURCE / f"{name}.py").exists()])
def test_a_standalone_module_loads_without_site_packages_and_asyncio(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r}); import vim_mcp.{module}; print(*sys.modules)"
    # -I -S: no site-packages, so that a third-party import fails instead of being found
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert "asyncio" not in done.stdout.split()
