"""Fixtures: every editor kind in turn, each with its own home and runtime directory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.asking import Scene
from tests.support.editors import KINDS, EditorHome, Terminal, find, start_editor
from tests.support.inside import Inside
from tests.support.rawhub import RawEditor, RawHub
from tests.support.reviewing import Desk


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """An editor kind; missing editors are skipped with a printed reason, never in CI."""
    name = str(request.param)
    if find(name) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{name} is not installed, and CI must test it")
        pytest.skip(f"{name} is not installed on this machine")
    return name


@pytest.fixture
def home(tmp_path: Path) -> EditorHome:
    """A private HOME and runtime directory."""
    return EditorHome(tmp_path)


@pytest.fixture
def raw_hub(home: EditorHome) -> Iterator[RawHub]:
    """A hub that speaks the editor protocol directly; editors that lose it start no other."""
    home.add("let g:vim_mcp_command = ['true']")
    hub = RawHub(home.runtime)
    yield hub
    hub.close()


@pytest.fixture
def inside(home: EditorHome) -> Iterator[Inside]:
    """Tells the values of expressions in this test's editors."""
    insider = Inside(home)
    yield insider
    insider.close()


@pytest.fixture
def launch(kind: str, home: EditorHome) -> Iterator[Callable[..., Terminal]]:
    """Start editors of the current kind: `launch("file", cwd=…, VAR="value")`."""
    running: list[Terminal] = []

    def start(*args: str, cwd: Path | None = None, **env: Any) -> Terminal:
        running.append(start_editor(kind, home, args, cwd, **env))
        return running[-1]

    yield start
    for terminal in running:
        terminal.close()


@pytest.fixture
def editor(raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path) -> tuple[Terminal, RawEditor]:
    """A registered editor with an empty file `one.txt` open in `tmp_path/project`: (its terminal, its connection)."""
    project = tmp_path / "project"
    project.mkdir()
    terminal = launch("one.txt", cwd=project)
    link = raw_hub.editor()
    link.event("BufEnter")  # from here on it pushes events
    return terminal, link


@pytest.fixture
def scene(inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], home: EditorHome) -> Scene:
    """A registered editor whose person is to be asked, with maps for the answers."""
    home.add(
        "set noswapfile mouse=a timeoutlen=300",
        *(f"nmap g{word[0]} <Plug>(vim-mcp-answer-{word})" for word in ("yes", "always", "no")),
    )  # fmt: skip
    terminal = launch("one.txt", size=(50, 80))
    link = raw_hub.editor()
    link.event("BufEnter")
    return terminal, link


@pytest.fixture
def desk(home: EditorHome, inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path) -> Desk:
    """Reviews in an editor that leads its person to each and that `inside` can look into; files in `project`."""
    return _desk(home, raw_hub, launch, tmp_path / "project")


@pytest.fixture
def start(
    home: EditorHome, inside: Inside, raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path
) -> Callable[..., Desk]:
    """Start such an editor with these lines in its vimrc and show a diff in it."""

    def begin(*lines: str) -> Desk:
        home.add(*lines)
        desk = _desk(home, raw_hub, launch, tmp_path / "project")
        desk.propose()
        return desk

    return begin


def _desk(home: EditorHome, raw_hub: RawHub, launch: Callable[..., Terminal], project: Path) -> Desk:
    home.add("let g:vim_mcp_diff_focus = 'always'", "set noswapfile")
    project.mkdir()
    terminal = launch("one.txt", cwd=project)
    link = raw_hub.editor()
    link.event("BufEnter")
    return Desk(terminal, link, project, home.runtime)
