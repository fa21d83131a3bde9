"""The real Claude CLI proposes changes, and the user of a real editor judges them."""

from __future__ import annotations

import pytest

from tests.e2e.review import (
    ASKS,
    MODIFIED,
    REFUSED,
    SHOWN,
    answer,
    connected_again,
    edit,
    hides,
    propose,
    settled,
    shows,
    told,
    windows,
    write,
)
from tests.e2e.scene import CALC, Scene
from tests.support.scriptedapi import ToolUse

CHANGED = CALC.replace("a + b", "a - b")


@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-04")
def test_accepted_as_it_was_proposed(scene: Scene) -> None:
    editor = scene.editor()
    before = editor.wait_screen("def add")
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor, "a - b")
    editor.type(":w\r")
    assert MODIFIED not in told(cli, 2)
    assert scene.calc.read_text() == CHANGED
    assert editor.wait_screen("def add").splitlines()[:3] == hides(editor).splitlines()[:3]
    assert before.splitlines()[0] == hides(editor).splitlines()[0]
    settled(scene)


@pytest.mark.requirement("IDE-TOOL-04")
def test_accepted_after_a_change(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor)
    editor.type("ggO# mine\x1b:wq\r")
    assert MODIFIED in told(cli, 2)
    assert scene.calc.read_text() == f"# mine\n{CHANGED}"
    hides(editor)
    settled(scene)


@pytest.mark.parametrize("keys", [":q\r", ":qa!\r"], ids=["closed", "left"])
@pytest.mark.requirement("IDE-TOOL-05")
def test_rejected(scene: Scene, keys: str) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor)
    editor.type(keys)
    cli.shows("Rejected update to calc.py")
    assert ASKS not in cli.terminal.text()
    assert scene.calc.read_text() == CALC
    cli.submit("Why?")
    request = cli.api.wait_turn(lambda request: "Why?" in str(request), "the next prompt")
    assert REFUSED in str(request["messages"])
    settled(scene)


@pytest.mark.parametrize(("key", "text"), [("1", CHANGED), ("3", CALC)], ids=["yes", "no"])
@pytest.mark.requirement("IDE-TOOL-07", "IDE-TOOL-09")
def test_answered_in_the_terminal(scene: Scene, key: str, text: str) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor)
    cli.shows(ASKS)
    answer(cli, key)
    hides(editor)
    settled(scene)
    if key == "1":
        assert MODIFIED not in told(cli, 2)
    assert scene.calc.read_text() == text


@pytest.mark.requirement("IDE-TOOL-04")
def test_accepted_while_the_user_types_elsewhere(scene: Scene) -> None:
    """It does not come before their eyes, and no key is lost: they accept without leaving insert mode for long."""
    (scene.project / "other.py").write_text("one\n")
    editor = scene.editor("other.py")
    cli = scene.claude_of(editor)
    editor.type("ia")
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    cli.shows(ASKS)
    screen = editor.wait_screen("calc.py")  # in the line of tab pages
    assert "a - b" not in screen
    editor.type("b\x0f:ClaudeCodeDiffAccept\rc")
    assert MODIFIED not in told(cli, 2)
    assert scene.calc.read_text() == CHANGED
    editor.wait_screen("abcone")
    editor.type("d\x1b")
    editor.wait_screen("abcdone")
    settled(scene)


@pytest.mark.requirement("IDE-TOOL-04", "IDE-TOOL-05")
def test_a_new_file_in_a_new_directory(scene: Scene) -> None:
    directory = scene.project / "new dir \u00e9"
    file = directory / "sub" / "caf\u00e9 1.py"
    editor = scene.editor()
    cli = scene.claude_of(editor)
    for keys in (":q\r", ":w\r"):
        cli.api.skip()
        propose(cli, write(file, "x = 1\ny = 2"), prompt=f"Then {keys[1]}.")
        shows(editor, "y = 2")
        cli.shows(ASKS)
        editor.type(keys)
        cli.hides(ASKS)
        hides(editor)
        if keys == ":q\r":
            assert not directory.exists()
    assert MODIFIED not in told(cli, 2)
    assert file.read_bytes() == b"x = 1\ny = 2"
    settled(scene)


BYTES = {
    "CRLF": (CALC.replace("\n", "\r\n").encode(), CHANGED.replace("\n", "\r\n").encode()),
    "no final newline": (CALC.rstrip("\n").encode(), CHANGED.rstrip("\n").encode()),
    "CRLF, no final newline": (
        CALC.rstrip("\n").replace("\n", "\r\n").encode(),
        CHANGED.rstrip("\n").replace("\n", "\r\n").encode(),
    ),
    "a BOM": (b"\xef\xbb\xbf" + CALC.encode(), b"\xef\xbb\xbf" + CHANGED.encode()),
    "UTF-16": (f"\ufeff{CALC}".encode("utf-16-le"), f"\ufeff{CHANGED}".encode("utf-16-le")),
}


@pytest.mark.parametrize("case", BYTES)
@pytest.mark.requirement("IDE-TOOL-04")
def test_every_byte_is_kept(scene: Scene, case: str) -> None:
    before, after = BYTES[case]
    scene.calc.write_bytes(before)
    editor = scene.editor()
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    assert "^M" not in shows(editor, "1 change")
    editor.type(":w\r")
    assert MODIFIED not in told(cli, 2)
    assert scene.calc.read_bytes() == after
    settled(scene)


