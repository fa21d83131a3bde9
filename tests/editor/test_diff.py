"""`open_diff` and `close_diffs`: what Claude proposes, and every way to answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, kind_of, refused, state, wait_mode
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import NEW, OLD, TITLE, Desk
from tests.support.stage import numbered
from tests.support.waiting import wait_until

ACCEPT = [
    ":w\r", ":w!\r", ":write\r", ":x\r", ":wq\r", ":exit\r", ":up\r", ":silent w\r", ":keepalt silent! w\r", ":%w\r",
    ":1,$w\r", ":w | q\r", ":set number | w\r", "ZZ", ":ClaudeCodeDiffAccept\r", "\\a", "qa:w\rq", ": w\r",
]  # fmt: skip
REJECT = [
    ":q\r", ":q!\r", ":close\r", ":close!\r", ":hide\r", "\x17c", "\x17q", "ZQ", ":bwipe!\r", ":bwipe\r", ":bdelete\r",
    ":bunload\r", ":tabclose\r", "\x17h:only\r", ":ClaudeCodeDiffDeny\r", "\\d", ":ClaudeCodeCloseAllDiffs\r",
]  # fmt: skip
EXIT = [":qa\r", ":qa!\r", ":wqa\r", ":xa\r", ":cq\r"]
KEEP = [
    "\x17h:w\r",
    "\x17h:wq\r",
    ":edit!\r",
    ":edit\r",
    "\x17T",
    ":tab split\r",
    "\x17h:q\r",
    "\x17h",
    "gg",
    ":tabnext\r",
]

MAPS = ("nmap \\a <Plug>(claude-diff-accept)", "nmap \\d <Plug>(claude-diff-deny)")

EDIT = "ggcwFREE\x1b"


@pytest.fixture
def maps(home: EditorHome) -> None:
    """Keys for accepting and rejecting."""
    home.add(*MAPS)


def wait_gone(desk: Desk, inside: Inside) -> None:
    """Wait until the diff is gone, and look for what it might have left but a text that was taken back."""
    desk.wait_closed()
    others = "filter(getbufinfo(), 'v:val.name !~# \"^vim-mcp://kept/\"')"
    left = f"[len({others}), tabpagenr('$'), exists('#vim_mcp_diff'), exists('#vim_mcp_diff_write')]"
    assert inside.value(desk.terminal, left) == [1, 1, 0, 0]
    assert inside.value(desk.terminal, "[&diff, &modified, mode(), v:errmsg]") == [0, 0, "n", ""]


@pytest.mark.parametrize("keys", ACCEPT)
@pytest.mark.requirement("IDE-REVIEW-01")
def test_accepted(maps: None, desk: Desk, inside: Inside, keys: str) -> None:
    desk.propose()
    desk.terminal.type(keys)
    assert desk.verdict() == ("accepted", NEW)
    wait_gone(desk, inside)


@pytest.mark.parametrize("keys", ACCEPT)
@pytest.mark.requirement("IDE-REVIEW-01")
def test_accepted_as_it_was_changed(maps: None, desk: Desk, inside: Inside, keys: str) -> None:
    desk.propose()
    desk.terminal.type(EDIT + keys)
    assert desk.verdict() == ("accepted", NEW.replace(b"one", b"FREE"))
    wait_gone(desk, inside)


@pytest.mark.parametrize("keys", REJECT)
@pytest.mark.requirement("IDE-REVIEW-01")
def test_rejected(maps: None, desk: Desk, inside: Inside, keys: str) -> None:
    desk.propose()
    desk.terminal.type(keys)
    assert desk.verdict() == ("rejected", "")
    wait_gone(desk, inside)


@pytest.mark.parametrize("keys", [":q\r", ":close\r", "ZQ", ":bwipe!\r", ":tabclose\r", ":ClaudeCodeDiffDeny\r"])
@pytest.mark.requirement("IDE-REVIEW-01")
def test_rejected_after_a_change(desk: Desk, inside: Inside, keys: str) -> None:
    desk.propose()
    desk.terminal.type(EDIT + keys)
    assert desk.verdict() == ("rejected", "")
    wait_gone(desk, inside)


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("keys", EXIT)
@pytest.mark.requirement("IDE-REVIEW-01")
def test_leaving_the_editor_rejects(desk: Desk, keys: str, edited: bool) -> None:
    desk.propose()
    desk.terminal.type((EDIT if edited else "") + keys)
    assert desk.verdict() == ("rejected", "")
    desk.terminal.wait()
    assert desk.file.read_bytes() == OLD


@pytest.mark.requirement("IDE-REVIEW-01")
def test_leaving_the_editor_from_elsewhere_rejects_all(desk: Desk) -> None:
    first, second = desk.propose(), desk.propose(tab_name="another")
    desk.terminal.type(":1tabnext\r:qa\r")
    assert [desk.verdict(first), desk.verdict(second)] == [("rejected", "")] * 2
    desk.terminal.wait()


def test_where_the_editor_does_not_leave_the_diff_stays(desk: Desk) -> None:
    command(desk.terminal, "set hidden | call setline(1, 'unsaved')")
    desk.propose()
    desk.terminal.type(":qa\r")
    desk.terminal.wait_screen("E37:")
    desk.terminal.type("\r:tablast\r\x17l")
    desk.terminal.wait_screen(TITLE)
    desk.pends()
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)


@pytest.mark.parametrize("keys", KEEP)
@pytest.mark.requirement("IDE-REVIEW-01")
def test_what_is_no_verdict(desk: Desk, inside: Inside, keys: str) -> None:
    desk.propose()
    desk.terminal.type(keys)
    assert inside.value(desk.terminal, "v:errmsg") == ""
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", NEW)
    wait_gone(desk, inside)


@pytest.mark.requirement("IDE-REVIEW-01")
def test_another_buffer_in_its_window_is_no_verdict(desk: Desk, inside: Inside) -> None:
    desk.propose()
    desk.terminal.type(":buffer one.txt\r")
    desk.terminal.wait_screen(":ClaudeCodeDiffs shows calc.py: it waits unseen")
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffs\r")
    desk.terminal.wait_screen(TITLE)
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)


def test_who_calls_for_a_diff_is_not_told_of_it(desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "let g:vim_mcp_diff_focus = 'never'")
    desk.propose()
    desk.terminal.wait_screen("waits for review in tab page 2")
    desk.terminal.type(":tablast\r\x17l")
    for _ in range(2):
        desk.terminal.type(":messages clear|buffer one.txt\r")
        desk.terminal.wait_screen("waits unseen")
        desk.terminal.type(":ClaudeCodeDiffs\r")
        desk.terminal.wait_screen(TITLE)
    desk.terminal.type(":buffer one.txt\r")
    desk.terminal.wait_screen("waits unseen")
    assert "waits for review" not in inside.value(desk.terminal, "execute('messages')")


def test_files_are_shown_beside_it_not_in_it(desk: Desk, inside: Inside, tmp_path: Path) -> None:
    (tmp_path / "other.txt").write_text("other")
    desk.propose()
    for method in ("show", "open_file"):
        desk.link.request(method, file=str(tmp_path / "other.txt"))
        assert inside.value(desk.terminal, "[expand('%:t'), &diff]") == ["other.txt", 0]
        assert desk.windows().count("calc.py") == 2
    desk.terminal.type(":close\r")
    desk.terminal.wait_screen(TITLE)
    desk.pends()
    desk.terminal.type(":ClaudeCodeDiffAccept\r")
    assert desk.verdict() == ("accepted", NEW)


def test_clients_do_not_touch_it(desk: Desk, inside: Inside) -> None:
    desk.propose()
    buffer = state(desk.link, "current_buffer")["id"]
    assert kind_of(refused(desk.link, "edit", buffer=buffer, kind="all", lines=["theirs"])) == "refused"
    assert kind_of(refused(desk.link, "execute", command="%delete", safe=True, text=True)) == "refused"
    command(desk.terminal, "let g:vim_mcp_execute = 'all'")
    for line in ("w", "silent! w", "wall", "normal! :w\r", "ClaudeCodeDiffAccept"):
        desk.link.request("execute", command=line)
    assert inside.value(desk.terminal, "getline(1, '$')") == NEW.decode().split("\n")[:-1]
    desk.pends()
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)


def test_what_is_selected_in_it_is_not_told(desk: Desk) -> None:
    desk.propose()
    desk.terminal.type("vj")
    wait_mode(desk.link, "v")
    assert desk.link.request("get_selection")["selection"]["file"].endswith("/one.txt")


@pytest.mark.requirement("IDE-REVIEW-01")
def test_a_second_write_does_no_harm(desk: Desk, inside: Inside) -> None:
    desk.propose()
    desk.terminal.type(":w | w | w\r")
    assert desk.verdict() == ("accepted", NEW)
    wait_gone(desk, inside)


@pytest.mark.parametrize("keys", ["do", ":%diffget\r", "\x17h:diffput 1\r\x17l"])
@pytest.mark.requirement("IDE-REVIEW-01")
def test_changes_taken_back(desk: Desk, keys: str) -> None:
    old, new = b"a\n" * 20 + b"old\n", b"a\n" * 20 + b"new\n"
    desk.propose(new, old)
    keys = keys.replace("diffput 1", "$diffput")
    desk.terminal.type("G" + keys + ":w\r")
    assert desk.verdict() == ("accepted", old)


@pytest.mark.requirement("IDE-REVIEW-03")
def test_undo_does_not_empty_the_proposal(desk: Desk, inside: Inside) -> None:
    desk.propose()
    desk.terminal.type("uuggxuu")
    assert inside.value(desk.terminal, "getline(1, '$')") == NEW.decode().split("\n")[:-1]
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)


def test_editing_it_again_brings_the_proposal_back(desk: Desk, inside: Inside) -> None:
    desk.propose()
    desk.terminal.type("ggdGimine\x1b")
    desk.terminal.type(":edit!\r")
    assert inside.value(desk.terminal, "getline(1, '$')") == NEW.decode().split("\n")[:-1]
    desk.terminal.type("u")
    assert inside.value(desk.terminal, "getline(1, '$')") == ["mine"]
    desk.terminal.type(":edit\r:w\r")
    assert desk.verdict() == ("accepted", NEW)


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_left_side_is_the_file_on_disk_and_cannot_be_changed(desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "edit calc.py | call setline(1, 'unsaved') | set hidden | edit one.txt")
    desk.propose()
    desk.terminal.wait_screen("calc.py on disk + unsaved changes")
    desk.terminal.type("\x17hx")
    about = "[getline(1, '$'), &modifiable, &modified, &buflisted, &swapfile]"
    assert inside.value(desk.terminal, about) == [["one", "two", "three"], 0, 0, 0, 0]
    desk.terminal.type("\x17l:w\r")
    assert desk.verdict() == ("accepted", NEW)
    desk.wait_closed()
    assert inside.value(desk.terminal, "getbufline('calc.py', 1, '$')") == ["unsaved"]
    assert inside.value(desk.terminal, "getbufvar('calc.py', '&modified')") == 1


@pytest.mark.requirement("IDE-REVIEW-03")
def test_a_new_file_in_a_new_directory(desk: Desk, inside: Inside, tmp_path: Path) -> None:
    file = tmp_path / "new é dir" / "sub" / "calc.py"
    for keys, verdict in ((":q\r", ("rejected", "")), (":w\r", ("accepted", NEW))):
        review = desk.propose(old=None, file=file)
        desk.terminal.wait_screen("calc.py (new file)")
        desk.terminal.type(keys)
        assert desk.verdict(review) == verdict
        wait_gone(desk, inside)
        assert not file.parent.parent.exists()


@pytest.mark.requirement("IDE-REVIEW-04")
def test_how_to_answer_is_told_where_the_title_has_no_room_for_it(desk: Desk) -> None:
    desk.propose()
    desk.terminal.wait_screen(":w accepts, :q rejects (claude-code: calc.py, 2 changes)")
    assert desk.link.request("close_diffs", reviews=["r1"]) == {"closed": 1}
    desk.wait_closed()
    desk.terminal.wait_screen(lambda screen: ":w accepts" not in screen)
    desk.terminal.resize(24, 160)
    desk.propose(review="r2")
    desk.terminal.wait_screen("claude-code: calc.py, 2 changes  [:w accepts, :q rejects]")
    assert "rejects (" not in desk.terminal.text()


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_title_tells_whose_it_is_and_counts(desk: Desk) -> None:
    desk.propose()
    desk.terminal.wait_screen("claude-code: calc.py, 2 changes")
    desk.terminal.type("ggjdo")
    desk.terminal.wait_screen("claude-code: calc.py, 1 change")
    desk.terminal.type("Gdo")
    desk.terminal.wait_screen("claude-code: calc.py, no changes")


@pytest.mark.requirement("IDE-REVIEW-04")
def test_changes_of_a_long_text_are_counted(desk: Desk) -> None:
    lines = [f"line {number}" for number in range(12_000)]
    old = "\n".join(lines).encode() + b"\n"
    changed = [line for line in lines if not line.endswith("500")] + ["one more"]
    changed[7000:7000] = ["in between"]
    changed[8000:8003] = [changed[8001], "other"]  # two changes with a line between them
    desk.propose("\n".join(changed).encode() + b"\n", old)
    desk.terminal.wait_screen("claude-code: calc.py, 16 changes")


@pytest.mark.parametrize(
    ("old", "new", "title"),
    [
        (b"one\n", b"one", "no changes, no end of the last line"),
        (b"one", b"two\n", "1 change, adds the last line's end"),
        (b"one", b"two", "1 change"),
        (b"", b"one", "1 change"),
        (b"one\n", b"", "1 change"),
    ],
)
@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_title_tells_of_the_last_lines_end(desk: Desk, old: bytes, new: bytes, title: str) -> None:
    command(desk.terminal, "set columns=200 lines=24")
    desk.propose(new, old)
    assert inside_title(desk) == f"claude-code: calc.py, {title}"


def inside_title(desk: Desk) -> str:
    """The right side's title as it stands in the list."""
    desk.terminal.type(":ClaudeCodeDiffs\r:let t = w:vim_mcp_diff_title[0] | redraw | echo '<' . t . '>'\r")
    screen = desk.terminal.wait_screen(lambda screen: bool(re.search("^<.*>", screen, re.M)))
    return str(re.findall("^<(.*)>", screen, re.M)[0])


