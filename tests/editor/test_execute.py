"""Ex commands on real editors: output, errors, what may run at all, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import edit, kind_of, refused, state, text, wait_mode, wait_text
from tests.support.editors import EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import EditorError, RawEditor, RawHub
from tests.support.waiting import wait_until
from vim_mcp.editor.busy import interrupt

Launch = Callable[..., Terminal]

REMEMBERED = (
    "[mode(1), winsaveview(), getreg('/'), v:hlsearch, getreg('\"', 1, 1), getregtype('\"'), getreg('a'), getreg('-'),"
    " getreg(':'), histget(':', -1), &confirm, &cpo, &more, &undolevels, &eventignore, v:errmsg, getcurpos(),"
    " getjumplist(), getchangelist(), winnr('$'), tabpagenr('$'), len(getbufinfo()), exists('#vim_mcp_quiet')]"
)
"""What a command of a client's must not change by itself."""


@pytest.fixture
def everything(home: EditorHome) -> None:
    """A vimrc that allows every command."""
    home.add("let g:vim_mcp_execute = 'all'")


@pytest.fixture
def free(everything: None, inside: Inside, editor: tuple[Terminal, RawEditor]) -> tuple[Terminal, RawEditor]:
    """An editor whose user allows every command, and that `inside` can look into."""
    return editor


def run(link: RawEditor, command: str, **params: Any) -> dict[str, Any]:
    """Execute a command and return the result."""
    result: dict[str, Any] = link.request("execute", command=command, **params)
    return result


def output(link: RawEditor, command: str, **params: Any) -> str:
    """What a command prints."""
    return str(run(link, command, **params)["output"])


def outcome(link: RawEditor, command: str) -> str:
    """What became of a command: the kind of its error, or an empty string."""
    try:
        run(link, command)
    except EditorError as error:
        return error.kind
    return ""


def interrupted(link: RawEditor, terminal: Terminal, kind: str, command: str) -> dict[str, Any]:
    """The error of a command that may take 300 ms and takes longer; Vim is interrupted as the hub does it."""
    request = link.start("execute", command=command, timeout=300)
    if kind == "vim":
        assert link.event("running")["timeout"] == 300
    for _ in range(40):
        try:
            link.answer(request, 0.4)
        except EditorError as error:
            return error.error
        except AssertionError:
            if kind == "vim":
                interrupt(terminal.editor_pid)
    raise AssertionError(f"`{command}` was never interrupted")


# ---- output and errors


@pytest.mark.requirement("VIM-TOOL-03")
def test_the_result_is_the_output_and_the_place(free: tuple[Terminal, RawEditor]) -> None:
    _, link = free
    edit(link, lines=["one", "two", "three"])
    assert run(link, "call cursor(2, 1) | echo 'first' | echo line('.')") == {
        "output": "first\n2", "truncated": False, "buffer": 1, "line": 2,
    }  # fmt: skip


ERRORS = [
    ("nosuch", "E492", "E492: Not an editor command: nosuch"),
    ("s/missing/x/", "E486", "E486: Pattern not found: missing"),
    ("echo nothing", "E121", "E121: Undefined variable: nothing"),
    ("throw 'mine'", "", "mine"),
    ("buffer 99", "E86", "E86: Buffer 99 does not exist"),
    ("echo 'a' | throw 'late'", "", "late"),
]


def test_an_error_is_vims_own(free: tuple[Terminal, RawEditor]) -> None:
    terminal, link = free
    for command, number, message in ERRORS:
        error = refused(link, "execute", command=command)
        assert kind_of(error) == "vim"
        assert (error["data"]["vim_error"], error["message"].rstrip()) == (number, message)
        assert output(link, "echo 'next'") == "next"
    terminal.wait_screen(lambda screen: "E492" not in screen and "Press ENTER" not in screen)


def test_output_is_bounded_and_cut_between_characters(free: tuple[Terminal, RawEditor]) -> None:
    _, link = free
    result = run(link, "echo 'x' . repeat('é', 200000)")
    assert result["truncated"]
    assert result["output"].rstrip("é") == "x"
    assert 262140 <= len(result["output"].encode()) <= 262144
    whole = run(link, "echo repeat('é', 131072)")
    assert (whole["truncated"], whole["output"]) == (False, "é" * 131072)
    assert output(link, "echo 'next'") == "next"


def test_twenty_commands_at_once_get_each_their_own_output(free: tuple[Terminal, RawEditor]) -> None:
    _, link = free
    commands = [f"echo 'a{n}' | sleep 5m | echo 'b{n}'" if n % 3 else f"nosuch{n}" for n in range(20)]
    started = [link.start("execute", command=command) for command in commands]
    for n, request in enumerate(started):
        if n % 3:
            assert link.answer(request)["output"] == f"a{n}\nb{n}"
        else:
            with pytest.raises(EditorError, match=f"nosuch{n}$"):
                link.answer(request)


