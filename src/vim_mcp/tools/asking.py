"""Asking an editor in a client's name, with text and files' names in the forms that editors take."""

from __future__ import annotations

import os.path
from typing import Any

from vim_mcp.editor.link import Editor
from vim_mcp.editor.sending import with_text
from vim_mcp.errors import CommandFailed


async def ask(editor: Editor, client: str, method: str, params: dict[str, Any]) -> Any:
    """The editor's answer; parameters that are None are left out. Raises what `Editor.request` does."""
    given = {key: value for key, value in params.items() if value is not None}
    return await editor.request(method, {**given, "client": client})


async def ask_with_text(editor: Editor, client: str, method: str, params: dict[str, Any], *texts: str) -> Any:
    """Ask, where the parameters named `texts` are lines of text or None (`with_text`)."""
    with with_text(editor, params, *texts) as sent:
        return await ask(editor, client, method, sent)


def absolute(path: str, directory: str) -> str:
    """`path` as an absolute one, from `directory`; `~` is the user's home. The editor refuses what names no file.

    Raises `CommandFailed` (kind `refused`) for a name with a NUL, which would not reach the editor as it is.
    """
    if "\0" in path:
        raise CommandFailed(f"{path!r} holds a NUL, so it is not the name of a file", kind="refused")
    if not path or "://" in path:
        return path
    return os.path.join(directory, os.path.expanduser(path))