@pytest.mark.requirement("IDE-REVIEW-04")
def test_the_file_type_is_the_files(home: EditorHome, desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "filetype on | let g:seen = [] | autocmd FileType * call add(g:seen, expand('<amatch>'))")
    desk.propose()
    assert inside.value(desk.terminal, "[&filetype, getbufvar(winbufnr(1), '&filetype'), g:seen]") == [
        "python", "python", [],
    ]  # fmt: skip


def test_the_file_type_is_that_of_the_persons_buffer(desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "set hidden | edit calc.py | set filetype=ruby | edit one.txt")
    desk.propose()
    assert inside.value(desk.terminal, "[&filetype, getbufvar(winbufnr(1), '&filetype')]") == ["ruby", "ruby"]


# ---- several


@pytest.mark.requirement("IDE-REVIEW-01")
def test_each_is_answered_by_itself(desk: Desk, tmp_path: Path) -> None:
    reviews = [desk.propose(f"{name}\n".encode(), file=tmp_path / name, tab_name=name) for name in ("a", "b", "c")]
    desk.terminal.type(":2tabnext\r\x17l:w\r")
    assert desk.verdict(reviews[0]) == ("accepted", b"a\n")
    wait_until(lambda: len(desk.windows()) == 5, "a diff less")
    desk.terminal.type(":tablast\r\x17l:q\r")
    assert desk.verdict(reviews[2]) == ("rejected", "")
    wait_until(lambda: len(desk.windows()) == 3, "two diffs less")
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict(reviews[1]) == ("accepted", b"b\n")
    desk.wait_closed()


