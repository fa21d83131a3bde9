"""What is to be done, told before or after it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass


class Refused(Exception):
    """A step that would harm something of the user's, or cannot be done; the message says why and what to do."""


@dataclass(frozen=True)
class Step:
    """One thing in words, and the deed that makes it true, which may raise `Refused` or OSError; None: it is true."""

    text: str
    act: Callable[[], None] | None = None


Plan = Callable[[], Step]
"""What finds out which step is needed; raises `Refused` where none may be taken."""


def carry_out(plans: Sequence[Plan], dry_run: bool) -> int:
    """Plan and do one step after the other, a line each; 1 if one was refused, which keeps no other from being done."""
    return max([_carry_out(plan, dry_run) for plan in plans], default=0)


def _carry_out(plan: Plan, dry_run: bool) -> int:
    try:
        step = plan()
        if step.act is None:
            word = "as is"
        elif dry_run:
            word = "to do"
        else:
            step.act()
            word = "done"
    except Refused as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"{error.filename or 'the system'}: {error.strerror}. Put that right, and run this again")
    print(f"{word:<9} {step.text}", flush=True)
    return 0


def _refused(reason: str) -> int:
    print(f"{'not done':<9} {reason}", file=sys.stderr, flush=True)
    return 1
