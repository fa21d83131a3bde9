"""The package as `pip` installs it: built as a wheel and unpacked, without the clone."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.support.editors import ROOT


def build(directory: Path) -> Path:
    """Build the wheel with the pinned hatchling into `directory`; its path."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = directory.glob("*.whl")
    return built


def unpack(wheel: Path, directory: Path) -> dict[str, str]:
    """Unpack it into `directory`; the environment in which `python -P -m vim_mcp` runs that and not the clone's."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory)
    return {"PYTHONPATH": str(directory)}
