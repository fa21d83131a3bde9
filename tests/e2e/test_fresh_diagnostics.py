"""The real Claude CLI's model hears of every error that an edit brings, and of no other."""

from __future__ import annotations

import pytest

from tests.e2e.freshness import accept_edits, course, edits, listed, text, undefined
from tests.e2e.review import edit, hides, propose, settled, shows
from tests.e2e.scene import Scene
from tests.support.checkers import checker
from tests.support.claude import Claude
from tests.support.editors import Terminal

EDITS = 10


def begin(scene: Scene) -> tuple[Terminal, Claude]:
    """An editor with a file whose error is old, and what checks it; a CLI."""
    scene.stage.home.add("set hidden noswapfile", *checker(scene.kind))
    scene.calc.write_text(text("old"))
    (scene.project / "other.py").write_text(text("old"))
    editor = scene.editor()
    return editor, scene.claude_of(editor)


@pytest.mark.parametrize("kind", ["vim", "nvim"])
@pytest.mark.requirement("IDE-DIAG-03", "IDE-DIAG-04", "IDE-DIAG-05")
def test_each_error_is_told_once_and_no_old_one(scene: Scene) -> None:
    _, cli = begin(scene)
    accept_edits(cli)
    texts, brought = course(EDITS)
    assert edits(cli, scene.calc, texts) == brought


@pytest.mark.parametrize("kind", ["vim", "nvim"])
@pytest.mark.requirement("IDE-DIAG-03")
def test_it_is_shown_and_so_it_is_of_a_file_that_is_not_open(scene: Scene) -> None:
    _, cli = begin(scene)
    accept_edits(cli)
    edits(cli, scene.calc, [text("old")])  # from here on what checks has started
    assert edits(cli, scene.project / "other.py", [text("old", "new"), text("old", "new", above=3)]) == [["new"], []]
    cli.shows("Found 1 new diagnostic issue in 1 file")
    assert edits(cli, scene.calc, [text("old", "new", above=2)]) == [["new"]]


@pytest.mark.parametrize("kind", ["vim", "nvim"])
@pytest.mark.requirement("IDE-DIAG-03", "IDE-TOOL-04")
def test_a_diff_that_is_accepted_with_an_error_in_it(scene: Scene) -> None:
    """Also one that the user has put in."""
    editor, cli = begin(scene)
    listed(cli)
    for name, keys in (("proposed", ":w\r"), ("mine", "Goprint(mine)\x1b:w\r")):
        before = propose(cli, *edit(scene.calc, "print(old)", f"a = 1\nprint(old)\nprint({name}1)"), prompt=f"{name}?")
        shows(editor, f"{name}1")
        editor.type(keys)
        turn = cli.api.wait_turn(lambda request: bool(undefined(request)), f"the error of {name}", before)
        assert undefined(turn) == ([f"{name}1"] if keys == ":w\r" else [f"{name}1", "mine"])
        hides(editor)
        settled(scene)
