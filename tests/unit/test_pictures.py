"""README's pictures: what a screen holds is in them, in its colours, and there is one for each place."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pyte

from dev.svg import HEIGHT, WIDTH, picture
from tests.support.editors import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def drawn(text: str) -> list[tuple[str, dict[str, str]]]:
    """What is written in the picture of a small screen that was fed `text`, with its attributes."""
    screen = pyte.Screen(20, 2)
    pyte.Stream(screen).feed(text)
    rows = [[screen.buffer[y][x] for x in range(20)] for y in range(2)]
    root = ElementTree.fromstring(picture(rows, None, "a <title>"))
    return [(node.text or "", node.attrib) for node in root.iter(f"{SVG}text")][1:]


def test_text_stands_where_its_cells_are() -> None:
    (first, at), (second, below) = drawn("  a<b & c\r\n\x1b[1;31mbold\x1b[0m")
    assert (first, second) == ("a<b & c", "bold")
    assert float(at["x"]) - float(below["x"]) == 2 * WIDTH
    assert float(below["y"]) - float(at["y"]) == HEIGHT
    assert at["textLength"] == str(7 * WIDTH)
    assert below["font-weight"] == "bold"
    assert below["fill"] != at["fill"]


def test_reversed_cells_change_their_colours() -> None:
    (_, plain), (_, reversed_) = drawn("ab\x1b[7mcd")
    assert plain["fill"] != reversed_["fill"]


def test_every_picture_is_shown_and_every_shown_one_is_there() -> None:
    shown = re.findall(r"!\[[^]]+\]\((docs/images/\w+\.svg)\)", (ROOT / "README.md").read_text())
    there = [str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "images").glob("*")]
    assert sorted(shown) == sorted(there)
    for path in there:
        ElementTree.parse(ROOT / path)
