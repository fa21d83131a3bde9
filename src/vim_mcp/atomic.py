"""Files that others may read at any moment: written whole or not at all, mode 0600."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write(path: Path, data: bytes) -> None:
    """Put `data` at `path` by a temporary file beside it and a rename. Raises OSError; then `path` is as it was."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
