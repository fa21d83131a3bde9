"""Questions to the person as a hub puts them, and the screen on which they are seen."""

from __future__ import annotations

import threading
import time
from typing import Any

from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor

Scene = tuple[Terminal, RawEditor]


def ask(link: RawEditor, *lines: str, question: str = "q1", client: str = "claude-code", **more: Any) -> None:
    """Put a question about an Ex command."""
    link.request("ask", **{"question": question, "client": client, "kind": "execute", "lines": list(lines), **more})


def answered(link: RawEditor) -> tuple[str, str]:
    """Wait for the next answer: the question and what was said."""
    message = link.event("answer")
    return message["question"], message["answer"]


def seen(terminal: Terminal, *texts: str) -> str:
    """Wait until all of it is on the screen."""
    return terminal.wait_screen(lambda screen: all(text in screen for text in texts))


QUESTION = "claude-code asks: may it run this Ex command?"
QUESTION_OF_CODE = "asks: may it run this code?"
GONE = "asks: may it"


def gone(terminal: Terminal) -> None:
    """Wait until no question is on the screen."""
    terminal.wait_screen(lambda screen: GONE not in screen)


def at_50_a_second(terminal: Terminal, keys: str) -> threading.Thread:
    """Begin to type so many keys a second."""

    def type_them() -> None:
        for key in keys:
            terminal.type(key)
            time.sleep(1 / 50)

    thread = threading.Thread(target=type_them)
    thread.start()
    return thread
