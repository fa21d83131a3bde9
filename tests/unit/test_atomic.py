"""Files that are replaced whole, and for their owner alone."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from vim_mcp import atomic


@pytest.mark.requirement("DIR-02")
def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    versions = {bytes([letter]) * 200_000 for letter in b"abc"}
    atomic.write(path, b"a" * 200_000)
    seen: set[bytes] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for _ in range(100):
        for version in versions:
            atomic.write(path, version)
    stop.set()
    reader.join()
    assert seen
    assert seen <= versions
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.requirement("DIR-02")
def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("open to all")
    path.chmod(0o666)
    old = os.umask(0)
    try:
        atomic.write(path, b"private")
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "directory"
    path.mkdir()
    (path / "inside").touch()
    with pytest.raises(OSError):
        atomic.write(path, b"text")
    assert [entry.name for entry in tmp_path.iterdir()] == ["directory"]


def test_a_symbolic_link_planted_in_its_way_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("secrets.token_hex", lambda _size: "guessed")
    path, victim = tmp_path / "file", tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / ".file.guessed.tmp").symlink_to(victim)
    with pytest.raises(OSError):
        atomic.write(path, b"text")
    assert victim.read_text() == "mine"
