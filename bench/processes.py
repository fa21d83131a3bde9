"""What processes weigh (Linux alone tells), and helpers that run beside the bench."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.editors import ROOT


def rss(pid: int) -> float:
    """The resident memory of a process, in MB."""
    return _megabytes(Path(f"/proc/{pid}/status"), "VmRSS")


def pss(pid: int) -> float:
    """The same, with what processes share divided among them."""
    return _megabytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss")


def _megabytes(path: Path, field: str) -> float:
    found = re.search(rf"^{field}:\s+(\d+) kB", path.read_text(), re.MULTILINE)
    assert found is not None, f"{path} has no {field}"
    return int(found[1]) / 1024


@contextmanager
def helper(module: str, *args: str) -> Iterator[int]:
    """Run a module of this package until the block ends; yields its process id once it has said that it is ready."""
    argv = [sys.executable, "-m", module, *args]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n", f"{module} did not start"
            yield process.pid
        finally:
            process.terminate()
