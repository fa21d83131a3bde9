"""The tools of an editor's port, by the names, arguments and result texts of VS Code's, as Claude Code calls them."""

from __future__ import annotations

import json
import os.path
from typing import Any

from pydantic import Field

from vim_mcp.editor.messages import Selection, selection_fields
from vim_mcp.editor.reading import read_state
from vim_mcp.errors import CommandFailed, EditorBusy
from vim_mcp.text import exact_lines, file_uri
from vim_mcp.tools.asking import ask_with_text
from vim_mcp.tools.code import EXECUTE_CODE
from vim_mcp.tools.ide_diagnostics import GET_DIAGNOSTICS
from vim_mcp.tools.idebase import IdeArguments, IdeCall, IdeTool
from vim_mcp.tools.review import REVIEW_TOOLS


class NoArguments(IdeArguments):
    """Nothing."""


class FileArguments(IdeArguments):
    """A file."""

    file_path: str = Field(alias="filePath", description="Path of the file; a relative one is in the workspace folder.")


class OpenFileArguments(FileArguments):
    """A file, and what to select in it."""

    preview: bool = Field(
        default=False, description="Open it to be looked at: it closes when it is hidden, unless used."
    )
    start_text: str | None = Field(
        default=None, alias="startText", description="Plain text at which the selection starts (its first occurrence)."
    )
    end_text: str | None = Field(
        default=None,
        alias="endText",
        description="Plain text with which the selection ends (its first occurrence after startText). Default: "
        "startText alone is selected.",
    )
    select_to_end_of_line: bool = Field(
        default=False, alias="selectToEndOfLine", description="Extend the selection to the end of its last line."
    )
    make_frontmost: bool = Field(
        default=True,
        alias="makeFrontmost",
        description="Show the file and go there. false: it is loaded and listed, and no window or cursor moves.",
    )


async def open_file(call: IdeCall, arguments: OpenFileArguments) -> list[str]:
    """`Opened file: <path>`, or with makeFrontmost false what was loaded.

    Requirements IDE-TOOL-01, IDE-TOOL-02 and IDE-OPEN-01 to IDE-OPEN-05.

    Raises `CommandFailed`: kind `not_found`, `refused`, `busy`, `access`, …
    """
    file = call.file(arguments.file_path)
    if not arguments.make_frontmost:
        loaded = await call.request("load_file", {"file": file})
        return [_json(success=True, filePath=file, languageId=loaded["filetype"], lineCount=loaded["line_count"])]
    request = {
        "file": file,
        "preview": arguments.preview,
        "start_lines": _lines(arguments.start_text),
        "end_lines": _lines(arguments.end_text),
        "to_end_of_line": arguments.select_to_end_of_line,
    }
    opened = await ask_with_text(call.editor, call.client, "open_file", request, "start_lines", "end_lines")
    told = [] if opened["found"] else ["The text to select was not found: nothing is selected."]
    return [f"Opened file: {file}", *told]


def _lines(text: str | None) -> list[str] | None:
    return exact_lines(text) if text else None


async def get_current_selection(call: IdeCall, _: NoArguments) -> list[str]:
    """What is selected now. Requirement IDE-TOOL-10."""
    return [_selected(await _current(call))]


async def get_latest_selection(call: IdeCall, _: NoArguments) -> list[str]:
    """What was selected last, be it selected yet or not, as far as it is known. Requirement IDE-TOOL-11."""
    latest = call.latest()
    try:
        current = await _current(call)
    except EditorBusy:
        if latest is None:
            raise
        return [_selected(latest)]
    known = [selection for selection in (current, latest) if selection and selection["file"]]
    return [_selected(next((selection for selection in known if not selection["empty"]), known[0] if known else None))]


async def _current(call: IdeCall) -> Selection:
    selection: Selection = (await call.request("get_selection", {}))["selection"]
    return selection


def _selected(selection: Selection | None) -> str:
    if not selection or not selection["file"]:
        return _json(success=False, message="No active editor found")
    return _json(success=True, **selection_fields(selection))


async def get_open_editors(call: IdeCall, _: NoArguments) -> list[str]:
    """The listed buffers that hold text to work on. Requirement IDE-TOOL-12."""
    buffers = [buffer for buffer in await _buffers(call) if _is_document(buffer)]
    active = _active(call, buffers)
    return [_json(tabs=[_tab(call, buffer, buffer["id"] == active) for buffer in buffers])]


async def _buffers(call: IdeCall) -> list[dict[str, Any]]:
    buffers: list[dict[str, Any]] = (await read_state(call.editor, ["buffers"]))["buffers"]
    return buffers


def _is_document(buffer: dict[str, Any]) -> bool:
    return buffer["listed"] and buffer["buftype"] in ("", "acwrite") and bool(buffer["name"] or buffer["modified"])