def test_another_one_does_not_scroll_the_first(desk: Desk, inside: Inside) -> None:
    old = numbered(60).encode()
    desk.propose(old.replace(b"line 4\n", b"four\n"), old)
    desk.terminal.wait_screen(TITLE)
    lines = "map(range(1, 2), 'getwininfo(win_getid(v:val))[0].topline')"
    before = inside.value(desk.terminal, lines)
    desk.propose(old, None, tab_name="another")
    assert inside.value(desk.terminal, lines) == before


@pytest.mark.requirement("IDE-REVIEW-01")
def test_the_same_id_again_replaces(desk: Desk, inside: Inside) -> None:
    desk.propose(review="same")
    desk.terminal.type("ggdG")
    desk.propose(b"later\n", review="same")
    wait_until(lambda: len(desk.windows()) == 3, "one diff")
    desk.pends()
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict("same") == ("accepted", b"later\n")
    wait_gone(desk, inside)


@pytest.mark.requirement("IDE-REVIEW-01")
def test_closing_is_no_verdict(desk: Desk, inside: Inside) -> None:
    first, second = desk.propose(), desk.propose(tab_name="another")
    assert desk.link.request("close_diffs", reviews=[second, "no-such", second]) == {"closed": 1}
    wait_until(lambda: len(desk.windows()) == 3, "one diff")
    desk.pends()
    assert desk.link.request("close_diffs", reviews=[second]) == {"closed": 0}
    assert desk.link.request("close_diffs", reviews=[first]) == {"closed": 1}
    wait_gone(desk, inside)


