"""Letting an editor's user decide whether something may run."""

from __future__ import annotations

from vim_mcp.editor import questions
from vim_mcp.editor.link import Editor
from vim_mcp.errors import CommandFailed


async def permitted(editor: Editor, client: str, kind: str, text: str, what: str) -> None:
    """Return when the user lets `client` run `text`; `what` calls it by a word, `kind` is the question's.

    Raises `CommandFailed`, kind `refused` or `unanswered`, when they do not, and what `questions.ask` raises.
    """
    answer = await questions.ask(editor, client, kind, text)
    if answer == "no":
        raise CommandFailed(
            f"The user has refused to run this {what}. Nothing was run: ask them what they would rather have.",
            kind="refused",
        )
    if answer == "unanswered":
        raise CommandFailed(
            f"The user was asked whether this {what} may run and has not answered, so nothing was run. They may be "
            "away: say what you would like to run, or try again later.",
            kind="unanswered",
        )
