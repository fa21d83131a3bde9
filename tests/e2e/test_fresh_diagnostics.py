"""The real Claude CLI's model hears of every error that an edit brings, and of no other."""

from __future__ import annotations

import pytest

from tests.e2e.freshness import accept_edits, course, edits, text
from tests.e2e.scene import Scene
from tests.support.checkers import checker
from tests.support.claude import Claude

EDITS = 10


def begin(scene: Scene) -> Claude:
    """An editor with a file whose error is old, and what checks it; a CLI that may edit."""
    scene.stage.home.add("set hidden noswapfile", *checker(scene.kind))
    scene.calc.write_text(text("old"))
    (scene.project / "other.py").write_text(text("old"))
    cli = scene.claude_of(scene.editor())
    accept_edits(cli)
    return cli


@pytest.mark.parametrize("kind", ["vim", "nvim"])
@pytest.mark.requirement("IDE-DIAG-03", "IDE-DIAG-04", "IDE-DIAG-05")
def test_each_error_is_told_once_and_no_old_one(scene: Scene) -> None:
    cli = begin(scene)
    texts, brought = course(EDITS)
    assert edits(cli, scene.calc, texts) == brought


@pytest.mark.parametrize("kind", ["vim", "nvim"])
@pytest.mark.requirement("IDE-DIAG-03")
def test_it_is_shown_and_so_it_is_of_a_file_that_is_not_open(scene: Scene) -> None:
    cli = begin(scene)
    edits(cli, scene.calc, [text("old")])  # from here on what checks has started
    assert edits(cli, scene.project / "other.py", [text("old", "new"), text("old", "new", above=3)]) == [["new"], []]
    cli.shows("Found 1 new diagnostic issue in 1 file")
    assert edits(cli, scene.calc, [text("old", "new", above=2)]) == [["new"]]
