"""The reference of docs/protocol.md, made from the types in src/vim_mcp/editor/vocabulary.py.

Usage: python -m dev.protocol        writes it
"""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from dev.between import replaced
from vim_mcp.editor import vocabulary

PROTOCOL = Path(__file__).resolve().parents[1] / "docs" / "protocol.md"
BEGIN, END = "<!-- reference: made by dev/protocol.py -->\n", "<!-- /reference -->"
_NAMES = {int: "integer", str: "string", bool: "boolean", Any: "any", types.NoneType: "null"}


def with_reference(page: str) -> str:
    """The page with the reference as it has to be now. Raises ValueError where it has no place for it."""
    return replaced(page, BEGIN, "".join(reference()), END)


def reference() -> Iterator[str]:
    """Tables of what each side says, and of the objects in it."""
    for title, messages in (
        ("Editor → hub", get_args(vocabulary.FromEditor)), ("Hub → editor", get_args(vocabulary.ToEditor)),
        ("Objects", objects()),
    ):  # fmt: skip
        yield f"### {title}\n| {'object' if title == 'Objects' else 'message'} | fields | |\n|---|---|---|\n"
        yield from map(_row, messages)
        yield "\n"


def objects() -> list[type]:
    """The objects that messages hold: every type that is none itself."""
    messages = {*get_args(vocabulary.FromEditor), *get_args(vocabulary.ToEditor)}
    own = (value for value in vars(vocabulary).values() if is_typeddict(value))
    return [found for found in own if found not in messages]


def _row(message: type) -> str:
    hints = get_type_hints(message, include_extras=True)
    kind = hints.pop("type", None) if get_origin(hints.get("type")) is Literal else None
    name = f"`{get_args(kind)[0]}`" if kind else _called(message)
    fields = ", ".join(f"`{field}{_mark(hint)}`: {shape(hint)}" for field, hint in hints.items())
    meaning = " ".join((inspect.getdoc(message) or "").split())
    return f"| {name} | {fields} | {meaning} |\n"


def _called(message: type) -> str:
    return message.__name__.removesuffix("Object")


def _mark(hint: Any) -> str:
    return "?" if get_origin(hint) is NotRequired else ""


def shape(hint: Any) -> str:
    """A type in JSON's words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return shape(arguments[0])
    if origin is Literal:
        return " \\| ".join(f'`"{value}"`' for value in arguments)
    if origin is list:
        return f"[{shape(arguments[0])}]"
    if origin is dict:
        return "object" if arguments[1] is Any else f"object of {shape(arguments[1])}s"
    if origin is types.UnionType:
        return " \\| ".join(map(shape, arguments))
    return _called(hint) if is_typeddict(hint) else _NAMES[hint]


if __name__ == "__main__":
    PROTOCOL.write_text(with_reference(PROTOCOL.read_text()))
    sys.exit(0)
