"""The judges that come from npm: pinned, installed once below .cache/, with the Node.js that they need."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pytest

CACHE = Path(__file__).resolve().parents[2] / ".cache"
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
NODE = f"node-{sys.platform}-{MACHINE}"
PACKAGES = {
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
    "ws": "8.23.0",
    NODE: "22.23.3",  # the inspector wants a newer Node.js than Debian has
}
_Installed = TypeVar("_Installed")
TIMEOUT = 300.0
"""Seconds for the download of all packages."""


class Unavailable(Exception):
    """The packages cannot be had here; the message says why."""


@dataclass(frozen=True)
class Npm:
    """The installed packages."""

    modules: Path

    @property
    def node(self) -> str:
        """The path of the Node.js that runs them."""
        return str(self.modules / NODE / "bin" / "node")


def install() -> Npm:
    """Install `PACKAGES` unless they are there; raises `Unavailable` where npm is missing or cannot reach them."""
    return Npm(install_packages("npm", PACKAGES))


def install_packages(name: str, packages: Mapping[str, str]) -> Path:
    """Install `packages` (their versions by name) below .cache/`name`, unless they are there; return node_modules.

    Raises `Unavailable` where npm is missing or cannot reach them.
    """
    prefix = CACHE / name
    prefix.mkdir(parents=True, exist_ok=True)
    wanted = " ".join(f"{package}@{version}" for package, version in packages.items())
    stamp = prefix / "installed"
    with (prefix / "lock").open("w") as lock:  # test processes that run side by side install once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            _install(prefix, wanted.split())
            stamp.write_text(wanted)
    return prefix / "node_modules"


def _install(prefix: Path, packages: list[str]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed")
    quiet = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    command = [npm, "install", *quiet, "--prefix", str(prefix), "--cache", str(prefix / "cache"), *packages]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"npm did not install {' '.join(packages)} within {TIMEOUT:.0f} s") from None
    if done.returncode:
        raise Unavailable(f"npm could not install {' '.join(packages)}: {done.stderr.strip()[-500:]}")


def provided(install: Callable[[], _Installed], what: str) -> _Installed:
    """What `install` brings; where it is unavailable the test is skipped with the reason, or fails in CI."""
    try:
        return install()
    except Unavailable as reason:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{reason}, and CI must run {what}")
        pytest.skip(f"{reason}: {what} did not run")
