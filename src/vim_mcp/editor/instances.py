"""Naming instances and choosing among them. Pure."""

from __future__ import annotations

import os.path
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from vim_mcp.errors import InstanceNotFound, NoInstanceSelected

NO_INSTANCES = "No instances found, run :VimMCPReconnect in Vim"
_MAX_ID = 120


@dataclass(frozen=True)
class Candidate:
    """An editor as far as choosing needs to know it."""

    instance_id: str
    cwd: str
    file: str
    """What its user looks at, or has opened it with."""
    short_lived: bool = False


def safe_id(wanted: str, pid: int) -> str:
    """`wanted` with everything replaced that has no place in a file name, ending in the pid. Requirement VIM-ID-01."""
    suffix = f"-{pid}"
    stem = wanted.removesuffix(suffix)
    stem = re.sub(r"[^\w.-]", "_", stem, flags=re.ASCII).lstrip(".")[: _MAX_ID - len(suffix)]
    return (stem or "unnamed") + suffix


def unique_id(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or `wanted.2`, `wanted.3`, … where it is taken."""
    if wanted not in taken:
        return wanted
    return next(name for number in range(2, len(taken) + 3) if (name := f"{wanted}.{number}") not in taken)


def stem(instance_id: str) -> str:
    """The `{filename}-{project}` of an id: what stays the same when an editor is started again."""
    return re.sub(r"-\d+(\.\d+)?$", "", instance_id)


def describe(candidates: Iterable[Candidate]) -> str:
    """One line for each: id, file, directory."""
    return "\n".join(f"- {c.instance_id}: {c.file or '[No Name]'} in {c.cwd}" for c in candidates)


def preferred_first(candidates: Sequence[Candidate], preference: str | None) -> list[Candidate]:
    """The candidates, the last preference first (by its id, else by its `{filename}-{project}`). VIM-PREF-01."""

    def rank(candidate: Candidate) -> int:
        if candidate.instance_id == preference:
            return 0
        return 1 if preference and stem(candidate.instance_id) == stem(preference) else 2

    return sorted(candidates, key=rank)


def find(candidates: Sequence[Candidate], instance_id: str, preference: str | None = None) -> str:
    """`instance_id`, if an editor of that id is there; raises `InstanceNotFound` with the list otherwise."""
    if any(c.instance_id == instance_id for c in candidates):
        return instance_id
    there = describe(preferred_first(candidates, preference))
    message = f"No Vim instance {instance_id!r}." + (f" Connected:\n{there}" if there else f" {NO_INSTANCES}")
    raise InstanceNotFound(message, instance_id=instance_id)


def choose(candidates: Sequence[Candidate], directories: Sequence[str], preference: str | None = None) -> str:
    """The instance that is meant when none was named: the only one, else the one whose workspace holds a directory of
    the client's (`directories`, absolute; the deepest wins, when one alone does).

    Short-lived editors are never chosen. Raises `NoInstanceSelected` with the list. Requirement VIM-SEL-01.
    """
    lasting = [c for c in candidates if not c.short_lived]
    if len(lasting) == 1:
        return lasting[0].instance_id
    at_home = _deepest(lasting, directories)
    if len(at_home) == 1:
        return at_home[0].instance_id
    if not candidates:
        raise NoInstanceSelected(NO_INSTANCES)
    raise NoInstanceSelected(
        "Several Vim instances are connected and none is selected. Ask the user which one is meant, then call "
        "select_vim_instance (or pass instance_id):\n" + describe(preferred_first(candidates, preference))
        if lasting
        else "Only short-lived editors are connected (such as one for a commit message), and those are chosen only by "
        "name: call select_vim_instance, or pass instance_id:\n" + describe(candidates)
    )


def _deepest(candidates: Iterable[Candidate], directories: Sequence[str]) -> list[Candidate]:
    real = [os.path.realpath(directory) for directory in directories if os.path.isabs(directory)]
    if not real:
        return []
    depths = [(c, depth) for c in candidates if (depth := _depth(c.cwd, real)) is not None]
    best = max((depth for _, depth in depths), default=0)
    return [c for c, depth in depths if depth == best]


def _depth(workspace: str, directories: Sequence[str]) -> int | None:
    """How deep `workspace` lies, if it holds one of the directories (real paths); None otherwise."""
    root = os.path.realpath(workspace)
    inside = any(os.path.commonpath([root, directory]) == root for directory in directories)
    return len(root.split(os.sep)) if inside else None