def test_an_answered_one_cannot_be_closed(desk: Desk) -> None:
    desk.propose()
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)
    assert desk.link.request("close_diffs", reviews=["r1"]) == {"closed": 0}


def test_closing_is_allowed_in_an_editor_that_is_paused(desk: Desk) -> None:
    desk.propose()
    desk.terminal.type(":VimMCPPause on\r")
    wait_until(lambda: "paused" in desk.terminal.text(), "a pause")
    assert desk.link.request("close_diffs", reviews=["r1"]) == {"closed": 1}
    assert kind_of(refused(desk.link, "open_diff", **desk.request())) == "access"


# ---- what is the person's stays


@pytest.mark.requirement("IDE-REVIEW-06")
def test_what_is_the_persons_stays(desk: Desk, inside: Inside) -> None:
    command(desk.terminal, "call setline(1, range(1, 50)) | set hidden | let @/ = 'mine' | let @\" = 'yanked'")
    desk.terminal.type("5Gx20Gx:undo 1\r30G/4\rma15G")
    about = (
        "[getjumplist()[0], getreg('\"'), getreg('/'), getreg('%'), getreg('#'), getpos(\"'a\"), changenr(),"
        " getpos('.'), getreg('-'), getreg('0'), winsaveview(), getchangelist('%'), histnr('/'), v:searchforward]"
    )
    before = inside.value(desk.terminal, about)
    desk.propose()
    assert desk.link.request("close_diffs", reviews=["r1"]) == {"closed": 1}
    desk.wait_closed()
    assert inside.value(desk.terminal, about) == before


