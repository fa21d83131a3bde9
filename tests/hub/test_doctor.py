"""`vim-mcp doctor` in a shell, with real editors: what only they know, and what it says of those that do not tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.checkers import checker
from tests.support.stage import Stage
from tests.support.waiting import wait_until


def servers(stage: Stage, *options: str) -> list[dict[str, Any]]:
    """The doctor's findings about language servers."""
    findings = json.loads(stage.run("doctor", "--json", *options).stdout)["findings"]
    return [finding for finding in findings if finding["subject"] == "language servers"]


@pytest.mark.requirement("DOCTOR-03")
def test_an_editor_without_a_language_server(stage: Stage, kind: str) -> None:
    (alone,) = servers(stage)
    assert (alone["level"], ":VimMCPDoctor" in alone["text"], alone["fix"]) == ("ok", True, "")
    instance = stage.instance(stage.editor(kind, "one.txt"))
    (found,) = servers(stage)
    assert (found["level"], instance in found["text"]) == ("warning", True)
    assert found["fix"] == ":help vim-mcp-diagnostics in that editor"


@pytest.mark.requirement("DOCTOR-03")
def test_an_editor_with_a_language_server(stage: Stage, kind: str) -> None:
    stage.home.add(*checker(kind))
    instance = stage.instance(stage.editor(kind, "one.py"))
    name = "ALE" if kind == "vim" else "ruff"
    wanted = {"level": "ok", "subject": "language servers", "text": f"{name} (in {instance})", "fix": ""}
    wait_until(lambda: servers(stage) == [wanted], "the language server")


@pytest.mark.requirement("DOCTOR-03")
def test_an_editor_that_cannot_answer(stage: Stage, kind: str, tmp_path: Path) -> None:
    """Its user runs something; the others are asked all the same."""
    busy, free = stage.editor(kind, "one.txt"), stage.editor(kind, "two.txt")
    instance, other = stage.instance(busy), stage.instance(free)
    busy.type(f":call system('touch {tmp_path}/begun; sleep 60')\r")
    wait_until((tmp_path / "begun").exists, "the command")
    found = {entry["text"].partition(":")[0]: entry for entry in servers(stage) if instance in entry["text"]}
    assert list(found) == [f"not told by {instance}"]
    assert next(iter(found.values()))["fix"] == ":VimMCPDoctor in that editor"
    assert [entry["level"] for entry in servers(stage) if f"(in {other})" in entry["text"]] == ["warning"]


@pytest.mark.requirement("DOCTOR-03")
def test_an_editor_that_runs_the_doctor_is_not_asked_what_it_knows(stage: Stage, kind: str) -> None:
    """It waits for the doctor, and could not answer."""
    terminal = stage.editor(kind, "one.txt", size=(50, 120))
    stage.instance(terminal)
    assert servers(stage, "--inside") == []
    terminal.type(":VimMCPDoctor\r")
    screen = terminal.wait_screen(
        "language servers: ", lambda screen: kind != "vim" or "warning" in screen.splitlines()[-2]
    )
    assert screen.count("language servers: ") == 1
