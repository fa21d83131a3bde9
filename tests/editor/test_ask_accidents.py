"""Questions to the person: nothing hides any of one, and nothing is taken for an answer that is none."""

from __future__ import annotations

import pytest

from tests.support.asking import (
    GONE,
    QUESTION,
    Scene,
    answered,
    ask,
    seen,
)
from tests.support.editing import wait_mode
from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until


@pytest.mark.requirement("ASK-04")
def test_an_answer_that_comes_at_once_was_meant_for_something_else(scene: Scene) -> None:
    terminal, link = scene
    terminal.type(":let g:vim_mcp_ask_calm = 100000\r")
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type("\x1cy")
    seen(terminal, "only just come up", QUESTION)
    terminal.type(":let g:vim_mcp_ask_calm = 0\r\x1cn")
    assert answered(link) == ("q1", "no")


@pytest.mark.requirement("ASK-04")
def test_what_was_never_seen_is_not_answered(scene: Scene, kind: str) -> None:
    """One comes in the place of another while messages wait for Enter, and the other is seen still."""
    terminal, link = scene
    ask(link, "!harmless")
    seen(terminal, QUESTION, "!harmless")
    terminal.type(':echo "1\\n2\\n3"\r')
    seen(terminal, "Press ENTER")
    link.start("cancel_question", questions=["q1"])
    asked = link.start("ask", question="q2", client="codex", kind="execute", lines=["!evil"])
    if kind == "vim":  # Neovim takes no request now
        link.answer(asked)
    terminal.type("\x1cy")
    seen(terminal, "codex asks", "!evil")
    wait_until(lambda: _answers(terminal, link, "no"), "an answer to what is seen")
    assert answered_next(link, "q2") == "no"


def _answers(terminal: Terminal, link: RawEditor, word: str) -> bool:
    terminal.type(f":VimMCPAnswer {word}\r")
    link.request("ping")
    return "asks: may it" not in terminal.text()


def answered_next(link: RawEditor, question: str) -> str:
    """The next answer to that question."""
    while (told := answered(link))[0] != question:
        pass
    return told[1]


@pytest.mark.requirement("ASK-04")
def test_below_the_preview_of_a_substitution_none_is_seen(scene: Scene, kind: str) -> None:
    if kind == "vim":
        pytest.skip("it shows no preview")
    terminal, link = scene
    terminal.type("ione\x1b:%s/e/E")
    terminal.wait_screen("onE")
    ask(link, "!ls")
    terminal.type("\x1cy\x1b")
    seen(terminal, QUESTION)
    wait_until(lambda: _answers(terminal, link, "no"), "an answer to what is seen")
    assert answered(link) == ("q1", "no")


@pytest.mark.requirement("ASK-04")
def test_a_register_that_is_executed_answers_nothing(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!first")
    seen(terminal, "!first")
    terminal.type("qaihello\x1cy\x1bq")
    assert answered(link) == ("q1", "once")
    ask(link, "!second", question="q2")
    seen(terminal, "!second")
    terminal.type("@a")
    seen(terminal, "a macro answers no question", "hellhelloo")
    terminal.type("\x1cn")
    assert answered(link) == ("q2", "no")


@pytest.mark.requirement("ASK-03", "ASK-04")
def test_what_is_pasted_answers_nothing(scene: Scene, kind: str) -> None:
    terminal, link = scene
    terminal.type(":terminal sh\r" + ("" if kind == "vim" else "i"))
    wait_mode(link, "t")
    terminal.type("stty quit undef; echo rea''dy; cat\r")
    terminal.wait_screen("ready")
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type("\x1b[200~one \x1cy two\x1b[201~")
    terminal.wait_screen("one ^\\y two")
    terminal.type("\x1cn")
    assert answered(link) == ("q1", "no")


HIDING = [
    "set foldmethod=expr foldexpr=1 foldlevel=0", "set foldmethod=indent foldlevel=0 shiftwidth=1", "set rightleft",
    "diffthis", "set scrollbind", "set conceallevel=3 concealcursor=nvic", "set list number wrap linebreak showbreak=X",
]  # fmt: skip


@pytest.mark.parametrize("setting", HIDING)
@pytest.mark.requirement("ASK-01")
def test_no_setting_of_the_persons_hides_any_of_it(scene: Scene, setting: str) -> None:
    terminal, link = scene
    terminal.type(f":{setting}\r")
    ask(link, "if 1:", "    !rm -rf it", "\t\tend")
    screen = seen(terminal, QUESTION, "1 if 1:", "2     !rm -rf it", "3         end", "[yes CTRL-\\ y]")
    assert "+--" not in screen


@pytest.mark.requirement("ASK-02", "ASK-03")
def test_in_the_command_line_window_it_is_answered_too(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!ls")
    seen(terminal, QUESTION)
    terminal.type("q:")
    seen(terminal, "[Command Line]", QUESTION)
    terminal.type("\x1cy")
    assert answered(link) == ("q1", "once")
    terminal.type(":q\r")
    screen = terminal.wait_screen(lambda screen: "[Command Line]" not in screen and GONE not in screen)
    assert "Error" not in screen


@pytest.mark.requirement("ASK-02")
def test_under_paste_it_offers_what_works_then(scene: Scene) -> None:
    terminal, link = scene
    ask(link, "!ls")
    seen(terminal, "[yes CTRL-\\ y]")
    terminal.type(":set paste\r")
    seen(terminal, "[yes] [always] [no] :VimMCPAnswer yes|always|no")
    terminal.type(":set nopaste\r")
    seen(terminal, "[yes CTRL-\\ y]")