@pytest.mark.requirement("IDE-TOOL-03")
def test_three_edits_in_a_row(scene: Scene) -> None:
    editor = scene.editor()
    cli = scene.claude_of(editor)
    path = str(scene.calc)
    edits = [("a + b", "a - b"), ("add", "sub"), ("print", "show")]
    changes = [ToolUse("Edit", {"file_path": path, "old_string": old, "new_string": new, "replace_all": True})
               for old, new in edits]  # fmt: skip
    propose(cli, ToolUse("Read", {"file_path": path}), *changes)
    for number, (keys, changed) in enumerate(((":w\r", False), ("Go# mine\x1b:w\r", True), (":w\r", False)), 2):
        shows(editor, edits[number - 2][1])
        editor.type(keys)
        assert (MODIFIED in told(cli, number)) is changed
    hides(editor)
    assert scene.calc.read_text() == CHANGED.replace("add", "sub").replace("print", "show") + "# mine\n"
    settled(scene)


@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-09")
def test_two_with_a_diff_each(scene: Scene) -> None:
    other = scene.project / "other.py"
    other.write_text("one = 1\n")
    editor = scene.editor()
    port = str(scene.lock(editor).port)
    first, second = (scene.claude(CLAUDE_CODE_SSE_PORT=port).ready() for _ in range(2))
    scene.connected(editor, first.terminal.pid, second.terminal.pid)
    propose(first, *edit(scene.calc, "a + b", "a - b"))
    first.shows(ASKS)
    shows(editor)
    propose(second, *edit(other, "one = 1", "two = 2"))
    second.shows(ASKS)
    editor.wait_screen("a diff of other.py waits for review")
    editor.type(":ClaudeCodeDiffs 2\r")
    editor.wait_screen(SHOWN, "two = 2")
    editor.type(":w\r")
    assert MODIFIED not in told(second, 2)
    assert other.read_text() == "two = 2\n"
    first.shows(ASKS)
    assert scene.calc.read_text() == CALC
    editor.type(":ClaudeCodeDiffs\r")
    editor.wait_screen(SHOWN, "a - b")
    editor.type(":q\r")
    first.shows("Rejected update to calc.py")
    hides(editor)
    settled(scene)


# ---- in the editor's own terminal


@pytest.mark.parametrize("tree", [False, True], ids=["alone", "tree"])
@pytest.mark.requirement("IDE-TOOL-03", "IDE-TOOL-04", "IDE-TOOL-07")
def test_in_a_terminal_of_the_editor(scene: Scene, tree: bool) -> None:
    """The diff comes beside the terminal, which stays in sight and in use, and not into a file tree."""
    cli = scene.inside("calc.py", TERM="screen-256color")  # a terminal without margins at its sides
    editor = cli.terminal
    editor.type("\x1c\x0e:only\r" + (f":Lexplore {scene.project}\r:wincmd l\r" if tree else "") + "i")
    editor.wait_screen(lambda screen: "def add" not in screen and (not tree or "calc.py" in screen))
    before = windows(scene, editor)
    for typed, text in (("1", CHANGED), ("\x1c\x0e:ClaudeCodeDiffAccept\ri", CHANGED.replace("a - b", "a * b"))):
        old = "a + b" if typed == "1" else "a - b"
        propose(cli, *edit(scene.calc, old, "a - b" if typed == "1" else "a * b"), prompt=f"Not {old}.")
        editor.wait_screen(lambda screen: SHOWN in screen and ASKS in screen)
        opened = windows(scene, editor)
        assert len(opened) == len(before) + 2
        assert [window for window in opened if window in before or "terminal" in window or "netrw" in window]
        if typed == "1":
            answer(cli, typed)
        else:
            editor.type(typed)
        cli.hides(ASKS)
        hides(editor)
        assert MODIFIED not in told(cli, 2 if typed == "1" else 4)
        assert scene.calc.read_text() == text
        assert windows(scene, editor) == before
    settled(scene)


# ---- when the hub is lost


@pytest.mark.requirement("IDE-TOOL-07")
def test_the_hub_is_killed(scene: Scene) -> None:
    """Claude Code does not ask for the diff again: the user answers in its terminal, and the diff goes by itself."""
    scene.stage.home.add("let g:vim_mcp_diff_keep = 5000")
    editor = scene.editor("calc.py", size=(24, 200))
    cli = scene.claude_of(editor)
    propose(cli, *edit(scene.calc, "a + b", "a - b"))
    shows(editor, "a - b")
    cli.shows(ASKS)
    scene.stage.kill_hub()
    editor.wait_screen("not connected")
    editor.type(":w\r")
    connected_again(scene, cli)
    editor.wait_screen(lambda screen: "[:w accepts" not in screen)
    assert scene.calc.read_text() == CALC, "nobody was told of that"
    cli.shows(ASKS)
    answer(cli, "1")
    assert MODIFIED not in told(cli, 2)
    assert scene.calc.read_text() == CHANGED
    propose(cli, *edit(scene.calc, "a - b", "a * b"), prompt="Once more.")
    shows(editor, "a * b")
    editor.type(":w\r")
    assert MODIFIED not in told(cli, 4)
    assert scene.calc.read_text() == CHANGED.replace("a - b", "a * b")
    settled(scene)
