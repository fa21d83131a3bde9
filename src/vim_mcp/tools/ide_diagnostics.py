"""getDiagnostics, the tool of an editor's port by which Claude Code learns what an edit of its has broken."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable
from typing import Any

from pydantic import Field

from vim_mcp.text import paths_of_uri
from vim_mcp.tools.idebase import IdeArguments, IdeCall, IdeTool


class DiagnosticsArguments(IdeArguments):
    """Of which file."""

    uri: str | None = Field(default=None, description="URI of the file. Default: all files.")


async def get_diagnostics(call: IdeCall, arguments: DiagnosticsArguments) -> list[str]:
    """A JSON array of files with their diagnostics; a file that is not open is not among them. Requirement IDE-TOOL-08.

    Raises `CommandFailed`: kind `busy`, `access`.
    """
    if not arguments.uri:
        answer = await call.request("get_diagnostics", {"utf16": True})
        return [_told(_described(call, answer["diagnostics"]))]
    path = _path(call, arguments.uri)
    if path is None:
        return [_told([])]
    call.spellings.note(path, arguments.uri)
    answer = await call.request("get_diagnostics", {"file": path, "utf16": True})
    found = [{"uri": call.spellings.of(path), "diagnostics": [_diagnostic(item) for item in answer["diagnostics"]]}]
    return [_told(found if answer["open"] else [])]


def _path(call: IdeCall, uri: str) -> str | None:
    """The file that a URI means, None where it can mean none."""
    paths = [call.file(path) for path in paths_of_uri(uri) if "\0" not in path]
    return next(filter(os.path.lexists, paths), paths[0] if paths else None)


def _described(call: IdeCall, diagnostics: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    files: dict[str, list[dict[str, Any]]] = {}
    for item in diagnostics:
        if item["name"]:
            files.setdefault(item["name"], []).append(_diagnostic(item))
    return [{"uri": call.spellings.of(name), "diagnostics": found} for name, found in files.items()]


def _diagnostic(item: dict[str, Any]) -> dict[str, Any]:
    origin = {name: item[name] for name in ("source", "code") if item.get(name)}
    return {
        "message": item["message"], "severity": item["severity"].capitalize(), "range": item["range"], **origin
    }  # fmt: skip


def _told(files: list[dict[str, Any]]) -> str:
    return json.dumps(files, ensure_ascii=False)


GET_DIAGNOSTICS = IdeTool(
    "getDiagnostics",
    "Get diagnostics",
    "Get the errors, warnings and hints that language servers and linters report in the user's editor, of one "
    "file or of all. Lines and characters count from 0, characters in UTF-16 units.",
    DiagnosticsArguments,
    get_diagnostics,
    read_only=True,
    idempotent=True,
)
