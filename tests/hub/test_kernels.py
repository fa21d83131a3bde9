"""Kernels on real ipykernel and bash_kernel: their state, their output, their end, and what is left of them."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.editors import TIMEOUT
from tests.support.kernellab import Lab, conduct, processes
from vim_mcp.errors import CommandFailed
from vim_mcp.kernel import place
from vim_mcp.kernel.output import LIMIT, Picture

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
STUBBORN = "import time\nwhile True:\n    try:\n        time.sleep(0.1)\n    except BaseException:\n        pass"


def pid_of_kernel(lab: Lab) -> int:
    """The process id of the kernel that the lab has."""
    (line,) = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _is_kernel(path, str(lab.runtime))]
    return int(line.parent.name)


def _is_kernel(path: Path, runtime: str) -> bool:
    try:
        line = path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return False
    return runtime in line and "guard.py" not in line


@pytest.mark.requirement("KERNEL-01", "KERNEL-02", "KERNEL-03")
def test_state_text_images_and_errors(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        assert await lab.text("x = 6; x * 7") == "42"
        assert await lab.text("import os, sys; print(os.getcwd()); print('e', file=sys.stderr); x") == (
            f"{lab.folder}\ne\n6"
        )
        code = f"from IPython.display import Image, HTML\nimport base64\nprint(1)\nImage(base64.b64decode('{PIXEL}'))"
        assert (await lab.run(code)).pieces == ["1", Picture(PIXEL, "image/png")]
        assert await lab.text("HTML('<b>x</b>')") == "<b>x</b>"
        failed = await lab.run("def f(): 1 / 0\nf()")
        assert failed.failed
        assert "ZeroDivisionError: division by zero" in str(failed.pieces)
        assert "\x1b" not in str(failed.pieces[0])
        shell = (
            "import time; _ = os.system('echo from a shell'); time.sleep(0.5)"  # ipykernel brings that a little later
        )
        assert await lab.text(shell) == "from a shell"
        assert "Return the number of items" in await lab.text("len?")
        assert lab.asked == 1

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-05")
def test_input_is_refused_with_a_sentence(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        refused = await lab.run("name = input('who? ')")
        assert refused.failed
        assert "without a keyboard" in str(refused.pieces[0])
        assert await lab.text("import sys; sys.stdin.read()") == "''"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-04")
def test_much_output_is_cut_and_counted(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("1")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        long = await lab.text("print('x' * 10_000_000)")
        assert len(long) < LIMIT + 200
        assert f"{10_000_001 - LIMIT:,} characters" in long
        many = await lab.text("for i in range(100_000): print(i)")
        assert many.startswith("0\n1\n2\n")
        assert many.endswith("99998\n99999")
        assert len(many) < LIMIT + 200
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < 200_000  # kilobytes: a message of 10 MB and its forms, not all that was ever printed

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-04")
def test_output_that_cannot_arrive_is_not_told_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vim_mcp.kernel.channels._MAX_MESSAGE", 1_000_000)

    async def experiment(lab: Lab) -> None:
        assert "has not arrived" in await lab.text("print('x' * 2_000_000)")
        assert await lab.text("print('heard again'); 6 * 7") == "heard again\n42"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-06")
def test_what_takes_too_long_is_interrupted(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("x = 1")
        stopped = await lab.run("while True: pass", limit=0.5)
        assert stopped.failed
        assert "interrupted after 0.5 s" in str(stopped.pieces[0])
        assert "state is kept" in str(stopped.pieces[0])
        assert "KeyboardInterrupt" in str(stopped.pieces[1])
        assert await lab.text("import subprocess\nsubprocess.run(['sleep', '100'])", limit=0.5) != ""
        assert await lab.text("x") == "1"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-06")
def test_what_cannot_be_interrupted_is_ended_and_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vim_mcp.kernel.kernel.OBEDIENCE", 0.5)

    async def experiment(lab: Lab) -> None:
        await lab.run("x = 1")
        ended = await lab.run(STUBBORN, limit=0.5)
        assert ended.failed
        assert "are lost" in str(ended.pieces)
        assert await lab.text("'x' in globals()") == "False"
        assert lab.asked == 2

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-06", "KERNEL-08")
def test_a_cancelled_call_is_interrupted_and_one_that_waits_is_not_begun(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("import time; runs = []")
        first = lab.start("runs.append(1); print('begun', flush=True)\nwhile True: time.sleep(0.01)")
        second, third = lab.start("runs.append(2)"), lab.start("runs.append(3)")
        await lab.until(lambda: lab.kernel.status()["waiting"] == 2, "both wait")
        await asyncio.sleep(0)
        second.cancel()
        current = lab.kernel._current
        assert current is not None
        await lab.until(lambda: current.words() == "begun", "the first runs")
        first.cancel()
        await third
        assert await lab.text("runs") == "[1, 3]"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-07")
def test_a_kernel_that_dies_is_replaced_and_that_is_told(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("x = 1")
        died = await lab.run("import os; print('last words', flush=True); os._exit(3)")
        assert died.failed
        assert "status 3" in str(died.pieces[0])
        assert "are lost" in str(died.pieces[0])
        assert died.pieces[1:] in (["last words"], [])
        assert await lab.text("'x' in globals()") == "False"
        os.kill(pid_of_kernel(lab), signal.SIGKILL)
        await lab.until(lambda: lab.kernel.status()["state"] == "none", "the hub knows")
        told = (await lab.run("'again'")).pieces
        assert "SIGKILL" in str(told[0])
        assert "in a new one" in str(told[0])
        assert told[1:] == ["'again'"]
        assert (await lab.run("1")).pieces == ["1"]

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-07")
def test_code_that_ends_its_kernel_is_told_so_and_not_the_next(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        assert "The code has ended the kernel. Its variables" in await lab.text("x = 1; print('bye'); exit()")
        assert await lab.text("'x' in globals()") == "False"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
def test_it_outlives_the_hub_and_ends_with_its_editor(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("x = 1")
        await lab.next_hub()
        assert lab.kernel.status()["state"] == "idle"
        assert await lab.text("x") == "1"
        running = lab.start("while True: pass")
        await lab.until(lambda: lab.kernel.status()["state"] == "busy", "it runs")
        await lab.next_hub()
        assert await lab.text("x") == "1"  # what ran for nobody was interrupted
        running.cancel()
        orphans = ["import subprocess", "sleeper = ['sh', '-c', f'exec sleep 1000.{os.getpid()}']", "import os"]
        await lab.run("\n".join([*orphans[::2], orphans[1], "p = subprocess.Popen(sleeper, start_new_session=True)"]))
        (marker,) = processes(f"1000.{pid_of_kernel(lab)}")
        await lab.next_hub()  # and none comes after it
        lab.editor.kill()
        await lab.until(lambda: not lab.left() and not processes(marker), "nothing is left")

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
def test_a_guard_that_is_killed_takes_its_kernel_with_it(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("x = 1")
        directory = place.find(lab.runtime, lab.editor.pid)
        assert directory is not None
        guard = (place.state(directory) or {})["guard"]
        os.kill(guard, signal.SIGKILL)
        await lab.until(lambda: lab.kernel.status()["state"] == "none", "the hub knows")
        await lab.until(lambda: not processes(str(lab.runtime)), "its kernel has ended")
        place.sweep(lab.runtime)
        assert lab.left() == []
        assert "in a new one" in await lab.text("2")

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
def test_its_files_are_private_and_it_is_reached_by_no_port(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        await lab.run("1")
        directory = place.find(lab.runtime, lab.editor.pid)
        assert directory is not None
        assert directory.stat().st_mode & 0o777 == 0o700
        assert (directory / "connection.json").stat().st_mode & 0o777 == 0o600
        assert json.loads((directory / "connection.json").read_bytes())["transport"] == "ipc"
        assert {path.name for path in directory.glob("s-*")} == {"s-1", "s-2", "s-3", "s-4", "s-5"}

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-09")
def test_where_the_paths_are_too_long_loopback_is_used(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60)
    deep.mkdir()

    async def experiment(lab: Lab) -> None:
        assert await lab.text("40 + 2") == "42"

    conduct(deep, experiment)


# ---- which kernel


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-10")
@pytest.mark.parametrize("place", [".venv", "venv", "VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_projects_python_comes_first(tmp_path: Path, place: str) -> None:
    """That of its folder's environment, or of the one that is activated."""

    async def experiment(lab: Lab) -> None:
        environment = lab.folder / place if place.islower() else tmp_path / "activated"
        own = environment / "bin" / "python"
        own.parent.mkdir(parents=True)
        own.write_text(f'#!/bin/sh\nNAME=projects exec {sys.executable} "$@"\n')
        own.chmod(0o755)
        lab.environment["FROM_THE_EDITOR"] = "\u00e9"
        if place.isupper():
            lab.environment[place] = str(environment)
        code = "import os; print(os.environ['NAME'], os.environ['FROM_THE_EDITOR'])"
        assert await lab.text(code) == "projects \u00e9"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-10")
