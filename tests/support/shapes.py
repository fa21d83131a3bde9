"""Whether JSON has the shape of the protocol's types (vim_mcp.editor.vocabulary)."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict


def faults(value: Any, hint: Any, place: str = "") -> Iterator[str]:
    """What is not as the type says, each with its place; fields that it does not know are faults too."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        yield from _object_faults(value, hint, place)
    elif origin is NotRequired:
        yield from faults(value, arguments[0], place)
    elif origin is Literal:
        yield from [] if value in arguments else [f"{place}: {value!r} is none of {arguments}"]
    elif origin is list and isinstance(value, list):
        for index, item in enumerate(value):
            yield from faults(item, arguments[0], f"{place}[{index}]")
    elif origin is types.UnionType:
        yield from [] if any(not list(faults(value, each)) for each in arguments) else [f"{place}: {value!r}"]
    elif hint is not Any and not (isinstance(value, origin or hint) and isinstance(value, bool) <= (hint is bool)):
        yield f"{place}: {value!r} is no {hint}"


def _object_faults(value: Any, hint: Any, place: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{place}: {value!r} is no object"
        return
    hints = get_type_hints(hint, include_extras=True)
    yield from (f"{place}.{name} is missing" for name in sorted(required(hint) - value.keys()))
    yield from (f"{place}.{name} is not known" for name in sorted(value.keys() - hints.keys()))
    for name in value.keys() & hints.keys():
        yield from faults(value[name], hints[name], f"{place}.{name}")


def required(hint: Any) -> set[str]:
    """The fields that an object must have (`__required_keys__` does not know them where annotations are strings)."""
    hints = get_type_hints(hint, include_extras=True)
    return {name for name, field in hints.items() if get_origin(field) is not NotRequired}
