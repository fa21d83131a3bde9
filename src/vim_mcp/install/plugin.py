"""The plugin's files: placed where an editor loads them, and taken away again.

A clone is linked, so that `git pull` brings both halves at once. What a wheel carries is copied: its directory goes
when an environment is made anew for another Python, and a link to it would leave the editor without a word. The copy
holds a marker that says whose it is and which command it belongs to.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

from vim_mcp import __version__
from vim_mcp.install.places import MAIN, Place, data_directory
from vim_mcp.install.steps import Refused, Step
from vim_mcp.paths import tilde

MARKER = "vim-mcp-install.json"
"""The file in a copy that says that it is ours: its version, digest, and the command of its other half."""
_PACKAGE = Path(__file__).resolve().parent.parent
_PARTS = ("plugin", "autoload", "lua", "doc")


def source() -> Path:
    """The directory with the plugin's files: the clone, or the wheel's `runtime`. Raises `Refused` without one."""
    for candidate in (_PACKAGE / "runtime", _PACKAGE.parent.parent):
        if (candidate / MAIN).is_file():
            return candidate
    raise Refused(f"The plugin's files are not beside {_PACKAGE}. Install vim-mcp anew")


def is_clone() -> bool:
    """Whether this package runs from a clone."""
    return not (_PACKAGE / "runtime" / MAIN).is_file()


def command() -> str:
    """The path of this `vim-mcp`: by the name on PATH where that is this one, since a new environment keeps it."""
    beside = Path(sys.executable).with_name("vim-mcp")
    named = shutil.which("vim-mcp")
    return named if named and os.path.realpath(named) == os.path.realpath(beside) else str(beside)


def typed(path: str | Path) -> str:
    """A path as a person types it in a shell: in quotes where that would take it apart."""
    text = tilde(path)
    return f"~/{shlex.quote(text[2:])}" if text.startswith("~/") else shlex.quote(text)


def invocation() -> str:
    """How a person types the name of this `vim-mcp` in a shell."""
    own = command()
    return "vim-mcp" if shutil.which("vim-mcp") == own else typed(own)


def farewell() -> str:
    """How the program itself is removed, with the link by which a shell finds it."""
    own, link = data_directory() / "venv", Path(command())
    if own in Path(sys.executable).parents:
        way = f"rm -r {typed(own)}"
    elif is_clone():
        way = f"remove the clone, {tilde(source())}"
    else:
        return "pipx uninstall vim-mcp"
    return f"{way}, and the link {tilde(link)}" if link.is_symlink() else way


def remedy() -> str:
    """The command that brings the program's own packages back."""
    if is_clone():
        return f"{typed(sys.executable)} -m pip install --editable {typed(source())}"
    return ":VimMCPInstall" if data_directory() / "venv" in Path(sys.executable).parents else "pipx reinstall vim-mcp"


def marker(path: Path) -> dict[str, Any] | None:
    """What a copy that we have placed at `path` says of itself; None where there is no such copy."""
    try:
        content = json.loads((path / MARKER).read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) and not path.is_symlink() else None


def present(place: Place) -> Path | None:
    """Where the editor of `place` has the plugin, None where it has not."""
    return next((path for path in (place.path, *place.others()) if (path / MAIN).is_file()), None)


def placing(place: Place) -> Step:
    """The step that has the plugin at `place`. Raises `Refused` where something that is not ours is there."""
    path, name = place.path, place.editor
    others = [other for other in place.others() if not _same(other, path)]
    if others and not os.path.lexists(path):
        return Step(f"{name}: the plugin is at {tilde(others[0])}")
    _check_ours(path)
    return _linking(name, path) if is_clone() else _copying(name, path)


def _linking(name: str, path: Path) -> Step:
    clone = source()
    text = f"{name}: {tilde(path)} is a link to {tilde(clone)}"
    return Step(text) if _same(path, clone) and (clone / "doc" / "tags").exists() else Step(text, lambda: _link(path))


def _copying(name: str, path: Path) -> Step:
    text = f"{name}: {tilde(path)} is a copy of {__version__}"
    return Step(text) if marker(path) == _expected() else Step(text, lambda: _copy(path))


def removal(place: Place) -> Step:
    """The step that takes away what we have placed; what is not ours stays."""
    path = place.path
    if not _is_ours(path):
        found = f"{tilde(path)} is not from `vim-mcp install`" if os.path.lexists(path) else "nothing to remove"
        return Step(f"{place.editor}: {found}")
    return Step(f"{place.editor}: {tilde(path)} is removed", lambda: _remove(place))


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _is_ours(path: Path) -> bool:
    return marker(path) is not None or (path.is_symlink() and (path / MAIN).is_file())


def _check_ours(path: Path) -> None:
    if os.path.lexists(path) and not _is_ours(path) and not (is_clone() and _same(path, source())):
        away = f"mv {typed(path)} {typed(path)}.old"
        raise Refused(f"{tilde(path)} is not from `vim-mcp install`. Move it away: {away}")


def _expected() -> dict[str, Any]:
    return {"version": __version__, "command": [command()], "digest": _digest(source())}


def _digest(directory: Path) -> str:
    """Of all the plugin's files, the tags left out, which are made."""
    digest = hashlib.sha256()
    for part in _PARTS:
        for file in sorted((directory / part).rglob("*")):
            if file.is_file() and file.name != "tags":
                digest.update(f"{file.relative_to(directory)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()


def _link(path: Path) -> None:
    if not _same(path, source()):
        _make_room(path)
        path.symlink_to(source(), target_is_directory=True)
    _write_tags(source() / "doc")


def _copy(path: Path) -> None:
    """Beside the place first, where no editor looks, so that one that starts meanwhile finds all or nothing."""
    new = path.parent.parent / ".new"
    shutil.rmtree(new, ignore_errors=True)
    for part in _PARTS:
        shutil.copytree(source() / part, new / part)
    _write_tags(new / "doc")
    (new / MARKER).write_text(json.dumps(_expected(), indent=2) + "\n")
    _make_room(path)
    new.rename(path)


def _make_room(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(path):
        _delete(path)


def _delete(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    else:
        shutil.rmtree(path)


def _remove(place: Place) -> None:
    """Take the plugin away, and each directory on the way to it that holds nothing else: placing it makes them all."""
    _delete(place.path)
    for directory in place.path.parents:
        if directory == place.own.parent or directory.is_symlink() or any(directory.iterdir()):
            return
        directory.rmdir()


def _write_tags(doc: Path) -> None:
    """As `:helptags` does, so that `:help vim-mcp` needs no further command."""
    found = set()
    for page in doc.glob("*.txt"):
        for tag in re.findall(r"(?:^|(?<=[ \t]))\*([^*\s|]+)\*(?=[ \t]|$)", page.read_text("utf-8"), re.MULTILINE):
            pattern = tag.replace("\\", "\\\\").replace("/", "\\/")
            found.add(f"{tag}\t{page.name}\t/*{pattern}*\n".encode())
    (doc / "tags").write_bytes(b"".join(sorted(found)))
