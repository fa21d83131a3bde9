"""Lock files: written for their owner alone, and of those that lie there only our own are ever touched."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from vim_mcp import atomic
from vim_mcp.ide import origin
from vim_mcp.ide.lockfile import Lock, LockRefused, Locks

TOKEN = "7e1f6c1e-0000-4000-8000-000000000001"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The lock directory's path; nothing is there yet."""
    return tmp_path / ".claude" / "ide"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Where the hub keeps what it has given."""
    return tmp_path / "ide-ports.json"


@pytest.fixture
def locks(place: Path, ledger: Path) -> Locks:
    """The directory of a hub."""
    return Locks(place, ledger)


@pytest.fixture
def dead() -> int:
    """The number of a process that has ended."""
    return ended()


def ended() -> int:
    """Start a process, see it end, and return its number."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def lock(port: int = 12345, pid: int = 0, token: str = TOKEN, *folders: str) -> Lock:
    """A lock of this process, or of the one that is named."""
    return Lock(port, pid or os.getpid(), folders or ("/home/ada/demo",), "Vim", token)


def names(place: Path) -> list[str]:
    """What lies in the directory."""
    return sorted(path.name for path in place.iterdir())


@pytest.fixture
def open_umask() -> Iterator[None]:
    """A process that hides nothing by itself."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.requirement("LOCK-02")
def test_it_holds_what_claude_code_reads(locks: Locks, place: Path) -> None:
    locks.write(lock(12345, 0, TOKEN, "/home/ada/demo", "/home/ada/lib"))
    assert names(place) == ["12345.lock"]
    assert json.loads((place / "12345.lock").read_bytes()) == {
        "pid": os.getpid(),
        "workspaceFolders": ["/home/ada/demo", "/home/ada/lib"],
        "ideName": "Vim",
        "transport": "ws",
        "runningInWindows": False,
        "authToken": TOKEN,
        origin.FIELD: origin.here(),
    }


@pytest.mark.requirement("LOCK-03", "LOCK-06")
@pytest.mark.usefixtures("open_umask")
def test_only_its_owner_reads_it(locks: Locks, place: Path, ledger: Path) -> None:
    locks.write(lock())
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (place, place / "12345.lock", ledger)]
    assert modes == [0o700, 0o600, 0o600]


@pytest.mark.requirement("LOCK-06")
def test_a_directory_that_others_can_look_into_is_closed_to_them(locks: Locks, place: Path) -> None:
    place.mkdir(parents=True)
    place.chmod(0o755)
    locks.write(lock())
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.requirement("LOCK-06")
def test_a_symbolic_link_in_its_place_is_refused(locks: Locks, place: Path, tmp_path: Path) -> None:
    place.parent.mkdir()
    (tmp_path / "trap").mkdir()
    place.symlink_to(tmp_path / "trap")
    with pytest.raises(LockRefused, match=f"{place} is a symbolic link, .*Mend it: rm '{place}'"):
        locks.write(lock())
    assert names(tmp_path / "trap") == []


def test_the_configuration_itself_may_be_a_symbolic_link(locks: Locks, place: Path, tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    place.parent.symlink_to(tmp_path / "dotfiles")
    locks.write(lock())
    assert names(tmp_path / "dotfiles" / "ide") == ["12345.lock"]


@pytest.mark.requirement("LOCK-06")
def test_a_directory_of_somebody_else_is_refused(locks: Locks, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.mkdir(parents=True)
    monkeypatch.setattr("os.getuid", lambda: place.stat().st_uid + 1)
    with pytest.raises(LockRefused, match=rf"{place} belongs to user \d+, not to you, .*CLAUDE_CONFIG_DIR"):
        locks.write(lock())
    assert names(place) == []


@pytest.mark.requirement("LOCK-06")
def test_what_is_no_directory_is_refused_and_kept(locks: Locks, place: Path) -> None:
    place.parent.mkdir()
    place.write_text("precious")
    with pytest.raises(LockRefused, match=f"{place} is not a directory"):
        locks.write(lock())
    assert place.read_text() == "precious"


def test_a_directory_that_cannot_be_made_is_an_error_that_says_so(locks: Locks, place: Path) -> None:
    place.parent.write_text("in the way")
    with pytest.raises(LockRefused, match=f"in {place}: (File exists|Not a directory)"):
        locks.write(lock())


@pytest.mark.requirement("LOCK-06")
def test_a_symbolic_link_in_a_locks_place_is_not_written_through(locks: Locks, place: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    place.mkdir(parents=True)
    (place / "12345.lock").symlink_to(victim)
    with pytest.raises(LockRefused, match="is another program's lock"):
        locks.write(lock())
    assert victim.read_text() == "precious"


@pytest.mark.requirement("LOCK-06")
@pytest.mark.parametrize(
    "content", [b'{"authToken": "other", "pid": 1}', b"{}", b"[]", b"", b"\xff", b'{"authToken":3}']
)
def test_another_programs_lock_is_left_alone(locks: Locks, place: Path, content: bytes) -> None:
    place.mkdir(parents=True)
    theirs = place / "12345.lock"
    theirs.write_bytes(content)
    assert locks.has(12345)
    with pytest.raises(LockRefused, match=f"{theirs} is another program's lock"):
        locks.write(lock())
    locks.remove(lock())
    assert theirs.read_bytes() == content


@pytest.mark.requirement("LOCK-04")
def test_written_anew_it_has_the_new_folders(locks: Locks, place: Path) -> None:
    locks.write(lock())
    locks.write(lock(12345, 0, TOKEN, "/elsewhere"))
    content = json.loads((place / "12345.lock").read_bytes())
    assert (content["workspaceFolders"], content["authToken"]) == (["/elsewhere"], TOKEN)
    assert names(place) == ["12345.lock"]


@pytest.mark.requirement("LOCK-05")
def test_removed_nothing_is_left_of_it(locks: Locks, place: Path, ledger: Path) -> None:
    locks.write(lock(1))
    locks.write(lock(2, token="second"))
    locks.remove(lock(1))
    assert names(place) == ["2.lock"]
    assert list(json.loads(ledger.read_bytes())) == ["2"]
    locks.remove(lock(2, token="second"))
    locks.remove(lock(2, token="second"))
    assert names(place) == []
    assert not ledger.exists()


def test_removing_where_there_is_no_directory_makes_none(locks: Locks, place: Path) -> None:
    locks.remove(lock())
    assert not place.exists()


@pytest.mark.requirement("LOCK-07")
def test_the_next_hub_removes_the_locks_of_the_dead_and_knows_those_of_the_living(
    locks: Locks, place: Path, ledger: Path, dead: int
) -> None:
    locks.write(lock(11111, token="living"))
    locks.write(lock(22222, dead, "dead"))
    (place / "33333.lock").write_text(json.dumps({"pid": dead, "authToken": "foreign"}))
    (place / "44444.lock").write_text("{}")
    back = Locks(place, ledger).sweep()
    assert [(found.port, found.pid, found.auth_token) for found in back] == [(11111, os.getpid(), "living")]
    assert names(place) == ["11111.lock", "33333.lock", "44444.lock"]
    assert list(json.loads(ledger.read_bytes())) == ["11111"]


@pytest.mark.requirement("LOCK-07")
def test_a_port_of_ours_that_another_program_has_taken_since_is_left_to_it(
    locks: Locks, place: Path, ledger: Path, dead: int
) -> None:
    locks.write(lock(22222, dead, "ours"))
    theirs = json.dumps({"pid": os.getpid(), "authToken": "theirs"})
    (place / "22222.lock").write_text(theirs)
    assert Locks(place, ledger).sweep() == []
    assert (place / "22222.lock").read_text() == theirs


@pytest.mark.parametrize("content", ["", "[]", '{"1": 2}', '{"x": {"pid": 1, "token": ""}}', "nonsense"])
def test_a_damaged_ledger_is_as_none(locks: Locks, ledger: Path, content: str) -> None:
    ledger.write_text(content)
    assert locks.sweep() == []
    locks.write(lock())
    assert list(json.loads(ledger.read_bytes())) == ["12345"]


@pytest.mark.requirement("WS-06")
def test_the_token_is_not_in_what_a_log_would_show() -> None:
    assert TOKEN not in repr(lock())


@pytest.mark.requirement("LOCK-10")
def test_what_could_not_be_written_is_in_no_ledger(locks: Locks, ledger: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks.write(lock(1))
    write = atomic.write

    def full(path: Path, data: bytes, dir_fd: int | None = None) -> None:
        if dir_fd is not None:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(path, data, dir_fd)

    monkeypatch.setattr(atomic, "write", full)
    for port in (1, 2, 3):
        with pytest.raises(LockRefused, match="No space left on device"):
            locks.write(lock(port))
    assert list(json.loads(ledger.read_bytes())) == ["1"]


EARLIER = {"boot": "00000000-0000-4000-8000-000000000000"}


def write_earlier(place: Path, ledger: Path, **its: str) -> Path:
    """Leave a lock with this origin and no ledger; its editor's number is that of a process that lives."""
    Locks(place, ledger).write(lock())
    ledger.unlink()
    path = place / "12345.lock"
    content = json.loads(path.read_bytes())
    path.write_text(json.dumps({**content, origin.FIELD: {**content[origin.FIELD], **its}}))
    return path


