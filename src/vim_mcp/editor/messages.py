"""What editors say: the registration's `info` and selections (docs/protocol.md, 1). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vim_mcp.errors import InvalidParameters
from vim_mcp.text import file_uri, from_lines

State = dict[str, Any]
"""An editor's state as `get_state` gives it."""

Selection = dict[str, Any]
"""A selection as the editor gives it: lines and characters 0-based, characters UTF-16 units."""


def selection_fields(selection: Selection) -> dict[str, Any]:
    """What Claude Code is told of a selection, in a notification and in tools' results alike."""
    return {
        "text": from_lines(selection["lines"]),
        "filePath": selection["file"],
        "fileUrl": file_uri(selection["file"]),
        "selection": {"start": selection["start"], "end": selection["end"], "isEmpty": bool(selection["empty"])},
    }


@dataclass(frozen=True)
class EditorInfo:
    """What an editor tells of itself when it registers. Requirement VIM-REG-01."""

    pid: int
    cwd: str
    main_file: str
    buffers: tuple[str, ...]
    version: str
    editor: str = "vim"
    plugin_version: str = ""
    project: str = ""
    short_lived: bool = False
    access: str = "edit"
    encoding: str = "utf-8"
    state_interval: int = 1000
    folders: tuple[str, ...] = ()
    """Workspace folders, absolute; none where the editor does not tell."""
    ide_name: str = ""
    """What the user wants this editor to be called in Claude Code; "" for the program's name."""
    claude_config_dir: str = ""
    """Where a Claude Code that is started in this editor has its configuration, absolute; "" where it is not told."""
    execute_code: str = "ask"
    """Whether clients may run code: `ask`, `allow` or `off`."""

    @property
    def display_name(self) -> str:
        """The name of the program, as a person writes it."""
        return "Neovim" if self.editor == "nvim" else "Vim"


_TYPES: dict[str, type | tuple[type, ...]] = {
    "pid": int, "cwd": str, "main_file": str, "buffers": list, "version": str, "editor": str, "plugin_version": str,
    "project": str, "short_lived": (bool, int), "access": str, "encoding": str, "state_interval": int, "folders": list,
    "ide_name": str, "claude_config_dir": str, "execute_code": str,
}  # fmt: skip
_REQUIRED = ("pid", "cwd", "main_file", "buffers", "version")


def parse_register(message: dict[str, Any]) -> tuple[str, EditorInfo]:
    """The instance id and info in a `register` message.

    Raises `InvalidParameters` naming the field that is missing or has a wrong type.
    """
    info = message.get("info")
    if not isinstance(message.get("instance_id"), str) or not isinstance(info, dict):
        raise InvalidParameters("register needs an `instance_id` (string) and an `info` (object)")
    missing = [name for name in _REQUIRED if name not in info]
    if missing:
        raise InvalidParameters(f"register: info lacks {', '.join(missing)}")
    known = {name: info[name] for name in _TYPES if name in info}
    for name, value in known.items():
        if not isinstance(value, _TYPES[name]):
            raise InvalidParameters(f"register: info.{name} has a wrong type ({type(value).__name__})")
    for name in ("buffers", "folders"):
        known[name] = tuple(str(entry) for entry in known.get(name, ()))
    known["short_lived"] = bool(known.get("short_lived", False))
    return message["instance_id"], EditorInfo(**known)
