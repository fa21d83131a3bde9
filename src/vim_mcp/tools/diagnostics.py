"""`vim_get_diagnostics`: what language servers, linters and compilers say."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from vim_mcp.tools.base import Call, EditorArguments, Result, Tool


class DiagnosticsArguments(EditorArguments):
    """Of which buffer."""

    buffer: int | None = Field(
        default=None, ge=0, description="A buffer's id (0: the current one). Default: all buffers."
    )


class Diagnostic(Result):
    """One finding."""

    buffer: int
    name: str
    line: int = Field(description="1-based.")
    column: int = Field(description="1-based byte column.")
    end_line: int | None = None
    end_column: int | None = Field(default=None, description="1-based byte column just behind the range.")
    severity: Literal["error", "warning", "information", "hint"]
    message: str
    source: str | None = None
    code: str | None = None


class Diagnostics(Result):
    """All findings."""

    diagnostics: list[Diagnostic]
    source: str = Field(description="Where they come from.")
    truncated: bool = False
    skipped: list[str] = Field(default_factory=list, description="Buffers whose text is private.")

    def words(self) -> str:
        """A compiler's form: name:line:column: severity: message [source code]."""
        if not self.diagnostics:
            return f"No diagnostics ({self.source})."
        return "\n".join(map(_line, self.diagnostics)) + ("\n(more left out)" if self.truncated else "")


def _line(d: Diagnostic) -> str:
    origin = " ".join(filter(None, (d.source, d.code)))
    return f"{d.name}:{d.line}:{d.column}: {d.severity}: {d.message}" + (f" [{origin}]" if origin else "")


async def vim_get_diagnostics(call: Call, arguments: DiagnosticsArguments) -> Diagnostics:
    """The diagnostics of one buffer or all. Requirement VIM-TOOL-07."""
    return Diagnostics.model_validate(await call.request("get_diagnostics", {"buffer": arguments.buffer}))


TOOLS = (
    Tool(
        "vim_get_diagnostics",
        "Get diagnostics",
        "The errors, warnings and hints that the user's editor shows: Neovim's diagnostics (language servers, "
        "linters), in Vim the location and quickfix lists. Use it after an edit, or when the user speaks of an "
        "error they see.",
        DiagnosticsArguments,
        Diagnostics,
        vim_get_diagnostics,
        read_only=True,
        idempotent=True,
    ),
)
