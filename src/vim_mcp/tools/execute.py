"""`vim_execute`: run an Ex command that the policy lets through."""

from __future__ import annotations

from dataclasses import fields

from pydantic import Field

from vim_mcp.editor.sending import insist
from vim_mcp.errors import CommandFailed
from vim_mcp.excommand import Verdict, judge
from vim_mcp.tools.base import Call, EditorArguments, Result, Tool
from vim_mcp.tools.permission import permitted

_TIME_LIMIT = 3.5
"""Seconds a command may run: with the second that it may wait for normal mode, less than the hub waits."""

_PATIENCE = 60.0
"""Seconds that a user is waited for who has said yes in the midst of their typing: it runs once they have left that."""

_TRAITS = tuple(field.name for field in fields(Verdict))


class ExecuteArguments(EditorArguments):
    """Which command."""

    command: str = Field(
        description="One Ex command, with or without the leading colon, e.g. '%s/foo/bar/g', '10,20sort', 'ls', "
        "'set number'. Commands may be joined by '|'."
    )


class Executed(Result):
    """What the command said."""

    output: str = Field(description="What the command printed; empty when it printed nothing.")
    truncated: bool = False

    def words(self) -> str:
        """The output as it was."""
        if not self.output.strip():
            return "(the command ran and printed nothing)"
        return self.output.strip("\n") + ("\n(output cut)" if self.truncated else "")


async def vim_execute(call: Call, arguments: ExecuteArguments) -> Executed:
    """The command's output. Requirement VIM-TOOL-03.

    Raises `CommandFailed`: kind `refused` with the policy's reason or by the user, `unanswered` where nobody has
    answered them, `vim` with Vim's own message and number.
    """
    if "\0" in arguments.command:
        # Not shown to anybody: what Vim makes of it is another command, without the NUL.
        raise CommandFailed("No Ex command can hold a NUL, and this one does. Nothing was run.", kind="refused")
    verdict = judge(arguments.command)
    traits = {name: getattr(verdict, name) for name in _TRAITS}
    request = {"command": arguments.command, **traits, "timeout": int(_TIME_LIMIT * 1000)}
    try:
        answer = await call.request("execute", request)
    except CommandFailed as error:
        if error.data.get("kind") != "ask":
            raise
        await permitted(call.editor, call.client, "execute", arguments.command, "command")
        answer = await insist(lambda: call.request("execute", {**request, "allowed": True}), _PATIENCE, once=True)
    return Executed.model_validate(answer)


TOOLS = (
    Tool(
        "vim_execute",
        "Execute an Ex command",
        "Run an Ex command in the user's Vim and return its real output or Vim's own error. For what has no tool of"
        " its own: substitutions over a range, sorting, undo/redo, marks, registers, options, window and tab "
        "commands. Shell commands, other languages, reading and writing files are refused by default; to change "
        "text prefer vim_edit.",
        ExecuteArguments,
        Executed,
        vim_execute,
        destructive=True,
    ),
)
