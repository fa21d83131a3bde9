"""`save`: an open file's unsaved changes reach its file, and nobody else's are lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.editing import command, edit, kind_of, refused, state
from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor


@pytest.fixture
def path(editor: tuple[Terminal, RawEditor], tmp_path: Path) -> Path:
    """The open file, with one line that is not saved."""
    edit(editor[1], lines=["unsaved"])
    return tmp_path / "project" / "one.txt"


def modified(link: RawEditor) -> bool:
    """Whether the current buffer has unsaved changes."""
    return bool(state(link, "current_buffer")["modified"])


@pytest.mark.requirement("IDE-TOOL-15")
def test_changes_reach_the_file(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = editor
    assert link.request("save", file=str(path)) == {"saved": True, "buffer": state(link, "current_buffer")["id"]}
    assert (path.read_text(), modified(link)) == ("unsaved\n", False)
    stamp = path.stat().st_mtime_ns
    assert link.request("save", file=str(path))["saved"] is True
    assert path.stat().st_mtime_ns == stamp, "without changes nothing is written"


@pytest.mark.requirement("IDE-TOOL-15")
def test_a_hidden_buffer_is_saved_where_it_is(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = editor
    command(terminal, "set hidden | enew")
    before = state(link, "windows"), state(link, "mode")
    link.request("save", file=str(path))
    assert path.read_text() == "unsaved\n"
    assert (state(link, "windows"), state(link, "mode")) == before


@pytest.mark.requirement("IDE-TOOL-15")
def test_a_missing_final_line_end_stays_missing(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = editor
    path.write_text("a")
    command(terminal, "edit!")
    edit(link, lines=["b"])
    link.request("save", file=str(path))
    assert path.read_text() == "b"


@pytest.mark.requirement("IDE-TOOL-15")
def test_the_persons_autocommands_run(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = editor
    command(terminal, "autocmd BufWritePre * call setline(1, 'formatted')")
    link.request("save", file=str(path))
    assert path.read_text() == "formatted\n"


@pytest.mark.requirement("IDE-TOOL-15", "KEEP-01")
def test_what_is_newer_on_disk_is_not_overwritten(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = editor
    link.request("save", file=str(path))
    edit(link, lines=["mine"])
    path.write_text("somebody else's\n")
    error = refused(link, "save", file=str(path))
    assert (kind_of(error), str(path) in error["message"]) == ("changed", True)
    assert (path.read_text(), modified(link)) == ("somebody else's\n", True)


@pytest.mark.requirement("IDE-TOOL-15")
def test_what_is_not_open_is_not_saved(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    _, link = editor
    for name in ("two.txt", "one.txt.bak", "one*"):
        error = refused(link, "save", file=str(path.parent / name))
        assert (kind_of(error), name in error["message"]) == ("not_found", True)
    assert kind_of(refused(link, "save", file="scp://host/one.txt")) == "refused"
    assert refused(link, "save")["code"] == -32602
    assert not path.exists()


@pytest.mark.requirement("IDE-TOOL-15")
def test_vims_own_refusal_is_told(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = editor
    command(terminal, "set readonly")
    error = refused(link, "save", file=str(path))
    assert (kind_of(error), error["data"]["vim_error"]) == ("vim", "E45")
    assert (path.exists(), modified(link)) == (False, True)


@pytest.mark.requirement("IDE-TOOL-15", "IDE-IGNORE-01")
def test_ignored_files_are_left_to_their_user(editor: tuple[Terminal, RawEditor], path: Path) -> None:
    terminal, link = editor
    terminal.type(":edit! .env\riSECRET=1\x1b:echo 'typed'\r")
    terminal.wait_screen("typed")
    assert kind_of(refused(link, "save", file=str(path.parent / ".env"))) == "ignored"
    assert not (path.parent / ".env").exists()


@pytest.mark.requirement("IDE-ACCESS-01")
@pytest.mark.parametrize("how", ["let g:vim_mcp_access = 'read'", "let g:vim_mcp_access = 'off'", "VimMCPPause"])
def test_who_may_only_read_saves_and_opens_nothing(editor: tuple[Terminal, RawEditor], path: Path, how: str) -> None:
    terminal, link = editor
    (path.parent / "two.txt").write_text("two\n")
    command(terminal, how)
    for method, name in (("save", "one.txt"), ("open_file", "two.txt"), ("load_file", "two.txt")):
        assert kind_of(refused(link, method, file=str(path.parent / name))) == "access"
    assert not path.exists()
