"""What is made from the code and the help page, so that it is written once: tables of README and of completion.

Usage: python dev/tables.py        writes them
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vim_mcp.session.resources import RESOURCES
from vim_mcp.tools.base import Tool
from vim_mcp.tools.table import TOOLS

ROOT = Path(__file__).resolve().parents[1]
OFFERED = ROOT / "src" / "vim_mcp" / "offered.py"


def offered() -> str:
    """The module that completion takes names from."""
    tools, resources = offered_tools(), offered_resources()
    return (
        '"""What completion offers: made by dev/tables.py from the tools and resources, since those load slowly."""\n\n'
        "from __future__ import annotations\n\n"
        f"TOOLS: dict[str, tuple[str, dict[str, tuple[str, ...]]]] = {{\n{''.join(_entries(tools))}}}\n"
        '"""Titles by name, with the arguments and, where they are few, their values."""\n\n'
        f"RESOURCES: dict[str, str] = {{\n{''.join(_entries(resources))}}}\n"
    )


def offered_tools() -> dict[str, tuple[str, dict[str, tuple[str, ...]]]]:
    """Titles by name, with the arguments and, where they are few, their values."""
    return {tool.name: (tool.title, _arguments(tool)) for tool in TOOLS.values()}


def offered_resources() -> dict[str, str]:
    """What each resource is, in few words."""
    return {resource.uri: _in_short(resource.description) for resource in RESOURCES}


def _entries(table: dict[str, Any]) -> Iterator[str]:
    for name, value in table.items():
        yield f"    {json.dumps(name)}: {_literal(value)},\n"


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(item)}" for key, item in value.items()) + "}"
    inside = ", ".join(map(_literal, value))
    return f"({inside},)" if len(value) == 1 else f"({inside})"


def _arguments(tool: Tool) -> dict[str, tuple[str, ...]]:
    return {name: tuple(_values(schema)) for name, schema in tool.schema["properties"].items()}


def _values(schema: dict[str, Any]) -> Iterator[str]:
    for alternative in schema.get("anyOf", [schema]):
        yield from alternative.get("enum", ())
        yield from ("true", "false") if alternative.get("type") == "boolean" else ()


def _in_short(text: str) -> str:
    return re.split(r"[.:] | \(", text)[0].rstrip(".")


def main() -> int:
    """Write everything."""
    OFFERED.write_text(offered())
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", OFFERED], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