def test_the_users_own_redir_goes_on(free: tuple[Terminal, RawEditor], inside: Inside) -> None:
    terminal, link = free
    terminal.type(":redir => g:caught | silent echo 'before'\r")
    assert output(link, "echo 'client'") == "client"
    terminal.type(":silent echo 'after' | redir END\r")
    caught = inside.value(terminal, "g:caught")
    assert "before" in caught
    assert "after" in caught


# ---- what may run


@pytest.mark.parametrize(
    ("policy", "safe", "runs"),
    [
        ("'safe'", True, True), ("'safe'", False, False), ("'all'", False, True), ("'off'", True, False),
        ("'everything'", True, False), ("1", True, False), ("['all']", True, False),
    ],
)  # fmt: skip
@pytest.mark.requirement("CMD-02", "VIM-SEC-04")
def test_the_users_policy_decides(
    raw_hub: RawHub, launch: Launch, home: EditorHome, policy: str, safe: bool, runs: bool
) -> None:
    home.add(f"let g:vim_mcp_execute = {policy}")
    launch()
    link = raw_hub.editor()
    params = {"command": "let g:ran = 1", "safe": safe, "reason": "`:let` is not in the table"}
    if runs:
        assert link.request("execute", **params)["output"] == ""
        return
    error = refused(link, "execute", **params)
    assert kind_of(error) == "refused"
    assert "`let g:ran = 1` was not executed" in error["message"]
    assert "g:vim_mcp_execute" in error["message"]
    assert ("`:let` is not in the table" in error["message"]) == (policy == "'safe'")
    assert ("counts as 'off'" in error["message"]) == (policy not in ("'safe'", "'off'"))


@pytest.mark.requirement("VIM-SEC-04")
def test_nothing_runs_by_default_that_is_not_called_safe(editor: tuple[Terminal, RawEditor]) -> None:
    _, link = editor
    assert kind_of(refused(link, "execute", command="echo 1")) == "refused"
    assert output(link, "echo 1", safe=True) == "1"


@pytest.mark.parametrize(
    "params", [{}, {"command": 5}, {"command": "echo 1", "timeout": "soon", "safe": True, "text": False}]
)
def test_wrong_parameters(editor: tuple[Terminal, RawEditor], params: dict[str, Any]) -> None:
    _, link = editor
    assert refused(link, "execute", **params)["code"] == -32602


def test_a_verdict_of_another_form_lets_nothing_through(editor: tuple[Terminal, RawEditor]) -> None:
    _, link = editor
    assert kind_of(refused(link, "execute", command="echo 1", safe="yes")) == "refused"


@pytest.mark.parametrize("place", ["terminal", "prompt", "command-line window", "private", "not modifiable"])
def test_what_only_the_editor_sees_is_checked_there(
    free: tuple[Terminal, RawEditor], inside: Inside, kind: str, tmp_path: Path, place: str
) -> None:
    terminal, link = free
    (tmp_path / "project" / ".env").write_text("secret\n")
    for keys in {
        "terminal": [":terminal\r", "\x1c\x0e"], "prompt": [":setlocal buftype=prompt\r"],
        "command-line window": ["q:"], "private": [":edit .env\r"], "not modifiable": [":setlocal nomodifiable\r"],
    }[place]:  # fmt: skip
        terminal.type(keys)
        if keys == ":terminal\r":
            wait_mode(link, "t" if kind == "vim" else "nt")
    terminal.type(":let g:vim_mcp_execute = 'safe'\r" + ("q:" if place == "command-line window" else ""))
    wait_until(lambda: outcome(link, "echo 1") in ("refused", "busy"), "the policy, and the place")
    verdict = {"safe": True, "text": place != "not modifiable", "keys": place == "not modifiable"}
    error = refused(link, "execute", command="normal! ix", **verdict)
    expected = {"private": "ignored", "command-line window": "busy"}.get(place, "refused")
    assert kind_of(error) == expected
    if expected != "busy":
        harmless = {"safe": True, "text": False, "keys": False}
        assert output(link, "echo 'other commands run'", **harmless) == "other commands run"


