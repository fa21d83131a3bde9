"""Questions to an editor's user: may this be run? Each is answered once, whatever ends it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import Any, Literal

from vim_mcp.editor.link import Editor
from vim_mcp.editor.sending import insist, with_text
from vim_mcp.errors import CommandFailed, EditorMethodError
from vim_mcp.text import exact_lines

Answer = Literal["once", "always", "no", "unanswered"]
"""`always`: the editor asks no more about this very text, and answers so itself."""

_LONGEST = 3600.0
"""Seconds after which a question counts as unanswered if the editor, whose part that is, has not said so."""
_UNKNOWN_METHOD = -32601


async def ask(editor: Editor, client: str, kind: str, text: str) -> Answer:
    """What the editor's user answers to the question whether `client` may run `text`.

    `kind` says what it is: `execute_code`, or `execute` for an Ex command. A cancelled call withdraws the question.
    Raises `ConnectionLost` when the editor leaves, `CommandFailed` (kind `refused`) when it cannot ask, and (`access`,
    …) what it answers.
    """
    question = secrets.token_hex(8)  # no hub before this one has used it
    answer = editor.questions[question] = asyncio.get_running_loop().create_future()
    try:
        await _put(editor, {"question": question, "client": client, "kind": kind}, text)
        with contextlib.suppress(TimeoutError):
            return _known(await asyncio.wait_for(asyncio.shield(answer), _LONGEST))
        return "unanswered"
    finally:
        del editor.questions[question]
        if answer.done():
            answer.exception()  # told already, by the request that failed with it
        else:
            editor.tell("cancel_question", {"questions": [question]})


def _known(answer: str) -> Answer:
    """What is no answer of ours is none: nothing is taken for a yes by accident."""
    return answer if answer in ("once", "always", "no") else "unanswered"  # type: ignore[return-value]  # one of them


async def _put(editor: Editor, params: dict[str, Any], text: str) -> None:
    """Have the editor show the question. It has read a file of text by the time that it answers."""
    try:
        with with_text(editor, {**params, "lines": exact_lines(text)}, "lines") as sent:
            await insist(lambda: editor.request("ask", sent))
    except EditorMethodError as error:
        if error.code != _UNKNOWN_METHOD:
            raise
        raise CommandFailed(
            f"{editor.instance_id} has to ask its user first, and its plugin cannot. Nothing was run. Its user can "
            "update the plugin.",
            kind="refused",
        ) from error
