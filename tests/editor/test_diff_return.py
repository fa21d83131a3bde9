"""However a diff goes, the person is where they were, and their windows are what they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.diffscene import ARRANGEMENTS, Launch, Scene, arrange, quick, start_scene
from tests.support.editors import EditorHome
from tests.support.rawhub import RawHub


@pytest.fixture
def scene(raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str) -> Scene:
    """An editor that diffs are shown in."""
    return start_scene(raw_hub, home, launch, tmp_path, kind)


OPTIONS = {
    "as they are": "",
    "noequalalways": "set noequalalways",
    "splits elsewhere": "set splitright splitbelow",
    "nohidden": "set nohidden",
    "no tab line": "set showtabline=0",
    "a tab line": "set showtabline=2",
    "no status lines": "set laststatus=0",
    "one status line": "set laststatus=1",
    "an accordion": "set winheight=12 winwidth=60 winminheight=2 winminwidth=5",
    "cramped": "set winheight=4 winwidth=15 winminheight=4 winminwidth=15",
}

GO_RIGHT = "call vim_mcp#diff_windows#goto(g:diffs[-1][1])"
GO_LEFT = "call win_gotoid(g:diffs[-1][1].windows[0])"
CLOSE = "for w in copy(g:diffs[-1][1].windows) | if win_id2win(w) | exe win_id2win(w) .. 'close!' | endif | endfor"

CLOSINGS = {
    "from elsewhere": "",
    "in it": GO_RIGHT,
    "closing the right side": f"{GO_RIGHT} | set nomodified | close",
    "closing the left side": f"{GO_LEFT} | close",
    "closing both": f"{GO_LEFT} | close | {GO_RIGHT} | set nomodified | close",
    "closing both from elsewhere": f"if tabpagenr('$') > 1 | tabclose 2 | else | {CLOSE} | endif",
    "walking about in it": f"{GO_RIGHT} | {GO_LEFT} | {GO_RIGHT} | {GO_LEFT} | wincmd p | wincmd p",
    "another file in it": f"{GO_LEFT} | edit other.txt | set bufhidden=wipe | close",
    "splitting it": f"{GO_RIGHT} | split | vsplit | {GO_LEFT} | split",
    "moving it to a tab page": f"{GO_RIGHT} | split | wincmd T",
    "turning the diff off": f"{GO_RIGHT} | diffoff!",
    "a help in it": f"{GO_RIGHT} | help | set bufhidden=wipe | quit",
}


@pytest.mark.parametrize("arrangement", quick(ARRANGEMENTS, "alone", "beside Claude"))
@pytest.mark.parametrize("options", quick(OPTIONS, "as they are", "nohidden"))
@pytest.mark.parametrize("front", [True, False])
@pytest.mark.requirement("IDE-SHOW-03")
def test_all_is_as_it_was(scene: Scene, front: bool, options: str, arrangement: str) -> None:
    scene.do(*filter(None, [OPTIONS[options]]), f"let g:vim_mcp_diff_focus = '{'always' if front else 'never'}'")
    arrange(scene, arrangement)
    scene.do("normal! 33Gzb2zh7|", "redraw")
    shape = scene.shape()
    assert scene.open() is front
    scene.terminal.wait_screen(lambda text: ("line 20 new" in text) is (front or "Claude" in arrangement))
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()


@pytest.mark.parametrize("arrangement", quick(["alone", "split", "beside Claude"], "alone"))
@pytest.mark.parametrize("closing", CLOSINGS)
@pytest.mark.parametrize("front", [True, False])
@pytest.mark.requirement("IDE-SHOW-03")
def test_all_is_as_it_was_however_it_goes(scene: Scene, front: bool, closing: str, arrangement: str) -> None:
    scene.do(f"let g:vim_mcp_diff_focus = '{'always' if front else 'never'}'")
    arrange(scene, arrangement)
    scene.do("normal! 33Gzb2zh7|", "redraw")
    shape = scene.shape()
    assert scene.open() is front
    scene.do(*filter(None, CLOSINGS[closing].split(" | ")))
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()


@pytest.mark.parametrize("arrangement", ["alone", "split", "tabs"])
@pytest.mark.parametrize("place", ["zt", "zz"])
@pytest.mark.requirement("IDE-SHOW-03")
def test_the_text_stays_where_it_is_while_a_diff_waits(scene: Scene, arrangement: str, place: str) -> None:
    scene.do("let g:vim_mcp_diff_focus = 'never'")
    arrange(scene, arrangement)
    scene.type(f"40G{place}")
    scene.wait("line('.')", 40)
    scene.run("echo")
    seen = scene.value("[line('w0'), line('.')]")
    scene.open()
    assert scene.value("[line('w0'), line('.')]") == seen
    scene.run("echo")
    assert scene.value("[line('w0'), line('.')]") == seen


@pytest.mark.parametrize("arrangement", ["split", "beside Claude", "Claude, a tree and a list"])
@pytest.mark.requirement("IDE-SHOW-03")
def test_it_goes_while_the_person_is_in_another_tab_page(scene: Scene, arrangement: str) -> None:
    scene.do("let g:vim_mcp_diff_focus = 'never'")
    arrange(scene, arrangement)
    scene.do("normal! 33Gzb2zh7|", "redraw")
    shape = scene.shape()
    scene.open()
    scene.do("tabnew", "set bufhidden=wipe")
    scene.close()
    assert scene.value("[&bufhidden, tabpagenr('$')]") == ["wipe", 2]
    scene.do("tabclose", "redraw")
    assert scene.shape().items() ^ shape.items() == set()


@pytest.mark.parametrize("current", [GO_RIGHT, GO_LEFT])
@pytest.mark.requirement("IDE-SHOW-03")
def test_the_persons_window_beside_it_stays_in_its_tab_page(scene: Scene, current: str) -> None:
    """And the editor is alive, though it is the tab page's current window that was closed from another one."""
    scene.do("let g:vim_mcp_diff_focus = 'always'")
    scene.open()
    scene.do(f"{GO_RIGHT} | new", current, "tabfirst")
    scene.close()
    assert scene.value("[tabpagenr(), tabpagenr('$'), tabpagewinnr(2, '$')]") == [1, 2, 1]
    scene.do("tabnext")
    assert scene.value("[bufname('%'), &diff]") == ["", 0]


@pytest.mark.requirement("IDE-SHOW-03")
def test_when_all_else_is_closed_the_persons_file_is_shown(scene: Scene) -> None:
    scene.do("let g:vim_mcp_diff_focus = 'always'", "set number")
    scene.open()
    scene.do("tabonly")
    scene.close()
    assert scene.value("[tabpagenr('$'), winnr('$'), bufname('%')]") == [1, 1, "one.txt"]
    assert scene.value("[&diff, &scrollbind, &cursorbind, &foldmethod, &wrap, &number]") == [0, 0, 0, "manual", 1, 1]
    assert scene.value("[exists('w:vim_mcp_diff_title'), &l:statusline]") == [0, ""]