def test_safe_commands_reach_no_clipboard_and_no_langmap(
    inside: Inside, home: EditorHome, raw_hub: RawHub, launch: Launch, kind: str, tmp_path: Path
) -> None:
    program = tmp_path / "copied"
    home.add(
        "set langmap=xi",
        f"let g:clipboard = {{'name': 'test', 'copy': {{'+': ['touch', '{program}'], '*': ['touch', '{program}']}}, "
        f"'paste': {{'+': ['touch', '{program}'], '*': ['touch', '{program}']}}}}",
        "silent! set clipboard=unnamedplus",
    )
    terminal = launch("one.txt")
    link = raw_hub.editor()
    edit(link, lines=["abc", "def"])
    settings = "[&langmap, &clipboard, get(g:, 'loaded_clipboard_provider', 'none')]"
    before = inside.value(terminal, settings)
    run(link, "normal! xdd", safe=True, keys=True, text=True)
    assert text(link) == ["def"]
    assert kind_of(refused(link, "execute", command="nosuch", safe=True)) == "vim"
    assert inside.value(terminal, settings) == before
    assert not program.exists()


# ---- what it leaves behind


def test_the_search_stays_the_users_but_its_highlighting_can_be_ended(
    free: tuple[Terminal, RawEditor], inside: Inside
) -> None:
    terminal, link = free
    edit(link, lines=["foo bar", "bar foo"])
    terminal.type(":set hlsearch\r/foo\r")
    assert inside.value(terminal, "[@/, v:hlsearch]") == ["foo", 1]
    run(link, "%s/bar/baz/ | g/baz/normal! n")
    assert inside.value(terminal, "[@/, v:hlsearch]") == ["foo", 1]
    run(link, "nohlsearch")
    assert inside.value(terminal, "[@/, v:hlsearch, histget(':', -2)]")[:2] == ["foo", 0]


def test_nothing_but_what_the_command_does_is_to_be_seen(free: tuple[Terminal, RawEditor], inside: Inside) -> None:
    terminal, link = free
    edit(link, lines=["foo bar", "bar foo", "baz"])
    terminal.type('/bar\rx"ayy:set confirm\r')
    terminal.wait_screen(lambda screen: screen.splitlines()[:3] == ["foo ar", "bar foo", "baz"])
    inside.value(terminal, REMEMBERED)  # from here on the history ends with the question itself
    before = inside.value(terminal, REMEMBERED)
    for command in ("echo 1", "let g:x = 1", "echo execute('ls')"):
        run(link, command)
    for command in ("nosuch", "buffer 99"):
        refused(link, "execute", command=command)
    assert inside.value(terminal, REMEMBERED) == before
    terminal.wait_screen(lambda screen: screen.splitlines()[:4] == ["foo ar", "bar foo", "baz", "~"])
    terminal.type(".")
    wait_text(link, ["foo r", "bar foo", "baz"])


def test_each_command_is_one_step_to_undo(free: tuple[Terminal, RawEditor]) -> None:
    terminal, link = free
    edit(link, lines=["a a", "a a"])
    commands = ["%s/a/b/ | 2d", "s/a/c/ | normal! Onew", "g/./normal! Ax"]
    texts = [["a a", "a a"]]
    for command in commands:
        run(link, command)
        texts.append(text(link))
    assert texts[1:] == [["b a"], ["new", "b c"], ["newx", "b cx"]]
    terminal.type("Ay\x1b")
    wait_text(link, ["newx", "b cxy"])
    for wanted in reversed(texts):
        terminal.type("u")
        wait_text(link, wanted)


@pytest.mark.parametrize(
    "command",
    [
        "startinsert", "startinsert!", "startreplace", "normal! v", "normal! \x16j", "normal! gh", "normal! ifoo",
        "normal! Rfoo", "normal! d", "normal! q:", "normal! q/", "normal! gQ", "normal! :foo", "normal! \"", "append",
        "call feedkeys('ifoo', 'n')", "call feedkeys(':foo', 'n')",
    ],
)  # fmt: skip
def test_the_user_goes_on_in_normal_mode(free: tuple[Terminal, RawEditor], command: str) -> None:
    terminal, link = free
    edit(link, lines=["1", "2", "3"])
    assert outcome(link, command) in ("", "limit", "vim")
    assert state(link, "mode") == "n"
    edit(link, lines=["1", "2", "3"])
    terminal.type("ggx")
    wait_text(link, ["", "2", "3"])


def test_a_terminal_is_not_typed_into(free: tuple[Terminal, RawEditor], kind: str) -> None:
    _, link = free
    run(link, "terminal")
    assert state(link, "mode") == "nt"
    if kind == "vim":
        assert output(link, "echo &buftype") == "terminal"


def test_screen_and_hit_enter(free: tuple[Terminal, RawEditor]) -> None:
    terminal, link = free
    edit(link, lines=["text"])
    terminal.wait_screen("text")
    for command in ('echo "printed\\nby\\na\\nclient"', 'unsilent echo "printed\\nby\\na\\nclient"', "messages"):
        run(link, command)
        assert state(link, "mode") == "n"
    terminal.type("Amark\x1b")
    assert "printed" not in terminal.wait_screen("textmark")


# ---- questions


