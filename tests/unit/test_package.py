"""The built wheel: what `pip install` brings to a machine without the clone (REPO-02)."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from dev.imports import PACKAGE, read_modules
from vim_mcp import __version__

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ("plugin", "autoload", "lua", "doc")

MODULES = {"pyzmq": "zmq"}
"""Modules that are called otherwise than what is installed."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with the pinned hatchling and return its path."""
    target = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = target.glob("*.whl")
    return built


def shipped(top: str) -> set[str]:
    """Return the files that git knows below `top` (relative to the root), those not yet added included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", top]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return {name for name in done.stdout.splitlines() if (ROOT / name).exists()}


@pytest.mark.requirement("REPO-02")
@pytest.mark.parametrize("top", RUNTIME)
def test_the_wheel_carries_the_runtime_files(wheel: Path, top: str) -> None:
    wanted = {f"vim_mcp/runtime/{name}" for name in shipped(top)}
    names = set(zipfile.ZipFile(wheel).namelist())
    assert wanted
    assert {name for name in names if name.startswith(f"vim_mcp/runtime/{top}/")} == wanted


def test_the_wheel_carries_the_package_alone(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.removeprefix("src/") for name in shipped("src")} <= names
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {"vim_mcp"}
    (metadata,) = (name for name in names if name.endswith("entry_points.txt"))
    assert zipfile.ZipFile(wheel).read(metadata).decode() == "[console_scripts]\nvim-mcp = vim_mcp.cli:main\n"


@pytest.mark.requirement("VIM-PLAT-01")
def test_what_the_wheel_carries_runs_by_itself(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path)
    code = f"import sys, {PACKAGE}.cli as cli; print(cli.__file__); sys.argv[1:] = ['--version']; cli.main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env={**os.environ, "PYTHONPATH": str(tmp_path)}, cwd=tmp_path,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines()[0] == str(tmp_path / PACKAGE / "cli.py"), done.stderr
    assert done.stdout.split()[-1] == __version__


@pytest.mark.requirement("VIM-PLAT-01")
def test_everything_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [*project["dependencies"], *project["optional-dependencies"]["jupyter"]]
    names = {MODULES.get(name := entry.partition(">")[0], name.replace("-", "_")) for entry in declared}
    modules = read_modules(ROOT / "src" / PACKAGE)
    used = {item.target.partition(".")[0] for imports in modules.values() for item in imports}
    assert used - set(sys.stdlib_module_names) - {PACKAGE} == names - {"ipykernel"}  # what is run, not imported
