"""The workspace folders that an editor tells: when it registers, and when they change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.editing import command
from tests.support.editors import ROOT, EditorHome, Terminal
from tests.support.rawhub import RawEditor, RawHub

Launch = Callable[..., Terminal]


@pytest.fixture
def projects(tmp_path: Path, home: EditorHome) -> Path:
    """A directory with the Git projects `one` and `two`, the plain directory `notes`, and a link to `one`."""
    for name in ("one/.git", "one/src", "two/.git", "two/src", "notes"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "one")
    home.add("set hidden")
    return tmp_path


def registered(hub: RawHub) -> tuple[RawEditor, list[str]]:
    """The next editor, and the folders that it registers with."""
    link = hub.editor()
    folders: list[str] = link.hello["info"]["folders"]
    return link, folders


def wait_folders(link: RawEditor, *wanted: Path) -> None:
    """Wait until these folders are pushed."""
    while link.event("event")["state"]["folders"] != [str(path) for path in wanted]:
        pass


# cwd, file, folders; all below `projects`
PLACES = {
    "a file in a project": ("one/src", "x.py", ["one"]),
    "through a link": ("link/src", "x.py", ["one"]),
    "a file of a project, from outside": (".", "one/src/x.py", ["one"]),
    "no project": ("notes", "x.txt", ["notes"]),
    "a file of no project, from a project": ("two/src", "../../notes/x.txt", ["two"]),
    "a file of a project, from another": ("two", "../one/x.py", ["one", "two"]),
    "the home directory": ("home", "x.txt", ["home"]),
    "a project, from the home directory": ("home", "../one/x.py", ["one"]),
    "an empty editor": ("two/src", "", ["two"]),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.requirement("IDE-FOLDERS-01")
def test_an_editor_registers_with_its_folders(raw_hub: RawHub, launch: Launch, projects: Path, place: str) -> None:
    cwd, file, folders = PLACES[place]
    launch(*([file] if file else []), cwd=projects / cwd)
    assert registered(raw_hub)[1] == [str(projects / name) for name in folders]


@pytest.mark.requirement("IDE-FOLDERS-01")
def test_a_home_directory_that_is_a_repository_is_no_project(raw_hub: RawHub, launch: Launch, projects: Path) -> None:
    (projects / "home" / ".git").mkdir()
    (projects / "home" / "plain").mkdir()
    launch("x.txt", cwd=projects / "home" / "plain")
    assert registered(raw_hub)[1] == [str(projects / "home" / "plain")]


@pytest.mark.requirement("IDE-FOLDERS-02")
def test_they_follow_the_working_directory(raw_hub: RawHub, launch: Launch, projects: Path) -> None:
    terminal = launch("one/x.py", cwd=projects)
    link, _ = registered(raw_hub)
    one, two, notes = (projects / name for name in ("one", "two", "notes"))
    wait_folders(link, one)
    command(terminal, f"silent cd {two}/src")
    wait_folders(link, one, two)
    command(terminal, f"silent cd {notes}")
    wait_folders(link, one, notes)
    command(terminal, f"silent cd {one}/src")
    wait_folders(link, one)


@pytest.mark.requirement("IDE-FOLDERS-02")
def test_they_stay_when_the_directory_follows_the_file(raw_hub: RawHub, launch: Launch, projects: Path) -> None:
    terminal = launch("x.txt", cwd=projects / "notes")
    link, folders = registered(raw_hub)
    wait_folders(link, projects / "notes")
    command(terminal, "set autochdir")
    for name in ("one/src", "two"):
        command(terminal, f"silent edit {projects}/{name}/y.txt")
        state = link.event("event")["state"]
        while state["cwd"] != str(projects / name):
            state = link.event("event")["state"]
        assert state["folders"] == folders
    command(terminal, f"silent lcd {projects}")
    link.event("DirChanged")
    assert link.request("ping") == {}


@pytest.mark.parametrize("kind", ["nvim"], indirect=True)  # an older Neovim has no event for it
@pytest.mark.requirement("IDE-FOLDERS-02")
def test_those_of_language_servers_are_added(raw_hub: RawHub, launch: Launch, projects: Path, home: EditorHome) -> None:
    terminal = launch("x.py", cwd=projects / "one")
    link, _ = registered(raw_hub)
    server = f"{{'name': 'ruff', 'cmd': ['{ROOT}/.venv/bin/ruff', 'server'], 'root_dir': '{projects}/two/src'}}"
    command(terminal, f"call luaeval('vim.lsp.start(_A) and 0', {server})")
    wait_folders(link, projects / "one", projects / "two" / "src")
    command(
        terminal, "lua for _, client in ipairs(vim.lsp.get_clients()) do vim.lsp.buf_detach_client(0, client.id) end"
    )
    terminal.type(":qa!\r")
    terminal.wait()
