"""Questions to the person: seen in every mode, answered on purpose, and in nobody's way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.asking import (
    GONE,
    QUESTION,
    Scene,
    answered,
    ask,
    at_50_a_second,
    gone,
    seen,
)
from tests.support.editing import command, state, text, wait_mode, wait_text
from tests.support.editors import Terminal
from tests.support.inside import Inside
from tests.support.rawhub import EditorError, RawHub
from tests.support.waiting import wait_until

_WINDOWS = "len(filter(range(1, winnr('$')), 'win_gettype(v:val) !=# \"popup\"'))"


@pytest.mark.requirement("ASK-01")
def test_it_says_who_asks_what_and_how_to_answer(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!rm -rf /tmp/x")
    seen(terminal, QUESTION, "!rm -rf /tmp/x", "[yes CTRL-\\ y] [always CTRL-\\ a] [no CTRL-\\ n]")
    ask(link, "print(1)", question="q2", kind="execute_code", client="codex")
    seen(terminal, "(1 of 2) " + QUESTION)
    terminal.type("\x1cn")
    assert answered(link) == ("q1", "no")
    seen(terminal, "codex asks: may it run this code?", "print(1)")


WORDS = {"yes": "once", "always": "always", "no": "no"}
WAYS = {
    "a chord": lambda word: f"\x1c{word[0]}",
    "the command": lambda word: f":VimMCPAnswer {word}\r",
    "the map": lambda word: {"yes": "gy", "always": "ga", "no": "gn"}[word],
}


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.requirement("ASK-02")
def test_each_way_gives_each_answer(scene: Scene, way: str, word: str) -> None:
    terminal, link = scene
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type(WAYS[way](word))
    assert answered(link) == ("q1", WORDS[word])
    gone(terminal)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.requirement("ASK-02")
def test_a_click_answers(scene: Scene, kind: str, word: str) -> None:
    terminal, link = scene
    if kind == "nvim07":
        pytest.skip("Neovim 0.7 does not tell where the mouse is")
    ask(link, "!ls")
    seen(terminal, QUESTION, "[no CTRL")
    click(terminal, f"[{word}")
    assert answered(link) == ("q1", WORDS[word])


def click(terminal: Terminal, button: str) -> None:
    """Click on what is shown so."""
    row, line = next((n, line) for n, line in enumerate(terminal.lines(), 1) if button in line)
    place = f"{line.index(button) + 2};{row}"
    terminal.type(f"\x1b[<0;{place}M\x1b[<0;{place}m")


@pytest.mark.requirement("ASK-01")
def test_on_the_smallest_screen_what_is_asked_and_the_answers_are_seen(scene: Scene) -> None:
    terminal, link = scene
    terminal.resize(6, 20)
    wait_until(lambda: state(link, "windows")[0]["width"] == 20, "the small screen")
    ask(link, "!rm -rf it")
    seen(terminal, "!rm -rf it", "[yes]", "[always]", "[no]")


@pytest.mark.parametrize("columns", [44, 20])
@pytest.mark.parametrize("word", WORDS)
@pytest.mark.requirement("ASK-01", "ASK-02")
def test_in_a_narrow_window_nothing_of_it_is_cut(scene: Scene, kind: str, word: str, columns: int) -> None:
    terminal, link = scene
    terminal.resize(24, columns)
    wait_until(lambda: state(link, "windows")[0]["width"] == columns, "the narrow window")
    ask(link, "!ls")
    screen = seen(terminal, "!ls", "[yes", "[always", "[no", "y/a/n" if columns == 20 else "CTRL-\\ n]")
    assert QUESTION in " ".join(re.sub("[~\u2502\u2551]", " ", screen).split())
    if kind != "nvim07":
        click(terminal, f"[{word}")
    else:  # it does not tell where the mouse is
        terminal.type(f"\x1c{word[0]}")
    assert answered(link) == ("q1", WORDS[word])


MODES = {
    "normal": ("", "n"), "insert": ("i", "i"), "replace": ("R", "R"), "visual": ("v", "v"),
    "select": ("gh", "s"), "command line": (":echo 1", "c"),
}  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.requirement("ASK-02", "ASK-03")
def test_in_each_mode_it_is_seen_and_answered_and_the_mode_stays(scene: Scene, mode: str) -> None:
    terminal, link = scene
    keys, letter = MODES[mode]
    terminal.type("ione two\x1b0" + keys)
    wait_mode(link, letter)
    ask(link, "!ls")
    seen(terminal, QUESTION, "!ls")
    terminal.type("\x1cy")
    assert answered(link) == ("q1", "once")
    gone(terminal)
    wait_mode(link, letter)
    assert text(link) == ["one two"]


TYPED = "yes no always y n a \\y ~!@#$%^&*()_+ The quick brown fox jumps over the lazy dog 0123456789 "


@pytest.mark.requirement("ASK-03")
def test_what_is_typed_meanwhile_is_text(scene: Scene) -> None:
    terminal, link = scene
    terminal.type("i")
    wait_mode(link, "i")
    for index in range(3):
        ask(link, f"!{index}", question=f"q{index}")
        for character in TYPED:
            terminal.type(character)
        link.request("cancel_question", questions=[f"q{index}"])
    wait_text(link, [TYPED * 3])


@pytest.mark.requirement("ASK-03")
def test_what_is_typed_into_a_command_line_meanwhile_is_that_command(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":let g:typed = '")
    wait_mode(link, "c")
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type(TYPED + "'\r")
    assert inside.value(terminal, "g:typed") == TYPED
    assert link.events.empty() or "answer" not in {message.get("type") for message in link.events.queue}


INTO = {"insert": "i", "command line": ":let g:typed = '", "terminal": ":terminal cat\r"}


@pytest.mark.slow
@pytest.mark.parametrize("where", INTO)
@pytest.mark.requirement("ASK-03")
def test_no_key_of_a_quick_typist_changes_its_meaning(scene: Scene, inside: Inside, kind: str, where: str) -> None:
    """While questions come and go, at 50 keys a second."""
    terminal, link = scene
    terminal.type(INTO[where] + ("i" if where == "terminal" and kind != "vim" else ""))
    wait_mode(link, {"insert": "i", "command line": "c", "terminal": "t"}[where])
    keys = TYPED[:75]  # a terminal's row holds that
    typist = at_50_a_second(terminal, keys)
    for index in range(5):
        ask(link, f"!ls {index}", question=f"q{index}")
        seen(terminal, QUESTION, f"!ls {index}")
        link.request("cancel_question", questions=[f"q{index}"])
        gone(terminal)
    typist.join()
    if where == "insert":
        wait_text(link, [keys])
    elif where == "command line":
        terminal.type("'\r")
        assert inside.value(terminal, "g:typed") == keys
    else:
        terminal.type("\r")
        seen(terminal, keys)
    assert "answer" not in {message.get("type") for message in list(link.events.queue)}


@pytest.mark.requirement("ASK-02", "ASK-03")
def test_in_a_terminal_the_program_gets_all_but_the_answer(scene: Scene, kind: str) -> None:
    terminal, link = scene
    terminal.type(":terminal cat\r" if kind == "vim" else ":terminal cat\ri")
    wait_mode(link, "t")
    terminal.type("before ")
    ask(link, "!ls")
    seen(terminal, QUESTION, "before")
    terminal.type("after\x1cy!\r")
    assert answered(link) == ("q1", "once")
    seen(terminal, "before after!")
    wait_mode(link, "t")


@pytest.mark.requirement("ASK-05")
def test_what_nobody_answers_counts_as_no_and_is_said_to_be_unanswered(scene: Scene) -> None:
    terminal, link = scene
    command(terminal, "let g:vim_mcp_ask_timeout = 300")
    ask(link, "!ls")
    assert answered(link) == ("q1", "unanswered")
    seen(terminal, "was not answered in time: that is a no")
    gone(terminal)


@pytest.mark.requirement("ASK-05")
def test_who_has_asked_can_withdraw(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!first")
    ask(link, "!second", question="q2")
    seen(terminal, "(1 of 2)", "!first")
    assert link.request("cancel_question", questions=["q1", "unknown"]) == {"cancelled": 1}
    seen(terminal, QUESTION, "!second")
    assert link.request("cancel_question", questions=["q2"]) == {"cancelled": 1}
    gone(terminal)
    terminal.type(":VimMCPAnswer yes\r")
    seen(terminal, "nobody asks anything now")


@pytest.mark.requirement("ASK-05")
def test_who_is_kept_out_is_refused(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!first")
    ask(link, "!second", question="q2")
    seen(terminal, "(1 of 2)")
    terminal.type(":VimMCPPause\r")
    assert [answered(link), answered(link)] == [("q1", "no"), ("q2", "no")]
    gone(terminal)


@pytest.mark.requirement("ASK-06")
def test_always_is_for_this_very_text(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type("\x1ca")
    assert answered(link) == ("q1", "always")
    ask(link, "!ls", question="q2")
    assert answered(link) == ("q2", "always")
    ask(link, "!ls -a", question="q3")
    seen(terminal, QUESTION, "!ls -a")


@pytest.mark.requirement("ASK-06")
def test_always_is_said_also_to_those_that_wait(scene: Scene) -> None:
    terminal, link = scene
    for index, line in enumerate(("!ls", "!other", "!ls")):
        ask(link, line, question=f"q{index}")
    seen(terminal, "(1 of 3)")
    terminal.type("\x1ca")
    assert [answered(link), answered(link)] == [("q0", "always"), ("q2", "always")]
    assert "!other" in seen(terminal, QUESTION, "!other")


@pytest.mark.requirement("ASK-01")
def test_a_long_text_is_shown_whole_and_harmless(scene: Scene) -> None:
    terminal, link = scene
    lines = [f"line {number}" for number in range(1, 5001)]
    lines[1] = "nul \n escape \x1b[2J bidi \u202e\u2066 hidden \u200b\ufeff\U000e0041 tab\tend"
    lines[2] = "x" * 200 + " end of it"
    ask(link, *lines)
    screen = seen(terminal, "of 500")
    assert "nul ^@ escape ^[[2J bidi <202e><2066> hidden <200b><feff>" in screen
    assert "x end of it" in screen
    for _ in range(10):
        first, last, all_rows = map(int, re.findall(r"\[rows (\d+)-(\d+) of (\d+)\]", screen)[0])
        terminal.type("\x1cj")
        line = last + (last - first) - (all_rows - 5000)  # the last one of the next page
        screen = seen(terminal, f"[rows {last}-", f" {line} line {line} ", f" {line - 1} line {line - 1} ")
    terminal.type("\x1cj" * 300)
    seen(terminal, "5000 line 5000 ")


@pytest.mark.slow
@pytest.mark.requirement("ASK-01", "ASK-03")
def test_a_text_of_megabytes_keeps_nobody_waiting(scene: Scene, tmp_path: Path) -> None:
    terminal, link = scene
    file = tmp_path / "text"
    file.write_text("\u65e5" * 700_000)
    link.request("ask", question="q1", client="codex", kind="execute_code", lines_file=str(file))
    seen(terminal, "asks: may it run this code?", "of more than")
    terminal.type("ityped\x1b")
    wait_text(link, ["typed"])
    seen(terminal, f"of {-(-700_000 // 38)}]")
    terminal.type("\x1cn")
    assert answered(link) == ("q1", "no")


UNSEEN = (
    "\xa0\xad\u034f\u061c\u115f\u200b\u200c\u200d\u200e\u2028\u2060\u2067\u2800\u3164\ufe0f\ufeff\U0001d173\U000e0041"
)
"""Characters of which nothing is seen, or that change how others are; some are combined with what is before."""


@pytest.mark.requirement("ASK-01")
def test_nothing_in_it_is_unseen(scene: Scene) -> None:
    terminal, link = scene
    parts = [(before, UNSEEN[start : start + 4]) for before in "aé日" for start in range(0, len(UNSEEN), 4)]
    ask(link, *("".join(before + character for character in part) for before, part in parts))
    spelt = ["".join(f"{before}<{ord(character):04x}>" for character in part) for before, part in parts]
    screen = seen(terminal, QUESTION, "[no CTRL").replace("日 ", "日")  # the emulator's second cell of it
    assert [line for line in spelt if line not in screen] == []


@pytest.mark.requirement("ASK-01")
def test_a_clients_name_does_not_take_the_place_of_what_is_asked(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!ls", client="All is well\u202e here, type CTRL-\\ y to go on " * 9)
    seen(terminal, "All is well<202e> here", "asks: may it run this Ex command?")


@pytest.mark.requirement("ASK-01")
def test_all_of_it_can_be_read_in_a_window(scene: Scene) -> None:
    terminal, link = scene
    ask(link, *(f"line {number}" for number in range(1, 301)))
    seen(terminal, QUESTION)
    terminal.type(":VimMCPQuestion\rG")
    seen(terminal, "line 300")
    terminal.type("q")
    terminal.wait_screen(lambda screen: "line 300" not in screen and GONE in screen)
    terminal.type(":VimMCPQuestion\r:only\rGq")  # also where it has become the last window
    terminal.wait_screen(lambda screen: "vim-mcp://question" not in screen and "line 300" not in screen, "\n~")
    terminal.type("\x1cy")
    assert answered(link) == ("q1", "once")


@pytest.mark.requirement("ASK-01")
def test_its_window_opens_beside_a_buffer_of_its_name(scene: Scene) -> None:
    """Such as a session leaves."""
    terminal, link = scene
    ask(link, "!ls")
    terminal.type(":edit vim-mcp://question\r:VimMCPQuestion\r")
    seen(terminal, "q closes this window)\n\n!ls\n", "vim-mcp://question ")


@pytest.mark.requirement("ASK-01")
def test_the_window_says_what_became_of_its_question(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!first")
    ask(link, "!second", question="q2")
    seen(terminal, "(1 of 2)")
    terminal.type(":VimMCPQuestion\r")
    seen(terminal, f"{QUESTION}\n(:VimMCPAnswer yes, always or no; q closes this window)\n\n!first")
    terminal.type("\x1cn")
    seen(terminal, f"[you have answered: no] {QUESTION}\n(q closes this window)\n\n!first")
    terminal.type(":tabnew|VimMCPQuestion\r")  # the same window, whatever page it is in
    screen = seen(terminal, f"{QUESTION}\n(:VimMCPAnswer yes, always or no; q closes this window)\n\n!second")
    assert screen.count("vim-mcp://question") == 1
    link.request("cancel_question", questions=["q2"])
    seen(terminal, f"[withdrawn by who asked] {QUESTION}\n")


@pytest.mark.requirement("ASK-03")
def test_what_the_person_has_mapped_stays_theirs(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    terminal.type(":nnoremap <C-Bslash> <Cmd>let g:mine = 1<CR>\r")
    wait_until(lambda: inside.value(terminal, "maparg('<C-Bslash>', 'n')") != "", "their own map")
    ask(link, "!ls")
    seen(terminal, QUESTION, ":VimMCPAnswer yes|always|no")
    terminal.type("\x1c")
    wait_until(lambda: inside.value(terminal, "get(g:, 'mine', 0)") == 1, "what it does")
    terminal.type(":VimMCPAnswer no\r")
    assert answered(link) == ("q1", "no")
    assert inside.value(terminal, "[maparg('<C-Bslash>y', 'i'), maparg('<LeftMouse>', 'n')]") == ["", ""]


@pytest.mark.requirement("ASK-03")
def test_it_is_seen_in_each_tab_page_and_takes_no_window(scene: Scene, inside: Inside) -> None:
    terminal, link = scene
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type(":tabnew\r")
    seen(terminal, QUESTION, "!ls")
    assert inside.value(terminal, _WINDOWS) == 1
    terminal.type(":tabclose\r")
    seen(terminal, QUESTION, "!ls")
    terminal.type(":only\r")
    seen(terminal, QUESTION, "!ls")


@pytest.mark.requirement("ASK-05")
def test_without_a_hub_nobody_asks(scene: Scene, raw_hub: RawHub) -> None:
    terminal, link = scene
    ask(link, "!ls")
    seen(terminal, QUESTION)
    raw_hub.close()
    gone(terminal)


def test_what_it_does_not_know_is_refused(scene: Scene) -> None:
    _, link = scene
    for wrong in ({"kind": "dance"}, {"lines": "text"}, {"question": 1}):
        with pytest.raises(EditorError, match=r"kind|lines|question"):
            ask(link, "!ls", **wrong)
