"""`vim_edit`: show a file, or change its text in the editor."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from vim_mcp.errors import CommandFailed, InvalidParameters
from vim_mcp.text import exact_lines, to_lines
from vim_mcp.tools.asking import absolute, ask_with_text
from vim_mcp.tools.base import Call, EditorArguments, Result, Tool


class EditArguments(EditorArguments):
    """What to show or change."""

    file: str = Field(description="The file's path; relative paths are taken from the editor's working directory.")
    line: int | None = Field(
        default=None,
        ge=1,
        description="1-based. Without content: where to put the cursor. With content: it goes in before this line "
        "(line count + 1 appends), or replaces from here to end_line.",
    )
    column: int | None = Field(default=None, ge=1, description="1-based byte column, for showing the file only.")
    content: str | None = Field(default=None, description="The new text. Without line: the file's whole text.")
    end_line: int | None = Field(default=None, ge=1, description="Last line to be replaced by content (inclusive).")
    old_text: str | None = Field(
        default=None, description="Text to be replaced by new_text; it must occur exactly once."
    )
    new_text: str | None = Field(default=None, description="What old_text becomes; empty to delete it.")
    changedtick: int | None = Field(
        default=None,
        description="The changedtick that a read returned: if the text has changed since, nothing is done.",
    )
    save: bool = Field(
        default=False, description="Also write the file to disk. Default: the change stays an unsaved edit."
    )

    @model_validator(mode="after")
    def _one_way_of_saying_it(self) -> EditArguments:
        if (self.old_text is None) != (self.new_text is None):
            raise ValueError("old_text and new_text go together")
        if self.old_text is not None and (self.content is not None or self.line is not None):
            raise ValueError("give either old_text and new_text, or content, not both")
        if self.old_text == "":
            raise ValueError("old_text is empty; to add text use content with line")
        if self.end_line is not None and (self.content is None or self.line is None):
            raise ValueError("end_line needs content and line")
        if self.end_line is not None and self.line is not None and self.end_line < self.line:
            raise ValueError("end_line lies before line")
        return self


class Edited(Result):
    """What was shown or changed."""

    action: Literal["shown", "edited"]
    file: str
    line: int = Field(description="First line shown or changed, 1-based.")
    end_line: int | None = Field(default=None, description="Last line of the new text.")
    lines_added: int | None = None
    lines_removed: int | None = None
    line_count: int | None = None
    changedtick: int | None = Field(
        default=None, description="Pass it back to be sure that nothing has changed in between."
    )
    saved: bool | None = None
    created: bool | None = Field(default=None, description="The file did not exist before.")
    readonly: bool | None = None
    note: str | None = None

    def words(self) -> str:
        """One or two sentences."""
        words = self._shown() if self.action == "shown" else self._edited()
        return f"{words} {self.note}" if self.note else words

    def _shown(self) -> str:
        return f"{self.file} is shown at line {self.line}."

    def _edited(self) -> str:
        where = "" if self.end_line is None or self.end_line < self.line else f", now lines {self.line}-{self.end_line}"
        saved = "saved to disk" if self.saved else "not saved; the user can undo it with u"
        counts = f"+{self.lines_added or 0} -{self.lines_removed or 0} lines{where}"
        return f"{self.file}: {counts} ({saved}). changedtick {self.changedtick}."


async def vim_edit(call: Call, arguments: EditArguments) -> Edited:
    """Show a file, or change its text in one undo step. Requirement VIM-TOOL-04.

    Raises `InvalidParameters`, and `CommandFailed`: kind `changed`, `swap`, `ignored`, `access`, `busy`, `vim`, …
    """
    file = absolute(arguments.file, call.editor.state.get("cwd", call.editor.info.cwd))
    if arguments.content is None and arguments.old_text is None:
        return await _show(call, arguments, file)
    conditions = {"file": file, "changedtick": arguments.changedtick, "save": arguments.save}
    try:
        answer = await ask_with_text(
            call.editor, call.client, "edit", {**conditions, **_change(arguments)}, "lines", "old_lines"
        )
    except CommandFailed as error:
        if error.data.get("kind") == "swap":
            raise CommandFailed(_with_holder(call, error.message, error.data), **error.data) from error
        raise
    buffer = answer["buffer"]
    return Edited.model_validate(
        {**answer, "action": "edited", "file": buffer["name"] or file, "line_count": buffer["line_count"]}
    )


def _with_holder(call: Call, message: str, swap: dict[str, Any]) -> str:
    """The editor's message about a swap file, with the name of the instance that holds it, if it is one of ours."""
    holders = [entry["instance_id"] for entry in call.instances.listing() if entry["pid"] == swap.get("pid")]
    return (
        f"{message}. It is open in {holders[0]}: use instance_id {holders[0]!r} to edit it there."
        if holders
        else message
    )


async def _show(call: Call, arguments: EditArguments, file: str) -> Edited:
    if arguments.save or arguments.changedtick is not None:
        raise InvalidParameters("vim_edit: save and changedtick need content, or old_text and new_text")
    answer = await call.request("show", {"file": file, "line": arguments.line, "column": arguments.column})
    note = "It is read-only there." if answer.get("readonly") else None
    if swap := answer.get("swap"):
        note = _with_holder(call, swap["message"], swap)
    return Edited(
        action="shown", file=answer.get("name") or file, line=answer["line"], readonly=answer.get("readonly"), note=note
    )


def _change(arguments: EditArguments) -> dict[str, Any]:
    if arguments.old_text is not None:
        return {
            "kind": "substitute",
            "old_lines": exact_lines(arguments.old_text),
            "lines": exact_lines(arguments.new_text or ""),
        }
    lines = to_lines(arguments.content or "") if arguments.content else []
    if arguments.line is None:
        return {"kind": "all", "lines": lines}
    if arguments.end_line is None:
        return {"kind": "insert", "line": arguments.line, "lines": lines or [""]}
    return {"kind": "replace", "line": arguments.line, "end_line": arguments.end_line, "lines": lines}


TOOLS = (
    Tool(
        "vim_edit",
        "Edit or show a file in Vim",
        "Change text in the user's editor, or (without content) show a file at a line. The change is one undo step "
        "in the live buffer, unsaved changes included, and is not written to disk unless save is true. Ways to say "
        "what changes: old_text/new_text (old_text must occur exactly once: safest); content with line (insert "
        "before it); content with line and end_line (replace those lines); content alone (the whole text). Works on"
        " files that are not open.",
        EditArguments,
        Edited,
        vim_edit,
        destructive=True,
    ),
)
