"""Lines of megabytes: what is done with them costs what some of Vim's own looks at the line do, and not seconds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside

# What an expression takes, in times that looking once at the first line takes: the least of a few, since others too use
# the machine.
COST = """
function! LongLineTime(Do) abort
  let since = reltime()
  call a:Do()
  return reltimefloat(reltime(since))
endfunction
function! LongLineCost(Do) abort
  let [least, line] = [999, getline(1)]
  for _ in range(4)
    let own = LongLineTime(a:Do)
    let least = min([least, float2nr(10 * own / LongLineTime({-> [strchars(line), strdisplaywidth(line)]}))])
  endfor
  return least / 10.0
endfunction
function! TellCost() abort
  call Tell([mode(), LongLineCost({-> vim_mcp#selection#get_selection({})})])
  return ''
endfunction
xnoremap <expr> Q TellCost()
"""
MOST = 4
"""Times; blocks took 5 to 157 as long as a look at the line where every character of it was looked at by itself, all of
it matched against a pattern, or each side of the block sought from the line's beginning."""
LEAST = 1
"""Times, for what need not look at all of the line: it took 1.2 to 12.6."""


def open_long(home: EditorHome, launch: Callable[..., Terminal], inside: Inside, file: Path, text: str) -> Terminal:
    """An editor on a file whose first line has more than a megabyte."""
    file.write_text(text + "\n")
    home.add("let g:vim_mcp_enabled = 0\nset nowrap\n" + COST)
    terminal = launch("-n", str(file))
    assert inside.value(terminal, "col([1, '$'])") > 1_000_000  # it reads keys now, CTRL-V too
    return terminal


@pytest.mark.requirement("SEL-06")
@pytest.mark.parametrize("text", ["abc de ", "äbc 😀 "])
@pytest.mark.parametrize("keys", ["V", "$v10h", "$\x1610h"])
def test_what_is_selected_in_a_long_line_costs_a_few_looks_at_it(
    home: EditorHome, launch: Callable[..., Terminal], inside: Inside, tmp_path: Path, text: str, keys: str
) -> None:
    terminal = open_long(home, launch, inside, tmp_path / "long.txt", text * 200_000)
    terminal.type(keys + "Q\x1b")
    mode, cost = inside.told()
    assert mode == keys.lstrip("$")[0]
    assert cost < MOST


DONE = {
    "whether :global runs": "vim_mcp#global#runs()",
    "a passage is marked": "[vim_mcp#passage#select([[1, 5], [1, col('$') - 9]]), execute('normal! \\<Esc>')]",
    "a few matches at the end": "vim_mcp#search#search({'pattern': 'Z', 'limit': 30})",
}


@pytest.mark.requirement("LONG-01")
@pytest.mark.parametrize("what", DONE)
def test_what_is_done_in_a_long_line_costs_no_look_at_it(
    home: EditorHome, launch: Callable[..., Terminal], inside: Inside, tmp_path: Path, what: str
) -> None:
    terminal = open_long(home, launch, inside, tmp_path / "long.txt", "abc de " * 200_000 + "Z, " * 20)
    assert inside.value(terminal, f"LongLineCost({{-> {DONE[what]}}})") < LEAST


BLOCKS = ["\x16j40h", "\x1640h", "hh\x16j9h", "\x16j0", "\x16j20000h", "j9h\x16k9h"]
"""Keys from the end of the first of two lines: blocks that can be measured from a place near them, and others."""


@pytest.mark.requirement("SEL-04")
@pytest.mark.parametrize("text", ["abc de ", "äbc 😀 ", "e\u0301😀\t漢字"])
@pytest.mark.parametrize(
    ("option", "times"),
    [("showbreak=+++", 30), *((option, times) for option in ("nowrap", "wrap", "linebreak") for times in (30, 15_000))],
)
def test_a_block_in_a_line_of_many_rows_is_what_the_editor_copies(
    home: EditorHome,
    launch: Callable[..., Terminal],
    inside: Inside,
    tmp_path: Path,
    text: str,
    option: str,
    times: int,
) -> None:
    file = tmp_path / "long.txt"
    file.write_text(f"{text * 2 * times}\n{text * times}x{text * times}\n")
    home.add(f"let g:vim_mcp_enabled = 0\nset {option}\nxnoremap <expr> Q TellBlock()\nfunction! TellBlock() abort")
    home.add("call Tell(vim_mcp#visual#text(vim_mcp#visual#area(), 9, 9999999))\nreturn ''\nendfunction")
    terminal = launch("-n", str(file))
    assert inside.value(terminal, "col([1, '$'])") == len(text.encode()) * 2 * times + 1
    for keys in BLOCKS:
        terminal.type("gg$" + keys + "Qy")
        told = [line.rstrip(" ") for line in inside.told()]
        assert told == [line.rstrip(" ") for line in inside.value(terminal, "getreg('\"', 1, 1)")], keys
