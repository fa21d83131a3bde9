"""README's pictures show what is on the screen today: taken anew, they say the same but for numbers and a directory."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from dev.screenshots import IMAGES, SCENES, take
from tests.support.editors import find

REMEDY = "`make pictures` takes them again"


def words(svg: str) -> str:
    """What a picture says, without what differs from run to run: process ids, ports, times, a temporary directory."""
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    text = re.sub(r"/\S*/run/", "", html.unescape("".join(texts)))
    return re.sub(r"[\s\d]+", "", text)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
def test_it_is_what_the_screen_shows(name: str, tmp_path: Path) -> None:
    if not all(map(find, ("vim", "nvim"))):
        pytest.skip("the pictures are of Vim and of Neovim, and one of them is missing")
    assert words(take(name, tmp_path)) == words((IMAGES / f"{name}.svg").read_text()), REMEDY
