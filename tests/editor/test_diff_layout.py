"""Where a diff opens and what is seen of it: beside Claude's terminal or in a tab page, never in somebody's window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.diffscene import Launch, Scene, arrange, start_scene
from tests.support.editors import EditorHome
from tests.support.rawhub import EditorError, RawHub

LEFT, RIGHT = "calc.py as it is", "Claude: calc.py"


@pytest.fixture
def scene(
    request: pytest.FixtureRequest, raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str
) -> Scene:
    """An editor that diffs are shown in, which brings none to the front; parametrize it by its rows and columns."""
    scene = start_scene(raw_hub, home, launch, tmp_path, kind, getattr(request, "param", (30, 120)))
    scene.do("let g:vim_mcp_diff_focus = 'never'")
    return scene


def titles(screen: str) -> list[tuple[str, int, int]]:
    """Which side's title stands where: (its text, row, column), both 0-based."""
    rows = screen.split("\n")
    return [(text, y, row.index(text)) for y, row in enumerate(rows) for text in (LEFT, RIGHT) if text in row]


def look(scene: Scene) -> list[tuple[str, int, int]]:
    """Go to a diff's tab page and wait until both titles can be seen."""
    scene.do("call vim_mcp#diff_windows#goto(g:diffs[-1][1])", "redraw")
    if scene.kind == "nvim07":  # its only status line is the current window's
        scene.do("set laststatus=2", "redraw")
    return titles(scene.terminal.wait_screen(lambda screen: len(titles(screen)) == 2))


@pytest.mark.parametrize("layout", ["vertical", "horizontal", "tab"])
@pytest.mark.requirement("IDE-SHOW-01")
def test_a_tab_page_of_its_own(scene: Scene, layout: str) -> None:
    scene.do(f"let g:vim_mcp_diff_layout = '{layout}'")
    assert not scene.open()
    assert scene.value("tabpagenr('$')") == 2
    [(first, row, column), (second, below, right)] = look(scene)
    assert {first, second} == {LEFT, RIGHT}
    assert (row < below, column == right) == ((True, True) if layout == "horizontal" else (False, False))


@pytest.mark.parametrize("layout", ["vertical", "horizontal", "tab"])
@pytest.mark.parametrize("scene", [(40, 200), (30, 120), (24, 80)], indirect=True)
@pytest.mark.requirement("IDE-SHOW-01")
def test_beside_the_terminal_that_is_the_only_window(scene: Scene, layout: str) -> None:
    scene.do(f"let g:vim_mcp_diff_layout = '{layout}'", "{terminal}")
    terminal = scene.value("win_getid()")
    scene.open()
    assert scene.value("tabpagenr('$')") == (2 if layout == "tab" else 1)
    assert scene.value("win_getid()") == terminal
    columns, rows = scene.value("[&columns, &lines]")
    width, height = scene.value("[winwidth(0), winheight(0)]")
    if layout != "tab":
        assert width >= 40
        assert height >= rows // 3
        sides = scene.value("map(copy(g:diffs[-1][1].windows), '[winwidth(v:val), winheight(v:val)]')")
        assert min(side[0] for side in sides) >= 35
        assert min(side[1] for side in sides) >= 5
        assert width < columns - 35 or height < rows * 2 // 3


@pytest.mark.parametrize("fixed", ["winfixwidth", "winfixheight", "winfixbuf"])
@pytest.mark.requirement("IDE-SHOW-01")
def test_other_windows_are_left_alone(scene: Scene, fixed: str) -> None:
    arrange(scene, "Claude, a tree and a list")
    if scene.value(f"exists('+{fixed}')"):
        scene.do(f"windo setlocal {fixed}", "1wincmd w")
    windows = 'filter(getwininfo(), \'getbufvar(v:val.bufnr, "&buftype") !=# ""\')'
    places = f"map({windows}, '[v:val.bufnr, v:val.width, v:val.wincol]')"
    before = scene.value(places + "[0:-1]")
    scene.open()
    there = scene.value(places)
    assert [window for window in before if window not in there] == []
    scene.terminal.wait_screen("line 20 new")
    assert scene.value("tabpagenr('$')") == 1
    scene.close()


@pytest.mark.requirement("IDE-SHOW-01")
def test_beside_the_terminal_only_with_a_tree(scene: Scene) -> None:
    scene.do("{terminal}", "Lexplore", "vertical resize 20", "wincmd p")
    tree, terminal = scene.value("[win_getid(1), win_getid(2)]")
    assert scene.value("winbufnr(2) == bufnr('%')")
    scene.open()
    scene.terminal.wait_screen("line 20 new")
    assert scene.value("tabpagenr('$')") == 1
    assert scene.value(f"[winwidth({tree}), win_getid()]") == [20, terminal]


