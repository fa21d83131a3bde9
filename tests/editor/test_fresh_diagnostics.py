"""Diagnostics of the text on disk: files are loaded or read again, and who checks them is waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.checkers import PYTHON, SERVER, ale_server, checker, server
from tests.support.editing import command, edit, state, text, wait_mode
from tests.support.editors import TIMEOUT, EditorHome, Terminal
from tests.support.inside import Inside
from tests.support.rawhub import EditorError, RawEditor, RawHub
from tests.support.waiting import wait_until

SOON, LONG = 100, int(TIMEOUT * 1000)
"""Milliseconds: less than anything takes here, and more."""
WIDE = (24, 300)
"""A screen on which no message of Neovim's needs a second line, so that it asks for no key."""

neovim = pytest.mark.parametrize("kind", ["nvim"], indirect=True)
vim = pytest.mark.parametrize("kind", ["vim"], indirect=True)


class Scene:
    """An editor with one.py open, which has the error `old`; two.py has the error `other` and is not open."""

    def __init__(self, terminal: Terminal, link: RawEditor, project: Path):
        self.terminal = terminal
        self.link = link
        self.project = project
        self.one, self.two = project / "one.py", project / "two.py"

    def get(self, fresh: int, *files: Path, **params: Any) -> tuple[list[str], bool]:
        """The names that the diagnostics say are undefined, and whether they are settled."""
        found = self.link.request("get_diagnostics", fresh=fresh, files=[str(file) for file in files], **params)
        return sorted(item["message"].split("`")[1] for item in found["diagnostics"]), found["settled"]

    def of(self, fresh: int, file: Path) -> tuple[list[str], bool]:
        """The same of one file."""
        return self.get(fresh, file=str(file))

    def settles(self, *files: Path) -> list[str]:
        """What is found when all is settled."""
        found, settled = self.get(LONG, *files)
        assert settled
        return found


Begin = Callable[..., Scene]


@pytest.fixture
def begin(home: EditorHome, raw_hub: RawHub, launch: Callable[..., Terminal], tmp_path: Path) -> Begin:
    """Start the editor with these lines in its vimrc."""

    def start(*lines: str, **env: Any) -> Scene:
        project = tmp_path / "project"
        project.mkdir()
        (project / "one.py").write_text("print(old)\n")
        (project / "two.py").write_text("print(other)\n")
        home.add("set noswapfile hidden", *lines)
        terminal = launch("one.py", cwd=project, size=WIDE, **env)
        link = raw_hub.editor()
        link.event("BufEnter")
        return Scene(terminal, link, project)

    return start


@pytest.fixture
def scene(begin: Begin, kind: str) -> Scene:
    """The editor with what checks its files."""
    return begin(*checker(kind))


# ---- a baseline


@pytest.mark.requirement("IDE-DIAG-03")
def test_a_file_that_is_not_open_is_loaded_unseen(scene: Scene) -> None:
    scene.settles(scene.one)
    windows = state(scene.link, "windows")
    assert scene.of(LONG, scene.two) == (["other"], True)
    assert state(scene.link, "windows") == windows
    (listed,) = state(scene.link, "buffers")
    assert listed["name"] == str(scene.one)
    buffer = scene.link.request("get_text", file=str(scene.two))["buffer"]
    assert (buffer["loaded"], buffer["listed"], buffer["visible"], buffer["filetype"]) == (True, False, False, "python")


@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_the_user_goes_on_typing_while_a_file_is_loaded(scene: Scene) -> None:
    scene.settles(scene.one)
    scene.terminal.type("Oab")
    wait_mode(scene.link, "i")
    request = scene.link.start("get_diagnostics", fresh=LONG, file=str(scene.two))
    scene.terminal.type("cd")
    assert scene.link.answer(request)["settled"]
    scene.terminal.type("ef\x1b")
    wait_until(lambda: text(scene.link) == ["abcdef", "print(old)"], "what was typed")


@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_files_that_were_loaded_unseen_are_nobodys_until_they_are_used(begin: Begin) -> None:
    """No swap file keeps other editors from them, and when the last Claude leaves they go."""
    scene = begin("filetype on", "set swapfile directory=.")
    for name in ("edited.py", "seen.py", "left.py"):
        (scene.project / name).write_text("x\n")
        scene.of(LONG, scene.project / name)
        assert not list(scene.project.glob(f".{name}.sw?"))
    edit(scene.link, file=str(scene.project / "edited.py"), lines=["y"])
    command(scene.terminal, "split seen.py | close | redraw")
    assert {path.name for path in scene.project.glob(".*.swp")} == {".one.py.swp", ".edited.py.swp", ".seen.py.swp"}
    scene.link.send({"type": "ide", "clients": 1})
    scene.link.send({"type": "ide", "clients": 0})
    wait_until(lambda: "left.py" not in names(scene), "the end of what nobody used")
    assert names(scene) == ["one.py", "edited.py", "seen.py"]


