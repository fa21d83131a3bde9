"""Every editor's kernel, and Jupyter's client, which is loaded when the first is needed."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import shlex
import sys
from pathlib import Path

from vim_mcp.errors import CommandFailed
from vim_mcp.kernel import place
from vim_mcp.kernel.kernel import Kernel


class Kernels:
    """Every editor's kernel, by the editor's process id."""

    def __init__(self, runtime: Path):
        self._runtime = runtime
        self._kernels: dict[int, Kernel] = {}

    def take_over(self) -> None:
        """Remove what is left of kernels whose guards were killed; those that run are found when they are needed."""
        place.sweep(self._runtime)

    def of(self, editor: int) -> Kernel:
        """The kernel of the editor whose process id is `editor`."""
        return self._kernels.setdefault(editor, Kernel(self._runtime, editor))

    async def close(self) -> None:
        """Hang up, since the hub leaves."""
        for kernel in self._kernels.values():
            await kernel.close()


async def load() -> None:
    """Import Jupyter's client in a thread: it takes a third of a second. Raises as `require_jupyter`."""
    require_jupyter()
    await asyncio.to_thread(importlib.import_module, "vim_mcp.kernel.channels")


def require_jupyter() -> None:
    """Raise `CommandFailed` (kind `missing`) where Jupyter's client is not installed beside vim-mcp."""
    importlib.invalidate_caches()  # it may have been installed while this hub runs
    if importlib.util.find_spec("jupyter_client") is None:
        raise CommandFailed(
            "Jupyter's client is not installed beside vim-mcp, so no code can be run. To have it: "
            f"{shlex.quote(sys.executable)} -m pip install jupyter_client ipykernel",
            kind="missing",
        )
