"""The package as `pip` installs it: built as a wheel and unpacked, without the clone."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

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


def house(directory: Path, *more: str) -> Path:
    """What the package needs beside itself, and `more`, as wheels in `directory`, made of what is installed here."""
    directory.mkdir()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    first = filter(_is_for_here, map(Requirement, project["dependencies"]))
    for name in sorted(set().union(*map(_needed, [*(requirement.name for requirement in first), *more]))):
        _repack(metadata.distribution(name), directory)
    return directory


def repository(path: Path) -> Path:
    """This working tree as a repository of its own at `path`."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0"):
        if name and (ROOT / name).is_file():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, path / name)
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], [*author, "commit", "-q", "-m", "all"]):
        subprocess.run(["git", *arguments], cwd=path, check=True)
    return path


def _needed(name: str) -> set[str]:
    """The distributions that `name` needs on this machine, and itself."""
    found: set[tuple[str, str]] = set()
    waiting = [(name, "")]
    while waiting:
        wanted = waiting.pop()
        if wanted in found:
            continue
        found.add(wanted)
        for requirement in map(Requirement, metadata.requires(wanted[0]) or ()):
            if _is_for_here(requirement, wanted[1]):
                waiting += [(requirement.name, extra) for extra in ("", *requirement.extras)]
    return {name for name, _ in found}


def _is_for_here(requirement: Requirement, extra: str = "") -> bool:
    return requirement.marker is None or requirement.marker.evaluate({"extra": extra})


def _repack(distribution: metadata.Distribution, directory: Path) -> None:
    """Put an installed distribution back into a wheel; pip makes its scripts anew."""
    about = distribution.read_text("WHEEL") or ""
    tags = [line.removeprefix("Tag: ").split("-") for line in about.splitlines() if line.startswith("Tag: ")]
    tag = "-".join(".".join(sorted(set(part))) for part in zip(*tags, strict=True))
    name = re.sub(r"[-_.]+", "_", distribution.name)
    with zipfile.ZipFile(directory / f"{name}-{distribution.version}-{tag}.whl", "w") as archive:
        for file in distribution.files or ():
            if not str(file).startswith("..") and file.suffix != ".pyc":
                archive.write(str(file.locate()), str(file))
