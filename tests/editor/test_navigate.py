"""Moving the user's cursor: each direction, its count, the ends, and what must not happen on the way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.support.editing import edit, kind_of, refused, state, wait_mode
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.waiting import wait_until
from vim_mcp.tools.navigate import Direction

Launch = Callable[..., Terminal]

LINES = ["  one two (three)", "four five", "", "six", "seven", "", *[f"line {n}" for n in range(7, 101)]]


@pytest.fixture
def link(inside: Inside, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor with `LINES` and hostile mappings that `inside` can look into, its cursor on line 1: its connection."""
    edit(editor[1], lines=LINES)
    editor[0].type(":for key in split('hjklweb0^$G%nN{}', '\\zs') | exe 'nnoremap' key '<Esc>' | endfor\r")
    editor[0].type(":set hidden | call cursor(1, 1)\r")
    inside.value(editor[0], "1")
    return editor[1]


@pytest.fixture
def terminal(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> Terminal:
    """The terminal of the same editor."""
    return editor[0]


@pytest.fixture
def do(terminal: Terminal, inside: Inside) -> Callable[[str], None]:
    """Type an Ex command and wait until it has run."""

    def run(command: str) -> None:
        terminal.type(f":{command}\r")
        inside.value(terminal, "1")

    return run


def go(link: RawEditor, direction: str, **params: Any) -> dict[str, Any]:
    """Navigate and return the result."""
    result: dict[str, Any] = link.request("navigate", direction=direction, **params)
    return result


def place(link: RawEditor, direction: str, count: int = 1) -> tuple[int, int, bool]:
    """Navigate and return the line, the column and whether anything moved."""
    result = go(link, direction, count=count)
    return result["line"], result["column"], result["moved"]


def wait_cursor(link: RawEditor, wanted: tuple[int, int]) -> None:
    """Wait until the cursor is at a line and column."""
    wait_until(lambda: bool(state(link, "cursor") == list(wanted)), f"{wanted}")


@pytest.mark.requirement("VIM-TOOL-06")
def test_the_result_is_the_place(link: RawEditor, tmp_path: Path) -> None:
    assert go(link, "down") == {
        "buffer": 1, "name": str(tmp_path / "project" / "one.txt"), "line": 2, "column": 1, "text": "four five",
        "window": 1000, "moved": True,
    }  # fmt: skip


MOTIONS = [
    ((1, 1), "right", 1, (1, 2)), ((1, 1), "right", 99, (1, 17)), ((1, 5), "left", 2, (1, 3)),
    ((1, 5), "left", 99, (1, 1)), ((1, 1), "down", 3, (4, 1)), ((1, 1), "down", 999, (100, 1)),
    ((4, 1), "up", 2, (2, 1)), ((4, 1), "up", 99, (1, 1)), ((1, 3), "word_next", 1, (1, 7)),
    ((1, 3), "word_next", 5, (2, 1)), ((2, 6), "word_previous", 1, (2, 1)), ((1, 3), "word_end", 2, (1, 9)),
    ((1, 9), "line_start", 1, (1, 1)), ((1, 9), "line_start", 3, (1, 1)), ((1, 3), "line_end", 1, (1, 17)),
    ((1, 3), "line_end", 3, (1, 17)), ((1, 9), "first_nonblank", 1, (1, 3)),
    ((1, 1), "paragraph_next", 1, (3, 1)), ((1, 1), "paragraph_next", 2, (6, 1)),
    ((5, 1), "paragraph_previous", 1, (3, 1)), ((50, 1), "top", 1, (1, 3)), ((1, 3), "bottom", 1, (100, 1)),
    ((50, 1), "top", 7, (1, 3)), ((1, 11), "matching_bracket", 1, (1, 17)), ((1, 1), "line", 42, (42, 1)),
    ((1, 1), "line", 4711, (100, 1)), ((1, 1), "down", 1000000000, (100, 1)),
    ((1, 1), "word_next", 1000000000, (100, 8)),
]  # fmt: skip


@pytest.mark.requirement("VIM-TOOL-06")
def test_motions(link: RawEditor, terminal: Terminal) -> None:
    terminal.type(":set startofline\r")
    for start, direction, count, end in MOTIONS:
        terminal.type(f":call cursor({start[0]}, {start[1]})\r")
        wait_cursor(link, start)
        assert place(link, direction, count) == (*end, True), (start, direction, count)


def test_a_lines_number_may_be_named(link: RawEditor) -> None:
    assert go(link, "line", line=30)["line"] == 30


@pytest.mark.parametrize(
    ("direction", "back", "least"),
    [("page_down", "page_up", 15), ("half_page_down", "half_page_up", 8)],
)
def test_pages(link: RawEditor, inside: Inside, terminal: Terminal, direction: str, back: str, least: int) -> None:
    scroll = inside.value(terminal, "&scroll")
    first = go(link, direction)["line"]
    assert first >= least
    second = go(link, direction, count=2)["line"]
    assert second > first + least
    assert go(link, back, count=2)["line"] < second
    assert go(link, direction, count=1000)["line"] == 100
    assert inside.value(terminal, "&scroll") == scroll


ENDS = [
    ("call cursor(1, 1)", "up"), ("call cursor(1, 1)", "left"), ("call cursor(1, 1)", "word_previous"),
    ("$", "down"), ("call cursor(100, 8)", "right"), ("call cursor(100, 8)", "word_next"),
    ("2", "matching_bracket"), ("clearjumps", "jump_back"), ("clearjumps", "jump_forward"), ("1", "window_left"),
    ("1", "window_next"), ("1", "tab_next"), ("1", "buffer_next"), ("1", "diagnostic_next"), ("1", "change_next"),
    ("set nowrapscan | $ | let @/ = 'one'", "search_next"),
    ("set nowrapscan | call cursor(1, 1) | let @/ = 'one'", "search_previous"),
]  # fmt: skip


def test_at_the_end_nothing_moves(link: RawEditor, do: Callable[[str], None]) -> None:
    go(link, "change_next", count=99)
    for command, direction in ENDS:
        do(command)
        before = state(link, "cursor")
        assert place(link, direction) == (*before, False), direction


def test_jumps_and_changes(link: RawEditor, do: Callable[[str], None]) -> None:
    do("clearjumps")
    go(link, "line", count=50)
    go(link, "line", count=90)
    assert place(link, "jump_back") == (50, 1, True)
    assert place(link, "jump_back")[0] == 1
    assert place(link, "jump_forward", 2) == (90, 1, True)
    assert place(link, "jump_back", 99)[0] == 1
    for command in ("20s/line/LINE/", "60s/line/LINE/", "1"):
        do(command)
    assert place(link, "change_previous")[0] == 60
    assert place(link, "change_previous")[0] == 20
    assert place(link, "change_next")[0] == 60


def test_the_users_own_search(link: RawEditor, do: Callable[[str], None], inside: Inside, terminal: Terminal) -> None:
    do("let @/ = 'line 9' | 1")
    assert place(link, "search_next") == (9, 1, True)
    assert place(link, "search_next", 2) == (91, 1, True)
    assert place(link, "search_previous", 2) == (9, 1, True)
    assert inside.value(terminal, "@/") == "line 9"
    do("let @/ = 'not there'")
    error = refused(link, "navigate", direction="search_next")
    assert (kind_of(error), error["data"]["vim_error"]) == ("vim", "E486")


def test_a_search_that_goes_round_for_ever_ends(link: RawEditor, do: Callable[[str], None]) -> None:
    do("let @/ = 'line 9' | 1")
    assert go(link, "search_next", count=1000000000)["moved"]


# ---- buffers, windows, tab pages


@pytest.mark.requirement("VIM-TOOL-06")
def test_buffers(link: RawEditor, do: Callable[[str], None], tmp_path: Path) -> None:
    project = tmp_path / "project"
    for name in ("b.txt", "c.txt"):
        (project / name).write_text(name + "\n")
    do("badd b.txt | badd c.txt")
    assert go(link, "buffer_next")["name"] == str(project / "b.txt")
    assert go(link, "buffer_next", count=2)["name"] == str(project / "one.txt")
    assert go(link, "buffer_previous")["text"] == "c.txt"


@pytest.mark.requirement("VIM-TOOL-06")
def test_windows(link: RawEditor, do: Callable[[str], None], inside: Inside, terminal: Terminal) -> None:
    do("split | vsplit | 1wincmd w")
    one, two, three = inside.value(terminal, "map(range(1, 3), 'win_getid(v:val)')")
    assert go(link, "window_next")["window"] == two
    assert go(link, "window_next", count=2)["window"] == one
    assert go(link, "window_previous")["window"] == three
    assert go(link, "window_up")["window"] in (one, two)
    do("1wincmd w")
    assert go(link, "window_right")["window"] == two
    assert go(link, "window_left", count=5)["window"] == one
    assert go(link, "window_down")["window"] == three
    assert go(link, "window_next", count=3)["window"] == three


def test_tab_pages(link: RawEditor, do: Callable[[str], None]) -> None:
    do("tabnew | tabnew | tabfirst")
    tabs = [window["id"] for window in state(link, "windows")]
    assert [go(link, "tab_next", count=n)["window"] for n in (1, 1, 1, 2, 4)] == [tabs[n] for n in (1, 2, 0, 2, 0)]
    assert [go(link, "tab_previous", count=n)["window"] for n in (1, 2, 3)] == [tabs[n] for n in (2, 0, 0)]


# ---- lists


def test_a_real_quickfix_list(link: RawEditor, do: Callable[[str], None], tmp_path: Path) -> None:
    (tmp_path / "project" / "prog.sh").write_text(
        "echo 'one.txt:8:3: first'; echo noise; echo 'one.txt:20:1: second'\n"
    )
    do("set makeprg=sh\\ prog.sh errorformat=%f:%l:%c:\\ %m,%-G%.%# | silent make! | redraw! | cfirst | 1")
    assert place(link, "quickfix_next") == (20, 1, True)
    assert place(link, "quickfix_next") == (20, 1, False)
    assert place(link, "quickfix_previous") == (8, 3, True)
    assert place(link, "quickfix_previous") == (8, 3, False)
    do("call setloclist(0, getqflist()) | lfirst | 1")
    assert place(link, "location_next") == (20, 1, True)
    assert place(link, "location_previous", 5) == (8, 3, True)


def test_without_a_list_it_is_vims_error(link: RawEditor) -> None:
    for direction, number in {"quickfix_next": "E42", "location_next": "E776", "location_previous": "E776"}.items():
        error = refused(link, "navigate", direction=direction)
        assert (kind_of(error), error["data"]["vim_error"]) == ("vim", number)


@pytest.mark.parametrize(
    "special", ["copen", "help", "pedit other.txt | wincmd P", "new | setlocal buftype=nofile", "terminal"]
)
def test_a_list_never_opens_a_file_in_a_special_window(
    link: RawEditor, do: Callable[[str], None], terminal: Terminal, inside: Inside, kind: str, special: str
) -> None:
    do("call setqflist([{'bufnr': 1, 'lnum': 8}, {'bufnr': 1, 'lnum': 20}])")
    if special == "terminal":
        terminal.type(":split | terminal\r")
        wait_mode(link, "t" if kind == "vim" else "nt")
        terminal.type("\x1c\x0e")
        wait_mode(link, "nt")
    else:
        do(special)
    windows = {window["id"]: window["buffer"] for window in state(link, "windows") if window["buffer"] != 1}
    preview = inside.value(terminal, "win_getid()")
    result = go(link, "quickfix_next")
    assert (result["buffer"], result["line"]) == (1, 20)
    assert result["window"] != preview
    assert windows.items() <= {window["id"]: window["buffer"] for window in state(link, "windows")}.items()


def test_diagnostics(link: RawEditor, do: Callable[[str], None], kind: str) -> None:
    if kind == "vim":
        items = "[{'bufnr': 1, 'lnum': 8, 'col': 3, 'text': 'a'}, {'bufnr': 1, 'lnum': 20, 'col': 1, 'text': 'b'}]"
        do(f"call setloclist(0, {items}) | 1")
    else:
        do(
            "lua vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 1, {{lnum = 19, col = 0, message = 'b'}, "
            "{lnum = 7, col = 2, message = 'a'}, {lnum = 7, col = 2, message = 'again'}})"
        )
        do("1")
    assert place(link, "diagnostic_next") == (8, 3, True)
    assert place(link, "diagnostic_next", 5) == (20, 1, True)
    assert place(link, "diagnostic_next") == (20, 1, False)
    assert place(link, "diagnostic_previous") == (8, 3, True)
    assert place(link, "diagnostic_previous") == (8, 3, False)
    if kind != "vim":
        assert place(link, "jump_back")[0] == 20


# ---- refusals


def test_an_unknown_direction_is_told_the_known_ones(link: RawEditor) -> None:
    error = refused(link, "navigate", direction="sideways")
    assert error["code"] == -32602
    assert sorted(get_args(Direction)) == error["message"].partition("one of ")[2].split(", ")
    assert "`direction` must be one of bottom, buffer_next" in error["message"]
    assert "word_previous" in error["message"]


def test_wrong_parameters(link: RawEditor) -> None:
    assert refused(link, "navigate")["code"] == -32602
    for count in (0, -1, "2", 1000000001):
        assert refused(link, "navigate", direction="down", count=count)["code"] == -32602


@pytest.mark.requirement("KEEP-01")
def test_unsaved_changes_are_neither_lost_nor_asked_about(
    link: RawEditor, do: Callable[[str], None], inside: Inside, terminal: Terminal
) -> None:
    do("badd other.txt | set nohidden confirm")
    do("call setqflist([{'filename': 'other.txt', 'lnum': 1}, {'filename': 'other.txt', 'lnum': 1}])")
    for direction in ("buffer_next", "quickfix_next"):
        error = refused(link, "navigate", direction=direction)
        assert (kind_of(error), error["data"]["vim_error"]) == ("vim", "E37")
        assert inside.value(terminal, "[bufnr(), line('.'), &modified, &confirm]") == [1, 1, 1, 1]


def test_a_swap_file_asks_nothing(
    link: RawEditor, do: Callable[[str], None], launch: Launch, raw_hub: RawHub, tmp_path: Path
) -> None:
    (tmp_path / "project" / "shared.txt").write_text("held\n")
    holder = launch("shared.txt", cwd=tmp_path / "project")
    raw_hub.editor()
    holder.type("Ox\x1b:preserve\r")
    holder.wait_screen("preserved")
    do("set swapfile | badd shared.txt")
    assert go(link, "buffer_next")["text"] == "held"
    assert state(link, "current_buffer")["readonly"]
    assert kind_of(refused(link, "edit", buffer=0, kind="all", lines=["mine"])) == "swap"


def test_a_question_of_an_autocommand_is_not_asked(
    link: RawEditor, do: Callable[[str], None], terminal: Terminal
) -> None:
    do("badd other.txt | autocmd BufEnter other.txt call input('name? ')")
    assert kind_of(refused(link, "navigate", direction="buffer_next")) == "limit"
    assert go(link, "buffer_previous")["buffer"] == 1
    assert state(link, "mode") == "n"


@pytest.mark.requirement("BUSY-04")
def test_it_waits_for_normal_mode(link: RawEditor, terminal: Terminal) -> None:
    terminal.type("i")
    wait_mode(link, "i")
    error = refused(link, "navigate", direction="down")
    assert (kind_of(error), error["data"]["waiting_for"]) == ("busy", "insert mode")
    request = link.start("navigate", direction="down")
    terminal.type("\x1b")
    assert link.answer(request)["line"] == 2


def test_a_fold_is_opened_where_a_jump_ends(
    link: RawEditor, do: Callable[[str], None], inside: Inside, terminal: Terminal
) -> None:
    do("10,20fold | 1")
    go(link, "down", count=9)
    assert inside.value(terminal, "foldclosed('.')") == 10
    do("1")
    assert go(link, "line", count=15)["line"] == 15
    assert inside.value(terminal, "foldclosed('.')") == -1
