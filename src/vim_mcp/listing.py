"""Tools, resources and results as a person reads them in a terminal. Pure; standard library only."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from typing import Any

_WIDTH = 100


def blocks(result: dict[str, Any]) -> Iterator[str]:
    """The content of a tool's result: text as it is, JSON indented, of an image what it is."""
    for block in result.get("content", ()):
        if block["type"] != "text":
            yield f"[{block['type']}: {block.get('mimeType', 'unknown')}; --json has it]"
        else:
            yield _readable(block["text"], result.get("structuredContent"))


def _readable(text: str, structured: Any) -> str:
    """The text, indented where it is the structured result once more."""
    try:
        is_json = structured is not None and json.loads(text) == structured
    except ValueError:
        is_json = False
    return json.dumps(structured, indent=2, ensure_ascii=False) if is_json else text


def content(piece: dict[str, Any]) -> str:
    """One piece of a resource: text as it is, JSON indented."""
    if piece.get("mimeType") != "application/json":
        return str(piece["text"])
    return json.dumps(json.loads(piece["text"]), indent=2, ensure_ascii=False) + "\n"


def resources(listed: list[dict[str, Any]]) -> Iterator[str]:
    """A line for each resource and template."""
    named = [(entry.get("uri") or entry["uriTemplate"], entry["description"]) for entry in listed]
    width = max(len(uri) for uri, _ in named) + 2
    for uri, text in named:
        yield from _hung(uri.ljust(width), text)


def tools(listed: list[dict[str, Any]]) -> Iterator[str]:
    """For each tool its name, title and arguments; the optional ones in brackets."""
    width = max(len(tool["name"]) for tool in listed) + 2
    for tool in listed:
        yield f"{tool['name'].ljust(width)}{tool['title']}"
        signature = " ".join(_argument(tool["inputSchema"], name) for name in tool["inputSchema"]["properties"])
        yield from _hung(" " * width, signature) if signature else ()


def _argument(schema: dict[str, Any], name: str) -> str:
    return f"{name}=" if name in schema.get("required", ()) else f"[{name}=]"


def explained(tool: dict[str, Any]) -> Iterator[str]:
    """All that a tool says of itself."""
    yield f"{tool['name']}: {tool['title']}"
    yield ""
    yield from textwrap.wrap(tool["description"], _WIDTH)
    properties = tool["inputSchema"]["properties"]
    width = max(map(len, properties), default=0) + 2
    if properties:
        yield ""
    for name, schema in properties.items():
        about = [_allowed(schema), *_default(schema), schema.get("description", "")]
        required = "required" if name in tool["inputSchema"].get("required", ()) else ""
        yield from _hung(f"  {name.ljust(width)}", "; ".join(filter(None, [required, *about])))


def _allowed(schema: dict[str, Any]) -> str:
    """The values of an enumeration, else the types."""
    return ", ".join(map(str, schema["enum"])) if "enum" in schema else " or ".join(types(schema))


def _default(schema: dict[str, Any]) -> list[str]:
    value = schema.get("default")
    return [] if value is None else [f"default {json.dumps(value)}"]


def types(schema: dict[str, Any]) -> list[str]:
    """The types that a JSON schema's property allows, `null` left out."""
    alternatives = schema.get("anyOf", [schema])
    found = [entry.get("type", "string") for entry in alternatives]
    return [name for name in dict.fromkeys(found) if name != "null"]


def _hung(head: str, text: str) -> list[str]:
    """The text beside its head, later lines below its first."""
    wrapped = textwrap.wrap(text, max(_WIDTH - len(head), 30)) or [""]
    return [f"{head}{wrapped[0]}".rstrip(), *(" " * len(head) + line for line in wrapped[1:])]
