"""`make setup`: what it leaves behind, and what it says when it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from vim_mcp import __version__

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.requirement("REPO-01")
def test_once_set_up_there_is_a_command_and_nothing_more_to_do() -> None:
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    subprocess.run(["make", "setup"], cwd=ROOT, env=outside, capture_output=True, check=True)
    again = subprocess.run(["make", "setup"], cwd=ROOT, env=outside, capture_output=True, text=True, check=True)
    assert again.stdout.strip() == ""
    command = [str(ROOT / ".venv" / "bin" / "vim-mcp"), "--version"]
    told = subprocess.run(command, env={"HOME": "/nowhere"}, capture_output=True, text=True, check=True)
    assert told.stdout.split()[-1] == __version__


@pytest.mark.requirement("REPO-01")
def test_without_a_python_it_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "dev").mkdir()
    for name in ("dev/setup", "pyproject.toml", "requirements-dev.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "src" / "vim_mcp").mkdir(parents=True)
    (tmp_path / "src" / "vim_mcp" / "__init__.py").touch()
    command = [str(tmp_path / "dev" / "setup"), "/bin/false"]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "no Python 3.11 or newer" in done.stderr
    assert "make setup PYTHON=" in done.stderr
    assert not (tmp_path / ".venv").exists()
