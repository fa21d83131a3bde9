"""Tools and resources from a shell, with real editors: what is printed, where, and the exit status."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.support.editors import TIMEOUT, Terminal
from tests.support.mcpclient import VIM_MCP
from tests.support.stage import Stage, numbered
from tests.support.waiting import wait_until


@pytest.mark.slow
@pytest.mark.requirement("SHELL-01")
def test_a_shell_reads_and_changes_what_the_user_sees(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="one\ntwo\n")
    editor = stage.editor(kind, "one.txt", cwd=project)
    instance = stage.instance(editor)
    done = stage.run("call", "vim_edit", "-i", instance, f"file={project}/one.txt", "line=3", "content=f\u00fcr 12")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{project}/one.txt: +1 -0 lines")
    read = stage.run("read", "buffer/current")
    assert (read.returncode, read.stdout, read.stderr) == (0, "one\ntwo\nf\u00fcr 12\n", "")
    editor.wait_screen("f\u00fcr 12")
    raw = stage.run("call", "--json", "vim_search", '{"pattern": "t.o"}')
    assert json.loads(raw.stdout)["structuredContent"]["matches"][0]["line"] == 2
    assert json.loads(stage.run("read", "cursor").stdout)["instance_id"] == instance
    assert (project / "one.txt").read_text() == "one\ntwo\n"


@pytest.mark.slow
@pytest.mark.requirement("SHELL-01")
def test_the_exit_status_says_what_went_wrong(stage: Stage) -> None:
    """1 it failed, 2 no such thing, 3 no editor; the reason is on stderr, nothing on stdout."""
    none = stage.run("call", "vim_execute", "command=echo 1")
    assert (none.returncode, none.stdout) == (3, "")
    assert "vim-mcp: No instances found" in none.stderr
    project = stage.project("proj", one_txt="")
    instance = stage.instance(stage.editor("nvim", "one.txt", cwd=project))
    failed = stage.run("call", "vim_execute", "command=call nonsense()")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("vim-mcp: ")
    as_json = stage.run("call", "vim_execute", "command=call nonsense()", "--json")
    assert (as_json.returncode, json.loads(as_json.stdout)["isError"]) == (1, True)
    for arguments, told in (
        (["call", "vim_nonsense"], "Unknown tool 'vim_nonsense'. There are: "),
        (["call", "vim_edit", "fle=1"], "There is no argument 'fle'; there are: "),
        (["call", "vim_edit", '{"line": "x"}'], "vim_edit: "),
        (["read", "nonsense"], "No resource 'vim://nonsense'. There are: "),
        (["tools", "nonsense"], "There is no tool 'nonsense'; there are: "),
    ):
        done = stage.run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert told in done.stderr
    other = stage.run("call", "-i", "no-such-1", "vim_execute", "command=echo 1")
    assert (other.returncode, other.stdout) == (3, "")
    assert instance in other.stderr
    assert ". Choose one with -i INSTANCE, such as -i " in other.stderr


@pytest.mark.slow
def test_a_long_text_is_given_whole(stage: Stage) -> None:
    project = stage.project("proj", long_txt=numbered(5000))
    stage.instance(stage.editor("nvim", "long.txt", cwd=project))
    assert stage.run("read", "buffer/current").stdout == numbered(5000)
    assert stage.run("read", "vim://buffer/1?first=4999").stdout == "line 4999\nline 5000\n"


@pytest.mark.slow
@pytest.mark.requirement("SHELL-01")
def test_what_there_is_can_be_listed_without_an_editor(stage: Stage) -> None:
    """A hub is started where there is none, as for any client."""
    tools = stage.run("tools")
    assert tools.returncode == 0
    assert "\nvim_edit " in tools.stdout
    assert stage.run("tools", "vim_edit").stdout.startswith("vim_edit: Edit or show a file in Vim\n\n")
    assert "vim_edit" in [tool["name"] for tool in json.loads(stage.run("tools", "--json").stdout)["tools"]]
    assert stage.run("read").stdout.startswith("vim://instances ")
    wait_until(lambda: not stage.status()["clients"], "the shell's clients to have left")


@pytest.mark.slow
@pytest.mark.requirement("SHELL-02")
def test_instance_ids_complete(stage: Stage) -> None:
    assert stage.run("complete", "call", "-i", "").stdout == "", "and no hub is started for that"
    assert not stage.socket.exists()
    project = stage.project("proj", one_txt="")
    instance = stage.instance(stage.editor("nvim", "one.txt", cwd=project))
    assert stage.run("complete", "read", "-i", "one").stdout == f"{instance}\t{project}/one.txt in {project}\n"
    assert stage.run("complete", "call", "vim_edit", "instance_id=").stdout.startswith(f"instance_id={instance}\t")


@pytest.mark.slow
@pytest.mark.requirement("HUB-05")
def test_the_status_is_watched(stage: Stage) -> None:
    """An object for each change, for a script; times alone are none."""
    with subprocess.Popen(
        [str(VIM_MCP), "status", "--watch", "--json"], env=stage.environment(), text=True, stdout=subprocess.PIPE
    ) as watching:
        assert watching.stdout is not None
        try:
            assert json.loads(watching.stdout.readline())["state"] is None
            stage.run("hub", "--background")
            assert json.loads(watching.stdout.readline())["state"] == "READY"
            stage.instance(stage.editor("nvim", cwd=stage.project("proj")))
            lines = iter(watching.stdout.readline, "")
            assert any(json.loads(line)["instances"] for line in lines)
        finally:
            watching.terminate()
            watching.wait(TIMEOUT)


@pytest.mark.slow
@pytest.mark.requirement("HUB-05")
def test_the_status_is_watched_on_a_terminal(stage: Stage) -> None:
    """It is drawn anew as things change, and CTRL-C gives the screen back."""
    shell = Terminal(["bash", "--norc", "-i"], stage.environment(PS1="$ "), stage.directory, 20, 110)
    try:
        shell.wait_screen("$")
        shell.type("vim-mcp status --watch\r")
        shell.wait_screen("NOT RUNNING")
        instance = stage.instance(stage.editor("nvim", cwd=stage.project("proj")))
        shell.wait_screen("CONNECTED", "editors: 1", instance)
        shell.type("\x03")
        shell.wait_screen(lambda screen: screen.rstrip().endswith("$"))
        shell.type("echo left with $?\r")
        shell.wait_screen("left with 130")
    finally:
        shell.close()
