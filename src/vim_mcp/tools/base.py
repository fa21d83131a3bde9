"""What every tool is made of: typed arguments, a typed result, and words for a model."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field

from vim_mcp.editor.link import Editor
from vim_mcp.kernel.kernel import Kernel
from vim_mcp.tools.asking import ask


class Arguments(BaseModel):
    """Arguments of a tool; unknown ones are an error, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class EditorArguments(Arguments):
    """Arguments of a tool that works on one editor."""

    instance_id: str | None = Field(
        default=None,
        description="The Vim instance to use for this call; default: the selected one (see list_vim_instances).",
    )


class Result(BaseModel):
    """A tool's structured result; `words()` is what a model reads, default its JSON."""

    model_config = ConfigDict(extra="ignore")

    def words(self) -> str:
        """The result in words, or as JSON where that says it best."""
        return self.model_dump_json(exclude_none=True)


@dataclass(frozen=True)
class Image:
    """An image among a result's blocks: Base64, and its MIME type."""

    data: str
    mime_type: str


@dataclass(frozen=True)
class Blocks:
    """The result of a tool that gives text and images in their order. `failed`: the model is to see it as an error."""

    blocks: Sequence[str | Image]
    failed: bool = False


Progress = Callable[[Callable[[], str]], AbstractContextManager[None]]
"""For so long as its block runs, tells a client now and then that its call does, if it wants to know: by the words that
are given then.
"""


@contextmanager
def unheard(_words: Callable[[], str]) -> Iterator[None]:
    """The progress of a call whose client is told nothing."""
    yield


class Instances(Protocol):
    """What a tool may do about the choice of an editor."""

    def listing(self) -> list[dict[str, Any]]:
        """An entry for each connected instance, the selected one marked."""
        ...

    def select(self, instance_id: str) -> Editor:
        """Choose an instance for the calls to come; raises `InstanceNotFound`."""
        ...


@dataclass(frozen=True)
class Call:
    """Where a tool runs: `editor` is None for tools about the choice itself; `client` names who asks.

    `kernel_of` gives the kernel of the editor with a process id, `progress` tells the client how far it is.
    """

    instances: Instances
    client: str
    kernel_of: Callable[[int], Kernel]
    target: Editor | None = None
    progress: Progress = unheard

    @property
    def editor(self) -> Editor:
        """The editor that was chosen for this call."""
        assert self.target is not None, "the tool's table entry says that it needs no editor"
        return self.target

    @property
    def kernel(self) -> Kernel:
        """That editor's kernel."""
        return self.kernel_of(self.editor.info.pid)

    async def request(self, method: str, params: dict[str, Any]) -> Any:
        """Ask the editor in the client's name; parameters that are None are left out."""
        return await ask(self.editor, self.client, method, params)


class Listed(Protocol):
    """What a list of tools shows of a tool, and what its arguments are checked by."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def arguments(self) -> type[BaseModel]: ...
    @property
    def schema(self) -> dict[str, Any]: ...
    @property
    def output_schema(self) -> dict[str, Any] | None: ...
    @property
    def read_only(self) -> bool: ...
    @property
    def destructive(self) -> bool: ...
    @property
    def idempotent(self) -> bool: ...


@dataclass(frozen=True)
class Tool:
    """One tool as the table holds it. `run` takes a `Call` and the validated arguments and returns its `result`, or
    blocks where that is None.
    """

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    result: type[Result] | None
    run: Callable[[Call, Any], Awaitable[Result | Blocks]]
    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    schema: dict[str, Any] = field(init=False)
    output_schema: dict[str, Any] | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "schema", plain_schema(self.arguments))
        schema = plain_schema(self.result, mode="serialization") if self.result else None
        object.__setattr__(self, "output_schema", schema)

    @property
    def needs_editor(self) -> bool:
        """Whether an editor is chosen before the tool runs."""
        return issubclass(self.arguments, EditorArguments)


def plain_schema(model: type[BaseModel], mode: Any = "validation") -> dict[str, Any]:
    """The model's JSON schema without pydantic's titles, which only cost a client's context."""
    schema: dict[str, Any] = _without_titles(model.model_json_schema(mode=mode))
    schema.pop("description", None)
    return schema


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _without_titles(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))
    }
