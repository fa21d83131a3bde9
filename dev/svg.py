"""A terminal's screen as an SVG picture, cell by cell, so that it looks the same with every font."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from xml.sax.saxutils import escape

WIDTH, HEIGHT, SIZE = 8, 17, 13
"""Of a cell, and of its letters, in pixels."""
_MARGIN, _BAR = 12, 28
_TEXT, _GROUND = "d4d4d4", "1e1e2a"
"""Of a terminal that says nothing of colours."""
_COLOURS = {
    "black": "21222c", "red": "e06c75", "green": "98c379", "brown": "e5c07b", "blue": "61afef", "magenta": "c678dd",
    "cyan": "56b6c2", "white": "d4d4d4", "brightblack": "6b7080", "brightred": "ff8087", "brightgreen": "b5e890",
    "brightbrown": "ffd787", "brightblue": "82c7ff", "brightmagenta": "e09cf0", "brightcyan": "7fd6e2",
    "brightwhite": "ffffff",
}  # fmt: skip
_BUTTONS = ("ff5f57", "febc2e", "28c840")


@dataclass(frozen=True)
class Style:
    """How a run of cells looks: colours as `rrggbb`."""

    text: str
    ground: str
    bold: bool
    italic: bool
    underlined: bool


def picture(rows: Sequence[Sequence[Any]], cursor: tuple[int, int] | None, title: str) -> str:
    """The picture of a screen: rows of pyte's characters, the cursor's 0-based row and column (None: there is none)."""
    ground = _most(rows)
    width, height = len(rows[0]) * WIDTH + 2 * _MARGIN, len(rows) * HEIGHT + _MARGIN + _BAR
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="{SIZE}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="#{ground}"/>',
        *(f'<circle cx="{16 + 16 * i}" cy="14" r="5" fill="#{colour}"/>' for i, colour in enumerate(_BUTTONS)),
        f'<text x="{width / 2:g}" y="18" text-anchor="middle" fill="#9a9aa8">{escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        at = cursor[1] if cursor and cursor[0] == number else None
        parts += _row(row, _BAR + number * HEIGHT, at, ground)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _most(rows: Sequence[Sequence[Any]]) -> str:
    """The ground that most cells have: an editor does not give its own to those that it only erases."""
    grounds = Counter(cell.bg for row in rows for cell in row if cell.bg != "default")
    return _colour(grounds.most_common(1)[0][0], _GROUND) if grounds else _GROUND


def _row(row: Sequence[Any], top: int, cursor: int | None, ground: str) -> Iterator[str]:
    cells = [(column, cell, _style(cell, column == cursor, ground)) for column, cell in enumerate(row)]
    for style, run in groupby(cells, key=lambda cell: cell[2]):
        found = list(run)
        left, text = _MARGIN + found[0][0] * WIDTH, "".join(cell.data for _, cell, _ in found)
        if style.ground != ground:
            yield f'<rect x="{left}" y="{top}" width="{len(found) * WIDTH}" height="{HEIGHT}" fill="#{style.ground}"/>'
        lead = len(text) - len(text.lstrip())
        if text := text.strip():
            yield _text(text, left + lead * WIDTH, top, style)


def _text(text: str, left: int, top: int, style: Style) -> str:
    looks = [
        ' font-weight="bold"' if style.bold else "", ' font-style="italic"' if style.italic else "",
        ' text-decoration="underline"' if style.underlined else "",
    ]  # fmt: skip
    length = f'textLength="{len(text) * WIDTH}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"'
    return f'<text x="{left}" y="{top + 13}" fill="#{style.text}" {length}{"".join(looks)}>{escape(text)}</text>'


def _style(cell: Any, is_cursor: bool, ground: str) -> Style:
    text, behind = _colour(cell.fg, _TEXT), _colour(cell.bg, ground)
    if bool(cell.reverse) != is_cursor:
        text, behind = behind, text
    return Style(text, behind, cell.bold, cell.italics, cell.underscore)


def _colour(name: str, default: str) -> str:
    return default if name == "default" else _COLOURS.get(name, name)
