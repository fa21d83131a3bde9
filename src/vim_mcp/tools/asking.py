"""Asking an editor in a client's name, with text and files' names in the forms that editors take."""

from __future__ import annotations

import contextlib
import os.path
from typing import Any

from vim_mcp.editor.link import Editor
from vim_mcp.errors import CommandFailed
from vim_mcp.text import from_lines

_LITTLE = 32 * 1024
"""Characters of text that are quicker in a request's JSON than by a file."""


async def ask(editor: Editor, client: str, method: str, params: dict[str, Any]) -> Any:
    """The editor's answer; parameters that are None are left out. Raises what `Editor.request` does."""
    given = {key: value for key, value in params.items() if value is not None}
    return await editor.request(method, {**given, "client": client})


async def ask_with_text(editor: Editor, client: str, method: str, params: dict[str, Any], *texts: str) -> Any:
    """Ask, where the parameters named `texts` are lines of text or None: by file where JSON would not do, because they
    are long or JSON is not in the editor's encoding."""
    lines = {name: params[name] for name in texts if params.get(name) is not None}
    size = sum(len(line) for text in lines.values() for line in text)
    if size <= _LITTLE and editor.info.encoding == "utf-8":
        return await ask(editor, client, method, params)
    with contextlib.ExitStack() as files:
        sent = {name: value for name, value in params.items() if name not in lines}
        for name, text in lines.items():
            path = files.enter_context(editor.text_file())
            path.write_bytes(from_lines(text).encode("utf-8", "replace"))
            sent[f"{name}_file"] = str(path)
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