def test_without_ipykernel_in_it_vim_mcps_own_is_used_and_that_is_told(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        own = tmp_path / "activated" / "bin" / "python"
        own.parent.mkdir(parents=True)
        own.write_text("#!/bin/sh\nexit 1\n")
        own.chmod(0o755)
        lab.environment["VIRTUAL_ENV"] = str(own.parents[1])
        note, value = (await lab.run("1")).pieces
        assert f"{own} -m pip install ipykernel" in str(note)
        assert value == "1"
        assert (await lab.run("2")).pieces == ["2"]

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-10")
@pytest.mark.parametrize(("wanted", "told"), [("./none", "there is no program"), ("nosuch", "no kernel of that name")])
def test_where_none_can_be_had_it_says_how_to_get_one(tmp_path: Path, wanted: str, told: str) -> None:
    async def experiment(lab: Lab) -> None:
        lab.wanted = wanted
        with pytest.raises(CommandFailed, match=told) as caught:
            await lab.run("1")
        assert caught.value.data["kind"] == "missing"
        lab.wanted = ""
        assert await lab.text("1") == "1"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-15")
def test_one_that_starts_is_not_said_to_be_idle(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        running = lab.start("1")
        await lab.until(lambda: lab.kernel.status()["state"] != "none", "it is wanted")
        assert lab.kernel.status()["state"] == "starting"
        await running
        assert lab.kernel.status()["state"] == "idle"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-10")
def test_one_that_does_not_start_says_why(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        own = lab.folder / "python"
        own.write_text('#!/bin/sh\ntest "$1" = -c || { echo no memory today >&2; exit 7; }\n')
        own.chmod(0o755)
        lab.wanted = "./python"
        with pytest.raises(CommandFailed, match="no memory today") as caught:
            await lab.run("1")
        assert "status 7" in caught.value.message
        await lab.until(lambda: lab.left() == [], "nothing is left")

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-11")
def test_another_language_by_its_kernels_name(tmp_path: Path) -> None:
    async def experiment(lab: Lab) -> None:
        spec = tmp_path / ".local" / "share" / "jupyter" / "kernels" / "bash"
        spec.mkdir(parents=True)
        argv = ["python", "-m", "bash_kernel", "-f", "{connection_file}"]
        about = {"argv": argv, "display_name": "Bash", "language": "bash", "env": {"GREETING": "hello from ${HOME}"}}
        (spec / "kernel.json").write_text(json.dumps(about))
        lab.wanted = "bash"
        assert await lab.text("x=5; echo $GREETING") == f"hello from {tmp_path}"
        assert await lab.text("echo $((x + 1)); pwd") == f"6\n{lab.folder}"
        assert "interrupted" in await lab.text("sleep 100", limit=0.5)
        assert await lab.text("echo $x") == "5"
        assert lab.kernel.status()["name"] == "Bash"

    conduct(tmp_path, experiment)


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-12")
def test_a_running_kernel_is_attached_and_outlives_the_editor(tmp_path: Path) -> None:
    file = tmp_path / "theirs.json"
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", str(file), "--transport=ipc"]
    theirs = subprocess.Popen(
        [*command, f"--ip={tmp_path / 't'}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path
    )

    async def experiment(lab: Lab) -> None:
        await lab.until(lambda: file.exists() and file.read_text().endswith("}"), "it listens")
        assert "Attached" in await lab.kernel.attach(file)
        assert await lab.text("x = 8; x") == "8"
        assert "interrupted" in await lab.text("while True: pass", limit=0.5)
        await lab.next_hub()
        assert await lab.text("x") == "8"
        assert lab.asked == 0
        assert "runs on" in await lab.kernel.shut_down("the user has restarted it")
        note, value = (await lab.run("'x' in globals()")).pieces
        assert "restarted" in str(note)
        assert value == "False"
        await lab.kernel.attach(file)
        with pytest.raises(CommandFailed, match="no connection file"):
            await lab.kernel.attach(lab.folder)

    try:
        conduct(tmp_path, experiment)
        assert theirs.poll() is None
    finally:
        theirs.terminate()
        theirs.wait()


@pytest.mark.slow
@pytest.mark.requirement("KERNEL-07", "KERNEL-12")
def test_an_attached_kernel_that_dies_is_missed_at_once(tmp_path: Path) -> None:
    file = tmp_path / "theirs.json"
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", str(file), "--transport=ipc"]
    theirs = subprocess.Popen(
        [*command, f"--ip={tmp_path / 't'}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path
    )

    async def experiment(lab: Lab) -> None:
        await lab.until(lambda: file.exists() and file.read_text().endswith("}"), "it listens")
        await lab.kernel.attach(file)
        running = lab.start("print('begun', flush=True)\nwhile True: pass", limit=1000.0)
        await lab.until(lambda: lab.kernel._current is not None and lab.kernel._current.words() == "begun", "it runs")
        theirs.kill()
        told = await asyncio.wait_for(running, TIMEOUT)
        assert "the attached kernel has hung up" in str(told.pieces[0])
        assert "are lost" in str(told.pieces[0])
        assert await lab.text("'a new one'") == "'a new one'"

    try:
        conduct(tmp_path, experiment)
    finally:
        theirs.terminate()
        theirs.wait()