def names(scene: Scene) -> list[str]:
    """The files that buffers hold, listed or not."""
    told = scene.link.request("execute", command="ls!", safe=True, ascii=True)["output"]
    return [Path(line.split('"')[1]).name for line in told.splitlines() if '"' in line]


@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_few_files_are_kept_open(begin: Begin) -> None:
    scene = begin("filetype on")
    for number in range(52):
        (scene.project / f"{number}.py").write_text("x\n")
        scene.of(LONG, scene.project / f"{number}.py")
    assert names(scene) == ["one.py", *[f"{number}.py" for number in range(2, 52)]]


@pytest.mark.requirement("IDE-DIAG-03", "IDE-IGNORE-01")
def test_files_that_are_not_to_be_read_are_left_alone(scene: Scene) -> None:
    scene.settles(scene.one)
    (scene.project / ".env").write_text("SECRET=1\n")
    (scene.project / "link.py").symlink_to(".env")
    os.mkfifo(scene.project / "fifo.py")
    for name in (".env", "link.py", "fifo.py", "gone.py", ".", "https://host/x.py"):
        answer = scene.link.request("get_diagnostics", fresh=LONG, file=str(scene.project / name))
        assert (answer["diagnostics"], answer["open"], answer["settled"]) == ([], False, True), name
    assert names(scene) == ["one.py"]


@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_where_nothing_checks_nothing_is_waited_for(begin: Begin) -> None:
    scene = begin("filetype on")
    assert scene.of(1000, scene.one) == scene.of(1000, scene.two) == ([], True)
    scene.one.write_text("print(new)\n")
    assert scene.get(1000, scene.one) == ([], True)
    assert text(scene.link) == ["print(new)"]


# ---- after a write


@pytest.mark.requirement("IDE-DIAG-03")
def test_the_text_on_disk_is_what_is_spoken_of(scene: Scene) -> None:
    """Of files that are seen, hidden and new, of errors that come and go."""
    new = scene.project / "new.py"
    assert (scene.of(LONG, scene.one), scene.of(LONG, scene.two)) == ((["old"], True), (["other"], True))
    assert scene.of(LONG, new) == ([], True)
    for number in range(3):
        scene.one.write_text(f"print(old)\nprint(one{number})\n")
        assert scene.settles(scene.one, scene.two) == ["old", f"one{number}", "other"]
        scene.two.write_text(f"print(two{number})\n")
        assert scene.settles(scene.one, scene.two) == ["old", f"one{number}", f"two{number}"]
        scene.one.write_text("print(old)\n")
        scene.two.write_text("print(other)\n")
        assert scene.settles(scene.one, scene.two) == ["old", "other"]
    new.write_text("print(fresh)\n")
    assert scene.settles(scene.one, new) == ["fresh", "old", "other"]


@pytest.mark.parametrize("keys", ["i", "v", ":echo", "R", "q:"])
@pytest.mark.requirement("IDE-DIAG-03")
def test_whatever_the_user_does(scene: Scene, kind: str, keys: str) -> None:
    """In the file itself: it is read again there where that can be, and checked."""
    scene.settles(scene.one)
    scene.terminal.type(keys)
    wait_until(lambda: state(scene.link, "mode") != "n" or keys == "q:", "the mode")
    scene.one.write_text("print(old)\nprint(new)\n")
    if keys == "q:":
        wait_until(lambda: len(state(scene.link, "windows")) == 2, "the command-line window")
        assert scene.get(SOON, scene.one) == (["old"], False)
        scene.terminal.type(":q\r")
    assert scene.settles(scene.one) == ["new", "old"]


@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_unsaved_changes_stay_and_are_what_is_checked(scene: Scene) -> None:
    scene.settles(scene.one)
    edit(scene.link, lines=["print(old)", "print(mine)"])
    assert scene.settles(scene.one) == ["mine", "old"]
    scene.one.write_text("print(old)\nprint(theirs)\n")
    assert scene.settles(scene.one) == ["mine", "old"]
    assert text(scene.link) == ["print(old)", "print(mine)"]


