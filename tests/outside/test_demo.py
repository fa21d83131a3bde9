"""The demonstration runs to its end on a machine that knows nothing of its user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.editors import ROOT


@pytest.mark.slow
@pytest.mark.requirement("DEMO-01")
def test_every_step_of_the_demonstration_holds(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb"}
    command = [sys.executable, str(ROOT / "demo" / "demo.py")]
    done = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("Every step gave what it should.")
    for request in ("list_vim_instances", "vim://buffers", "vim://cursor", "vim_search", "vim_edit", "vim_execute"):
        assert request in done.stdout, request
    assert list(tmp_path.iterdir()) == []
