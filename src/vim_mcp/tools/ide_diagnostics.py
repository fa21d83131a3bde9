"""getDiagnostics, the tool of an editor's port by which Claude Code learns what an edit of its has broken."""

from __future__ import annotations

import json
import os.path
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from vim_mcp.errors import CommandFailed
from vim_mcp.text import paths_of_uri
from vim_mcp.tools.idebase import IdeArguments, IdeCall, IdeTool
from vim_mcp.tools.known import Diagnostic

_File = dict[str, Any]
"""A file's diagnostics as Claude Code reads them."""

_ONE_PATIENCE = 400
"""Milliseconds; Claude Code waits 500 for a file that it is about to write, its model longer."""
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
    or read again, and who checks them may answer. Requirements IDE-DIAG-03 to IDE-DIAG-05.

    Raises `CommandFailed`: kind `busy`, `access`, `unchecked`.
    """
    return [_told(await (_of_file(call, arguments.uri) if arguments.uri else _of_all(call)))]


async def _of_all(call: IdeCall) -> list[_File]:
    request = {"files": call.spellings.recent(_RECENT), "fresh": _ALL_PATIENCE, "utf16": True}
    answer = await call.request("get_diagnostics", request)
    files: dict[str, list[Diagnostic]] = {}
    for item in answer["diagnostics"]:
        if item["name"]:
            files.setdefault(item["name"], []).append(item)
    if not call.by_model:
        files = call.known.told(files)
    return [_file(call.spellings.of(name), found) for name, found in files.items()]


async def _of_file(call: IdeCall, uri: str) -> list[_File]:
    path = _path(call, uri)
    if path is None:
        return []
    patience = _ALL_PATIENCE if call.by_model else _ONE_PATIENCE
    answer = await call.request("get_diagnostics", {"file": path, "fresh": patience, "utf16": True})
    if not answer["settled"]:
        raise _unchecked(path)
    if not call.by_model:
        call.spellings.note(path, uri)
        call.known.begin(path, answer["diagnostics"])
    answered = uri if uri.startswith("file://") else call.spellings.of(path)
    return [_file(answered, answer["diagnostics"])] if answer["open"] else []


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


def _file(uri: str, diagnostics: Sequence[Diagnostic]) -> _File:
    return {"uri": uri, "diagnostics": [_diagnostic(item) for item in diagnostics]}


def _diagnostic(item: Diagnostic) -> dict[str, Any]:
    origin = {name: item[name] for name in ("source", "code") if item.get(name)}
    return {
        "message": item["message"], "severity": item["severity"].capitalize(), "range": item["range"], **origin
    }  # fmt: skip


def _told(files: list[_File]) -> str:
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