QUESTIONS = {
    "input": "call input('name? ')",
    "inputsecret": "call inputsecret('name? ')",
    "confirm": "call confirm('really?', \"&yes\\n&no\")",
    "two confirms": "call confirm('a') | call confirm('b') | let g:late = 1",
    "getchar": "call getchar()",
    "substitute with c": "%s/o/0/c",
    "a substitute with c for each line": "g/./s/o/0/gc",
    "inputlist": "call inputlist(['a', 'b'])",
    "tselect": "tselect here",
    "browse oldfiles": "browse oldfiles",
    "spelling": "setlocal spell | normal! z=",
    "confirm quit": "confirm bdelete",
    "Ex mode": "normal! gQ",
    "the command-line window": "exe 'normal! q:'",
    "a loop of questions": "while 1 | call input('again? ') | endwhile",
    "a question in an autocommand": "doautocmd User Asks",
    "a read": "call inputsave() | call input('x') | call inputrestore()",
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.requirement("CMD-03")
def test_a_question_neither_stops_the_editor_nor_the_next_command(
    free: tuple[Terminal, RawEditor], tmp_path: Path, question: str
) -> None:
    terminal, link = free
    edit(link, lines=["foo teh", "foo"])
    (tmp_path / "project" / "tags").write_text("here\ta.c\t1\nhere\tb.c\t1\n")
    terminal.type(":autocmd User Asks call input('autocommand? ')\r")
    assert outcome(link, QUESTIONS[question]) in ("", "limit", "vim")
    assert text(link)[1] == "foo"
    assert output(link, "echo 'next'") == "next"
    assert state(link, "mode") == "n"
    terminal.type("ggAmark\x1b")
    terminal.wait_screen(lambda screen: "foo tehmark" in screen and "Press ENTER" not in screen)


def test_a_question_that_only_a_person_can_answer_is_told(free: tuple[Terminal, RawEditor]) -> None:
    _, link = free
    error = refused(link, "execute", command="call input('name? ')")
    assert kind_of(error) == "limit"
    assert "asked its user a question" in error["message"]
    assert error["data"]["waiting_for"] == "an answer (mode c)"


@pytest.mark.requirement("KEEP-06")
def test_a_file_with_a_swap_file_is_opened_read_only(
    free: tuple[Terminal, RawEditor], launch: Launch, raw_hub: RawHub, tmp_path: Path
) -> None:
    _, link = free
    (tmp_path / "project" / "shared.txt").write_text("held\n")
    holder = launch("shared.txt", cwd=tmp_path / "project")
    raw_hub.editor()
    holder.type("Ox\x1b:preserve\r")
    holder.wait_screen("preserved")
    run(link, "edit shared.txt")
    assert text(link) == ["held"]
    assert output(link, "echo &readonly") == "1"
    error = refused(link, "edit", buffer=0, kind="all", lines=["mine"])
    assert kind_of(error) == "swap"
    assert error["data"]["pid"] == holder.editor_pid


def test_confirm_makes_no_dialog_of_an_error(free: tuple[Terminal, RawEditor], inside: Inside) -> None:
    terminal, link = free
    edit(link, lines=["unsaved"])
    terminal.type(":set confirm nohidden\r")
    assert inside.value(terminal, "[&confirm, &hidden]") == [1, 0]
    error = refused(link, "execute", command="enew")
    assert (kind_of(error), error["data"]["vim_error"]) == ("vim", "E37")
    assert inside.value(terminal, "&confirm") == 1


# ---- time


@pytest.mark.parametrize(
    "command",
    [
        "sleep 100", "while 1 | endwhile", "call system('sleep 100')", "r !sleep 100", "!sleep 100", "exe '!sleep 100'",
        "g/a/s/\\%#=1\\v(a+)+b//", "%!cat - /dev/zero",
    ],
)  # fmt: skip
@pytest.mark.requirement("CMD-03")
def test_what_takes_too_long_is_interrupted(free: tuple[Terminal, RawEditor], kind: str, command: str) -> None:
    terminal, link = free
    edit(link, lines=["a" * 200])
    error = interrupted(link, terminal, kind, command)
    assert kind_of(error) == "limit", error
    assert "more than 300 ms" in error["message"]
    assert output(link, "echo 'next'") == "next"
    terminal.type("Amark\x1b")
    terminal.wait_screen("aamark")


# ---- shell commands, for those who allow everything


def test_a_shell_commands_output_comes_back_and_not_on_the_screen(
    free: tuple[Terminal, RawEditor], tmp_path: Path
) -> None:
    terminal, link = free
    assert output(link, "!echo '%' out; echo err >&2") == "one.txt out\nerr\n"
    assert output(link, "silent !cat; exit 3") == "shell returned 3\n"
    run(link, "exe '!echo shown'")
    terminal.type("Amark\x1b")
    assert "shown" not in terminal.wait_screen("mark")
