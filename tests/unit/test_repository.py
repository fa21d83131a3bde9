"""What is committed: no package registry's host, nothing of one machine, nothing executable by accident."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Written in two halves, since this file is committed too.
HOSTS = [
    f"{name}.{end}" for name, end in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"))
]
MACHINE = re.compile(r"(?<![\w.])/(?:work|root|opt/wheels)/")
RUN_BY_NAME = {".ci/run", "dev/setup", "dev/offline"}


def committed() -> dict[str, bytes]:
    """Return the content of every file that git knows, by name."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    return {name: (ROOT / name).read_bytes() for name in names if name and (ROOT / name).is_file()}


@pytest.mark.parametrize("host", HOSTS)
def test_no_file_names_a_registrys_host(host: str) -> None:
    assert [name for name, content in committed().items() if host.encode() in content] == []


def test_no_file_names_a_place_on_one_machine() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()
    texts = {name: content.decode(errors="replace") for name, content in committed().items() if name != own}
    assert [name for name, text in texts.items() if MACHINE.search(text)] == []


def test_no_lock_file_is_committed() -> None:
    assert [name for name in committed() if Path(name).name in ("package-lock.json", "uv.lock", "poetry.lock")] == []


def test_scripts_that_are_run_by_name_are_executable() -> None:
    assert {name for name in RUN_BY_NAME if (ROOT / name).stat().st_mode & 0o111} == RUN_BY_NAME


@pytest.mark.parametrize("ending", [".vim", ".lua"])
def test_no_line_of_a_script_is_wider_than_those_of_python(ending: str) -> None:
    """But for those of plugin/, which cannot be continued: 'cpoptions' is the user's there."""
    scripts = {name: content.decode() for name, content in committed().items() if name.endswith(ending)}
    scripts.pop("plugin/vim_mcp.vim", None)
    assert len(scripts) > 5
    lines = [(name, line) for name, text in scripts.items() for line in text.splitlines() if len(line) > 120]
    assert lines == []
