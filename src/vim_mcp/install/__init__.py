"""`vim-mcp install` and `uninstall`: the plugin's place in the editors, Claude Code, and what other clients are told.

Standard library only, so that it also runs where the rest of the package does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from vim_mcp.install import claude, clients, plugin
from vim_mcp.install.places import EDITORS, Place, here
from vim_mcp.install.steps import Plan, carry_out
from vim_mcp.paths import tilde


def install(editors: Sequence[str] = (), with_claude: bool = True, dry_run: bool = False) -> int:
    """Place the plugin for `editors` (of `EDITORS`; none: those of this machine) and register with Claude Code.

    What is done, or with `dry_run` would be, is printed, a line each. 0: all is in place, 1: something was refused.
    """
    places = _places(editors)
    plans: list[Plan] = [partial(plugin.placing, place) for place in places]
    status = carry_out([*plans, claude.registering] if with_claude else plans, dry_run)
    print("\n" + "\n".join([*clients.snippets(), "", *_afterwards(places, dry_run)]))
    return status


def uninstall(dry_run: bool = False) -> int:
    """Take away what `install` has made, and nothing else; 1 where something of that was refused."""
    plans: list[Plan] = [partial(plugin.removal, place) for place in _all()]
    status = carry_out([*plans, claude.unregistering], dry_run)
    print(f"\nThe program itself goes by the way it came: {plugin.farewell()}")
    return status


def _all() -> list[Place]:
    return [here(editor) for editor in EDITORS]


def _places(editors: Sequence[str]) -> list[Place]:
    """Those that were asked for, else those that there are, else all: an editor may come later."""
    wanted = [here(editor) for editor in editors]
    return wanted or [place for place in _all() if place.is_used()] or _all()


def _afterwards(places: Sequence[Place], dry_run: bool) -> Iterator[str]:
    for place in places:
        if place.lazy():
            yield f"lazy.nvim loads only what its list names. Add to it: {{ dir = '{tilde(place.path)}' }}"
    if dry_run:
        yield "Nothing was done. Without --dry-run it is."
        return
    names = " or ".join(place.editor for place in places)
    yield f"Next: start {names} anew. `:ClaudeCode` opens Claude Code beside your text; any other client you may ask"
    yield '"what buffers do I have open?". More: `:help vim-mcp`. If something is wrong, this says what:'
    yield f"  {plugin.invocation()} doctor"


__all__ = ["EDITORS", "install", "uninstall"]
