"""Lines of megabytes: what is selected in them is told at a cost that Vim's own looks at the line have too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside

# In the moment of the key Q: what telling the selection takes, in times that looking once at the line takes.
COST = """
function! LongLineCost() abort
  call vim_mcp#selection#get_selection({})
  let [line, whole] = [getline(1), reltime()]
  let looks = [strchars(line), strdisplaywidth(line)]
  let [whole, own] = [reltimefloat(reltime(whole)), reltime()]
  call vim_mcp#selection#get_selection({})
  call Tell([mode(), reltimefloat(reltime(own)) / whole])
  return ''
endfunction
xnoremap <expr> Q LongLineCost()
"""
MOST = 60
"""Times; it was 76 to 157 with every character of the line looked at by itself, or all matched against a pattern."""


@pytest.mark.requirement("SEL-06")
@pytest.mark.parametrize("text", ["abc de ", "äbc 😀 "])
@pytest.mark.parametrize("keys", ["V", "$v10h", "$\x1610h"])
def test_what_is_selected_in_a_long_line_costs_a_few_looks_at_it(
    home: EditorHome, launch: Callable[..., Terminal], inside: Inside, tmp_path: Path, text: str, keys: str
) -> None:
    file = tmp_path / "long.txt"
    file.write_text(text * 200_000 + "\n")
    home.add("let g:vim_mcp_enabled = 0\nset nowrap\n" + COST)
    terminal = launch("-n", str(file))
    assert inside.value(terminal, "col([1, '$'])") > 1_000_000  # it reads keys now, CTRL-V too
    terminal.type(keys + "Q\x1b")
    mode, cost = inside.told()
    assert mode == keys.lstrip("$")[0]
    assert cost < MOST
