"""Where a diff is seen: its windows come and go without disturbing whoever types, and all is as it was afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.diffscene import ARRANGEMENTS, Launch, Scene, arrange, quick, start_scene
from tests.support.editors import EditorHome
from tests.support.rawhub import EditorError, RawHub
from tests.support.waiting import wait_until


@pytest.fixture
def scene(raw_hub: RawHub, home: EditorHome, launch: Launch, tmp_path: Path, kind: str) -> Scene:
    """An editor that diffs are shown in."""
    return start_scene(raw_hub, home, launch, tmp_path, kind)


def rows(screen: str) -> list[str]:
    """A screen without its last row, where messages come and go."""
    return screen.split("\n")[:-1]


@pytest.mark.requirement("IDE-SHOW-02")
def test_a_person_at_rest_is_led_to_it(scene: Scene) -> None:
    scene.type("30Gzt20|")
    scene.run("echo")
    scene.rest()
    shape, screen = scene.shape(), scene.terminal.text()
    assert scene.open()
    scene.terminal.wait_screen("line 20 new", "Claude: calc.py  [:w accepts, :q rejects]")
    assert scene.value("[bufname('%'), line('.'), tabpagenr()]") == ["diff://1/new", 20, 2]
    scene.close()
    scene.terminal.wait_screen(lambda text: rows(text) == rows(screen))
    assert scene.shape().items() ^ shape.items() == set()


@pytest.mark.requirement("IDE-SHOW-02")
def test_who_has_just_typed_is_not_led_to_it(scene: Scene) -> None:
    scene.run("echo")
    wait_until(lambda: opens_at_work(scene), "a diff that comes within a second after a key")
    scene.terminal.wait_screen("a diff of calc.py waits for review in tab page 2")
    wait_until(lambda: scene.value("line('.')") > 1, "the key that was typed before it")
    assert scene.value("[tabpagenr(), tabpagenr('$')]") == [1, 2]


def opens_at_work(scene: Scene) -> bool:
    """Type and open a diff if the person does not rest; whether it was opened. It must not come to the front."""
    scene.type("j")
    rests = "vim_mcp#diff_focus#resting()"
    front, rested = scene.value(f"{rests} ? [-1, 1] : [DiffOpen(), {rests}]")
    if front == 1 and rested:  # from the very moment on at which it was opened
        scene.close()
        return False
    assert front != 1
    return bool(front == 0)


BUSY = {
    "insert": ("ihello", "mode(1) .. getline(1)", "ihellotext 1", " on\x1b", "getline(1)", "hello ontext 1"),
    "replace": ("Rab", "mode(1) .. getline(1)", "Rabxt 1", "cd\x1b", "getline(1)", "abcd 1"),
    "virtual replace": ("gRab", "mode(1) .. getline(1)", "Rvabxt 1", "cd\x1b", "getline(1)", "abcd 1"),
    "insert, for one command": ("iab\x0f", "mode(1)", "niI", "~\x1b", "getline(1)", "abText 1"),
    "an insertion in a block": ("l\x16jIxy", "mode(1) .. getline(1)", "itxyext 1", "z\x1b", "getline(2)", "txyzext 2"),
    "completion": ("A te\x0e", "[pumvisible(), getline(1)]", [1, "text 1 text"], "\x0e\x1b", "getline(1)", "text 1 te"),
    "visual": ("jvl", "[mode(1), col('.')]", ["v", 2], "ly", "getreg('\"')", "tex"),
    "visual line": ("jVj", "[mode(1), line('.')]", ["V", 3], "y", "getreg('\"')", "text 2\ntext 3\n"),
    "visual block": ("l\x16j", "[mode(1), line('.')]", ["\x16", 2], "d", "getline(1, 2)", ["txt 1", "txt 2"]),
    "command line": (":let g:t = 'ab", "mode(1) .. getcmdline()", "clet g:t = 'ab", "cd'\r", "get(g:, 't')", "abcd"),
    "substitution": (":%s/text/next", "mode(1) .. getcmdline()", "c%s/text/next", "/\r", "getline(1)", "next 1"),
    "search": ("/text ", "mode(1) .. getcmdline()", "ctext ", "20\r", "line('.')", 20),
    "expression in insert mode": (
        "iab\x12='x'", "mode(1) .. getcmdline()", "c'x'", " . 'y'\r\x1b", "getline(1)", "abxytext 1"),
    "search for an operator": ("d/ex", "mode(1) .. getcmdline()", "cex", "t 2\r", "getline(1)", "ext 2"),
    "recording": ("jqq", "reg_recording() .. line('.')", "q2", "jq", "[line('.'), @q]", [3, "j"]),
}  # fmt: skip
"""What the person is in the midst of: keys that lead there, how that is seen, keys that go on and what comes of it."""


@pytest.mark.parametrize("arrangement", quick(ARRANGEMENTS, "alone"))
@pytest.mark.parametrize("busy", BUSY)
@pytest.mark.requirement("IDE-SHOW-02")
def test_typing_goes_on(scene: Scene, busy: str, arrangement: str) -> None:
    before, there, reached, after, told, wanted = BUSY[busy]
    arrange(scene, arrangement)
    scene.type(before)
    scene.wait(there, reached)
    shape = scene.shape()
    assert not scene.open()
    if busy != "substitution":  # Neovim shows nothing else while it shows what will be substituted
        scene.terminal.wait_screen(lambda text: ("line 20 new" in text) is ("Claude" in arrangement))
    assert scene.value(there) == reached
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()
    assert not scene.open()
    scene.type(after)
    scene.wait(told, wanted)
    scene.wait("mode(1)", "n")
    if before[0] in "iRgA" and "\x0f" not in before:
        scene.type("u")
        scene.wait("getline(1)", "text 1")
    scene.close()
    assert scene.value("mode(1)") == "n"


PENDING = {
    "an operator": ("d", "w", "getline(1)", "1"),
    "a count": ("2", "dd", "getline(1)", "text 3"),
    "an operator with a count": ("2d", "w", "getline(1)", ""),
    "a register": ('"a', "yy", "@a", "text 1\n"),
    "a find": ("f", "t", "col('.')", 4),
    "a command of two keys": ("30Gz", "t", "line('w0')", 30),
    "CTRL-V in insert mode": ("i\x16", "065\x1b", "getline(1)", "Atext 1"),
    "a register in insert mode": ("yli\x12", '"\x1b', "getline(1)", "ttext 1"),
    "a replaced character": ("r", "x", "getline(1)", "xext 1"),
    "a count in visual mode": ("v1", "0ly", "getreg('\"')", "text 1\n"),
    "a mark": ("m", "a", 'line("\'a")', 1),
}


@pytest.mark.parametrize("arrangement", quick(["alone", "split", "beside Claude"], "alone"))
@pytest.mark.parametrize("pending", PENDING)
@pytest.mark.requirement("IDE-SHOW-02")
def test_a_command_typed_half_is_finished(scene: Scene, pending: str, arrangement: str) -> None:
    before, after, told, wanted = PENDING[pending]
    arrange(scene, arrangement)
    scene.run("set timeoutlen=100000")
    scene.type(before)
    if "insert" in pending and scene.kind == "vim":  # what it shows of a key there goes with the next message
        scene.wait("mode(1) .. state('S')", "iS")
    else:
        last = before[-1] if before[-1] >= " " else f"^{chr(ord(before[-1]) + 64)}"
        scene.terminal.wait_screen(lambda screen: screen.rstrip().split("\n")[-1].rstrip().endswith(last))
    opening = scene.link.start("value", expression="DiffOpen()")
    if scene.kind == "vim":
        assert scene.link.answer(opening)["value"] == 0
    scene.type(after)
    if scene.kind != "vim":
        assert scene.link.answer(opening)["value"] == 0
    scene.wait(told, wanted)
    scene.wait("mode(1)", "n")
    scene.close()
    assert scene.value("mode(1)") == "n"


@pytest.mark.parametrize("arrangement", ["alone", "beside Claude"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_typing_into_a_terminal_goes_on(scene: Scene, arrangement: str) -> None:
    arrange(scene, arrangement)
    if arrangement == "alone":
        scene.do("{terminal}")
    else:
        scene.do("wincmd b")
    scene.type("" if scene.kind == "vim" else "i")
    scene.wait("mode(1)", "t")
    scene.type("be")
    scene.terminal.wait_screen("be")
    shape = scene.shape()
    assert not scene.open()
    scene.terminal.wait_screen("line 20 new")
    assert scene.value("tabpagenr('$')") == 1
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()
    assert not scene.open()
    scene.type("fore")
    scene.terminal.wait_screen("before")
    scene.close()
    scene.type(" after\r")
    scene.terminal.wait_screen(lambda screen: screen.count("before after") == 2)


LOCKED = {
    "the command-line window": ("q:", ":q\r"),
    "select mode": ("gh", "\x1b"),
    "a hit-enter prompt": (":echo 1 | echo 2\r", "\r"),
    "a confirmation": (":call confirm('sure?')\r", "\r"),
}


@pytest.mark.parametrize("locked", LOCKED)
@pytest.mark.requirement("IDE-SHOW-02")
def test_where_windows_cannot_be_changed_it_is_later(scene: Scene, locked: str) -> None:
    before, after = LOCKED[locked]
    scene.type(before)
    if "prompt" in locked or "confirm" in locked:
        scene.terminal.wait_screen("ENTER" if "prompt" in locked else "k:")
    else:
        scene.wait("mode(1) .. getcmdwintype()", "n:" if "window" in locked else "s")
    opening = scene.link.start("value", expression="DiffOpen()")
    served = {
        "vim": {*LOCKED},
        "nvim": {*LOCKED} - {"a hit-enter prompt"},
        "nvim07": {"the command-line window", "select mode"},
    }
    if locked in served[scene.kind]:
        with pytest.raises(EditorError, match=r"vim-mcp-later"):
            scene.link.answer(opening)
        scene.type(after)
        scene.wait("mode(1) .. getcmdwintype()", "n")
        assert not scene.open()
    else:
        scene.type(after)
        assert scene.link.answer(opening)["value"] == 0
    scene.close()


POPUP = {
    "vim": [
        "let g:buffer = term_start('cat', {'hidden': 1})",
        "call setbufvar(g:buffer, 'vim_mcp_claude', 1)",
        "call popup_create(g:buffer, {'minwidth': 50, 'minheight': 8, 'border': []})",
    ],
    "nvim": [
        "enew",
        "call termopen('cat')",
        "let [b:vim_mcp_claude, g:buffer] = [1, bufnr('%')]",
        "buffer #",
        "call nvim_open_win(g:buffer, v:true, {'relative': 'editor', 'row': 8, 'col': 30, 'width': 50, 'height': 8})",
        "startinsert",
    ],
}


@pytest.mark.parametrize("layout", ["vertical", "tab"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_typing_into_a_terminal_in_a_popup_goes_on(scene: Scene, layout: str) -> None:
    scene.do(f"let g:vim_mcp_diff_layout = '{layout}'", *POPUP["vim" if scene.kind == "vim" else "nvim"])
    scene.wait("mode(1)", "t")
    scene.type("be")
    scene.terminal.wait_screen("be")
    shape = scene.shape()
    assert not scene.open()
    if layout == "vertical":
        scene.terminal.wait_screen(lambda screen: "line 14" in screen and "be" in screen)
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()
    assert not scene.open()
    scene.type("fore")
    scene.terminal.wait_screen("before")
    scene.close()
    scene.type(" after\r")
    scene.terminal.wait_screen(lambda screen: screen.count("before after") == 2)


@pytest.mark.parametrize("keys", ["A.", "vj", ":echo", "qq"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_who_always_wants_it_in_front_gets_it_when_they_have_done(scene: Scene, keys: str) -> None:
    scene.do("let g:vim_mcp_diff_focus = 'always'")
    scene.type(keys)
    scene.wait("mode(1) .. reg_recording()", {"A": "i", "v": "v", ":": "c", "q": "nq"}[keys[0]])
    assert scene.open() is (keys == "qq")
    scene.type("q" if keys == "qq" else "\x1b")
    scene.wait("[bufname('%'), mode(1)]", ["diff://1/new", "n"])


@pytest.mark.parametrize("setting", ["auto", "always"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_nobody_is_led_away_from_another_diff(scene: Scene, setting: str) -> None:
    scene.do(f"let g:vim_mcp_diff_focus = '{setting}'")
    shape = scene.shape()
    scene.rest()
    assert scene.open()
    assert not scene.open()
    assert scene.value("[bufname('%'), tabpagenr('$')]") == ["diff://1/new", 3]
    scene.value("DiffClose(0)")
    assert scene.value("[bufname('%'), tabpagenr('$')]") == ["one.txt", 2]
    scene.close()
    assert scene.shape().items() ^ shape.items() == set()


@pytest.mark.parametrize("order", [(0, 0, 0), (-1, -1, -1), (1, 0, 0)])
@pytest.mark.parametrize("arrangement", ["alone", "beside Claude"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_several_diffs_go_in_any_order(scene: Scene, order: tuple[int, ...], arrangement: str) -> None:
    scene.do("let g:vim_mcp_diff_focus = 'never'")
    arrange(scene, arrangement)
    scene.do("normal! 33Gzb2zh7|", "redraw")
    shape = scene.shape()
    for _ in order:
        scene.open()
    for number in order:
        scene.value(f"DiffClose({number})")
    assert scene.shape().items() ^ shape.items() == set()


@pytest.mark.parametrize("verdict", ["accepted", "withdrawn"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_it_is_not_closed_under_the_fingers_of_who_types_in_it(scene: Scene, verdict: str) -> None:
    scene.do("let g:vim_mcp_diff_focus = 'always'")
    assert scene.open()
    scene.type("ihello")
    scene.wait("mode(1) .. getline('.')", "ihelloline 20 new")
    close = f"DiffClose(-1, '{verdict}')"
    with pytest.raises(EditorError, match=r"vim-mcp-later: the person types"):
        scene.value(close)
    scene.type("\x1b")
    scene.wait("mode(1)", "n")
    if verdict == "withdrawn":
        close = f"vim_mcp#diff_focus#resting() ? {close} : -1"
        wait_until(lambda: scene.value(close) != -1, "rest")
    else:
        scene.value(close)
    assert scene.value("[bufname('%'), line('$'), tabpagenr('$')]") == ["one.txt", 60, 1]


@pytest.mark.requirement("IDE-SHOW-02")
def test_a_command_line_is_not_covered_by_a_message(scene: Scene) -> None:
    scene.type(":echo 'half")
    scene.wait("getcmdline()", "echo 'half")
    assert not scene.open()
    shown = scene.terminal.wait_screen("line 20 new" if "Claude" in scene.terminal.text() else ":echo 'half")
    assert shown.split("\n")[-1] == ":echo 'half"
    scene.type("typed'\r")
    scene.terminal.wait_screen("halftyped")
    scene.terminal.wait_screen("a diff of calc.py waits for review in tab page 2")


@pytest.mark.parametrize("kept", ["CursorHold", "a timer", "a terminal"])
@pytest.mark.requirement("IDE-SHOW-02")
def test_only_the_persons_keys_count_as_typed(scene: Scene, kept: str) -> None:
    argv = "['sh', '-c', 'while sleep 0.05; do echo x; done']"
    run = f"call term_start({argv}, {{'curwin': 1}})" if scene.kind == "vim" else f"enew | call termopen({argv})"
    scene.do(
        *{
            "CursorHold": ["set updatetime=50", "autocmd CursorHold * let g:held = 1"],
            "a timer": ["call timer_start(20, {-> execute('redraw')}, {'repeat': -1})"],
            "a terminal": ["split", *run.split(" | "), "wincmd p"],
        }[kept]
    )
    wait_until(lambda: is_at_work(scene), "a key that counts")
    scene.rest()


def is_at_work(scene: Scene) -> bool:
    """Type; whether that was noticed (where all is slow it may have been a second ago when it is asked)."""
    scene.type("j")
    return not scene.value("vim_mcp#diff_focus#resting()")


@pytest.mark.parametrize("front", [True, False])
@pytest.mark.requirement("IDE-SHOW-02")
def test_without_status_lines_a_message_says_how_to_answer(scene: Scene, front: bool) -> None:
    scene.do("set laststatus=0")
    if front:
        scene.rest()
    else:
        scene.do("let g:vim_mcp_diff_focus = 'never'")
    assert scene.open() is front
    hint = ":w accepts, :q rejects (Claude: calc.py" if scene.kind != "nvim" else "Claude: calc.py  [:w accepts"
    scene.terminal.wait_screen(hint if front else "a diff of calc.py waits for review in tab page 2")


@pytest.mark.parametrize("when", ["autocmd WinEnter * ++once", 'call timer_start(1, {-> Plugin()}) "'])
@pytest.mark.requirement("IDE-SHOW-02")
def test_titles_stay_though_a_plugin_writes_status_lines(scene: Scene, when: str) -> None:
    option = "winbar" if scene.kind == "nvim" else "statusline"
    scene.do(
        "set laststatus=2", "function! Plugin() abort", "for window in range(1, winnr('$'))",
        f"call setwinvar(window, '&{option}', 'A PLUGIN')", "endfor", "let g:written = 1", "endfunction",
    )  # fmt: skip
    scene.rest()
    assert scene.open()
    title = scene.value(f"&{option}")
    scene.do(f"{when} call Plugin()")
    scene.type("\x17h")
    scene.wait("get(g:, 'written')", 1)
    scene.wait(f"map(range(1, winnr('$')), 'getwinvar(v:val, \"&{option}\")')", [title, title])
    scene.terminal.wait_screen(lambda screen: "Claude: calc.py" in screen and "A PLUGIN" not in screen)
    scene.close()
    scene.wait("exists('#vim_mcp_diff_title')", 0)


@pytest.mark.requirement("IDE-SHOW-02")
def test_both_sides_have_the_same_width_after_a_resize(scene: Scene) -> None:
    scene.rest()
    assert scene.open()
    for columns in (80, 140):
        scene.terminal.resize(30, columns)
        scene.wait("&columns", columns)
        scene.wait("abs(winwidth(1) - winwidth(2)) < 2", 1)
