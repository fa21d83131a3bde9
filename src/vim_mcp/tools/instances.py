"""The tools about which editor is meant: `list_vim_instances`, `select_vim_instance`."""

from __future__ import annotations

from pydantic import Field

from vim_mcp.editor.instances import NO_INSTANCES
from vim_mcp.tools.base import Arguments, Call, Result, Tool


class NoArguments(Arguments):
    """None."""


class Instance(Result):
    """A connected editor."""

    instance_id: str
    pid: int
    cwd: str
    main_file: str = Field(description="What it was opened with; its id is named after that.")
    current_file: str = Field(description="What its user looks at now.")
    editor: str = Field(description="vim or nvim")
    version: str
    buffers: list[str] = Field(description="Names of the listed buffers.")
    started: str
    last_seen: str
    selected: bool = Field(description="Whether this client's calls go to it by default.")
    short_lived: bool = Field(description="An editor for one text, such as a commit message.")
    access: str = Field(description="What its user allows: edit, read or off.")


class InstanceList(Result):
    """All connected editors."""

    instances: list[Instance]

    def words(self) -> str:
        """One line for each, then how to select."""
        if not self.instances:
            return NO_INSTANCES
        lines = [f"{len(self.instances)} Vim instance(s) connected:", *map(_line, self.instances)]
        return "\n".join([*lines, _how_to_go_on(self.instances)])


def _line(instance: Instance) -> str:
    notes = [note for note, true in (("selected", instance.selected), ("short-lived", instance.short_lived)) if true]
    if instance.access != "edit":
        notes.append(f"access: {instance.access}")
    suffix = f" ({', '.join(notes)})" if notes else ""
    what = instance.current_file or instance.main_file or "[No Name]"
    return f"- {instance.instance_id}: {instance.editor} {instance.version}, {what} in {instance.cwd}{suffix}"


def _how_to_go_on(instances: list[Instance]) -> str:
    if any(instance.selected for instance in instances):
        return "To use another one, call select_vim_instance with its instance_id."
    if len(instances) == 1:
        return "It is used automatically. To be explicit, call select_vim_instance with its instance_id."
    return "Which one do you want to use? Call select_vim_instance with its instance_id."


async def list_vim_instances(call: Call, _: NoArguments) -> InstanceList:
    """All connected instances, with how to select one. Requirement VIM-TOOL-01."""
    return InstanceList(instances=[Instance.model_validate(entry) for entry in call.instances.listing()])


class SelectArguments(Arguments):
    """Which one."""

    instance_id: str = Field(description="An instance_id as list_vim_instances gives it.")


class Selected(Result):
    """The selected editor."""

    instance_id: str
    message: str

    def words(self) -> str:
        """The message."""
        return self.message


async def select_vim_instance(call: Call, arguments: SelectArguments) -> Selected:
    """Choose the instance for this client's next calls. Requirement VIM-TOOL-02.

    Raises `InstanceNotFound` with the list of those that are there.
    """
    editor = call.instances.select(arguments.instance_id)
    return Selected(
        instance_id=editor.instance_id,
        message=f"Selected {editor.instance_id}. The vim_* tools and vim:// resources now use it.",
    )


TOOLS = (
    Tool(
        "list_vim_instances",
        "List Vim instances",
        "List the Vim and Neovim instances that are connected. Call this first when a call says that several are "
        "there, or when the user speaks of 'my editor' and more than one may be open. No arguments.",
        NoArguments,
        InstanceList,
        list_vim_instances,
        read_only=True,
        idempotent=True,
    ),
    Tool(
        "select_vim_instance",
        "Select a Vim instance",
        "Choose the Vim instance that the following vim_* calls and vim:// resources use. Only needed when several are "
        "connected. Ask the user when it is not clear which one is meant.",
        SelectArguments,
        Selected,
        select_vim_instance,
        idempotent=True,
    ),
)