@pytest.mark.parametrize("name", ["a shell", "titled"])
@pytest.mark.requirement("IDE-SHOW-01")
def test_a_shell_is_no_terminal_of_claudes_until_claude_runs_in_it(scene: Scene, name: str) -> None:
    shell = "sh" if name == "a shell" else "printf '\\033]2;\\342\\234\\263 Mend it\\007'; exec cat"
    run = "call term_start({argv}, {{'curwin': 1}})" if scene.kind == "vim" else "enew | call termopen({argv})"
    argv = "['sh', '-c', '" + shell.replace("'", "''") + "']"
    scene.do("split", *run.format(argv=argv).split(" | "), "wincmd p")
    if name == "titled":
        title = "term_gettitle(winbufnr(1))" if scene.kind == "vim" else "getbufvar(winbufnr(1), 'term_title')"
        scene.wait(title, "\u2733 Mend it")
    scene.open()
    assert scene.value("tabpagenr('$')") == (2 if name == "a shell" else 1)


@pytest.mark.parametrize("own", ["diffthis", "setlocal scrollbind", "setlocal cursorbind"])
@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.requirement("IDE-SHOW-01")
def test_what_the_person_compares_is_theirs(scene: Scene, own: str, elsewhere: bool) -> None:
    scene.value("DiffMade()")
    arrange(scene, "beside Claude")
    if elsewhere:
        scene.do("tabnew", "call setline(1, map(range(1, 60), '\"other \" . v:val'))")
    scene.do("split", f"windo if &buftype !=# 'terminal' | {own} | endif", "1wincmd w")
    scene.type("30G")
    scene.wait("line('.')", 30)
    scene.run("tabfirst")
    options = "map(getwininfo(), '[gettabwinvar(v:val.tabnr, v:val.winnr, \"&diff\"), v:val.topline]')"
    before = scene.value(options)
    scene.open()
    assert scene.value("tabpagenr('$')") == 2
    scene.do("call vim_mcp#diff_windows#goto(g:diffs[-1][1])", "normal! G", "normal! gg", "redraw")
    scene.close()
    assert scene.value(options) == before


@pytest.mark.parametrize("scene", [(6, 30), (4, 12), (3, 12), (24, 12), (3, 80)], indirect=True)
@pytest.mark.parametrize("layout", ["vertical", "horizontal"])
@pytest.mark.parametrize("where", ["alone", "beside Claude"])
@pytest.mark.requirement("IDE-SHOW-01")
def test_on_a_tiny_screen(scene: Scene, layout: str, where: str) -> None:
    scene.do(f"let g:vim_mcp_diff_layout = '{layout}'")
    if where == "beside Claude":
        scene.do("{terminal}")
    scene.value("DiffMade()")
    before = scene.shape()
    if scene.kind != "vim" and scene.value("&lines") < 5:  # a tab page needs more there
        with pytest.raises(EditorError, match=r"vim-mcp-later.*E36"):
            scene.open()
    else:
        scene.open()
        assert scene.value("len(win_findbuf(g:diffs[-1][1].right))") == 1
        scene.close()
    after = scene.shape()
    assert {path: after[path] for path in after if "/buffers/" not in path}.items() <= before.items()


QUIET = "Cmd$|^Func|^Source|Cmdline|Changed|Cursor|Safe|Search|User|Option|Diff|Syntax|Scrolled|Resized|ModifiedSet"
"""Events of other things, and those that come by themselves when windows are drawn."""


@pytest.mark.parametrize("where", ["alone", "split", "beside Claude"])
@pytest.mark.parametrize("front", [True, False])
@pytest.mark.requirement("IDE-SHOW-01")
def test_the_persons_autocommands_do_not_hear_of_it(scene: Scene, where: str, front: bool) -> None:
    arrange(scene, where)
    events = [event for event in scene.value("getcompletion('', 'event')") if not re.search(QUIET, event)]
    assert {"BufEnter", "WinEnter", "WinNew", "BufWinEnter", "TabNew", "WinLeave"} <= set(events)
    scene.do(
        f"let g:vim_mcp_diff_focus = '{'always' if front else 'never'}'", "let g:heard = []", "augroup heard",
        *(f"autocmd {event} * call add(g:heard, '{event}')" for event in events), "augroup END",
    )  # fmt: skip
    scene.value("DiffMade()")
    scene.do("let g:heard = []")
    assert scene.open() is front
    heard = scene.value("g:heard")
    scene.do("let g:heard = []")
    scene.close()
    assert [heard, scene.value("g:heard")] == [[], []]


@pytest.mark.requirement("IDE-SHOW-01")
def test_windows_have_the_persons_taste(scene: Scene) -> None:
    arrange(scene, "beside Claude")
    scene.do("set number list cursorline", "setlocal nonumber nolist statusline=mine winfixheight nowrap")
    scene.do("setlocal foldcolumn=5 colorcolumn=3", "wincmd b", "setlocal statusline=terminal", "1wincmd w")
    scene.open()
    windows = scene.value("g:diffs[-1][1].windows")
    for window in windows:
        for option, value in {"number": 1, "list": 1, "cursorline": 1, "winfixheight": 0, "colorcolumn": ""}.items():
            assert scene.value(f"getwinvar({window}, '&{option}')") == value, option
        for option in ("diff", "scrollbind", "cursorbind", "foldenable"):
            assert scene.value(f"getwinvar({window}, '&{option}')") == 1, option
    assert scene.value("[&number, &statusline, &foldcolumn]") in ([0, "mine", 5], [0, "mine", "5"])