# ---- what cannot be reviewed

WRONG: dict[str, dict[str, Any]] = {
    "no full path": {"file": "calc.py"},
    "an address": {"file": "scp://host/calc.py"},
    "a device": {"file": "/dev/null"},
    "a directory as the target": {"target": "/tmp"},
    "no proposal": {"proposal_file": "/no/such/file"},
    "no id": {"review": None},
    "a number as name": {"tab_name": 1},
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_reviewed(desk: Desk, inside: Inside, case: str) -> None:
    error = refused(desk.link, "open_diff", **(desk.request() | WRONG[case]))
    assert error["code"] in (-32602, 1004), error
    wait_gone(desk, inside)


@pytest.mark.parametrize("name", ["a b|c\"d'e.py", "%#$<cfile>`x`.py", "-é漢\\[a]*?.py", "~x {a,b}.py", "plain"])
@pytest.mark.requirement("IDE-REVIEW-03")
def test_names_are_names(desk: Desk, inside: Inside, tmp_path: Path, name: str) -> None:
    desk.propose(file=tmp_path / name)
    desk.terminal.wait_screen("claude-code: ")
    assert inside.value(desk.terminal, "expand('%:p')").endswith(f"/{tmp_path}/{name}".replace("//", "/"))
    desk.terminal.type(":w\r")
    assert desk.verdict() == ("accepted", NEW)
    wait_gone(desk, inside)


@pytest.mark.parametrize("auto_save", ["", "autocmd InsertLeave * write"])
def test_secret_files_stay_secret_under_review(desk: Desk, tmp_path: Path, auto_save: str) -> None:
    secrets = tmp_path / "secrets"
    files = [tmp_path / ".env", tmp_path / ".aws" / "plain", secrets / "plain"]
    command(desk.terminal, f"let g:vim_mcp_ignore = ['.env*', '*/.aws/*', '{secrets}/*'] | {auto_save}".rstrip(" |"))
    for number, file in enumerate(files, 1):
        file.parent.mkdir(exist_ok=True)
        desk.propose(file=file)
        secret = [buffer["name"] for buffer in state(desk.link, "buffers") if buffer["ignored"]]
        assert len(secret) == 2, secret
        desk.terminal.type(":q\r")
        assert desk.verdict(f"r{number}") == ("rejected", "")
        desk.wait_closed()


# ---- when it cannot be shown at once


@pytest.mark.parametrize(
    ("keys", "mode", "leave"),
    [("q:", "n", ":q\r"), ("gh", "s", "\x1b"), (":", "c", "\x1b"), ("i", "i", "\x1b"), ("v", "v", "\x1b")],
)
def test_it_is_shown_as_soon_as_it_can_be(desk: Desk, inside: Inside, keys: str, mode: str, leave: str) -> None:
    command(desk.terminal, "call setline(1, 'text')")
    desk.terminal.type(keys)
    wait_mode(desk.link, mode)
    desk.propose()
    desk.pends()
    desk.terminal.type(leave)
    wait_until(lambda: len(desk.windows()) == 3, "the diff")
    desk.terminal.type(":tablast\r\x17l:w\r")
    assert desk.verdict() == ("accepted", NEW)
    desk.wait_closed()
