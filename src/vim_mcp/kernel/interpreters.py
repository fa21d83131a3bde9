"""Which kernel is started: the project's own Python, what the editor's user has set, or the hub's Python."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from vim_mcp.errors import CommandFailed

_PROBE_LIMIT = 20.0
"""Seconds that a Python may take to say whether it has ipykernel."""
_PROBE = (
    "import sys, importlib.util as u; sys.exit(not (u.find_spec('ipykernel') and u.find_spec('ipykernel_launcher')))"
)
_LIST = """
import json, sys
from jupyter_client.kernelspec import KernelSpecManager
manager = KernelSpecManager()
found = manager.find_kernel_specs()
name = sys.argv[1]
spec = manager.get_kernel_spec(name) if name in found else None
print(json.dumps({"names": sorted(found), "spec": spec and dict(spec.to_dict(), directory=spec.resource_dir)}))
"""
_PYTHON = re.compile(r"python(\d(\.\d+)?)?")


@dataclass(frozen=True)
class Wanted:
    """What the editor says: its first workspace folder, its variables, and `g:vim_mcp_kernel` ("": none)."""

    folder: str
    environment: Mapping[str, str]
    kernel: str = ""


@dataclass(frozen=True)
class Choice:
    """A kernel to start: its command (with `{connection_file}`), variables and folder.

    `name` is told to people; `note` is what a model has to know of it. `by_message`: it is interrupted by a message,
    not by a signal.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    name: str
    language: str = "python"
    by_message: bool = False
    note: str = ""


async def choose(wanted: Wanted) -> Choice:
    """The kernel for an editor. Raises `CommandFailed` (kind `missing`) with how to get one."""
    if wanted.kernel and os.sep not in wanted.kernel:
        return await _kernelspec(wanted)
    if wanted.kernel:
        path = _path(wanted)
        if await _has_ipykernel(path, wanted):
            return _python(path, wanted)
        raise _missing(f"g:vim_mcp_kernel is {wanted.kernel}, and {_lacking(path)}", path)
    lacking = []
    for path in _projects(wanted):
        if await _has_ipykernel(path, wanted):
            return _python(path, wanted)
        lacking.append(path)
    if await _has_ipykernel(sys.executable, wanted):
        return _python(sys.executable, wanted, _instead(lacking))
    raise _missing(
        "No Python with ipykernel was found"
        + (f": {' and '.join(lacking)} has none" if lacking else ": the project has no .venv or venv")
        + f", nor has vim-mcp's own, {sys.executable}",
        lacking[0] if lacking else sys.executable,
    )


def _path(wanted: Wanted) -> str:
    return os.path.join(wanted.folder, os.path.expanduser(wanted.kernel))


def _projects(wanted: Wanted) -> Iterator[str]:
    """The Pythons that are the project's: of its folder's environment, else of the one that is activated."""
    places = [os.path.join(wanted.folder, name) for name in (".venv", "venv")]
    places += [wanted.environment.get(name, "") for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    found = (os.path.join(place, "bin", "python") for place in places if os.path.isabs(place))
    yield from dict.fromkeys(path for path in found if os.access(path, os.X_OK))


def _instead(lacking: list[str]) -> str:
    if not lacking:
        return ""
    return (
        f"The kernel is vim-mcp's own Python, {sys.executable}, since the project's, {lacking[0]}, has no ipykernel: "
        f"the project's packages may be missing. To have them: {lacking[0]} -m pip install ipykernel, then "
        ":VimMCPKernel restart in the editor."
    )


def _lacking(path: str) -> str:
    return "it has no ipykernel" if os.access(path, os.X_OK) else f"there is no program {path}"


def _missing(reason: str, path: str) -> CommandFailed:
    return CommandFailed(
        f"{reason}. No code was run. Install it ({path} -m pip install ipykernel), or have the user set "
        "g:vim_mcp_kernel to a Python that has ipykernel or to the name of a Jupyter kernel.",
        kind="missing",
    )


async def _has_ipykernel(path: str, wanted: Wanted) -> bool:
    try:
        status, _, _ = await _run([path, "-c", _PROBE], wanted.environment)
    except OSError:
        return False
    return status == 0


def _python(path: str, wanted: Wanted, note: str = "") -> Choice:
    argv = (path, "-m", "ipykernel_launcher", "-f", "{connection_file}")
    return Choice(argv, wanted.environment, wanted.folder, path, note=note)


async def _run(argv: list[str], environment: Mapping[str, str]) -> tuple[int, bytes, bytes]:
    """Run a program: its exit status (-1: it took too long), its stdout and stderr. Raises OSError."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *argv, env=dict(environment), stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe, cwd="/"
    )
    try:
        async with asyncio.timeout(_PROBE_LIMIT):
            output, errors = await process.communicate()
    except TimeoutError:
        return -1, b"", b""
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return process.returncode or 0, output, errors


# Kernels by name


async def _kernelspec(wanted: Wanted) -> Choice:
    """The kernel of that name, as Jupyter finds it in the editor's environment."""
    status, output, errors = await _run([sys.executable, "-c", _LIST, wanted.kernel], _with_prefixes(wanted))
    if status:
        reason = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise CommandFailed(f"Jupyter's kernels cannot be listed: {reason}", kind="missing")
    found = json.loads(output)
    spec = found["spec"]
    if not spec:
        raise CommandFailed(
            f"g:vim_mcp_kernel is {wanted.kernel!r}, and Jupyter has no kernel of that name. No code was run. "
            f"There are: {', '.join(found['names']) or 'none'}. (A Python is named by its path, with a slash.)",
            kind="missing",
        )
    variables = {key: _expanded(value, wanted.environment) for key, value in (spec.get("env") or {}).items()}
    argv = [_program(spec["argv"][0], spec["directory"], wanted), *spec["argv"][1:]]
    return Choice(
        tuple(part.replace("{resource_dir}", spec["directory"]) for part in argv),
        {**wanted.environment, **variables},
        wanted.folder,
        spec.get("display_name") or wanted.kernel,
        spec.get("language") or "",
        by_message=spec.get("interrupt_mode") == "message",
    )


def _with_prefixes(wanted: Wanted) -> dict[str, str]:
    """The editor's variables, so that Jupyter looks into the project's and the activated environments too."""
    prefixes = [os.path.dirname(os.path.dirname(path)) for path in _projects(wanted)]
    places = [os.path.join(prefix, "share", "jupyter") for prefix in prefixes]
    earlier = wanted.environment.get("JUPYTER_PATH", "")
    return {**wanted.environment, "JUPYTER_PATH": os.pathsep.join([*filter(None, [earlier]), *places])}


def _program(name: str, directory: str, wanted: Wanted) -> str:
    """A kernel's `python` is that of the environment which it is installed in, else vim-mcp's own."""
    if not _PYTHON.fullmatch(name):
        return shutil.which(name, path=wanted.environment.get("PATH")) or name
    prefix = os.path.normpath(os.path.join(directory, *[os.pardir] * 4))  # PREFIX/share/jupyter/kernels/NAME
    own = os.path.join(prefix, "bin", "python")
    beside = os.path.exists(os.path.join(prefix, "pyvenv.cfg")) or os.path.exists(os.path.join(prefix, "conda-meta"))
    return own if beside and os.access(own, os.X_OK) else sys.executable


def _expanded(value: str, environment: Mapping[str, str]) -> str:
    """Jupyter lets a kernel's variables name others: ${NAME}."""
    return re.sub(r"\$\{(\w+)\}", lambda name: environment.get(name[1], name[0]), value)
