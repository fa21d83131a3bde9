"""The judges that come from npm: pinned, installed once below .cache/, with the Node.js that they need."""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "npm"
MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
NODE = f"node-{sys.platform}-{MACHINE}"
PACKAGES = {
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
    NODE: "22.23.3",  # the inspector wants a newer Node.js than Debian has
}
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
    CACHE.mkdir(parents=True, exist_ok=True)
    wanted = " ".join(f"{name}@{version}" for name, version in PACKAGES.items())
    stamp = CACHE / "installed"
    with (CACHE / "lock").open("w") as lock:  # test processes that run side by side install once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            _install(wanted.split())
            stamp.write_text(wanted)
    return Npm(CACHE / "node_modules")


def _install(packages: list[str]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is not installed")
    quiet = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
    command = [npm, "install", *quiet, "--prefix", str(CACHE), "--cache", str(CACHE / "cache"), *packages]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"npm did not install {' '.join(packages)} within {TIMEOUT:.0f} s") from None
    if done.returncode:
        raise Unavailable(f"npm could not install {' '.join(packages)}: {done.stderr.strip()[-500:]}")


def in_ci() -> bool:
    """Whether what is missing is a failure."""
    return os.environ.get("CI") == "true"
