"""Where the kernels' files lie: a directory for each in the runtime directory, kept by its guard."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vim_mcp import paths
from vim_mcp.kernel import guard

_PREFIX = "kernel-"
_SOCKETS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


def new(runtime: Path, editor: int) -> Path:
    """A directory, not made yet, for a kernel of the editor whose process id is `editor`."""
    return runtime / f"{_PREFIX}{editor}-{secrets.token_hex(3)}"


def find(runtime: Path, editor: int) -> Path | None:
    """The directory of the kernel that this editor has, if it has one."""
    return next((path for path in runtime.glob(f"{_PREFIX}{editor}-*") if _is_guarded(path) and state(path)), None)


def sweep(runtime: Path) -> None:
    """Remove what guards that were killed have left."""
    for path in runtime.glob(f"{_PREFIX}*"):
        if not _is_guarded(path):
            shutil.rmtree(path, ignore_errors=True)


def state(directory: Path) -> dict[str, Any] | None:
    """What the guard has written down; None where it has not yet, or has gone."""
    with contextlib.suppress(OSError, ValueError):
        content = json.loads((directory / guard.STATE).read_bytes())
        return content if isinstance(content, dict) else None
    return None


def _is_guarded(directory: Path) -> bool:
    try:
        descriptor = os.open(directory / guard.LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def connections(directory: Path) -> Iterator[dict[str, Any]]:
    """The connections to offer to a new kernel, the best first: by unix sockets, and by ports of this computer for
    kernels that know no others, or where the sockets' paths would be too long.
    """
    secret = {"key": secrets.token_hex(32), "signature_scheme": "hmac-sha256", "kernel_name": ""}
    if len(os.fsencode(directory)) + len("/s-5") <= paths.MAX_SOCKET_PATH:
        numbers = dict(zip(_SOCKETS, range(1, 6), strict=True))
        yield {"transport": "ipc", "ip": str(directory / "s"), **numbers, **secret}
    yield {"transport": "tcp", "ip": "127.0.0.1", **dict(zip(_SOCKETS, _free_ports(), strict=True)), **secret}


def _free_ports() -> list[int]:
    with contextlib.ExitStack() as sockets:
        listeners = [sockets.enter_context(socket.socket()) for _ in _SOCKETS]
        for listener in listeners:
            listener.bind(("127.0.0.1", 0))
        return [listener.getsockname()[1] for listener in listeners]
