"""getDiagnostics, the tool of an editor's port by which Claude Code learns what an edit of its has broken."""

from __future__ import annotations

import json
import os.path
from collections.abc import Iterable
from typing import Any

from pydantic import Field

from vim_mcp.errors import CommandFailed
from vim_mcp.text import paths_of_uri
from vim_mcp.tools.idebase import IdeArguments, IdeCall, IdeTool


_ONE_PATIENCE = 400
"""Milliseconds; Claude Code waits 500 for a file that it is about to write."""
_ALL_PATIENCE = 1500
"""Milliseconds; Claude Code waits 2,000 after it has written."""
_RECENT = 50
"""The most files that are looked at anew, those that were asked for last."""


class DiagnosticsArguments(IdeArguments):
    """Of which file."""

    uri: str | None = Field(default=None, description="URI of the file. Default: all files.")


async def get_diagnostics(call: IdeCall, arguments: DiagnosticsArguments) -> list[str]:
    """A JSON array of files with their diagnostics; a file that is not open is not among them. Requirement IDE-TOOL-08.

    They are those of the text on disk, as far as it can be had in time: files that this client has asked for are loaded
    or read again, and who checks them may answer. Requirements IDE-DIAG-03 and IDE-DIAG-04.

    Raises `CommandFailed`: kind `busy`, `access`, `unchecked`.
    """
    if not arguments.uri:
        request = {"files": call.spellings.recent(_RECENT), "fresh": _ALL_PATIENCE, "utf16": True}
        answer = await call.request("get_diagnostics", request)
        return [_told(_described(call, answer["diagnostics"]))]
    path = _path(call, arguments.uri)
    if path is None:
        return [_told([])]
    answer = await call.request("get_diagnostics", {"file": path, "fresh": _ONE_PATIENCE, "utf16": True})
    if not answer["settled"]:
        raise _unchecked(path)
    call.spellings.note(path, arguments.uri)
    found = [{"uri": call.spellings.of(path), "diagnostics": [_diagnostic(item) for item in answer["diagnostics"]]}]
    return [_told(found if answer["open"] else [])]


def _unchecked(path: str) -> CommandFailed:
    """Claude Code compares what it is told later with this answer. After an error, or none, it compares nothing; a list
    without the faults that the file has had all along would make them look new."""
    return CommandFailed(
        f"{path} has not been checked yet: its language server or linter is still at work. Ask again in a moment",
        kind="unchecked",
    )


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