needs_boot = pytest.mark.skipif(not origin.here()["boot"], reason="this system does not tell when it was started")


@needs_boot
@pytest.mark.requirement("LOCK-11")
def test_our_locks_of_an_earlier_start_of_the_machine_are_swept(place: Path, ledger: Path) -> None:
    path = write_earlier(place, ledger, **EARLIER)
    (place / "1.lock").write_text(path.read_text().replace(origin.FIELD, "theirs"))
    assert Locks(place, ledger).sweep() == []
    assert names(place) == ["1.lock"]


@needs_boot
@pytest.mark.requirement("LOCK-11")
def test_they_are_swept_wherever_an_editors_claude_code_looks(place: Path, ledger: Path, tmp_path: Path) -> None:
    """In another configuration (CLAUDE_CONFIG_DIR) than the hub's own too, with the first editor that has it."""
    path = write_earlier(place, ledger, **EARLIER)
    locks = Locks(tmp_path / "the hub's own", ledger)
    locks.sweep()
    locks.write(lock(1))
    assert names(place) == [path.name]
    locks.write(replace(lock(2), directory=place))
    assert names(place) == ["2.lock"]


@needs_boot
@pytest.mark.requirement("LOCK-11")
@pytest.mark.parametrize(
    "its", [{}, {**EARLIER, "host": "another"}, {**EARLIER, "machine": "another"}, {"boot": ""}, {"boot": 1}]
)
def test_what_may_be_anothers_is_not_swept(place: Path, ledger: Path, its: dict[str, str]) -> None:
    path = write_earlier(place, ledger, **its)
    (place / "2.lock").write_text("[" * 100_000)
    (place / "3.lock").symlink_to(path)
    (place / "4.lock.mine").write_text(path.read_text())
    Locks(place, ledger).sweep()
    assert names(place) == ["12345.lock", "2.lock", "3.lock", "4.lock.mine"]
