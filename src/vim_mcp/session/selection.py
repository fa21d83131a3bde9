"""Which editor a client's calls go to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from vim_mcp.editor import instances
from vim_mcp.editor.directory import Directory
from vim_mcp.editor.link import Editor
from vim_mcp.editor.registry import Preference
from vim_mcp.editor.summary import summary
from vim_mcp.errors import ConnectionLost, NoInstanceSelected


class Selection:
    """One client's choice: the call's own `instance_id`, else what it selected, else the instance it is tied to, else
    what can only be meant. A choice stays until that editor leaves. Requirement PICK-01.
    """

    def __init__(
        self,
        directory: Directory,
        preference: Preference,
        tied_to: str | None,
        working_directories: Callable[[], Awaitable[Sequence[str]]],
        changed: Callable[[], None],
    ):
        self._directory = directory
        self._preference = preference
        self._tied_to = tied_to
        self._working_directories = working_directories
        self._changed = changed
        self.selected: str | None = None

    def select(self, instance_id: str) -> Editor:
        """Choose `instance_id` for the calls to come and remember it as the preference.

        Raises `InstanceNotFound` with the list of those that are there.
        """
        editor = self._named(instance_id)
        self._keep(instance_id)
        self._preference.write(instance_id)
        return editor

    def listing(self) -> list[dict[str, Any]]:
        """An entry for each connected instance, the last preference first."""
        order = instances.preferred_first(self._directory.candidates(), self._preference.read())
        editors = (self._directory.get(candidate.instance_id) for candidate in order)
        return [{**summary(editor), "selected": editor.instance_id == self.selected} for editor in editors if editor]

    async def editor(self, instance_id: str | None = None) -> Editor:
        """The editor that a call means.

        Raises `InstanceNotFound`, `NoInstanceSelected`, `ConnectionLost` (once, when the selected editor has left).
        """
        await self._directory.settled()
        if instance_id:
            return self._named(instance_id)
        if self.selected:
            return self._still_there(self.selected)
        if self._tied_to:
            return self._keep(self._named(self._tied_to).instance_id)
        return self._keep(await self._only_choice())

    def _named(self, instance_id: str) -> Editor:
        instances.find(self._directory.candidates(), instance_id, self._preference.read())
        editor = self._directory.get(instance_id)
        assert editor is not None, "find() raises for an unknown id"
        return editor

    def _still_there(self, instance_id: str) -> Editor:
        editor = self._directory.get(instance_id)
        if editor:
            return editor
        self.selected = None
        self._changed()
        raise ConnectionLost(
            f"{instance_id}, the selected Vim instance, has left. {self._what_is_left()}", instance_id=instance_id
        )

    def _what_is_left(self) -> str:
        if not len(self._directory):
            return instances.NO_INSTANCES
        there = instances.describe(self._directory.candidates())
        return f"Still connected:\n{there}\nThe next call chooses among them, or call select_vim_instance."

    async def _only_choice(self) -> str:
        candidates, preference = self._directory.candidates(), self._preference.read()
        try:
            return instances.choose(candidates, [], preference)
        except NoInstanceSelected:
            if len(candidates) < 2:
                raise
        return instances.choose(candidates, await self._working_directories(), preference)

    def _keep(self, instance_id: str) -> Editor:
        editor = self._named(instance_id)
        if self.selected != instance_id:
            self.selected = instance_id
            self._changed()
        return editor

    def expect(self, instance_id: str | None) -> None:
        """Take over the choice of an earlier session of the same client."""
        self.selected = instance_id
