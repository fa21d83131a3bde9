"""`vim_navigate`: move the user's cursor in a closed set of ways."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vim_mcp.tools.base import Call, EditorArguments, Result, Tool

Direction = Literal[
    "left", "right", "up", "down", "word_next", "word_previous", "word_end", "line_start", "line_end",
    "first_nonblank", "paragraph_next", "paragraph_previous", "page_down", "page_up", "half_page_down", "half_page_up",
    "top", "bottom", "line", "buffer_next", "buffer_previous", "window_next", "window_previous", "window_left",
    "window_right", "window_up", "window_down", "tab_next", "tab_previous", "quickfix_next", "quickfix_previous",
    "location_next", "location_previous", "diagnostic_next", "diagnostic_previous", "jump_back", "jump_forward",
    "change_previous", "change_next", "matching_bracket", "search_next", "search_previous",
]  # fmt: skip


class NavigateArguments(EditorArguments):
    """Where to."""

    direction: Direction = Field(description="How to move; 'line' goes to the line given as count.")
    count: int = Field(
        default=1, ge=1, le=1_000_000_000, description="How often, or for 'line' the line number (1-based)."
    )


class Position(Result):
    """Where the cursor is now."""

    buffer: int
    name: str
    line: int = Field(description="1-based.")
    column: int = Field(description="1-based byte column.")
    text: str | None = Field(default=None, description="The line the cursor is on; empty where it is private.")
    window: int | None = None
    moved: bool = True

    def words(self) -> str:
        """name:line:column: the line."""
        place = f"{self.name or '[No Name]'}:{self.line}:{self.column}: {self.text or ''}"
        return place if self.moved else f"{place}\n(nothing there to move to)"


async def vim_navigate(call: Call, arguments: NavigateArguments) -> Position:
    """The position after the move. Requirement VIM-TOOL-06.

    Raises `CommandFailed`: kind `busy` while the user types, kind `vim` with Vim's own message.
    """
    return Position.model_validate(
        await call.request("navigate", {"direction": arguments.direction, "count": arguments.count})
    )


TOOLS = (
    Tool(
        "vim_navigate",
        "Move the cursor in Vim",
        "Move the user's cursor, window or buffer, and return where it is then: by characters, words, lines, "
        "paragraphs, pages, to a line, to the next or previous buffer, window, tab, quickfix entry, diagnostic, "
        "jump or change. Use it to show the user a place in the current file; to open a file at a line use vim_edit"
        " without content.",
        NavigateArguments,
        Position,
        vim_navigate,
    ),
)