@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_lines_do_not_move_under_an_operator(scene: Scene) -> None:
    scene.settles(scene.one)
    scene.terminal.type("d")
    wait_mode(scene.link, "no")
    scene.one.write_text("print(first)\nprint(old)\nprint(new)\n")
    found, settled = scene.get(SOON, scene.one)
    assert (found, settled) == (["old"], False)
    scene.terminal.type("\x1b")
    assert scene.settles(scene.one) == ["first", "new", "old"]
    wait_until(lambda: text(scene.link) == ["print(first)", "print(old)", "print(new)"], "the new text")


# ---- language servers


@neovim
@pytest.mark.slow
@pytest.mark.parametrize("faults", [[], ["--push"], ["--push", "--no-version"]], ids=" ".join)
@pytest.mark.requirement("IDE-DIAG-03", "IDE-DIAG-04")
def test_a_slow_server_is_waited_for(begin: Begin, kind: str, faults: list[str]) -> None:
    scene = begin(*checker(kind, "--answer", "0.5", *faults))
    assert not scene.of(SOON, scene.one)[1]
    assert scene.of(LONG, scene.one) == (["old"], True)
    for number, file in enumerate([scene.one, scene.two, scene.one]):
        assert scene.of(LONG, file)[1]
        file.write_text(f"print(new{number})\n")
        assert not scene.get(SOON, file)[1]
        assert f"new{number}" in scene.settles(file)
        file.write_text(f"new{number} = 1\n")
        assert f"new{number}" not in scene.settles(file)


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-04")
def test_a_server_that_is_still_starting_has_not_answered(begin: Begin, kind: str) -> None:
    scene = begin(*checker(kind, "--start", "2"))
    assert scene.of(SOON, scene.one) == ([], False)
    assert scene.of(SOON, scene.two) == ([], False)
    assert scene.of(LONG, scene.one) == (["old"], True)
    assert scene.of(LONG, scene.two) == (["other"], True)


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_a_server_that_dies_is_waited_for_no_longer(begin: Begin, kind: str) -> None:
    scene = begin(*checker(kind, "--die", "new", "--answer", "0.2"))
    assert scene.of(LONG, scene.one) == (["old"], True)
    scene.one.write_text("print(new)\n")
    scene.settles(scene.one)


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-04")
def test_two_servers_are_both_waited_for(begin: Begin, kind: str) -> None:
    slow = [PYTHON, str(SERVER), "--answer", "0.5"]
    scene = begin(*checker(kind), *server(kind, "slow", slow))
    assert scene.of(LONG, scene.one) == (["old", "old"], True)
    scene.one.write_text("print(new)\n")
    wait_until(lambda: scene.get(SOON, scene.one)[0].count("new") == 1, "the answer of the fast one")
    assert scene.settles(scene.one) == ["new", "new"]


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_a_server_that_falls_silent_is_not_waited_for_again_and_again(begin: Begin, kind: str) -> None:
    scene = begin(*checker(kind, "--mute", "new"))
    assert scene.of(LONG, scene.one) == (["old"], True)
    scene.one.write_text("print(new)\n")
    assert scene.get(SOON, scene.one) == (["old"], False)
    wait_until(lambda: scene.get(SOON, scene.one)[1], "the end of waiting")
    assert scene.of(SOON, scene.one) == (["old"], True)


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_a_server_that_looks_for_no_faults_is_waited_for_at_first_only(begin: Begin, kind: str) -> None:
    scene = begin(*checker(kind, "--mute", "old", "--push"))
    assert scene.of(SOON, scene.one) == ([], False)
    wait_until(lambda: scene.of(SOON, scene.one)[1], "the end of waiting")


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_the_users_own_handler_hears_what_is_published(begin: Begin, kind: str, inside: Inside) -> None:
    heard = "function(...) Heard = (Heard or 0) + 1; vim.lsp.diagnostic.on_publish_diagnostics(...) end"
    handlers = f"lua vim.lsp.handlers['textDocument/publishDiagnostics'] = {heard}"
    scene = begin(handlers, *checker(kind, "--push"))
    assert scene.of(LONG, scene.one) == (["old"], True)
    assert inside.value(scene.terminal, "luaeval('Heard')") > 0


# ---- ALE


@vim
@pytest.mark.requirement("IDE-DIAG-03")
def test_what_ale_has_found_is_told_once(scene: Scene) -> None:
    """Also of windows, whose location lists hold it too, and of files that no window shows."""
    scene.of(LONG, scene.two)
    command(scene.terminal, "split | redraw")
    scene.one.write_text("print(old)\nprint(new)\n")
    assert scene.settles(scene.one, scene.two) == ["new", "old", "other"]
    found = scene.link.request("get_diagnostics")["diagnostics"]
    assert [(item["source"], item["code"], item["severity"]) for item in found] == [("judge", "F821", "error")] * 3


