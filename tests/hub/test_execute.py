"""Ex commands through the whole line: client, relay, hub, editor."""

from __future__ import annotations

import pytest

from tests.support.editors import Terminal
from tests.support.mcpclient import StdioClient, ToolError
from tests.support.stage import Stage


@pytest.fixture
def client(stage: Stage, kind: str) -> StdioClient:
    """A client of one editor whose user allows every command."""
    stage.home.add("let g:vim_mcp_execute = 'all'")
    stage.instance(stage.editor(kind, "one.txt"))
    return stage.client()


@pytest.mark.slow
def test_a_command_that_never_ends_is_interrupted(client: StdioClient) -> None:
    for command in ("while 1 | endwhile", "r !sleep 100"):
        with pytest.raises(ToolError, match=r"it took more than \d+ ms"):
            client.tool("vim_execute", command=command)
        assert client.tool("vim_execute", command="echo 'next'")["output"] == "next"


@pytest.fixture
def asking(stage: Stage, kind: str) -> tuple[Terminal, StdioClient]:
    """An editor whose user is asked about every command that is not known to be harmless, and a client of it."""
    stage.home.add("let g:vim_mcp_execute = 'ask'")
    terminal = stage.editor(kind, "one.txt")
    stage.instance(terminal)
    return terminal, stage.client()


@pytest.mark.requirement("ASK-07")
def test_the_user_is_asked_about_what_is_not_known_to_be_harmless(asking: tuple[Terminal, StdioClient]) -> None:
    terminal, client = asking
    assert client.tool("vim_execute", command="echo 'harmless'")["output"] == "harmless"
    for chord, outcome in (("\x1cy", "ran"), ("\x1cn", "The user has refused to run this command")):
        call = client.start_tool("vim_execute", command="echo trim(system('printf ran'))")
        terminal.wait_screen("echo trim(system('printf ran'))")
        terminal.type(chord)
        assert outcome in str(client.answer(call))
        terminal.wait_screen(lambda screen: "asks: may it" not in screen)
    terminal.type(":let g:vim_mcp_ask_timeout = 1 | echo 'set'\r")
    terminal.wait_screen("set")
    with pytest.raises(ToolError, match="has not answered, so nothing was run"):
        client.tool("vim_execute", command="!touch ran")


@pytest.mark.slow
@pytest.mark.requirement("ASK-07")
def test_who_says_yes_while_they_type_is_waited_for(asking: tuple[Terminal, StdioClient], stage: Stage) -> None:
    terminal, client = asking
    call = client.start_tool("vim_execute", command="echo trim(system('printf ran'))")
    terminal.wait_screen("asks: may it")
    terminal.type("ityped ")
    terminal.wait_screen("INSERT", "typed")
    terminal.type("\x1cy")
    terminal.wait_screen(lambda screen: "asks: may it" not in screen)
    with pytest.raises(ToolError, match="waits for its user"):  # as the first one did
        stage.client().tool("vim_execute", command="echo 'harmless'")
    terminal.type("on\x1b")
    assert "ran" in str(client.answer(call))
    terminal.wait_screen("typed on")


@pytest.mark.requirement("ASK-07")
def test_what_no_editor_could_run_as_it_is_shown_is_asked_of_nobody(asking: tuple[Terminal, StdioClient]) -> None:
    terminal, client = asking
    with pytest.raises(ToolError, match="can hold a NUL"):
        client.tool("vim_execute", command="!touch a\0b")
    assert "asks: may it" not in terminal.text()