def _active(call: IdeCall, buffers: list[dict[str, Any]]) -> int | None:
    """The id of the buffer that the user works on: the current one, or, from a terminal or such, the one before."""
    latest = call.latest()
    before = [b["id"] for b in buffers if latest and latest["file"] and b["name"] == latest["file"]]
    return next((b["id"] for b in buffers if b["current"]), before[0] if before else None)


def _tab(call: IdeCall, buffer: dict[str, Any], active: bool) -> dict[str, Any]:
    name, untitled = buffer["name"], not buffer["name"]
    return {
        "uri": f"untitled:Untitled-{buffer['id']}" if untitled else call.spellings.of(name),
        "isActive": active,
        "label": "[No Name]" if untitled else os.path.basename(name),
        "languageId": buffer["filetype"],
        "isDirty": bool(buffer["modified"]),
        "isUntitled": untitled,
        "isVisible": bool(buffer["visible"]),
        "fileName": name,
        "lineCount": buffer["line_count"],
    }


async def get_workspace_folders(call: IdeCall, _: NoArguments) -> list[str]:
    """The folders as the lock file has them. Requirement IDE-TOOL-13."""
    folders = call.folders()
    described = [{"name": os.path.basename(f) or f, "uri": file_uri(f), "path": f} for f in folders]
    return [_json(success=True, folders=described, rootPath=folders[0] if folders else None)]


async def check_document_dirty(call: IdeCall, arguments: FileArguments) -> list[str]:
    """Whether a file that is open has unsaved changes. Requirement IDE-TOOL-14."""
    file = call.file(arguments.file_path)
    buffer = _of_file(await _buffers(call), file)
    if buffer is None:
        return [_not_open(file)]
    return [_json(success=True, filePath=file, isDirty=bool(buffer["modified"]), isUntitled=False)]


def _of_file(buffers: list[dict[str, Any]], file: str) -> dict[str, Any] | None:
    """The buffer that holds `file`, by this or another name of it."""
    real = os.path.realpath(file)
    named = [buffer for buffer in buffers if buffer["name"]]
    same = [b for b in named if b["name"] == file] or [b for b in named if os.path.realpath(b["name"]) == real]
    return same[0] if same else None


async def save_document(call: IdeCall, arguments: FileArguments) -> list[str]:
    """Write an open file's unsaved changes to it. Requirement IDE-TOOL-15.

    Raises `CommandFailed`: kind `changed`, `refused`, `ignored`, `swap`, `vim`, `busy`, `access`.
    """
    file = call.file(arguments.file_path)
    try:
        await call.request("save", {"file": file})
    except CommandFailed as error:
        if error.data.get("kind") == "not_found":
            return [_not_open(file)]
        raise
    return [_json(success=True, filePath=file, saved=True, message="Document saved successfully")]


def _not_open(file: str) -> str:
    return _json(success=False, message=f"Document not open: {file}")


def _json(**fields: Any) -> str:
    return json.dumps(fields, ensure_ascii=False)


TOOLS: dict[str, IdeTool] = {
    tool.name: tool
    for tool in (
        *REVIEW_TOOLS,
        IdeTool(
            "openFile",
            "Open a file in the editor",
            "Open a file in the user's editor and optionally select a range of text in it. The file must exist or be "
            "open already; unsaved changes are shown as they are.",
            OpenFileArguments,
            open_file,
        ),
        GET_DIAGNOSTICS,
        IdeTool(
            "getCurrentSelection",
            "Get the current selection",
            "Get the text that is selected in the active editor, with its file and place (from 0, UTF-16 units).",
            NoArguments,
            get_current_selection,
            read_only=True,
            idempotent=True,
        ),
        IdeTool(
            "getLatestSelection",
            "Get the latest selection",
            "Get the text that was selected last, also when the user has gone on to a terminal or another window.",
            NoArguments,
            get_latest_selection,
            read_only=True,
            idempotent=True,
        ),
        IdeTool(
            "getOpenEditors",
            "Get the open editors",
            "Get the files that are open in the user's editor, which one is active and which have unsaved changes.",
            NoArguments,
            get_open_editors,
            read_only=True,
            idempotent=True,
        ),
        IdeTool(
            "getWorkspaceFolders",
            "Get the workspace folders",
            "Get the folders that the user's editor works in.",
            NoArguments,
            get_workspace_folders,
            read_only=True,
            idempotent=True,
        ),
        IdeTool(
            "checkDocumentDirty",
            "Check for unsaved changes",
            "Check whether a file that is open in the user's editor has unsaved changes.",
            FileArguments,
            check_document_dirty,
            read_only=True,
            idempotent=True,
        ),
        IdeTool(
            "saveDocument",
            "Save a document",
            "Write the unsaved changes of a file that is open in the user's editor to disk. A file that has changed on "
            "disk meanwhile is not overwritten.",
            FileArguments,
            save_document,
            idempotent=True,
        ),
        EXECUTE_CODE,
    )
}  # fmt: skip
