"""Settings that the user has not made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.editor.test_lifecycle import _refusing_listener, _wait_info
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawHub


@pytest.mark.slow
@pytest.mark.requirement("VIM-CFG-06", "VIM-CONN-07", "VIM-ERR-03")
@pytest.mark.parametrize("kind", ["vim", "nvim"], indirect=True)
def test_a_lost_hub_is_dialled_every_five_seconds(
    raw_hub: RawHub, launch: Callable[..., Terminal], home: EditorHome, inside: Inside
) -> None:
    home.add("let g:vim_mcp_command = ['true']")
    terminal = launch()
    raw_hub.editor()
    raw_hub.close()
    with _refusing_listener(raw_hub.path) as calls:
        _wait_info(inside, terminal, lambda info: info["tries"] >= 5)
        longest = max(later - earlier for earlier, later in pairwise(calls))
    assert 4.9 < longest < 8
