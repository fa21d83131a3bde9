"""Files that others may read at any moment: written whole or not at all, mode 0600."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write(path: Path, data: bytes, dir_fd: int | None = None) -> None:
    """Put `data` at `path` by a temporary file beside it and a rename. Raises OSError; then `path` is as it was.

    With `dir_fd`, a descriptor of an open directory, a relative `path` lies in that one.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600, dir_fd=dir_fd)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path, src_dir_fd=dir_fd, dst_dir_fd=dir_fd)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=dir_fd)
        raise
