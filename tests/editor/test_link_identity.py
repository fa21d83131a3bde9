"""Who registers, under which id, and who counts as short-lived."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.editors import ROOT, TIMEOUT, EditorHome, Terminal, find
from tests.support.inside import Inside
from tests.support.rawhub import RawHub

Launch = Callable[..., Terminal]

SAFE = re.compile(r"[A-Za-z0-9_.-]+")

NAMES = {
    "server.py": "server",
    "main.test.js": "main.test",
    ".vimrc": ".vimrc",
    "Makefile": "Makefile",
    "my file.txt": "my_file",
    "-dash.txt": "-dash",
    "quo'te\"s`x`.py": "quo_te_s_x_",
    "new\nline\t.txt": "new_line_",
    "percent%#|<cfile>$HOME.txt": "percent____cfile__HOME",
    "*?[a]{b,c}~\\.txt": "___a__b_c___",
    "é✻𝄞.txt": "___",
    "x" * 200: "x" * 64,
    "..hidden": ".",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("VIM-ID-01", "VIM-ID-02", "VIM-ID-04")
def test_the_id_is_safe_for_any_file_name(
    raw_hub: RawHub, launch: Launch, kind: str, name: str, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    terminal = launch("--", name, cwd=project)
    hello = raw_hub.editor().hello
    assert hello["instance_id"] == f"{NAMES[name]}-project-{terminal.editor_pid}"
    assert SAFE.fullmatch(hello["instance_id"])
    assert hello["info"]["main_file"] == str(project / name)


@pytest.mark.requirement("VIM-ID-02", "VIM-ID-03")
def test_without_a_file_it_is_unnamed(raw_hub: RawHub, launch: Launch, tmp_path: Path) -> None:
    project = tmp_path / "a project, with ✻"
    project.mkdir()
    terminal = launch(cwd=project)
    hello = raw_hub.editor().hello
    assert hello["instance_id"] == f"unnamed-a_project__with__-{terminal.editor_pid}"
    assert hello["info"]["main_file"] == ""
    assert hello["info"]["project"] == project.name


def test_the_root_directory_is_a_project_too(raw_hub: RawHub, launch: Launch) -> None:
    terminal = launch(cwd=Path("/"))
    assert raw_hub.editor().hello["instance_id"] == f"unnamed-root-{terminal.editor_pid}"


@pytest.mark.parametrize("git", ["directory", "file"])
@pytest.mark.requirement("VIM-ID-03")
def test_the_project_is_the_git_root(raw_hub: RawHub, launch: Launch, tmp_path: Path, git: str) -> None:
    root = tmp_path / "we [ir]d,;*root"
    deep = root / "src;" / "deep **"
    deep.mkdir(parents=True)
    if git == "directory":
        (root / ".git").mkdir()
    else:  # as in a worktree
        (root / ".git").write_text("gitdir: /elsewhere\n")
    launch("one.txt", cwd=deep)
    info = raw_hub.editor().hello["info"]
    assert info["project"] == root.name
    assert info["cwd"] == str(deep)


def test_the_project_is_that_of_the_file_not_of_the_directory(raw_hub: RawHub, launch: Launch, tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name / ".git").mkdir(parents=True)
    launch(str(tmp_path / "there" / "one.txt"), cwd=tmp_path / "here")
    assert raw_hub.editor().hello["info"]["project"] == "there"


def test_a_directory_as_argument_gives_its_name(raw_hub: RawHub, launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "project" / "sub").mkdir(parents=True)
    terminal = launch("sub/", cwd=tmp_path / "project")
    assert raw_hub.editor().hello["instance_id"] == f"sub-project-{terminal.editor_pid}"


@pytest.mark.parametrize(
    ("name", "short_lived"),
    [
        ("repo/.git/COMMIT_EDITMSG", True), ("repo/.git/rebase-merge/git-rebase-todo", True),
        ("repo/.git/MERGE_MSG", True), ("repo/.git/TAG_EDITMSG", True), ("repo/.git/addp-hunk-edit.diff", True),
        ("hg-editor-k3f9_a.commit.hg.txt", True), ("svn-commit.2.tmp", True), ("crontab.Xa81Zq/crontab", True),
        ("sudoers.tmp", True), ("bash-fc.a8dK2z", True), ("main.py", False), ("crontab", False),
        ("commit_editmsg.py", False), ("tmp.txt", False), ("mutt-config.py", False), ("crontab.md", False),
    ],
)  # fmt: skip
@pytest.mark.requirement("SHORT-01")
def test_editors_opened_by_other_programs_are_short_lived(
    raw_hub: RawHub, launch: Launch, tmp_path: Path, name: str, short_lived: bool
) -> None:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    launch(str(file), cwd=tmp_path)
    assert raw_hub.editor().hello["info"]["short_lived"] is short_lived


@pytest.mark.parametrize(
    ("name", "short_lived"),
    [
        ("hosts.aB3dE6gH", True), ("sshdXk29dPqa.conf", True), ("tmp.Zk3v9aQ1xY", True), ("tmpab3d_x9.py", True),
        ("zshQ7w2Xa", True), ("notes.txt", False), ("document.txt", False), ("Makefile", False),
        ("settings.json", False), ("notes.markdown", False), ("mutt-host-1000-71-12", True),
        ("psql.edit.4711.sql", True), ("kubectl-edit-1x.yaml", True),
    ],
)  # fmt: skip
def test_made_up_names_in_a_directory_for_temporary_files_are_short_lived(
    raw_hub: RawHub, launch: Launch, tmp_path: Path, name: str, short_lived: bool
) -> None:
    launch(str(tmp_path / name), cwd=tmp_path, TMPDIR=f"{tmp_path}/")
    assert raw_hub.editor().hello["info"]["short_lived"] is short_lived


@pytest.fixture
def shell(kind: str, home: EditorHome) -> Iterator[Callable[[str], Terminal]]:
    """Runs a shell command in a terminal; `$EDIT` in it is the editor."""
    running: list[Terminal] = []

    def run(command: str) -> Terminal:
        environment = home.environment(EDIT=f"{find(kind)} -u {home.vimrc} -i NONE")
        running.append(Terminal(["/bin/sh", "-c", command], environment, home.home))
        return running[-1]

    yield run
    for terminal in running:
        terminal.close()


@pytest.mark.requirement("SHORT-01")
def test_an_editor_that_reads_standard_input_is_short_lived(raw_hub: RawHub, shell: Callable[[str], Terminal]) -> None:
    shell("echo text | $EDIT -")
    assert raw_hub.editor().hello["info"]["short_lived"] is True


LATE = {
    "echo text | $EDIT -": True, "echo text | $EDIT": True, "$EDIT -- -": False, "$EDIT": False,
    "echo text | xargs -o $EDIT": False, "$EDIT -c 'let x = 1' -- a -": False,
}  # fmt: skip


@pytest.mark.requirement("SHORT-01")
@pytest.mark.parametrize("command", LATE)
def test_so_is_one_whose_plugin_is_loaded_late(
    raw_hub: RawHub, shell: Callable[[str], Terminal], home: EditorHome, kind: str, command: str
) -> None:
    if command == "echo text | $EDIT" and kind != "nvim":
        pytest.skip("Vim does not read it, and Neovim 0.7 does not tell")
    home.vimrc.write_text(home.vimrc.read_text().replace(f"runtimepath^={ROOT} ", ""))
    home.add(f"autocmd VimEnter * set runtimepath^={ROOT} | runtime plugin/vim_mcp.vim")
    shell(command)
    assert raw_hub.editor().hello["info"]["short_lived"] is LATE[command]


@pytest.mark.requirement("SHORT-01")
def test_a_git_commit_is_short_lived_and_works(
    raw_hub: RawHub, shell: Callable[[str], Terminal], tmp_path: Path
) -> None:
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    author = "-c user.name=A -c user.email=a@b.example"
    terminal = shell(f"cd {repository} && GIT_EDITOR=$EDIT git {author} commit -q --allow-empty")
    link = raw_hub.editor()
    link.event("BufEnter")
    assert link.hello["info"]["short_lived"] is True
    assert link.hello["info"]["project"] == "repository"
    terminal.type("ggOa message\x1b")
    link.event("InsertLeave")
    terminal.type(":x\r")
    link.event("bye")
    assert terminal.wait() == 0
    log = ["git", "-C", str(repository), "log", "--format=%s"]
    assert subprocess.run(log, capture_output=True, text=True, check=True).stdout == "a message\n"


def _batch(kind: str, home: EditorHome, *args: str, vimrc: Path | None = None) -> None:
    """Run an editor without a terminal to its end."""
    binary = find(kind)
    assert binary
    argv = [binary, "-u", str(vimrc or home.vimrc), "-i", "NONE", *args]
    subprocess.run(
        argv, env=home.environment(), cwd=home.home, stdin=subprocess.PIPE, capture_output=True, timeout=TIMEOUT,
        check=False,
    )  # fmt: skip


LATER = "call timer_start(700, {-> execute('qa!')})"


@pytest.mark.parametrize("how", ["no screen", "headless"])
@pytest.mark.requirement("LINK-05")
def test_editors_without_a_screen_do_not_register_unless_told_to(
    raw_hub: RawHub, kind: str, home: EditorHome, how: str
) -> None:
    home.add("set shortmess+=F")
    args = {"no screen": ["--not-a-term"], "headless": []}[how] if kind == "vim" else ["--headless"]
    if how == "headless" and kind == "vim":
        args = ["-es"]
    ends = ["-c", "sleep 700m | qa!"] if args == ["-es"] else ["-c", LATER]
    _batch(kind, home, *args, *ends)
    assert raw_hub.waiting() == 0
    home.add("let g:vim_mcp_headless = 1")
    if args != ["-es"]:  # silent mode waits for nothing, so that nothing can be served
        _batch(kind, home, *args, *ends)
        assert raw_hub.waiting() == 1


@pytest.mark.requirement("LINK-04", "VIM-CFG-04")
def test_a_switched_off_plugin_does_not_register_until_it_is_told_to(
    raw_hub: RawHub, launch: Launch, home: EditorHome, inside: Inside
) -> None:
    home.add("let g:vim_mcp_enabled = 0")
    terminal = launch()
    assert inside.value(terminal, "vim_mcp#link#info().state") == "stopped"
    assert raw_hub.waiting() == 0
    terminal.type(":VimMCPStart\r")
    assert raw_hub.editor().request("ping") == {}


@pytest.mark.requirement("SHORT-01")
def test_fifty_editors_that_quit_at_once_leave_nothing_behind(
    shell: Callable[[str], Terminal], home: EditorHome, tmp_path: Path
) -> None:
    home.add(f"let g:vim_mcp_command = ['touch', '{tmp_path}/started']")
    terminal = shell("i=0; while [ $i -lt 50 ]; do $EDIT -c q; i=$((i+1)); done; echo all quit")
    terminal.wait_screen("all quit", timeout=300)  # fifty starts, on whatever machine
    assert terminal.wait() == 0
    assert not (tmp_path / "started").exists()
    assert list(home.runtime.iterdir()) == []


def test_they_do_not_even_reach_a_hub_that_is_there(raw_hub: RawHub, shell: Callable[[str], Terminal]) -> None:
    terminal = shell("for i in 1 2 3 4 5; do $EDIT -c q; done; echo all quit")
    terminal.wait_screen("all quit")
    assert raw_hub.waiting() == 0


@pytest.mark.parametrize("kind", ["nvim"], indirect=True)  # 0.7.2 cannot attach a screen to a running editor
def test_a_headless_editor_registers_once_a_screen_is_attached(
    raw_hub: RawHub, shell: Callable[[str], Terminal], home: EditorHome, tmp_path: Path
) -> None:
    home.add("autocmd UIEnter * call writefile([], $HOME . '/attached')")
    listen = tmp_path / "listen"
    wait = f"while ! test -S {listen}; do sleep 0.05; done"
    editor = shell(f"$EDIT --headless --listen {listen} & {wait}; sleep 0.5; $EDIT --server {listen} --remote-ui; wait")
    link = raw_hub.editor()
    assert link.request("ping") == {}
    assert (home.home / "attached").exists()
    editor.type(":qa!\r")
    link.event("bye")
