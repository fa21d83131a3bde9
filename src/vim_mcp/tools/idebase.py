"""What the tools of an editor's port are made of: where they run, their arguments, and how they are listed."""

from __future__ import annotations

import os.path
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from vim_mcp.editor.link import Editor
from vim_mcp.editor.messages import Selection
from vim_mcp.editor.reviews import Reviews
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.text import file_uri
from vim_mcp.tools.asking import absolute, ask
from vim_mcp.tools.base import Blocks, Progress, plain_schema, unheard
from vim_mcp.tools.known import Known

_MAX_SPELLINGS = 1000


class Spellings:
    """How one client writes the addresses of files. Claude Code compares an answer's with its own as strings, and its
    own are not percent-encoded and may go through links, so that it is answered in the form that it asked in.
    """

    def __init__(self) -> None:
        self._uris: dict[str, str] = {}

    def note(self, path: str, uri: str) -> None:
        """The client has called the file at `path` (absolute) by `uri`."""
        if uri.startswith("file://"):
            real = os.path.realpath(path)
            self._uris.pop(real, None)
            self._uris[real] = uri
            if len(self._uris) > _MAX_SPELLINGS:
                del self._uris[next(iter(self._uris))]

    def recent(self, number: int) -> list[str]:
        """The real paths of so many files at most that were called last."""
        return list(self._uris)[-number:]

    def of(self, path: str) -> str:
        """The file's URI as the client writes it, else percent-encoded."""
        return self._uris.get(os.path.realpath(path)) or file_uri(path)


@dataclass(frozen=True)
class IdeCall:
    """Where an IDE tool runs: the editor, the client's name, and what the hub knows of that editor.

    `folders` gives its workspace folders (absolute, the main one first), `latest` what was last selected in it,
    `reviews` are the changes that its user is to judge; those of this client are its `owner`'s, `known` is what it
    takes for known of the files' diagnostics. `by_model`: Claude's model wants the call, and not Claude Code itself.
    """

    editor: Editor
    client: str
    folders: Callable[[], list[str]]
    latest: Callable[[], Selection | None]
    spellings: Spellings
    reviews: Reviews
    kernel: Kernel
    owner: object
    known: Known = field(default_factory=Known)
    by_model: bool = False
    progress: Progress = unheard

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the editor in the client's name; parameters that are None are left out."""
        return await ask(self.editor, self.client, method, params)

    def file(self, path: str) -> str:
        """`path` as an absolute one: a relative one is in the workspace folder that has it, else in the first.

        Raises `CommandFailed` (kind `refused`) for a name with a NUL.
        """
        folders = self.folders() or [self.editor.state.get("cwd", self.editor.info.cwd)]
        candidates = [absolute(path, folder) for folder in folders]
        return next(filter(os.path.lexists, candidates), candidates[0])


class IdeArguments(BaseModel):
    """Arguments of an IDE tool. The schema allows no others, as VS Code's does, but others are ignored."""

    model_config = ConfigDict(
        extra="ignore",
        strict=True,
        json_schema_extra={"additionalProperties": False, "$schema": "http://json-schema.org/draft-07/schema#"},
    )


@dataclass(frozen=True)
class IdeTool:
    """One tool as the table holds it. `run` takes an `IdeCall` and the validated arguments and returns blocks: texts
    alone, or a `Blocks`.
    """

    name: str
    title: str
    description: str
    arguments: type[IdeArguments]
    run: Callable[[IdeCall, Any], Awaitable[list[str] | Blocks]]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    schema: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", {"properties": {}, **_without_null(plain_schema(self.arguments))})

    @property
    def output_schema(self) -> None:
        """None: its results are blocks alone."""


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with optional properties as what they are when given: null is taken too, but not advertised."""
    for part in schema.get("properties", {}).values():
        if choices := part.pop("anyOf", None):
            part.update(choices[0])
            del part["default"]
    return schema
