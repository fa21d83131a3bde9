"""Run the named tests many times in a row, then again with another core busy.

Usage: python dev/stress.py [--times N] TEST...      TEST is anything pytest takes.
Stops at the first failure and shows it; exit status 1 then.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
from collections.abc import Iterator

# Ends by itself when its parent is gone, so that no killed run leaves a core busy.
_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    sum(range(100000))"


@contextlib.contextmanager
def busy_core() -> Iterator[None]:
    """Keep one core busy for the length of the block."""
    process = subprocess.Popen([sys.executable, "-c", _BUSY])
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def run(tests: list[str], times: int, label: str) -> bool:
    """Run pytest on `tests` `times` times; True if every run passed."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    for number in range(1, times + 1):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stdout, done.stderr, f"{label}: run {number} of {times} failed", sep="\n")
            return False
        print(f"{label} {number}/{times}: {done.stdout.strip().splitlines()[-1]}", flush=True)
    return True


def main() -> int:
    """Parse the command line and stress; 0 if nothing failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("tests", nargs="+")
    options = parser.parse_args()
    if not run(options.tests, options.times, "quiet"):
        return 1
    with busy_core():
        return 0 if run(options.tests, options.times, "busy") else 1


if __name__ == "__main__":
    sys.exit(main())
