"""Running code in the editor's Jupyter kernel, as its user lets it: `executeCode`, `vim_execute_code`."""

from __future__ import annotations

from pydantic import Field

from vim_mcp.editor.link import Editor
from vim_mcp.errors import CommandFailed
from vim_mcp.kernel import kernels
from vim_mcp.kernel.interpreters import Wanted
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.kernel.output import Picture
from vim_mcp.kernel.run import Run
from vim_mcp.tools.asking import ask
from vim_mcp.tools.base import Blocks, Call, EditorArguments, Image, Progress, Tool
from vim_mcp.tools.idebase import IdeArguments, IdeCall, IdeTool
from vim_mcp.tools.permission import permitted


async def execute(editor: Editor, kernel: Kernel, client: str, code: str, progress: Progress) -> Blocks:
    """Run code in the editor's kernel, once its user lets it; `progress` hears how far it is. Requirement IDE-TOOL-16.

    Raises `CommandFailed`: kind `refused` (the user has not let it), `access`, `missing` (there is no kernel to be
    had), `busy`, `lost`; and `ConnectionLost`.
    """
    settings = await ask(editor, client, "get_environment", {})
    _check(editor, settings["permission"])
    await kernels.load()
    run = Run(code, float(settings["timeout"]), client)
    words = _Words(run)
    with progress(words):
        if settings["permission"] == "ask":
            await permitted(editor, client, "execute_code", code, "code")
        words.asked = False
        outcome = await kernel.execute(run, lambda: _wanted(editor, client))
    pieces = outcome.pieces or ["(the code ran and printed nothing)"]
    blocks = [Image(piece.data, piece.mime_type) if isinstance(piece, Picture) else piece for piece in pieces]
    return Blocks(blocks, outcome.failed)


class _Words:
    """What is going on, in words."""

    def __init__(self, run: Run):
        self._run = run
        self.asked = True

    def __call__(self) -> str:
        return "waiting for the user" if self.asked else self._run.words()


def _check(editor: Editor, permission: str) -> None:
    """Raise `CommandFailed` (kind `refused`) where the user has said once and for all that no code runs."""
    if permission not in ("ask", "allow"):
        raise CommandFailed(
            f"{editor.instance_id} runs no code: g:vim_mcp_execute_code is 'off'. Nothing was run; use a shell.",
            kind="refused",
        )


async def _wanted(editor: Editor, client: str) -> Wanted:
    answer = await ask(editor, client, "get_environment", {"variables": True})
    return Wanted(answer["folder"], answer["variables"], answer["kernel"])


_DESCRIPTION = (
    "Run {} in a Jupyter kernel that belongs to the user's editor and keeps its state: variables, imports and "
    "definitions of earlier calls are there. It runs in the workspace folder, in the project's environment. The user "
    "may be asked first. Returns what the code prints, its last value, images and tracebacks; input() is not answered."
)


class CodeArguments(IdeArguments):
    """Code."""

    code: str = Field(description="The code to run.")


async def execute_code(call: IdeCall, arguments: CodeArguments) -> Blocks:
    """The code's output. Requirement IDE-TOOL-16. Raises what `execute` does."""
    return await execute(call.editor, call.kernel, call.client, arguments.code, call.progress)


EXECUTE_CODE = IdeTool(
    "executeCode",
    "Execute Python code",
    _DESCRIPTION.format("Python code"),
    CodeArguments,
    execute_code,
    destructive=True,
)


class ExecuteCodeArguments(EditorArguments):
    """Code, and in which editor's kernel."""

    code: str = Field(description="The code to run, in the kernel's language: Python unless the user has set another.")


async def vim_execute_code(call: Call, arguments: ExecuteCodeArguments) -> Blocks:
    """The code's output. Requirement KERNEL-01. Raises what `execute` does."""
    return await execute(call.editor, call.kernel, call.client, arguments.code, call.progress)


VIM_EXECUTE_CODE = Tool(
    "vim_execute_code",
    "Execute code in a Jupyter kernel",
    _DESCRIPTION.format("code"),
    ExecuteCodeArguments,
    None,
    vim_execute_code,
    destructive=True,
)

TOOLS = (VIM_EXECUTE_CODE,)
