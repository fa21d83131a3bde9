"""Where Vim and Neovim, and the usual plugin managers, keep plugins."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EDITORS = ("vim", "nvim")
"""The programs that `here` knows."""
_PROGRAMS = {"vim": ("vim", "gvim", "mvim", "vi"), "nvim": ("nvim",)}
_NAMES = {"vim": "Vim", "nvim": "Neovim"}
MAIN = Path("plugin", "vim_mcp.vim")
"""The file by which a directory is known to hold this plugin."""


def data_directory() -> Path:
    """Where this program keeps what is its own and outlives a session; it need not exist."""
    return _xdg("XDG_DATA_HOME", "~/.local/share") / "vim-mcp"


def _xdg(variable: str, default: str) -> Path:
    value = os.environ.get(variable, "")
    return Path(value if os.path.isabs(value) else os.path.expanduser(default))


@dataclass(frozen=True)
class Place:
    """An editor, by its `program` and its name; its `own` directory; where in that it looks for packages (`pack`)."""

    program: str
    own: Path
    pack: Path
    managed: tuple[tuple[Path, str], ...]
    """Directories with patterns below them at which plugin managers keep plugins."""

    @property
    def editor(self) -> str:
        """The editor's name."""
        return _NAMES[self.program]

    @property
    def path(self) -> Path:
        """Where this plugin belongs."""
        return self.pack / "vim-mcp" / "start" / "vim-mcp"

    def is_used(self) -> bool:
        """Whether the editor is installed here."""
        return any(shutil.which(name) for name in _PROGRAMS[self.program])

    def others(self) -> list[Path]:
        """Copies of the plugin elsewhere, such as a plugin manager's."""
        return [path for path in self._found() if path != self.path]

    def _found(self) -> Iterator[Path]:
        for directory, pattern in ((self.pack, "*/start/*"), (self.pack, "*/opt/*"), *self.managed):
            for main in sorted(directory.glob(f"{pattern}/{MAIN}")):
                yield main.parent.parent

    def lazy(self) -> bool:
        """Whether the editor's plugins are managed by lazy.nvim, which keeps the editor from loading any other."""
        return any((directory / "lazy.nvim").is_dir() for directory, _ in self.managed if directory.name == "lazy")


def here(program: str) -> Place:
    """The place of the editor `program`, one of `EDITORS`."""
    return _vim() if program == "vim" else _neovim()


def _vim() -> Place:
    """A newer Vim takes $XDG_CONFIG_HOME/vim where that has a vimrc and the home directory has none."""
    home, modern = Path.home(), _xdg("XDG_CONFIG_HOME", "~/.config") / "vim"
    classic = any((home / name).exists() for name in (".vimrc", ".vim/vimrc"))
    base = modern if (modern / "vimrc").exists() and not classic and _looks_there() else home / ".vim"
    return Place("vim", base, base / "pack", ((base / "plugged", "*"), (base / "bundle", "*")))


def _looks_there() -> bool:
    """Whether Vim looks into $XDG_CONFIG_HOME/vim: since 9.1.327, or because its user leads it there."""
    if os.environ.get("VIMINIT"):
        return True
    try:
        command = ["vim", "--version"]
        told = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=10.0, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return True
    found = re.match(r"VIM - \D*(\d+)\.(\d+)(?:.*\n)*?Included patches: 1-(\d+)", told)
    return found is None or tuple(map(int, found.groups())) >= (9, 1, 327)


def _neovim() -> Place:
    data = _xdg("XDG_DATA_HOME", "~/.local/share") / (os.environ.get("NVIM_APPNAME") or "nvim")
    managed = ((data / "lazy", "*"), (data / "plugged", "*"))
    return Place("nvim", data, data / "site" / "pack", managed)
