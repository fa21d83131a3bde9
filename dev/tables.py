"""What is made from the code and the help page, so that it is written once: README's tables, what completion offers.

Usage: python -m dev.tables        writes them
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dev.between import replaced
from vim_mcp.session.resources import RESOURCES, TEMPLATES
from vim_mcp.tools.base import Tool
from vim_mcp.tools.table import TOOLS

ROOT = Path(__file__).resolve().parents[1]
OFFERED = ROOT / "src" / "vim_mcp" / "offered.py"
README = ROOT / "README.md"
HELP = ROOT / "doc" / "vim-mcp.txt"
CHOICES = ROOT / "autoload" / "vim_mcp" / "choices.vim"


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


# README


def with_tables(page: str) -> str:
    """README with its tables as they have to be now; each stands between two comments that name it."""
    for name, rows in (("tools", _tools()), ("resources", _resources()), ("settings", _settings(HELP.read_text()))):
        page = replaced(page, f"<!-- {name}: made by dev/tables.py -->\n", "".join(rows), f"<!-- /{name} -->")
    return page


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _tools() -> Iterator[str]:
    yield "| tool | what it does | arguments |\n|---|---|---|\n"
    for tool in TOOLS.values():
        required = tool.schema.get("required", ())
        given = [f"`{name}`" if name in required else f"[`{name}`]" for name in tool.schema["properties"]]
        named = " ".join(name for name in given if name != "[`instance_id`]")
        yield _row(f"`{tool.name}`", re.split(r"[.:] ", tool.description)[0], named)


def _resources() -> Iterator[str]:
    yield "| resource | what it holds |\n|---|---|\n"
    for resource in (*RESOURCES, *TEMPLATES):
        yield _row(f"`{resource.uri}`", resource.description)


_SETTING = re.compile(r"^\*g:vim_mcp_(\w+)\*\s+\((default[^)]*|no default)\)\n((?:\t.*\n)+)", re.MULTILINE)


def _settings(page: str) -> Iterator[str]:
    yield "| setting | default | |\n|---|---|---|\n"
    section = page.partition("*vim-mcp-settings*")[2].partition("\n====")[0]
    for name, default, text in _SETTING.findall(section):
        value = re.sub(r"^default:? |^no default$", "", " ".join(default.split()))
        opening = _opening(text)
        choices = [] if '"' in opening else map(_quoted, _choices(name))
        named = ": ".join(filter(None, [_marked_up(opening), ", ".join(choices)]))
        yield _row(f"`g:vim_mcp_{name}`", _marked_up(value), named)


def _opening(text: str) -> str:
    """The first sentence of a setting's text, or what stands before its list of values."""
    return " ".join(re.split(r"(?<=\.)\s|:\n\t\"", text.strip())[0].split()).rstrip(".")


def _choices(name: str) -> list[str]:
    """The values among which a setting chooses, where it does."""
    found = re.search(rf"^ +\\ '{name}': \[(.*)\]", CHOICES.read_text(), re.MULTILINE)
    return re.findall(r"'(\w+)'", found[1]) if found else []


def _quoted(value: str) -> str:
    return f"`'{value}'`"


def _marked_up(text: str) -> str:
    """Help text as Markdown: links, options and values as code."""
    text = re.sub(r"\|([^|]+)\|", _link, text)
    text = re.sub(r'"([^"`]*)"', lambda found: _quoted(found[1]), text)
    return re.sub(r"^(\d+)(?=$|:|,)", r"`\1`", text)


def _link(found: re.Match[str]) -> str:
    tag = found[1]
    if tag.startswith("vim-mcp"):
        return f"`:help {tag}`"
    return f"`{tag}`" if tag.startswith((":", "g:", "'", "$")) else tag


def main() -> int:
    """Write everything."""
    README.write_text(with_tables(README.read_text()))
    OFFERED.write_text(offered())
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", OFFERED], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
