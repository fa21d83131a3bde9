"""A file that another editor holds: opened read-only without a question, not changed, and the holder is named."""

from __future__ import annotations

import pytest

from tests.support.mcpclient import ToolError
from tests.support.stage import Stage


@pytest.mark.requirement("KEEP-06")
def test_a_file_that_another_editor_holds(stage: Stage, kind: str) -> None:
    project = stage.project("proj", shared_txt="held\n", mine_txt="mine\n")
    swaps = stage.directory / "swaps"
    swaps.mkdir()
    stage.home.add(f"set directory={swaps} swapfile")
    holder = stage.editor(kind, "shared.txt", cwd=project)
    holder_id = stage.instance(holder)
    holder.type("ggOunsaved\x1b")
    holder.wait_screen("unsaved")
    editor = stage.editor(kind, "mine.txt", cwd=project)
    instance_id = stage.instance(editor)
    client = stage.client()
    client.tool("select_vim_instance", instance_id=instance_id)
    with pytest.raises(ToolError) as failed:
        client.tool("vim_edit", file=str(project / "shared.txt"), content="stolen\n")
    assert (failed.value.code, failed.value.kind) == (1004, "swap"), failed.value
    assert holder_id in str(failed.value)
    shown = client.tool("vim_edit", file=str(project / "shared.txt"))
    assert shown["readonly"] is True
    assert holder_id in shown["note"]
    editor.wait_screen("held")
    assert "E325" not in editor.text()
    assert (project / "shared.txt").read_text() == "held\n"
    assert client.tool("vim_execute", command="echo getline(1)")["output"].strip() == "held"
