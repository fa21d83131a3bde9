"""Files of an editor's buffers are watched while a Claude Code is connected to it, and the buffers follow them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.ideclient import IdeClient
from tests.support.stage import Stage
from tests.support.waiting import wait_until
from vim_mcp.editor import watching as module
from vim_mcp.editor.watching import Watching


class Ear:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self._changed = asyncio.Event()

    def __call__(self, names: list[str]) -> None:
        self.batches.append(names)
        self._changed.set()

    async def hears(self, wanted: list[str]) -> None:
        """Wait for a batch, and forget it and those before it."""
        async with asyncio.timeout(30):
            while wanted not in self.batches:
                self._changed.clear()
                await self._changed.wait()
        del self.batches[: self.batches.index(wanted) + 1]


@asynccontextmanager
async def watched() -> AsyncIterator[Watching]:
    """A Watching, closed at the end."""
    watching = Watching()
    yield watching
    watching.close()


def replaced(path: Path) -> None:
    """Write a file as most programs do: another takes its place."""
    path.with_suffix(".tmp").write_text("new\n")
    os.replace(path.with_suffix(".tmp"), path)


@pytest.mark.requirement("WATCH-01")
@pytest.mark.parametrize("write", [lambda path: path.write_text("new\n"), replaced])
def test_it_is_told_by_the_name_that_was_given(tmp_path: Path, write: Callable[[Path], None]) -> None:
    """Also through a symbolic link; and each name once at once, since it may have changed before."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    file, other = tmp_path / "real" / "é 1.txt", tmp_path / "real" / "other.txt"
    name = str(tmp_path / "link" / "é 1.txt")

    async def scenario() -> None:
        async with watched() as watching:
            ear = Ear()
            watching.follow(ear, [name])
            await ear.hears([name])
            other.write_text("x")
            write(file)
            await ear.hears([name])
            watching.follow(ear, [name, str(other)])
            assert ear.batches == [[str(other)]]

    asyncio.run(scenario())


@pytest.mark.requirement("WATCH-01")
def test_a_file_is_told_of_when_its_writer_closes_it(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.touch()

    async def scenario() -> None:
        async with watched() as watching:
            ear = Ear()
            watching.follow(ear, [str(path)])
            await ear.hears([str(path)])
            with path.open("w") as file:
                file.write("half")
                file.flush()
                (tmp_path / "x").touch()
                await asyncio.sleep(0)
                assert ear.batches == []
            await ear.hears([str(path)])

    asyncio.run(scenario())


@pytest.mark.requirement("WATCH-02")
def test_only_what_is_wanted_is_watched(tmp_path: Path) -> None:
    one, two = tmp_path / "1" / "a", tmp_path / "2" / "b"
    for path in (one, two):
        path.parent.mkdir()

    async def scenario() -> None:
        async with watched() as watching:
            first, second = Ear(), Ear()
            assert watching.directories == set()
            watching.follow(first, [str(one), str(two)])
            watching.follow(second, [str(two)])
            await first.hears([str(one), str(two)])
            assert watching.directories == {str(one.parent), str(two.parent)}
            watching.follow(first, [])
            assert watching.directories == {str(two.parent)}
            watching.follow(second, [])
            assert watching.directories == set()

    asyncio.run(scenario())


@pytest.mark.requirement("WATCH-01")
def test_a_directory_that_goes_and_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "down" / "one.txt"
    file.parent.mkdir(parents=True)
    file.touch()

    async def scenario() -> None:
        async with watched() as watching:
            ear = Ear()
            watching.follow(ear, [str(file)])
            await ear.hears([str(file)])
            file.unlink()
            file.parent.rmdir()
            file.parent.parent.rmdir()
            async with asyncio.timeout(30):
                while watching.directories != {str(tmp_path)}:  # noqa: ASYNC110 - nothing tells
                    await asyncio.sleep(0.01)
            file.parent.mkdir(parents=True)
            await ear.hears([str(file)])
            file.write_text("new")
            await ear.hears([str(file)])

    asyncio.run(scenario())


@pytest.mark.requirement("WATCH-02")
def test_there_is_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(module, "MAX_DIRECTORIES", 3)
    files = [tmp_path / str(number) / "x" for number in range(5)]
    for path in files:
        path.parent.mkdir()

    async def scenario() -> None:
        async with watched() as watching:
            ear = Ear()
            watching.follow(ear, map(str, files))
            await ear.hears([str(path) for path in files])
            assert len(watching.directories) == 3
            watching.follow(ear, map(str, files[:4]))

    asyncio.run(scenario())
    assert caplog.text.count("not all files are watched") == 1


@pytest.mark.requirement("WATCH-03")
@pytest.mark.parametrize("error", [ImportError("no such library"), OSError(24, "Too many open files")])
def test_where_it_cannot_be_had_the_log_says_so_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception, tmp_path: Path
) -> None:
    def fail() -> None:
        raise error

    monkeypatch.setattr(module, "_import", fail)

    async def scenario() -> None:
        async with watched() as watching:
            ear = Ear()
            watching.follow(ear, [str(tmp_path / "x")])
            async with asyncio.timeout(30):
                while not caplog.records:  # noqa: ASYNC110 - nothing tells
                    await asyncio.sleep(0.01)
            watching.follow(ear, [str(tmp_path / "y")])
            assert ear.batches == []

    asyncio.run(scenario())
    assert caplog.text.count("files are not watched") == 1
    assert str(error) in caplog.text


@pytest.mark.slow
@pytest.mark.requirement("RELOAD-01", "WATCH-01")
def test_buffers_follow_while_a_client_is_there(stage: Stage, kind: str) -> None:
    project = stage.project("demo", one_txt="old\n", two_txt="old\n")
    terminal = stage.editor(kind, "-O", "one.txt", "two.txt", cwd=project)
    stage.instance(terminal)
    (project / "one.txt").write_text("before any client\n")
    client = IdeClient.of(stage.home)
    terminal.wait_screen("before any client")
    for number in range(3):
        (project / "one.txt").write_text(f"one {number}\n")
        replaced(project / "two.txt")
        terminal.wait_screen(f"one {number}")
        terminal.wait_screen("new")
        (project / "two.txt").write_text("old\n")
    client.close()
    wait_until(lambda: not stage.status()["instances"][0]["ide_clients"], "no client")
    (project / "one.txt").write_text("without a client\n")
    again = IdeClient.of(stage.home)
    terminal.wait_screen("without a client")
    again.close()
    assert stage.status()["fault"] is None


@pytest.mark.requirement("WATCH-03")
def test_without_a_watch_the_hub_goes_on(stage: Stage) -> None:
    broken = stage.directory / "broken" / "asyncinotify"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('not today')\n")
    project = stage.project("demo", one_txt="old\n")
    assert stage.run("hub", "--background", PYTHONPATH=str(broken.parent)).returncode == 0
    terminal = stage.editor("vim", "one.txt", cwd=project)
    stage.instance(terminal)
    client = IdeClient.of(stage.home)
    log = stage.runtime / "hub.log"
    wait_until(lambda: "files are not watched" in log.read_text(), "a word in the log")
    (project / "one.txt").write_text("new\n")
    stage.hook("PostToolUse", stage.instance(terminal), tool_name="Bash")
    terminal.wait_screen("new")
    client.close()
