"""The hub's log: one user's, bounded, and never in the way."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from vim_mcp import logs


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The log's path; the handlers of the test are taken away again."""
    root, own = logging.getLogger(), logging.getLogger("vim_mcp")
    before, levels, raising = root.handlers[:], (root.level, own.level), logging.raiseExceptions
    yield tmp_path / "hub.log"
    for handler in root.handlers:
        if handler not in before:
            handler.close()
    root.handlers[:] = before
    root.setLevel(levels[0])
    own.setLevel(levels[1])
    logging.raiseExceptions = raising


@pytest.mark.requirement("VIM-CFG-03")
def test_what_is_below_the_level_is_left_out(log: Path) -> None:
    logs.start(log, "warning")
    assert not log.exists()
    logging.getLogger("vim_mcp.hub").info("small talk")
    logging.getLogger("vim_mcp.hub").warning("grüße")
    [line] = log.read_text("utf-8").splitlines()
    assert line.endswith(f"{os.getpid()} WARNING vim_mcp.hub: grüße")


@pytest.mark.requirement("HUB-07")
def test_it_is_rotated_and_for_its_owner_alone(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "MAX_BYTES", 1000)
    before = os.umask(0)
    try:
        logs.start(log, "info")
        for number in range(200):
            logging.getLogger("vim_mcp").info("line %d", number)
    finally:
        os.umask(before)
    files = sorted(log.parent.iterdir())
    assert [file.name for file in files] == ["hub.log", "hub.log.1", "hub.log.2"]
    assert [file.stat().st_mode & 0o777 for file in files] == [0o600] * 3
    assert all(file.stat().st_size <= 1000 for file in files)
    assert log.read_text().endswith("line 199\n")


def test_in_the_foreground_it_is_shown_too(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs.start(log, "info", foreground=True)
    logging.getLogger("vim_mcp").info("seen")
    assert "vim_mcp: seen" in capsys.readouterr().err
    assert "vim_mcp: seen" in log.read_text()


def test_a_log_that_cannot_be_written_stops_nobody(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs.start(log.parent / "not" / "there" / "hub.log", "info")
    logging.getLogger("vim_mcp").info("lost")
    assert capsys.readouterr().err == ""


@pytest.mark.requirement("HUB-07")
def test_of_other_packages_only_errors_are_kept(log: Path) -> None:
    logs.start(log, "debug")
    logging.getLogger("mcp.server").warning("the user's text")
    logging.getLogger("mcp.server").error("a fault")
    logging.getLogger("vim_mcp").debug("ours")
    assert [line.rpartition(": ")[2] for line in log.read_text().splitlines()] == ["a fault", "ours"]
