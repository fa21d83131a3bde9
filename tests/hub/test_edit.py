"""Edits from a client to the disk: encodings, slow saves, nothing written that nobody asked for."""

from __future__ import annotations

import time

import pytest

from tests.support.editors import find
from tests.support.mcpclient import ToolError
from tests.support.stage import Stage


@pytest.mark.skipif(find("vim") is None, reason="only Vim has other values of 'encoding'")
@pytest.mark.requirement("VIM-TOOL-04")
def test_text_reaches_a_latin1_vim_or_is_refused(stage: Stage) -> None:
    project = stage.project("proj", one_txt="first\n")
    stage.home.add("set encoding=latin1")
    stage.instance(stage.editor("vim", "one.txt", cwd=project))
    client = stage.client()
    client.tool("vim_edit", file="one.txt", content="h\u00e9 \u00fc\nsecond\n")
    assert client.read_text("vim://buffer/current") == "h\u00e9 \u00fc\nsecond\n"
    client.tool("vim_edit", file="one.txt", old_text="\u00e9 ", new_text="\u00c9")
    assert client.read_text("vim://buffer/current") == "h\u00c9\u00fc\nsecond\n"
    with pytest.raises(ToolError, match="encoding"):
        client.tool("vim_edit", file="one.txt", content="\u6f22\n")
    assert client.read_text("vim://buffer/current") == "h\u00c9\u00fc\nsecond\n"


@pytest.mark.requirement("VIM-TOOL-04")
def test_much_text_with_everything_in_it_is_written_as_it_is(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="")
    stage.instance(stage.editor(kind, "one.txt", cwd=project))
    client = stage.client()
    content = "".join(f"{number} \u00e9 \U0001f642 a\u0000b \u2028 tab\t end \r\n" for number in range(20_000))
    edited = client.tool("vim_edit", file="one.txt", content=content, save=True)
    assert (edited["saved"], edited["line_count"]) == (True, 20_000)
    assert (project / "one.txt").read_bytes() == content.encode()
    assert client.read_text("vim://buffer/current?first=1&last=-1") == content


@pytest.mark.slow
@pytest.mark.requirement("VIM-TOOL-04")
def test_a_save_that_takes_its_time_is_waited_for(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="old\n")
    stage.home.add("autocmd BufWritePre * call system('sleep 1.5')")
    stage.instance(stage.editor(kind, "one.txt", cwd=project))
    client = stage.client()
    started = time.monotonic()
    assert client.tool("vim_edit", file="one.txt", content="new\n", save=True)["saved"] is True
    assert time.monotonic() - started > 1.4, "the slow part has run"
    assert (project / "one.txt").read_text() == "new\n"


@pytest.mark.requirement("KEEP-01")
def test_going_to_another_buffer_writes_nothing(stage: Stage, kind: str) -> None:
    project = stage.project("proj", one_txt="one\n", two_txt="two\n")
    stage.home.add("set nohidden autowrite autowriteall")
    editor = stage.editor(kind, "one.txt", "two.txt", cwd=project)
    stage.instance(editor)
    client = stage.client()
    client.tool("vim_edit", file="one.txt", content="unsaved\n")
    for name, arguments in (("vim_execute", {"command": "bnext"}), ("vim_navigate", {"direction": "buffer_next"})):
        with pytest.raises(ToolError, match=r"E37|E162|modified|unsaved|No write"):
            client.tool(name, **arguments)
    assert (project / "one.txt").read_text() == "one\n"
    editor.type(":echo 'aw' . &autowrite . &autowriteall\r")
    editor.wait_screen("aw11")
