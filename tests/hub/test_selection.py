"""Several editors, several clients: each call reaches the editor that is meant."""

from __future__ import annotations

import itertools
import os
import signal
from pathlib import Path

import pytest

from tests.support.editors import find
from tests.support.mcpclient import StdioClient, ToolError
from tests.support.stage import Stage

PRESENT = [kind for kind in ("vim", "nvim", "nvim07") if find(kind)]


def three(stage: Stage, kinds: list[str] = PRESENT) -> dict[str, str]:
    """Three editors, each with a file of its own name; instance ids by name."""
    found = {}
    for name, kind in zip("abc", itertools.cycle(kinds), strict=False):
        project = stage.project(name, **{f"{name}_txt": f"I am {name}\n"})
        found[name] = stage.instance(stage.editor(kind, f"{name}.txt", cwd=project))
    return found


def read(client: StdioClient) -> str:
    """The current text of the client's editor."""
    return client.read_text("vim://buffer/current").strip()


@pytest.mark.slow
@pytest.mark.parametrize("kinds", [PRESENT, PRESENT[:1] * 3])
@pytest.mark.requirement("G2", "PICK-01", "SCALE-01", "VIM-SEL-05", "VIM-TEST-02", "VIM-TOOL-02")
def test_two_clients_with_three_editors_each_read_their_own(stage: Stage, kinds: list[str]) -> None:
    found = three(stage, kinds)
    clients = [stage.client(), stage.client()]
    for one, two in itertools.product("abc", repeat=2):
        for client, name in zip(clients, (one, two), strict=True):
            client.tool("select_vim_instance", instance_id=found[name])
        assert [read(client) for client in clients] == [f"I am {one}", f"I am {two}"]
    named = clients[0].tool("vim_execute", command="echo getline(1)", instance_id=found["b"])
    assert named["output"].strip() == "I am b"
    assert read(clients[0]) == "I am c", "an instance_id of a call does not change the selection"


@pytest.mark.slow
@pytest.mark.requirement("VIM-ERR-12", "VIM-SEL-04")
def test_the_client_is_asked_to_choose_when_several_could_be_meant(stage: Stage) -> None:
    found = three(stage)
    client = stage.client()
    with pytest.raises(ToolError) as failed:
        client.tool("vim_execute", command="ls")
    assert failed.value.code == 1001
    assert all(instance_id in str(failed.value) for instance_id in found.values())
    assert "select_vim_instance" in str(failed.value)


@pytest.mark.slow
@pytest.mark.requirement("VIM-PREF-01")
def test_the_last_preference_is_listed_first_also_for_the_next_client(stage: Stage) -> None:
    found = three(stage)
    stage.client().tool("select_vim_instance", instance_id=found["c"])
    assert (stage.runtime / "vim-mcp-preference.txt").read_text() == found["c"] + "\n"
    assert stage.client().tool("list_vim_instances")["instances"][0]["instance_id"] == found["c"]


@pytest.mark.requirement("G3", "PICK-01", "PICK-02")
def test_the_clients_directory_decides_and_the_choice_sticks(stage: Stage) -> None:
    three(stage)
    client = stage.client(cwd=stage.project("b"))
    assert read(client) == "I am b"
    listed = client.tool("list_vim_instances")["instances"]
    assert [entry["selected"] for entry in listed if entry["main_file"].endswith("b.txt")] == [True]


@pytest.mark.slow
@pytest.mark.requirement("PICK-01")
def test_roots_decide_before_the_directory(stage: Stage) -> None:
    three(stage)
    client = stage.client(cwd=stage.project("b"), initialize=False)
    client.initialize({"roots": {}})
    call = client.start("resources/read", {"uri": "vim://buffer/current"})
    asked = client.requests.get(timeout=10)
    assert asked["method"] == "roots/list"
    root = {"uri": (stage.directory / "c").as_uri()}
    client.send({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [root]}})
    assert client.answer(call)["contents"][0]["text"] == "I am c\n"


@pytest.mark.requirement("PICK-01")
def test_a_client_in_an_editors_terminal_is_tied_to_it(stage: Stage) -> None:
    found = three(stage)
    assert read(stage.client(VIM_MCP_INSTANCE=found["a"])) == "I am a"


@pytest.mark.slow
@pytest.mark.requirement("G5", "LEAVE-01", "VIM-CONN-08", "VIM-ERR-02", "VIM-ERR-14", "VIM-REGISTRY-03", "VIM-TEST-03")
def test_a_killed_editor_is_gone_within_a_second_and_the_client_goes_on(stage: Stage, kind: str) -> None:
    project = stage.project("a", a_txt="I am a\n")
    doomed = stage.editor(kind, "a.txt", cwd=project)
    found = {"a": stage.instance(doomed), "b": stage.instance(stage.editor(kind, "b", cwd=stage.project("b")))}
    client = stage.client()
    client.tool("select_vim_instance", instance_id=found["a"])
    start_child = "call job_start(['sleep', '60'])" if kind == "vim" else "call jobstart(['sleep', '60'])"
    doomed.type(f":{start_child} | echo 'child' . 'started'\r")
    doomed.wait_screen("childstarted")
    state_file = stage.runtime / f"vim-mcp-{found['a']}-state.json"
    os.kill(int(found["a"].rpartition("-")[2]), signal.SIGKILL)
    stage.instances(lambda listed: [entry["instance_id"] for entry in listed] == [found["b"]], timeout=1.0)
    assert found["a"] not in (stage.runtime / "vim-mcp-registry.json").read_text()
    assert not state_file.exists()
    with pytest.raises(ToolError, match="has left") as failed:
        client.tool("vim_execute", command="ls")
    assert failed.value.code == 1003
    assert Path(client.tool("vim_execute", command="echo expand('%:t')")["output"].strip()).name == "b"