@vim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_ales_language_servers_are_waited_for(begin: Begin) -> None:
    scene = begin(*ale_server())
    assert scene.of(LONG, scene.one) == (["old"], True)
    assert scene.of(LONG, scene.two) == (["other"], True)
    for number in range(3):
        scene.one.write_text(f"print(new{number})\n")
        assert scene.settles(scene.one, scene.two) == [f"new{number}", *["other"] * (number + 1)]
        scene.two.write_text("print(other)\n" * (number + 2))
        assert scene.settles(scene.one, scene.two) == [f"new{number}", *["other"] * (number + 2)]


@neovim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_servers_that_are_enabled_by_their_configuration(begin: Begin) -> None:
    config = "{ cmd = { 'ruff', 'server' }, filetypes = { 'python' }, root_markers = { 'one.py' } }"
    scene = begin("filetype on", f"lua vim.lsp.config('ruff', {config}) vim.lsp.enable('ruff')")
    assert scene.of(LONG, scene.two) == (["other"], True)
    scene.two.write_text("print(new)\n")
    assert scene.settles(scene.one, scene.two) == ["new", "old"]


@vim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_what_ale_checks_by_itself_counts(inside: Inside, scene: Scene) -> None:
    wait_until(lambda: scene.get(0)[0] == ["old"], "ALE's first check")
    checks = inside.value(scene.terminal, "b:ale_linted")
    assert scene.of(SOON, scene.one) == (["old"], True)
    assert inside.value(scene.terminal, "b:ale_linted") == checks


@vim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_keys_that_a_plugin_types_are_not_taken_for_the_users(begin: Begin) -> None:
    """ALE echoes the message of the cursor's line by `:normal` from a timer, after which Vim itself cannot tell."""
    echo = ["function! Echo(timer) abort", "  execute \"norm! :echomsg 'by a plugin'\\n\"", "endfunction"]
    scene = begin("filetype on", *echo)
    command(scene.terminal, "call timer_start(100, 'Echo')")
    scene.terminal.wait_screen("by a plugin")
    assert "at rest" in at_rest(scene)
    scene.terminal.type("$")
    wait_until(lambda: state(scene.link, "cursor") == [1, 10], "the end of the line")
    scene.terminal.type("F")
    wait_until(lambda: "typed half" in at_rest(scene), "a key that is waited for")
    assert "typed half" in at_rest(scene)
    scene.terminal.type("o")
    wait_until(lambda: "at rest" in at_rest(scene), "rest")
    assert state(scene.link, "cursor") == [1, 7]


def at_rest(scene: Scene) -> str:
    """Whether a command can be run, or why not."""
    try:
        return f"at rest {scene.link.request('execute', command='echo 1', safe=True, ascii=True)}"
    except EditorError as error:
        return str(error)


@vim
@pytest.mark.slow
@pytest.mark.requirement("IDE-DIAG-03")
def test_ale_that_is_turned_off_is_not_waited_for(begin: Begin, kind: str) -> None:
    scene = begin(*checker(kind), "let g:ale_enabled = 0")
    assert scene.of(SOON, scene.one) == ([], True)


@vim
@pytest.mark.slow
@pytest.mark.requirement("DGN-01")
def test_ales_checks_are_events(scene: Scene) -> None:
    scene.settles(scene.one)
    while not scene.link.events.empty():
        scene.link.events.get()
    scene.of(LONG, scene.two)
    while str(scene.two) not in scene.link.event("diagnostics")["files"]:
        pass


# ---- a request that waits


@neovim
@pytest.mark.slow
@pytest.mark.requirement("MCP-07", "IDE-ACCESS-01")
def test_who_waits_can_be_withdrawn_and_refused(begin: Begin, kind: str) -> None:
    scene = begin(*checker(kind, "--start", "3600"))
    withdrawn = scene.link.start("get_diagnostics", fresh=LONG, file=str(scene.one))
    refused = scene.link.start("get_diagnostics", fresh=LONG, file=str(scene.one))
    scene.link.send({"cancel": withdrawn})
    command(scene.terminal, "VimMCPPause")
    with pytest.raises(EditorError, match="paused"):
        scene.link.answer(refused)
    assert scene.link.request("ping") == {}
    assert withdrawn not in scene.link.answered
