"""The program itself: its Python, its packages, its command, and the plugin's place in the editors."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from vim_mcp import __version__
from vim_mcp.doctor.finding import ERROR, OK, WARNING, Finding
from vim_mcp.install import plugin
from vim_mcp.install.places import EDITORS, Place, here
from vim_mcp.paths import tilde

PACKAGES = ["anyio", "mcp", "mcp_types", "pydantic", "pydantic_core", "websockets"]
PACKAGES += ["asyncinotify"] if sys.platform == "linux" else []
"""What the hub does not run without."""
_JUPYTER = ("jupyter_client", "ipykernel")


def findings() -> Iterator[Finding]:
    """Everything about the program."""
    yield _python()
    yield _command()
    places = [place for place in map(here, EDITORS) if place.is_used()]
    yield from map(_plugin, places)
    if not places:
        yield Finding(WARNING, "editors", "neither Vim nor Neovim is on PATH", "install Vim 9 or Neovim 0.7.2 or newer")
    yield _jupyter()


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    reason = _import_failure()
    if reason:
        return Finding(
            ERROR, "python", f"{version} at {tilde(sys.executable)} lacks a package: {reason}", plugin.remedy()
        )
    return Finding(OK, "python", f"{version} at {tilde(sys.executable)}, with all packages")


def _import_failure() -> str:
    """Why a package that the hub needs cannot be loaded, or ""."""
    for name in PACKAGES:
        try:
            importlib.import_module(name)
        except Exception as error:  # a package may fail in any way
            return f"{name}: {error}"
    return ""


def _command() -> Finding:
    own, named = plugin.command(), shutil.which("vim-mcp")
    if named is None:
        elsewhere = os.path.expanduser("~/.local/bin") not in os.environ.get("PATH", "").split(os.pathsep)
        fix = f"mkdir -p ~/.local/bin && ln -sf {plugin.typed(own)} ~/.local/bin/vim-mcp"
        fix += ", with ~/.local/bin on PATH" if elsewhere else ""
        text = f"vim-mcp is not on PATH: a client has to name it as {tilde(own)}"
        return Finding(WARNING, "command", text, fix)
    if os.path.realpath(named) != os.path.realpath(own):
        return Finding(
            WARNING, "command", f"vim-mcp on PATH is another one, {tilde(named)}", f"rm {plugin.typed(named)}"
        )
    return Finding(OK, "command", tilde(named))


def _plugin(place: Place) -> Finding:
    subject, path = f"plugin for {place.editor}", place.path
    copy = plugin.marker(path)
    if copy is not None and copy.get("version") != __version__:
        text = f"{tilde(path)} is of version {copy.get('version')}, the program of {__version__}"
        return Finding(WARNING, subject, text, f"{plugin.invocation()} install")
    found = plugin.present(place)
    if found is None:
        return Finding(WARNING, subject, f"is not at {tilde(path)}", f"{plugin.invocation()} install")
    return Finding(OK, subject, tilde(found))


def _jupyter() -> Finding:
    missing = [name for name in _JUPYTER if importlib.util.find_spec(name) is None]
    if missing:
        text = f"{' and '.join(missing)} missing beside vim-mcp: no code can be run in a kernel"
        return Finding(WARNING, "jupyter", text, f"{plugin.typed(sys.executable)} -m pip install {' '.join(_JUPYTER)}")
    return Finding(OK, "jupyter", f"in {tilde(Path(sys.executable).parent)}")
