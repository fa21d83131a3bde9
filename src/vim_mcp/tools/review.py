"""The tools of an editor's port by which Claude Code has its user judge a change: openDiff and what closes it."""

from __future__ import annotations

from pydantic import Field

from vim_mcp.tools.idebase import IdeArguments, IdeCall, IdeTool


class DiffArguments(IdeArguments):
    """A change to a file."""

    old_file_path: str = Field(description="Path of the file as it is; it need not exist.")
    new_file_path: str = Field(description="Path of the file that the change is for; as a rule the same.")
    new_file_contents: str = Field(description="The whole text that the file is to have.")
    tab_name: str = Field(description="Name of the diff: an earlier one of the same client and name is closed.")


class TabArguments(IdeArguments):
    """A diff by its name."""

    tab_name: str = Field(description="Name of the diff, as openDiff was given it.")


class AllDiffsArguments(IdeArguments):
    """Nothing."""


async def open_diff(call: IdeCall, arguments: DiffArguments) -> list[str]:
    """`FILE_SAVED` and the text that the user has accepted, or `DIFF_REJECTED` and the name.

    Requirements IDE-TOOL-03 to IDE-TOOL-07. It is never `TAB_CLOSED`, by which Claude Code would take the change for
    accepted as it was proposed.

    Raises `CommandFailed`: kind `limit`, `refused`, `access`, `ignored`, …; and `ConnectionLost`.
    """
    old, new = call.file(arguments.old_file_path), call.file(arguments.new_file_path)
    verdict = await call.reviews.review(
        call.owner, call.client, old, new, arguments.new_file_contents, arguments.tab_name
    )
    return ["FILE_SAVED", verdict.text] if verdict.accepted else ["DIFF_REJECTED", arguments.tab_name]


async def close_tab(call: IdeCall, arguments: TabArguments) -> list[str]:
    """`TAB_CLOSED`, whether there was one: Claude Code closes a diff twice. Requirement IDE-TOOL-09.

    Nothing but the caller's own diff is closed, and an `openDiff` that waits for its verdict is answered.
    """
    await call.reviews.close(call.owner, arguments.tab_name)
    return ["TAB_CLOSED"]


async def close_all_diff_tabs(call: IdeCall, _: AllDiffsArguments) -> list[str]:
    """`CLOSED_<number>_DIFF_TABS`: the caller's own, each `openDiff` being answered."""
    return [f"CLOSED_{await call.reviews.close_all(call.owner)}_DIFF_TABS"]


REVIEW_TOOLS = (
    IdeTool(
        "openDiff",
        "Review a change",
        "Show the user a file beside the text that it is to have, and wait until the change is accepted, which may be "
        "after edits, or rejected. Nothing is written: that is the caller's part.",
        DiffArguments,
        open_diff,
    ),
    IdeTool(
        "close_tab",
        "Close a diff",
        "Close the diff that this client has opened under a name, if it is open yet; its openDiff ends as rejected.",
        TabArguments,
        close_tab,
        idempotent=True,
    ),
    IdeTool(
        "closeAllDiffTabs",
        "Close all diffs",
        "Close all diffs that this client has opened and that wait for the user; each openDiff ends as rejected.",
        AllDiffsArguments,
        close_all_diff_tabs,
        idempotent=True,
    ),
)
