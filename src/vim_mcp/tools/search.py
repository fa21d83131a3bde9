"""`vim_search`: Vim's regular expressions over the open buffers."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vim_mcp.tools.base import Call, EditorArguments, Result, Tool

_TIME_LIMIT = 1.0
"""Seconds the editor may search: so long its user's keys wait."""


class SearchArguments(EditorArguments):
    """What to look for."""

    pattern: str = Field(min_length=1, description="A Vim regular expression; start it with \\V for plain text.")
    scope: Literal["current", "all"] = Field(
        default="current", description="The current buffer, or all listed buffers."
    )
    limit: int = Field(
        default=200, ge=1, le=2000, description="The most matches to return; the total is counted anyway."
    )


class Match(Result):
    """Where the pattern matched."""

    buffer: int
    name: str
    line: int = Field(description="1-based.")
    column: int = Field(description="1-based byte column of the first byte.")
    end_line: int
    end_column: int = Field(description="1-based byte column just behind the match.")
    text: str = Field(description="The line (a part of it, when it is very long).")
    text_column: int | None = Field(default=None, description="Where that part begins: 1-based byte column.")


class Matches(Result):
    """All matches, up to the limit."""

    matches: list[Match]
    total: int
    truncated: bool = False
    timed_out: bool = False
    skipped: list[str] = Field(default_factory=list, description="Buffers whose text is private or cannot be read.")

    def words(self) -> str:
        """grep's form: name:line:column: text."""
        lines = [f"{m.name or '[No Name]'}:{m.line}:{m.column}: {m.text}" for m in self.matches]
        return "\n".join([self._summary(), *lines])

    def _summary(self) -> str:
        shown = f", the first {len(self.matches)} shown" if self.truncated else ""
        late = "; the time limit ended the search, there may be more" if self.timed_out else ""
        private = f"; not searched (private, or not readable): {', '.join(self.skipped)}" if self.skipped else ""
        return f"{self.total} match(es){shown}{late}{private}"


async def vim_search(call: Call, arguments: SearchArguments) -> Matches:
    """Every match with its place. Requirement VIM-TOOL-05.

    Raises `CommandFailed` (kind `vim`) with Vim's own message for an invalid pattern.
    """
    limits = {"limit": arguments.limit, "timeout": int(_TIME_LIMIT * 1000)}
    answer = await call.request("search", {"pattern": arguments.pattern, "scope": arguments.scope, **limits})
    return Matches.model_validate(answer)


TOOLS = (
    Tool(
        "vim_search",
        "Search in Vim's buffers",
        "Find every match of a Vim regular expression in the current buffer or in all listed buffers, unsaved changes "
        "included, without moving the user's cursor or changing the search pattern. The user's 'ignorecase' and "
        "'smartcase' apply; use \\c or \\C to force it.",
        SearchArguments,
        Matches,
        vim_search,
        read_only=True,
        idempotent=True,
    ),
)
