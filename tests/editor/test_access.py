"""What clients may do to this editor at all, and which files' text they never get."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.editing import command, edit, kind_of, refused, state, text, wait_mode
from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.rawhub import EditorError, RawEditor, RawHub

READING: dict[str, dict[str, Any]] = {"get_state": {}, "get_text": {}}
CHANGING: dict[str, dict[str, Any]] = {
    "edit": {"buffer": 0, "kind": "all", "lines": ["x"]},
    "show": {"file": "/tmp/x"},
    "execute": {"command": "1", "safe": True, "reason": "", "timeout": 1000},
    "navigate": {"direction": "top", "count": 1},
}


@pytest.fixture
def link(home: EditorHome, editor: tuple[Terminal, RawEditor]) -> RawEditor:
    """An editor's connection."""
    return editor[1]


@pytest.mark.requirement("ACCESS-01")
def test_an_editor_may_be_for_reading_only(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    command(editor[0], "let g:vim_mcp_access = 'read'")
    for method, params in READING.items():
        assert link.request(method, **params)
    for method, params in CHANGING.items():
        error = refused(link, method, **params)
        assert kind_of(error) == "access", method
        assert "g:vim_mcp_access" in error["message"]
        assert method in error["message"]
    assert text(link) == [""]


@pytest.mark.parametrize("access", ["'off'", "'nonsense'", "0", "['edit']"])
@pytest.mark.requirement("ACCESS-01")
def test_an_editor_may_be_closed(link: RawEditor, editor: tuple[Terminal, RawEditor], access: str) -> None:
    command(editor[0], f"let g:vim_mcp_access = {access}")
    for method, params in (READING | CHANGING).items():
        error = refused(link, method, **params)
        assert kind_of(error) == "access", method
        assert ":let g:vim_mcp_access" in error["message"]
    assert link.request("ping") == {}


@pytest.mark.requirement("ACCESS-01")
def test_access_can_be_paused(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    edit(link, lines=["before"])
    command(editor[0], "VimMCPPause on")
    for method, params in (READING | CHANGING).items():
        error = refused(link, method, **params)
        assert kind_of(error) == "access", method
        assert ":VimMCPPause" in error["message"]
    command(editor[0], "VimMCPPause off")
    assert text(link) == ["before"]


def test_a_closed_editor_pushes_no_state(link: RawEditor, editor: tuple[Terminal, RawEditor]) -> None:
    command(editor[0], "VimMCPPause on")
    command(editor[0], "new secret.txt")
    pushed: dict[str, Any] = {"buffers": ["before"]}
    while pushed["buffers"]:
        pushed = link.events.get(timeout=TIMEOUT).get("state", pushed)
    assert (pushed["current_buffer"], pushed["windows"]) == (None, [])
    assert "secret" not in str(pushed)


SECRET = [
    ".env", ".env.local", "key.pem", "a.key", "id_rsa", "id_ed25519", "id_ecdsa_work", "c.p12", ".netrc", ".pgpass",
    "x.pfx", "credentials", "credentials.json", ".git-credentials", ".aws/config",
]  # fmt: skip
OPEN = ["env", "a.env", "pem", "key", "my_id_rsa", "x.KEY", "credentialsx", "netrc", "id_rs"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Where the editor works."""
    return tmp_path / "project"


def given(link: RawEditor, path: Path) -> bool:
    """Whether the file's text is given, by each way; all must say the same."""
    link.request("show", file=str(path))
    current = link.request("get_state")["current_buffer"]
    context = link.request("get_state", sections=["context"])["context"]
    copy = path.parent / "copy"
    link.request("get_state", text_file=str(copy))
    got = {current["content"] is not None, context is not None, not current["ignored"], copy.exists()}
    ways: tuple[dict[str, Any], ...] = ({}, {"file": str(path)}, {"buffer": current["id"]}, {"text_file": str(copy)})
    for way in ways:
        copy.unlink(missing_ok=True)
        answer = link.start("get_text", **way)
        with contextlib.suppress(EditorError):
            got.add("SECRET" in str(link.answer(answer).get("lines") or copy.read_text()))
            continue
        got.add(copy.exists())
        error = refused(link, "get_text", **way)
        assert kind_of(error) == "ignored"
        assert "g:vim_mcp_ignore" in error["message"]
    copy.unlink(missing_ok=True)
    assert len(got) == 1
    return got.pop()


def secret(path: Path) -> Path:
    """A file with a secret."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("SECRET\n")
    return path


@pytest.mark.requirement("ACCESS-02")
def test_private_files_are_never_given(link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path) -> None:
    command(editor[0], "set hidden ignorecase noswapfile")
    for name in SECRET:
        assert not given(link, secret(project / name)), name
    for name in OPEN:
        assert given(link, secret(project / name)), name
    assert not any("SECRET" in str(state(link, section)) for section in ("buffers", "windows", "current_buffer"))


@pytest.mark.requirement("ACCESS-02")
def test_private_files_are_not_changed(link: RawEditor, project: Path) -> None:
    path = secret(project / ".env")
    for params in (
        {"kind": "all", "lines": ["x"]}, {"kind": "insert", "line": 1, "lines": ["x"]},
        {"kind": "substitute", "old_lines": ["SECRET"], "lines": ["x"]},
        {"kind": "substitute", "old_lines": ["PUBLIC"], "lines": ["x"]},
    ):  # fmt: skip
        assert kind_of(refused(link, "edit", file=str(path), save=True, **params)) == "ignored"
        link.request("show", file=str(path))
        assert kind_of(refused(link, "edit", buffer=0, **params)) == "ignored"
    assert path.read_text() == "SECRET\n"
    assert kind_of(refused(link, "edit", file=str(project / "new.pem"), kind="all", lines=["x"])) == "ignored"


def test_a_link_to_a_private_file_is_private(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    command(editor[0], "set hidden noswapfile")
    secret(project / ".env")
    (project / "readme.txt").symlink_to(project / ".env")
    assert not given(link, project / "readme.txt")
    error = refused(link, "edit", file=str(project / "readme.txt"), kind="substitute", old_lines=["S"], lines=["x"])
    assert kind_of(error) == "ignored"
    (project / "dir").mkdir()
    assert kind_of(refused(link, "get_text", file=f"{project}/dir/../.env")) == "ignored"


@pytest.mark.requirement("ACCESS-02")
def test_the_patterns_are_the_persons(link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path) -> None:
    command(editor[0], "set hidden noswapfile")
    command(editor[0], "let g:vim_mcp_ignore = ['*.secret', 'private/*', '~/*', '[ab].txt', '/etc/*']")
    for name in ("x.secret", "private/x", "a.txt"):
        assert not given(link, secret(project / name)), name
    for name in (".env", "x.secrets", "privately", "c.txt"):
        assert given(link, secret(project / name)), name
    home = secret(project.parent / "home" / "x")
    assert not given(link, home)
    command(editor[0], "let g:vim_mcp_ignore[0] = 'other'")
    assert given(link, project / "x.secret")
    command(editor[0], "let g:vim_mcp_ignore = []")
    assert given(link, home)
    command(editor[0], "unlet g:vim_mcp_ignore | let g:vim_mcp_ignore = 'other,*.secret'")
    assert not given(link, project / "x.secret")
    assert given(link, project / "c.txt")


def test_a_buffer_of_another_name_is_judged_by_its_name_now(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    terminal, _ = editor
    edit(link, lines=["SECRET"])
    assert text(link) == ["SECRET"]
    command(terminal, "file .env")
    assert state(link, "current_buffer")["ignored"] is True
    assert kind_of(refused(link, "get_text")) == "ignored"
    wait_mode(link, "n")


def test_a_misspelt_setting_is_told(home: EditorHome, launch: Callable[..., Terminal], raw_hub: RawHub) -> None:
    home.add("let g:vim_mcp_execute = 'sfae'")
    terminal = launch("one.txt")
    raw_hub.editor()
    terminal.wait_screen("g:vim_mcp_execute is none of safe, ask, all, off: ")


@pytest.mark.requirement("ACCESS-02")
def test_what_vim_keeps_of_a_private_file_is_as_private(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    command(editor[0], "set hidden noswapfile")
    kept = (".server.key.swp", ".env.swo", "..env.un~", ".server.key.un~", "server.key~", ".env~", "%home%ada%.env.swp")
    for name in (*kept, "%home%ada%.aws%config", ".viminfo"):
        assert not given(link, secret(project / name)), name
    for name in (".notes.txt.swp", "notes.txt~", ".notes.txt.un~", "%home%ada%notes.txt", "100%", "a.swp"):
        assert given(link, secret(project / name)), name


@pytest.mark.requirement("ACCESS-02")
def test_a_swap_file_in_another_place_belongs_to_its_file(
    link: RawEditor, editor: tuple[Terminal, RawEditor], project: Path
) -> None:
    config = secret(project / ".aws" / "config")
    command(editor[0], f"set hidden directory={project} | edit {config} | setlocal swapfile | call setline(1, 'x')")
    command(editor[0], "preserve")
    (swap,) = (path for path in project.iterdir() if path.suffix == ".swp" and "config" in path.name)
    elsewhere = project / "elsewhere.swp"
    elsewhere.write_bytes(swap.read_bytes())
    command(editor[0], "set noswapfile | enew")
    assert kind_of(refused(link, "edit", file=str(elsewhere), kind="all", lines=[])) == "ignored"
